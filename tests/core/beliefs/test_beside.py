"""The laws of pairs, many at once: for every belief those of one pair after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.beliefs.branching import drawn, some
from unspoken.core.beliefs import BELIEFS, Belief
from unspoken.core.errors import NotKnown

pytestmark = pytest.mark.slow

COUNTS = np.arange(1.0, 17.0).reshape(2, 2, 2, 2)
STICKY = [[0.9, 0.1], [0.3, 0.7]]
EVERY: dict[str, Belief] = {
    "chain": unspoken.Chain([0.2, 0.8], STICKY, 4),
    "exchangeable": unspoken.Exchangeable([5, 1, 1, 1, 5], 4),
    "gaussian": unspoken.Gaussian([[1, 0.5], [0.5, 1]], [1, 1]),
    "independent": unspoken.Independent([[0.2, 0.8], [0.5, 0.5], [1, 0], [0.3, 0.7]]),
    "joint": unspoken.Joint(COUNTS),
    "network": unspoken.Network(
        {"x0": [], "x1": ["x0"], "x2": ["x0", "x1"]},
        {"x0": [0.2, 0.8], "x1": STICKY, "x2": [STICKY, STICKY[::-1]]},
    ),
    "pairwise": unspoken.Pairwise([[0.5, 0.5]] * 3, {("x0", "x2"): [[0.4, 0.1], [0.1, 0.4]]}),
    "tree": unspoken.Tree([-1, 0, 0, 1], [0.2, 0.8], STICKY),
}


def one_by_one(belief: Belief, names: Sequence[str], targets: Sequence[str]) -> Any:
    return np.array(
        [
            [
                np.diag(belief.marginal([t])) if t == n else belief.marginal([n, t]).T
                for t in targets
            ]
            for n in names
        ]
    )


def test_every_belief_is_here() -> None:
    assert EVERY.keys() == BELIEFS.keys()


@pytest.mark.parametrize("kind", BELIEFS)
def test_every_belief(kind: str) -> None:
    belief, names = EVERY[kind], list(EVERY[kind].domain.names)
    if kind == "gaussian":
        with pytest.raises(NotKnown, match="continuous"):
            belief.beside(names, names)
        return
    for some_names, targets in ((names, names), (names[1:], names[:2]), (names[:1], names[::-1])):
        true = one_by_one(belief, some_names, targets)
        assert belief.beside(some_names, targets) == pytest.approx(true, rel=1e-12, abs=1e-16)


@pytest.mark.stress
@given(st.sampled_from(["chain", "tree"]), st.integers(0, 2**32 - 1))
def test_on_forests_as_enumerated(kind: str, seed: int) -> None:
    """Impossible values, arrows that say nothing, and different numbers of values included."""
    belief, joint = drawn(kind, seed)
    rng, sizes = np.random.default_rng(seed), belief.domain.sizes
    each = [
        [n for n, own in zip(belief.domain.names, sizes, strict=True) if own == d] for d in sizes
    ]
    names = some(rng, each[rng.integers(len(each))], 6, 1)
    targets = some(rng, each[rng.integers(len(each))], 6, 1)
    found = belief.beside(names, targets)
    np.testing.assert_allclose(found, one_by_one(joint, names, targets), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("branches", [1, 2])
def test_far_apart(branches: int) -> None:
    """Hundreds of steps between them: nothing adds up, and every digit of a rare pair is there."""
    rare = [[1 - 1e-9, 1e-9], [1e-3, 1 - 1e-3]]
    parents = [-1, *(max(0, v - branches) for v in range(1, 1200))]
    belief = unspoken.Tree(parents, [0.5, 0.5], rare)
    names = [f"x{v}" for v in (1199, 600, 3, 0, 1198)]
    found = belief.beside(names, names[::-1])
    assert found == pytest.approx(one_by_one(belief, names, names[::-1]), rel=1e-12, abs=0)
    if branches == 1:
        chain = unspoken.Chain([0.5, 0.5], rare, 1200)
        true = one_by_one(chain, names, names[::-1])
        assert chain.beside(names, names[::-1]) == pytest.approx(true, rel=1e-12, abs=0)
