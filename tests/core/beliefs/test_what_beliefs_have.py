"""What searches go by - arrows, steps, ones, covariances, variables alike - is what P says."""

from __future__ import annotations

import itertools
from functools import reduce

import numpy as np
import pytest

import unspoken
from unspoken.core.beliefs import BELIEFS, Belief

STEP = [[0.9, 0.1], [0.3, 0.7]]
MEMBERS: dict[str, Belief] = {
    "chain": unspoken.Chain([0.2, 0.8], [STEP, [[0.5, 0.5]] * 2, STEP]),
    "exchangeable": unspoken.Exchangeable([5, 3, 2, 1, 1], 4),
    "gaussian": unspoken.Gaussian([[1.0, 0.5], [0.5, 2.0]], [1.0, 1.0]),
    "independent": unspoken.Independent(
        [[0.3, 0.7], [0.3, 0.7], [0.7, 0.3], [0.3, 0.7]], values=[(0, 1), (0, 1), (0, 1), (0, 2)]
    ),
    "joint": unspoken.Joint(np.arange(1.0, 9.0).reshape(2, 2, 2)),
    "network": unspoken.Network({"a": [], "b": ["a"]}, {"a": [0.2, 0.8], "b": STEP}),
    "pairwise": unspoken.Pairwise([[0.5, 0.5], [0.5, 0.5]], {}),
    "tree": unspoken.Tree([-1, 0, 0, 1], [0.4, 0.6], STEP),
}
TABLES = {name: belief for name, belief in MEMBERS.items() if name not in ("gaussian", "pairwise")}
KNOWN = [{}, {0: 0}, {1: 1}, {2: 0}]


def given(belief: Belief, known: dict[int, int]) -> Belief:
    """The belief of somebody who knows these values, by number of the variable and its value."""
    names, values = belief.domain.names, belief.domain.values
    return belief.given({names[v]: values[v][x] for v, x in known.items()}) if known else belief


def cases() -> list[tuple[str, Belief]]:
    return [
        (name, given(belief, known))
        for name, belief in TABLES.items()
        for known in KNOWN
        if max(known, default=0) < len(belief.domain.names)
    ]


def test_every_belief_is_asked() -> None:
    assert set(MEMBERS) == set(BELIEFS)


@pytest.mark.parametrize(("name", "belief"), cases())
def test_swapping_variables_that_are_alike_changes_nothing(name: str, belief: Belief) -> None:
    names, groups = belief.domain.names, belief.alike()
    assert sorted(itertools.chain(*groups)) == sorted(names)
    whole = belief.marginal(names)
    for a, b in itertools.chain(*(itertools.combinations(group, 2) for group in groups)):
        swapped = [{a: b, b: a}.get(own, own) for own in names]
        assert belief.domain.values_of(a) == belief.domain.values_of(b)
        np.testing.assert_allclose(belief.marginal(swapped), whole, rtol=1e-13)


def test_who_is_alike() -> None:
    assert MEMBERS["independent"].alike() == [("x0", "x1"), ("x2",), ("x3",)]
    assert MEMBERS["exchangeable"].alike() == [("x0", "x1", "x2", "x3")]
    known, _ = MEMBERS["exchangeable"].knowing(["x0", "x2"])
    assert sorted(map(len, known.alike())) == [1, 2]
    assert known.ones is None
    assert len(MEMBERS["joint"].alike()) == 3


@pytest.mark.parametrize(("name", "belief"), cases())
def test_the_number_of_ones_is_all_that_matters(name: str, belief: Belief) -> None:
    if belief.ones is None:
        assert name != "exchangeable"
        return
    whole = belief.marginal(belief.domain.names)
    count = np.indices(whole.shape).sum(0)
    law = np.array([whole[count == c].sum() for c in range(whole.ndim + 1)])
    np.testing.assert_allclose(belief.ones.plain(), law, rtol=1e-13)


@pytest.mark.parametrize(("name", "belief"), cases())
def test_steps_make_the_joint(name: str, belief: Belief) -> None:
    if belief.steps is None:
        assert name != "chain"
        return
    start = belief.marginal(belief.domain.names[:1])
    joint = reduce(lambda law, step: law[..., None] * step, belief.steps, start)
    np.testing.assert_allclose(belief.marginal(belief.domain.names), joint, rtol=1e-13)


@pytest.mark.parametrize(("name", "belief"), cases())
def test_arrows_make_the_joint(name: str, belief: Belief) -> None:
    forest, names = belief.forest, belief.domain.names
    if forest is None:
        assert name not in ("chain", "tree")
        return
    joint = np.ones(belief.domain.sizes)
    for v, (parent, law) in enumerate(zip(forest.parents, forest.laws, strict=True)):
        codes = np.indices(joint.shape)
        joint *= law[codes[parent] if parent >= 0 else 0, codes[v]]
    np.testing.assert_allclose(belief.marginal(names), joint, rtol=1e-13)


def test_covariances_are_those_given() -> None:
    for name, belief in MEMBERS.items():
        assert (belief.covariance is not None) == (name == "gaussian")
    covariance = MEMBERS["gaussian"].covariance
    assert covariance is not None
    np.testing.assert_allclose(covariance, [[1.0, 0.5], [0.5, 2.0]], rtol=1e-14)
