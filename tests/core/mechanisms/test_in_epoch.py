"""Coins of epochs: nested within one, independent between two, and their exponents exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Finite, InEpoch, Laplace, Mechanism, OneSided, Together
from unspoken.core.mechanisms.parts import Tossed

PAIR = unspoken.Joint([[2, 1, 4], [1, 6, 3]], names=["A", "B"])
ABOUT_A = unspoken.Adversary("A", secret=[0])
EXPONENTS = st.sampled_from([0.0, 5e-324, 1e-300, 0.1, 0.2, 0.3, 1.0, 1e300, math.inf])


def hiding(epsilon: float, *hidden: int) -> OneSided:
    return OneSided({"B": epsilon}, {"B": hidden})


def bounds(mechanism: Mechanism) -> list[float]:
    names: Any = ("odds", "mutual-information")
    return [unspoken.leakage(PAIR, mechanism, ABOUT_A, name).value for name in names]


@given(st.lists(st.tuples(st.sampled_from("123"), st.sampled_from([0.0, 0.1, 0.5, 2.0, math.inf]))))
def test_tosses_that_show_the_same_are_one(tosses: list[tuple[str, float]]) -> None:
    """Theorem 1, and one U an epoch: as one toss of the exponent that the law of coins says."""
    largest: dict[str, float] = {}
    law = Tossed()
    for epoch, epsilon in tosses:
        law = law.toss(epsilon, largest.get(epoch, 0.0))
        largest[epoch] = max(epsilon, largest.get(epoch, 0.0))
    assert law.exponent == pytest.approx(math.fsum(largest.values()))
    some = [InEpoch(epoch, hiding(epsilon, 0)) for epoch, epsilon in tosses[:4]]
    if len(tosses) <= 4 and some:
        one = bounds(hiding(law.exponent, 0))
        assert bounds(Together(some)) == pytest.approx(one, rel=1e-9, abs=1e-12)


def test_what_shows_something_else_shares_the_coin_of_its_epoch() -> None:
    more, less = hiding(0.4, 0), hiding(0.7, 0, 1)
    shared = bounds(Together([more, less]))
    assert bounds(Together([InEpoch("1", more), InEpoch("1", less)])) == pytest.approx(shared)
    apart = bounds(Together([InEpoch("1", more), InEpoch("2", less)]))
    assert apart != pytest.approx(shared, rel=1e-3)


def test_what_has_no_coins_is_the_same_in_every_epoch() -> None:
    for mechanism in (Laplace(2.0, {"B": 1}), Finite("B", [[1, 3], [1, 1], [3, 1]])):
        twice = bounds(Together([mechanism] * 2))
        assert bounds(Together([InEpoch("1", mechanism)] * 2)) == pytest.approx(twice)
        assert (mechanism.exponents(), mechanism.drawn_anew()) == ({}, (mechanism,))
        assert mechanism.scaled(0.5) is mechanism
    fresh = OneSided({"B": 1.0}, coins="fresh")
    assert (fresh.exponents(), fresh.drawn_anew(), fresh.scaled(0.5)) == ({}, (fresh,), fresh)


@given(st.lists(EXPONENTS, min_size=1))
def test_sums_are_exact(exponents: list[float]) -> None:
    """Whatever the order; and what is taken off again leaves no trace."""
    there, back = Tossed(), Tossed()
    for exponent in exponents:
        there = there.toss(exponent)
    for exponent in reversed(exponents):
        back = back.toss(exponent)
    assert there == back
    assert there.without(exponents[0]) == sum_of(exponents[1:])
    assert there.exponent == (
        math.inf if math.inf in exponents else float(sum(map(Fraction, exponents)))
    )


def sum_of(exponents: list[float]) -> Tossed:
    finite = sum((Fraction(e) for e in exponents if e < math.inf), Fraction(0)) * 2**1074
    assert finite.denominator == 1
    return Tossed(int(finite), exponents.count(math.inf))


def test_no_file_names_it() -> None:
    with pytest.raises(InputError, match="InEpoch has no word in files"):
        InEpoch("1", hiding(1.0, 0)).describe()
    assert repr(InEpoch("1", hiding(1.0, 0))) == "InEpoch\n  epoch     1\n  releases  OneSided"


def test_sums_beyond_floats_are_infinite() -> None:
    assert Tossed().toss(1.7e308).toss(1.7e308).exponent == math.inf
