"""Adversaries that are listed against all of them, for every kind of belief and measure."""

import itertools
from typing import Any, cast

import numpy as np
import pytest

import unspoken
from tests.core.searching.everyone import all_nodes, nodes, tree_table
from tests.core.searching.found import attained
from tests.effort import tries
from unspoken.core.adversary import Adversary
from unspoken.core.measures import MEASURES, MeasureName
from unspoken.core.mechanisms import Mechanism
from unspoken.core.searching import joints
from unspoken.core.searching.certificate import epsilons, group
from unspoken.core.searching.joints import connected
from unspoken.core.searching.search import Worst, worst

pytestmark = pytest.mark.slow

COUNT, SIZES = 800, [1, 2, 2, 2, 3, 3, 3]


def everybody(
    belief: unspoken.Joint, mechanism: Mechanism, measure: Any
) -> dict[tuple[str, tuple[str, ...]], float]:
    """The measure of every adversary's view."""
    names, found = belief.domain.names, {}
    for i, places in nodes(len(names)):
        known = tuple(names[j] for j in places)
        adversary = Adversary(names[i], knows=known)
        found[names[i], known] = unspoken.leakage(belief, mechanism, adversary, measure).value
    return found


def agrees(found: Worst, all_of_them: dict) -> None:
    truth = max(all_of_them.values())
    assert found.bound.low == pytest.approx(truth, rel=1e-9, abs=1e-13)
    assert truth <= found.bound.high * (1 + 1e-9) + 1e-13
    who = attained(found)
    assert all_of_them[who.target, who.known] == pytest.approx(truth, rel=1e-9, abs=1e-13)


def table(rng: np.random.Generator, sizes: tuple[int, ...]) -> np.ndarray:
    law = rng.dirichlet(np.full(int(np.prod(sizes)), rng.choice([0.3, 1.0, 5.0]))).reshape(sizes)
    law[law < min(rng.choice([0.0, 0.05]), law.max())] = 0.0
    return law / law.sum()


@pytest.mark.stress
def test_tables_against_every_adversary() -> None:
    rng = np.random.default_rng(0)
    for k in range(tries(COUNT)):
        n = int(rng.integers(5, 8)) if k % 200 == 0 else int(rng.choice(SIZES))
        sizes = tuple(rng.integers(1, 4 if n < 5 else 3, n).tolist())
        values = [np.sort(rng.choice([-2.0, -0.3, 0.0, 1.0, 2.5], d, replace=False)) for d in sizes]
        weights = rng.choice([-1.0, 0.0, 0.5, 1.0, 3.0], n)
        law, scale = table(rng, sizes), float(rng.uniform(0.2, 5.0))
        joint = unspoken.Joint(law, values=[v.tolist() for v in values])
        laplace = unspoken.Laplace(scale, weights.tolist())
        found = worst(joint, laplace)
        terms = [w * v for w, v in zip(weights, values, strict=True)]
        truth = all_nodes(law, terms, 1 / scale)
        names = joint.domain.names
        agrees(found, {(names[i], tuple(names[j] for j in K)): v for (i, K), v in truth.items()})
        assert found.bound.low == pytest.approx(max(truth.values()), rel=1e-10, abs=1e-13)
        reach = epsilons(joint.domain, laplace.parts(joint.domain, Adversary("x0")))
        for (i, known), leak in truth.items():
            hidden = [reach[names[j]] for j in range(n) if j not in known]
            assert leak <= group(hidden) + 1e-13, (i, known)


@pytest.mark.stress
def test_trees_by_connected_sets() -> None:
    """What is listed is all that matters, also where some steps say nothing."""
    rng = np.random.default_rng(1)
    for _ in range(tries(30)):
        n = int(rng.integers(1, 6))
        parents = [-1, *(int(rng.integers(v)) for v in range(1, n))]
        root, laws = rng.dirichlet(np.ones(2)), rng.dirichlet(np.full(2, 0.6), (n, 2))
        laws[rng.random(n) < 0.1, 1] = laws[0, 0]
        weights = rng.choice([-1.0, 0.5, 1.0, 2.0], n).tolist()
        tree, laplace = unspoken.Tree(parents, root, list(laws)), unspoken.Laplace(1.3, weights)
        law = tree_table(parents, root, list(laws))
        truth = max(all_nodes(law, [[0.0, w] for w in weights], 1 / 1.3).values())
        by_views = worst(tree, laplace, "odds")
        by_table = worst(tree, laplace)
        assert by_table.bound.value == pytest.approx(truth, rel=1e-10, abs=1e-13)
        joint = unspoken.Joint(law / law.sum())
        agrees(by_views, everybody(joint, laplace, "odds"))


def test_the_connected_sets_of_a_chain_are_intervals() -> None:
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], length=6)
    found = connected(chain, chain.domain.names)
    assert len(found) == len(set(found)) == sum((i + 1) * (6 - i) for i in range(6))
    for who in found:
        places = sorted(chain.domain.axis(name) for name in (who.target, *who.unknown))
        assert places == list(range(places[0], places[-1] + 1))
        ends = [k for k in (places[0] - 1, places[-1] + 1) if 0 <= k < 6]
        assert [chain.domain.axis(name) for name in who.boundary] == ends


def test_every_subset_of_a_block_is_listed_once() -> None:
    joint = unspoken.Joint(np.full((2,) * 5, 1 / 32))
    found = connected(joint, ["x1", "x3"])
    assert len(found) == len(set(found)) == 2 * 2**4
    sets = {frozenset(who.unknown) for who in found if who.target == "x1"}
    others = ["x0", "x2", "x3", "x4"]
    assert sets == {frozenset(c) for k in range(5) for c in itertools.combinations(others, k)}


MECHANISMS = {
    "a sum": unspoken.Laplace(1.0, [1.0, 2.0, -1.0]),
    "whole numbers": unspoken.Geometric(0.6, [1, 2, 1]),
    "two sums": unspoken.Laplace(2.0, [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]),
    "coins": unspoken.OneSided({"x0": 1.0, "x1": 0.5}, {"x0": [0], "x1": [1]}),
    "response": unspoken.RandomizedResponse("x1", 1.0),
    "both": unspoken.Together([unspoken.RandomizedResponse("x0", 0.5), unspoken.Laplace(1.0)]),
}
MEANS = ["mutual-information", "delta"]


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_every_measure_of_every_mechanism(mechanism: Mechanism) -> None:
    rng = np.random.default_rng(4)
    joint = unspoken.Joint(table(rng, (2, 2, 2)))
    for name, measure in MEASURES.items():
        if measure.over == "sup" or not mechanism.parts(joint.domain, Adversary("x0")).queries:
            agrees(
                worst(joint, mechanism, cast(MeasureName, name)), everybody(joint, mechanism, name)
            )


@pytest.mark.parametrize("measure", MEANS)
def test_means(measure: MeasureName) -> None:
    joint = unspoken.Joint([[0.4, 0.1], [0.2, 0.3]])
    agrees(
        worst(joint, unspoken.Laplace(1.0), measure),
        everybody(joint, unspoken.Laplace(1.0), measure),
    )


@pytest.mark.parametrize("name", [name for name, own in MEASURES.items() if own.over == "sup"])
def test_independent_variables_one_by_one(name: MeasureName) -> None:
    """Whatever else is known: who knows all learns most, and for the sum exactly the range."""
    rng = np.random.default_rng(5)
    marginals = [rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(2))]
    belief = unspoken.Independent(marginals)
    laplace = unspoken.Laplace(2.0, [1.0, -3.0, 0.5])
    found = worst(belief, laplace, name)
    law = np.einsum("a,b,c->abc", *marginals)
    agrees(found, everybody(unspoken.Joint(law / law.sum()), laplace, name))
    assert len(connected(belief, belief.domain.names)) == 3
    if name == "max-log-ratio":
        assert found.bound.value == pytest.approx(1.5, rel=1e-12)
        wide = worst(unspoken.Independent([[0.5, 0.5]] * 400), unspoken.Laplace(2.0))
        assert wide.bound.value == pytest.approx(0.5, rel=1e-12)


def test_a_boundary_is_what_shields() -> None:
    wet, late = [[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.2], [0.4, 0.6]]
    tree = unspoken.Tree({"wet": "rain", "late": "rain"}, [0.7, 0.3], {"wet": wet, "late": late})
    found = {who.unknown: who.boundary for who in connected(tree, ["wet"])}
    assert found == {(): ("rain",), ("rain",): ("late",), ("rain", "late"): ()}


def test_too_many_are_counted_before_any_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = unspoken.Joint(np.full((2,) * 13, 2.0**-13))
    monkeypatch.setattr(joints.Listing, "view", None)
    with pytest.raises(unspoken.UnspokenError) as refused:
        worst(joint, unspoken.Laplace(1.0), "odds")
    assert "up to 53,248 adversaries of 13 variables, more than 32,768" in str(refused.value)
    for way in ("one target (up to 4,096)", "1,594,323 cells", "455 intervals"):
        assert way in str(refused.value)
    huge = unspoken.Tree([-1, *[0] * 1999], [0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(unspoken.UnspokenError, match=r"up to 2\^20"):
        worst(huge, unspoken.Laplace(1.0), "odds")


def test_a_belief_that_knows_pairs_only_refuses_by_name() -> None:
    pairs = unspoken.Pairwise([[0.5, 0.5]] * 3, {("x0", "x1"): [[0.4, 0.1], [0.1, 0.4]]})
    with pytest.raises(unspoken.UnspokenError, match="knows pairs only; give a Joint"):
        worst(pairs, unspoken.Laplace(1.0))


def test_a_silent_variable_needs_no_numbers() -> None:
    joint = unspoken.Joint(
        [[0.4, 0.1], [0.1, 0.4]], names=["sex", "pay"], values=[["f", "m"], [1, 2]]
    )
    found = worst(joint, unspoken.Laplace(1.0, {"pay": 1.0}))
    assert found.bound.value == pytest.approx(1.0)
