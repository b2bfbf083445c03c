"""Ends are rounded outward: never on the wrong side of the exact number, and close to it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.numerics.arrays import least_positive
from unspoken.core.numerics.rounding import (
    UNIT,
    beside_one,
    down,
    quotient_down,
    quotient_ends,
    quotient_up,
    sum_up,
    up,
)

NUMBERS = st.floats(1e-200, 1e200)


@given(NUMBERS, NUMBERS)
def test_a_sum_is_rounded_up(one: float, other: float) -> None:
    exact = Fraction(one) + Fraction(other)
    assert Fraction(sum_up(one, other)) > exact
    assert sum_up(one, other) <= (one + other) * (1 + 4e-16)
    assert sum_up(one, 0.0) == one


@given(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=30))
def test_so_many_operations_are_covered(factors: list[float]) -> None:
    product, exact = 1.0, Fraction(1)
    for factor in factors:
        product, exact = product * factor, exact * Fraction(factor)
    assert Fraction(up(product, len(factors))) > exact
    assert up(product, len(factors)) <= product * (1 + 2e-16 * (len(factors) + 2))
    assert Fraction(down(product, len(factors))) < exact
    assert down(product, len(factors)) >= product * (1 - 2e-16 * (len(factors) + 2))


def test_nothing_and_everything_are_exact() -> None:
    assert up(0.0, 5) == 0.0
    assert up(math.inf, 5) == math.inf
    assert (down(0.0, 5), down(math.inf, 5)) == (0.0, math.inf)
    assert quotient_down(math.inf, 3) == math.inf


@given(NUMBERS, st.integers(1, 10_000))
def test_the_k_fold_of_a_budget_fits(limit: float, k: int) -> None:
    """And that of the next float does not."""
    quotient = quotient_down(limit, k)
    assert Fraction(quotient) * k <= Fraction(limit)
    assert Fraction(math.nextafter(quotient, math.inf)) * k > Fraction(limit)


@given(NUMBERS, st.floats(1e-3, 1e3))
def test_no_more_than_the_limit_is_left_of_a_reach(reach: float, limit: float) -> None:
    scale = quotient_up(reach, limit)
    assert Fraction(reach) <= Fraction(limit) * Fraction(scale)
    assert scale <= reach / limit * (1 + 4e-16)


@pytest.mark.parametrize("values", [1, 2, 7, 300, 5_000])
def test_how_far_the_sums_of_rows_are_from_1(values: int) -> None:
    """To a millionth of a unit of rounding, of rows that miss it by a few."""
    laws = np.random.default_rng(values).dirichlet(np.full(values, 0.3), 4)
    laws[0] *= 1 + 9 * UNIT
    missed = [abs(sum(map(Fraction, row.tolist()), Fraction(-1))) for row in laws]
    off = max(missed) / Fraction(UNIT)
    assert off <= Fraction(beside_one(laws)) <= off + Fraction(1, 10**6)


@given(st.lists(st.floats(0.0, 1.0), max_size=20))
def test_the_least_that_is_not_0(numbers: list[float]) -> None:
    table = np.array(numbers)
    assert least_positive(table) == min((x for x in np.abs(table) if x > 0), default=1.0)
    assert least_positive(np.atleast_2d(table).T) == least_positive(table)


@given(NUMBERS, st.floats(1e-3, 1e3))
def test_the_floats_next_to_a_quotient(x: float, y: float) -> None:
    low, high = quotient_ends(x, y)
    assert Fraction(low) * Fraction(y) <= Fraction(x) <= Fraction(high) * Fraction(y)
    assert high in (low, math.nextafter(low, math.inf))
    assert quotient_ends(3 * y, y)[0] <= 3.0 <= quotient_ends(3 * y, y)[1]
    assert quotient_ends(2 * y, y) == (2.0, 2.0)
