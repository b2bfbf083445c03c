"""The smallest share first, within a limit on bits: what the first solution gives can be had."""

from __future__ import annotations

import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES

pytestmark = pytest.mark.slow

SHARES = {"a": ["x0"], "b": ["x1", "x2"]}
SENSITIVE = {"x0": [0], "x1": [0]}
LIMIT = 0.02


@pytest.mark.parametrize("seed", range(4))
def test_both_are_kept(seed: int) -> None:
    table = np.random.default_rng(seed).integers(1, 60, size=(3, 3, 2)).astype(float) ** 2
    belief = unspoken.Joint(table)
    fair, most = (
        unspoken.plan(belief, by="record", limit_bits=LIMIT, sensitive=SENSITIVE, shares=shares)
        for shares in (SHARES, None)
    )
    for target, labels in SENSITIVE.items():
        view = fair.mechanism.view(belief, unspoken.Adversary(target, secret=labels))
        assert MEASURES["mutual-information"].of(view).bits <= LIMIT * (1 + 1e-9)
    assert min(fair.shares.values()) > 0.01
    assert fair.objective <= most.bound.high


def test_of_a_set_bits_are_those_of_its_middle() -> None:
    table = np.random.default_rng(3).integers(1, 60, size=(3, 2)).astype(float)
    belief = unspoken.Joint(table)
    law = table / table.sum()
    inside, outside = law[:1] / law[:1].sum(), law[1:] / law[1:].sum()
    centre = np.concatenate([inside, outside])
    ends = np.clip(centre - 0.02, 0, 1), np.clip(centre + 0.02, 0, 1)
    sets = unspoken.Intervals(belief, {("x0", (0,)): ends})
    plan = unspoken.plan(sets, by="record", limit_bits=0.01, sensitive={"x0": [0]})
    assert "under the belief in the middle of the set" in plan.bound.why
    view = plan.mechanism.view(belief, unspoken.Adversary("x0", secret=[0]))
    assert MEASURES["mutual-information"].of(view).bits <= 0.01 * (1 + 1e-6)
    assert plan.information == {}
