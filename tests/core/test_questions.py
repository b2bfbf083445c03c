"""The three questions, each against Bayes' rule on a small table."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken import RELEASED, WITHHELD
from unspoken.core.measures import MEASURES, MeasureName
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import STATED

TABLE = np.array([[[0.1, 0.05], [0.05, 0.1]], [[0.05, 0.15], [0.2, 0.3]]])
BELIEF = unspoken.Joint(TABLE, names="ABC")
ZERO = {"A": [0], "B": [0], "C": [0]}
MECHANISM = unspoken.OneSided({"A": 1.0, "B": 0.5}, ZERO, shows="bit")


def withheld(name: str) -> np.ndarray:
    """P(withheld | x) for x = 0, 1."""
    return np.array([1.0, 1.0 - MECHANISM.release_probability(name)])


@pytest.mark.parametrize("target", "ABC")
def test_the_odds_of_one_event(target: str) -> None:
    """Both withheld: posterior over prior odds of the value 0."""
    joint = np.einsum("abc,a,b->abc", TABLE, withheld("A"), withheld("B"))
    axis = "ABC".index(target)
    others = tuple(other for other in range(3) if other != axis)
    after, before = joint.sum(others), TABLE.sum(others)
    truth = (after[0] / after[1]) / (before[0] / before[1])
    both = {"A": WITHHELD, "B": WITHHELD}
    found = unspoken.odds(BELIEF, MECHANISM, unspoken.Adversary(target), both)
    assert found.value == pytest.approx(truth, rel=1e-12)


def test_released_is_proof() -> None:
    found = unspoken.odds(BELIEF, MECHANISM, unspoken.Adversary("A"), {"A": RELEASED})
    assert found.value == 0.0


@pytest.mark.parametrize("measure", ["max-log-ratio", "odds", "mutual-information", "delta"])
@pytest.mark.parametrize("mechanism", [MECHANISM, unspoken.Laplace(2.0)])
def test_leakages_are_the_leakage_about_each(measure: MeasureName, mechanism: Any) -> None:
    """Of everybody, or of those asked for, in the order asked for."""
    each = unspoken.leakages(BELIEF, mechanism, measure)
    assert list(each) == ["A", "B", "C"]
    for name, found in each.items():
        alone = unspoken.leakage(BELIEF, mechanism, unspoken.Adversary(name), measure)
        assert found.value == pytest.approx(alone.value, rel=1e-12)
    assert len({found.value for found in each.values()}) >= 2
    assert list(unspoken.leakages(BELIEF, mechanism, measure, ["C", "A"])) == ["C", "A"]


def test_options_are_the_measures_own() -> None:
    adversary = unspoken.Adversary("C")
    loose = unspoken.leakage(BELIEF, MECHANISM, adversary, "delta", eps=0.1)
    strict = unspoken.leakage(BELIEF, MECHANISM, adversary, "delta")
    assert loose.value < strict.value


@pytest.mark.parametrize(
    "measure", ["max-log-ratio", "mutual-information", "odds", "maximal-leakage"]
)
def test_rounding_is_counted_in_what_is_answered(measure: MeasureName) -> None:
    """And in nothing that plans and calibrations compare with limits."""
    adversary = unspoken.Adversary("C", secret=[0])
    cloud: Any = unspoken.view(BELIEF, MECHANISM, adversary)
    inner = MEASURES[measure].of(cloud)
    told = unspoken.leakage(BELIEF, MECHANISM, adversary, measure)
    assert inner.outer is None
    assert told.low < inner.low == inner.high < told.high < told.low * (1 + 1e-12) + 1e-12
    assert told.exact
    assert "exactly" in repr(told)
    assert "at least" not in repr(told)
    if measure == "max-log-ratio":
        one = unspoken.leakages(BELIEF, MECHANISM, targets=["C"])["C"]
        assert one == unspoken.leakage(BELIEF, MECHANISM, unspoken.Adversary("C"))
        assert one.low < one.high
        after = unspoken.odds(BELIEF, MECHANISM, adversary, {"A": WITHHELD})
        assert after.low < after.high < after.low * (1 + 1e-12)


def test_nothing_is_nothing() -> None:
    """What has no part in an answer is told exactly nothing of."""
    apart = unspoken.Independent([[0.3, 0.7], [0.2, 0.8]], names="AB")
    mechanism = unspoken.OneSided({"A": 1.0}, {"A": [0], "B": [0]})
    adversary = unspoken.Adversary("B")
    told = unspoken.leakage(apart, mechanism, adversary)
    assert (told.low, told.high) == (0.0, 0.0)
    factor = unspoken.leakage(apart, mechanism, adversary, "odds")
    after = unspoken.odds(apart, mechanism, adversary, {"A": WITHHELD})
    assert (factor.low, factor.high) == (after.low, after.high) == (1.0, 1.0)


def test_who_sees_the_same_whatever_is_true_is_told_exactly_nothing() -> None:
    """Dependent, and always withheld; nothing is below what a measure can be, nor -0.0."""
    pair = unspoken.Joint([[0.2, 0.3], [0.1, 0.4]], names="AB")
    withheld = unspoken.OneSided({"A": 1.0}, {"A": [0, 1]})
    measure: Any
    for measure in MEASURES:
        told = unspoken.leakage(pair, withheld, unspoken.Adversary("B", secret=[0]), measure)
        least = 1.0 if measure == "odds" else 0.0
        assert (str(told.low), str(told.high)) == (str(least), str(least)), measure
    product = unspoken.Joint(np.multiply.outer([0.3, 0.7], [0.2, 0.8]), names="AB")
    told = unspoken.leakage(
        product, unspoken.Finite("A", [[3, 7], [6, 4]]), unspoken.Adversary("B", secret=[0]), "odds"
    )
    assert told.low == 1.0 < told.high < 1.0 + 1e-12


def test_ends_of_odds_beyond_floats() -> None:
    """e^800 is finite, e^-800 is not 0."""
    wide = Bound.of_odds(800.0, 800.0, STATED, "", (799.0, 801.0)).outward()
    assert (wide.low, wide.high) == (sys.float_info.max, math.inf)
    small = Bound.of_odds(-800.0, -800.0, STATED, "", (-801.0, -799.0)).outward()
    assert (small.low, small.high) == (0.0, math.ulp(0.0))
    near = Bound.of_odds(0.0, 1e-300, STATED, "", (0.0, 1e-300)).outward()
    assert near.low == 1.0 < near.high
