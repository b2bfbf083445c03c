"""The three questions, each against Bayes' rule on a small table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken import RELEASED, WITHHELD
from unspoken.measures import MeasureName

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
