"""Where a cloud is bounded, not listed, the truth lies between low and high."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import unspoken
from tests import oracle
from tests.laws.cases import Question, close, rounding_of
from tests.laws.draws import draws, each_family
from unspoken.core.measures import MEASURES

TOL = 1e-9

pytestmark = [pytest.mark.slow, pytest.mark.stress]


def holds(bound: unspoken.Bound, truth: float) -> bool:
    return bound.low <= truth * (1 + TOL) + 1e-15 and truth <= bound.high * (1 + TOL) + 1e-15


def answer(ask: Callable[[], Any], word: str) -> Any:
    """What was asked for, or None for a refusal, which must say why."""
    try:
        return ask()
    except unspoken.UnspokenError as refusal:
        said = str(refusal)
    assert word in said
    return None


@each_family
def test_pairwise_bounds(family: str) -> None:
    """`Pairwise` is right about two variables; about more it bounds or refuses, never guesses."""
    bounded = 0
    for _, setting, look in draws(family, 50):
        joint = Question(setting, oracle.Look(look.target, look.secret, (), look.sees))
        tables = {pair: joint.belief.marginal(pair) for pair in combinations(setting.names, 2)}
        marginals = [joint.belief.marginal([name]) for name in setting.names]
        values = [setting.values[name] for name in setting.names]
        pairwise = unspoken.Pairwise(marginals, tables, names=setting.names, values=values)
        sees = setting.epsilon if look.sees is None else look.sees
        ask = partial(unspoken.view, pairwise, joint.mechanism, joint.adversary)
        cloud = answer(ask, "pair")
        if cloud is None:
            continue
        for name, truth in oracle.measures(setting, joint.look).items():
            bound = MEASURES[name].of(cloud)
            bounded += 1
            assert holds(bound, truth), (joint, name, bound.low, truth, bound.high)
            if len({*sees, look.target}) <= 2:
                # The pair tables are float sums of the joint's entries: rounded before any use.
                rounding = rounding_of(name, truth)
                assert close(bound.low, truth, atol=rounding)
                assert close(bound.high, truth, atol=rounding)
    assert bounded > 0


@pytest.mark.parametrize("cells", [2, 12, 40])
@each_family
def test_a_cloud_too_large_to_list(family: str, cells: int, monkeypatch: Any) -> None:
    """The same questions with room for a few cells only, or a refusal that says so."""
    monkeypatch.setattr("unspoken.core.mechanisms.local.CELLS", cells)
    for _, setting, look in draws(family, 51):
        question = Question(setting, look)
        bounds = answer(question.leakages, "cells")
        for name, truth in oracle.measures(setting, look).items() if bounds else ():
            assert holds(bounds[name], truth), (question, name, bounds[name], truth)


def test_xor_is_not_missed() -> None:
    """V1, V2 fair, S = V1 xor V2: every pair is independent, and yet two outputs tell all."""
    table = np.zeros((2, 2, 2))
    for a, b in np.ndindex(2, 2):
        table[a, b, a ^ b] = 0.25
    pairs = {pair: np.full((2, 2), 0.25) for pair in (("A", "B"), ("A", "S"), ("B", "S"))}
    names, half = ["A", "B", "S"], [[0.5, 0.5]] * 3
    mechanism = unspoken.OneSided({"A": 5.0, "B": 5.0}, {"A": [0], "B": [0], "S": [0]})
    look = unspoken.Adversary("S")
    exact = unspoken.leakage(
        unspoken.Joint(table, names=names), mechanism, look, "mutual-information"
    )
    assert exact.low > 0.4
    stated = unspoken.Pairwise(half, pairs, names=names)
    bound = unspoken.leakage(stated, mechanism, look, "mutual-information")
    assert bound.high >= exact.low
