"""Numbers beyond the range of floats keep the digits of floats."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.numerics.wide import Wide

exponents = st.integers(-3000, 3000)
mantissas = st.one_of(st.just(0.0), st.floats(0.5, 1.0, exclude_max=True))
NUMBERS = st.lists(st.tuples(mantissas, exponents), min_size=1, max_size=6)
CLOSE = Fraction(4, 2**53)


def wide(numbers: list[tuple[float, int]]) -> Wide:
    return Wide.of([m for m, _ in numbers], [e for _, e in numbers])


def exactly(number: Wide) -> list[Fraction]:
    pairs = zip(number.mantissa.ravel().tolist(), number.exponent.ravel().tolist(), strict=True)
    return [Fraction(m) * (Fraction(2) ** e if m else 1) for m, e in pairs]


def close(got: Wide, expected: list[Fraction]) -> bool:
    return all(abs(a - b) <= CLOSE * b for a, b in zip(exactly(got), expected, strict=True))


@given(NUMBERS, NUMBERS)
def test_arithmetic(one: list[tuple[float, int]], other: list[tuple[float, int]]) -> None:
    a, b = wide(one), wide(other)
    pairs = [(x, y) for x in exactly(a) for y in exactly(b)]
    left, right = a.reshape(-1, 1), b.reshape(1, -1)
    assert close(left * right, [x * y for x, y in pairs])
    assert close(left + right, [x + y for x, y in pairs])
    if all(y > 0 for _, y in pairs):
        assert close(left / right, [x / y for x, y in pairs])
    assert close(a.sum(0).reshape(1), [sum(exactly(a), Fraction(0))])
    assert (a.positive == [x > 0 for x in exactly(a)]).all()


@given(st.lists(st.integers(0, 10**900), min_size=1, max_size=5))
def test_whole_numbers_of_any_size(numbers: list[int]) -> None:
    assert close(Wide.of_whole(numbers), [Fraction(number) for number in numbers])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_floats_come_back(numbers: list[float]) -> None:
    assert Wide.of(numbers).plain().tolist() == numbers


@given(st.floats(-1e5, 700))
def test_logarithms(log: float) -> None:
    assert Wide.of_logs([log]).logs()[0] == pytest.approx(log, rel=4e-16, abs=4e-16)


def test_the_ends() -> None:
    assert Wide.of_logs([-math.inf, 0.0]).plain().tolist() == [0.0, 1.0]
    assert Wide.of([0.0]).logs().tolist() == [-math.inf]
    tiny = Wide.of([0.5], [-4000])
    assert tiny.plain().tolist() == [0.0]
    assert not tiny.fits
    assert Wide.of([0.0, 0.25]).fits
    assert tiny[0].shape == ()
    assert Wide.of(np.ones((2, 3))).sum((0, 1)).plain() == 6.0
    assert Wide.of(np.ones((2, 3))).sum(1, keepdims=True).shape == (2, 1)
