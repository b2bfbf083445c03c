"""Beliefs, and sets of them, are equal to their copies and to nothing else."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.beliefs import BELIEFS
from unspoken.core.families import FAMILIES, Ball

PAIR = np.array([[0.4, 0.1], [0.1, 0.4]])
STEP = [[0.9, 0.1], [0.2, 0.8]]
MADE: dict[str, Callable[[float], Any]] = {
    "chain": lambda p: unspoken.Chain([p, 1 - p], STEP, 4),
    "exchangeable": lambda p: unspoken.Exchangeable([p, 0.0, 1 - p], 2),
    "gaussian": lambda p: unspoken.Gaussian([[1, p], [p, 1]], [1, 1]),
    "independent": lambda p: unspoken.Independent([[p, 1 - p]] * 2),
    "joint": lambda p: unspoken.Joint([[p, 0.1], [0.1, 0.8 - p]]),
    "network": lambda p: unspoken.Network({"a": []}, {"a": [p, 1 - p]}),
    "pairwise": lambda p: unspoken.Pairwise(
        [[0.5, 0.5]] * 2, {("x0", "x1"): [[p, 0.5 - p], [0.5 - p, p]]}
    ),
    "tree": lambda p: unspoken.Tree([-1, 0], [p, 1 - p], [None, STEP]),
    "beliefs": lambda p: unspoken.Beliefs([unspoken.Joint(PAIR), MADE["joint"](p)]),
    "box": lambda p: unspoken.Box(PAIR * p, PAIR + 0.1),
    "rows": lambda p: unspoken.Rows(PAIR * p, PAIR + 0.5, ["x0"]),
    "intervals": lambda p: unspoken.Intervals(
        unspoken.Joint(PAIR), {("x0", (0,)): (PAIR * p, np.minimum(PAIR * 2 + 0.1, 1.0))}
    ),
    "frechet": lambda p: unspoken.Frechet({("a",): [p, 1 - p], ("b",): [0.5, 0.5]}),
    "ball": lambda p: Ball(unspoken.Joint(PAIR), p),
    "gaussian ball": lambda p: unspoken.GaussianBall(MADE["gaussian"](0.1), p),
}


@pytest.mark.parametrize("kind", MADE)
def test_it_equals_its_copies(kind: str) -> None:
    belief = MADE[kind](0.3)
    copies = [copy.copy(belief), copy.deepcopy(belief), pickle.loads(pickle.dumps(belief))]
    for other in [*copies, MADE[kind](0.3)]:
        assert belief == other
        assert hash(belief) == hash(other)
    assert belief != MADE[kind](0.31)
    assert belief != MADE["joint" if kind != "joint" else "independent"](0.3)
    assert belief != 3


def test_what_was_asked_of_it_makes_no_difference() -> None:
    """Tables it has kept on the way are no part of what it is."""
    for kind in ("chain", "tree", "network", "intervals"):
        asked, fresh = MADE[kind](0.3), MADE[kind](0.3)
        name = asked.domain.names[0]
        shown = unspoken.Finite(name, [[0.9, 0.1], [0.2, 0.8]])
        unspoken.leakage(asked, shown, unspoken.Adversary(name), "odds")
        assert asked == fresh
        assert fresh == asked


def test_premises_and_names_count() -> None:
    joint = unspoken.Joint(PAIR)
    assert joint != unspoken.Joint(PAIR, premise="learned(10)")
    assert joint != unspoken.Joint(PAIR, names=["a", "b"])
    assert joint != unspoken.Joint(PAIR, values=[[0, 1], [0, 2]])


def test_every_kind_is_copied() -> None:
    assert {*MADE} >= {*BELIEFS, *FAMILIES}
