"""What values tell by being released at all."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import unspoken
from tests.planning.enumerated import Enumerated
from unspoken.planning.joint_law import JointLaw
from unspoken.planning.supports import telling_values, worst_by_support


def test_small_release_probabilities_approach_the_worst_of_a_support() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        table = rng.dirichlet(np.full(12, 0.7)).reshape(2, 3, 2)
        e = Enumerated(table, [(0,), (0, 2), (1,)])
        belief = unspoken.Joint(table)
        names = belief.domain.names
        hidden = {"x0": (0,), "x1": (0, 2), "x2": (1,)}
        joint = JointLaw.of(belief, hidden, hidden, names)
        worst = worst_by_support(joint)
        for number, support in enumerate(itertools.product((0.0, 1e-9), repeat=3)):
            factors = max(factor for _, factor, *_ in e.said(support))
            assert worst[number] == pytest.approx(math.log(factors), abs=1e-6)
        assert (worst[1:] >= worst[0]).all()


def test_telling_values_come_worst_first_and_only_beyond_the_cap() -> None:
    table = np.array([[0.02, 0.03, 0.05], [0.6, 0.2, 0.1]])
    belief = unspoken.Joint(table, names=["A", "B"], values=[["yes", "no"], ["low", "mid", "high"]])
    hidden = {"A": ("yes",), "B": ()}
    found = telling_values(belief, hidden, {"A": ("yes",)}, ["A", "B"], 1.2)
    assert [told.value for told in found] == ["high", "mid"]
    assert [told.factor for told in found] == [
        pytest.approx(0.05 / 0.1 * 9),
        pytest.approx(0.03 / 0.2 * 9),
    ]
    assert [told.probability for told in found] == [pytest.approx(0.15), pytest.approx(0.23)]
    assert telling_values(belief, hidden, {"A": ("yes",)}, ["A", "B"], 5.0) == ()
    assert telling_values(belief, hidden, {"A": ("yes",)}, ["A", "B"], math.inf) == ()


def test_what_two_values_tell_together_is_found() -> None:
    """Either part of an exclusive or is harmless, both are not."""
    table = np.zeros((2, 2, 2))
    for a, b in itertools.product((0, 1), repeat=2):
        table[a, b, a ^ b] = 0.25
    belief = unspoken.Joint(table, names=["A", "B", "S"])
    joint = JointLaw.of(belief, {"A": (), "B": (), "S": (0, 1)}, {"S": (0, 1)}, ["A", "B"])
    assert worst_by_support(joint).tolist() == [0.0, 0.0, 0.0, math.inf]
