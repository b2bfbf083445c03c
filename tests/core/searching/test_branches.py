"""What nobody exceeds on a tree: never below what anybody learns, and hardly above it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.computed import computed
from tests.core.beliefs.branching import drawn
from tests.core.searching.everyone import all_nodes, leak_of_node
from tests.effort import examples
from unspoken.core.adversary import Adversary
from unspoken.core.beliefs.forests.markov import Markov
from unspoken.core.mechanisms import Mechanism
from unspoken.core.searching.branches import BranchBounds

pytestmark = pytest.mark.slow

FAIR, FLIP = [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]
SCALES = [0.05, 0.3, 1.0, 3.0, 30.0, 1e4]


def branches(belief: Markov, mechanism: Mechanism) -> tuple[BranchBounds, np.ndarray]:
    own = BranchBounds(belief.forest, belief.domain)
    parts = mechanism.parts(belief.domain, Adversary(belief.domain.names[0]))
    return own, own.epsilons(parts)


def bounds(belief: Markov, mechanism: Mechanism) -> np.ndarray:
    own, epsilons = branches(belief, mechanism)
    return own.leaks(epsilons)


def by_recursion(belief: Markov, eps: dict[int, np.ndarray]) -> list[float]:
    """The formulas of the theorem as they stand: one edge, and one pair of values, at a time."""
    forest = belief.forest

    def joint(i: int, c: int, a: int, v: int) -> float:
        """P(x_i = a, x_c = v), of neighbours."""
        if forest.parents[c] == i:
            return float(forest.singles[i][a] * forest.laws[c][a, v])
        return float(forest.singles[c][v] * forest.laws[i][v, a])

    def moves(i: int, a: int, b: int, but: int) -> float:
        others = (d for d in forest.neighbours(i) if d != but)
        return float(eps[i][a, b]) + sum(edge(i, d, a, b) for d in others)

    def edge(i: int, c: int, a: int, b: int) -> float:
        found = 0.0
        for v, w in itertools.combinations(range(forest.sizes[c]), 2):
            one = joint(i, c, a, v) * joint(i, c, b, w)
            other = joint(i, c, a, w) * joint(i, c, b, v)
            if one or other:
                r = abs(math.log(one / other)) if one and other else math.inf
                t = math.tanh(r / 4) * math.tanh(moves(c, v, w, i) / 4)
                found = max(found, 4 * math.atanh(t))
        return found if forest.children[c] or forest.parents[c] < 0 else min(found, leaf(c, a, b))

    def leaf(c: int, a: int, b: int) -> float:
        """Over all sets of values, both ways."""
        grown, law, found = math.expm1(eps[c].max()), forest.laws[c], 0.0
        for inside in itertools.product([False, True], repeat=forest.sizes[c]):
            one, other = (math.log1p(grown * law[x, list(inside)].sum()) for x in (a, b))
            found = max(found, abs(one - other))
        return found

    def pairs(i: int) -> list[tuple[int, int]]:
        possible = np.flatnonzero(forest.singles[i] > 0).tolist()
        return list(itertools.combinations(possible, 2))

    names = range(len(forest.parents))
    return [max((moves(i, a, b, -1) for a, b in pairs(i)), default=0.0) for i in names]


def moved(belief: Markov, weights: list[float], scale: float) -> dict[int, np.ndarray]:
    """|w_j (v - v')| / scale."""
    found = {}
    for j, (name, weight) in enumerate(zip(belief.domain.names, weights, strict=True)):
        own = weight * belief.domain.numbers(name)
        found[j] = np.abs(own[:, None] - own) / scale
    return found


def case(seed: int) -> tuple[Markov, unspoken.Joint, list[float], float]:
    rng = np.random.default_rng(seed)
    belief, joint = drawn("tree" if seed % 3 else "chain", seed, 5)
    weights = rng.choice([-1.0, 0.0, 0.5, 1.0, 3.0], len(belief.domain.names)).tolist()
    return belief, joint, weights, float(rng.choice(SCALES))


@pytest.mark.stress
@examples(150)
@given(st.integers(0, 2**32 - 1))
def test_nobody_exceeds_it(seed: int) -> None:
    """All n 2^(n-1) adversaries, enumerated; who knows all others learns what is said of them."""
    belief, joint, weights, scale = case(seed)
    names = belief.domain.names
    terms = [w * joint.domain.numbers(name) for w, name in zip(weights, names, strict=True)]
    laplace = unspoken.Laplace(scale, weights)
    own, epsilons = branches(belief, laplace)
    leaks, alone = own.leaks(epsilons), own.knowing_all(epsilons)
    with np.errstate(divide="ignore"):
        everybody = all_nodes(joint.table, terms, 1 / scale)
    for (i, known), leak in everybody.items():
        if leak < 600:  # further apart the enumeration leaves the floats
            assert leak <= leaks[i] * (1 + 1e-9) + 1e-13
            if len(known) == len(names) - 1:
                assert alone[i] == pytest.approx(leak, rel=1e-9, abs=1e-13)


@pytest.mark.stress
@examples(150)
@given(st.integers(0, 2**32 - 1))
def test_all_edges_at_once_are_every_edge_by_itself(seed: int) -> None:
    belief, _, weights, _ = case(seed)
    scale = float(np.random.default_rng(seed).uniform(2.0, 20.0))
    reference = by_recursion(belief, moved(belief, weights, scale))
    found = bounds(belief, unspoken.Laplace(scale, weights))
    np.testing.assert_allclose(found, reference, rtol=1e-9, atol=1e-13)


@examples(100)
@given(st.integers(0, 2**32 - 1))
def test_one_edge_is_the_worst_of_all_that_may_be_known(seed: int) -> None:
    """tanh(E / 4) = tanh(r / 4) tanh(H / 4) against a search over tau and over extreme h."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 5))
    p, q = rng.dirichlet(np.full(size, 0.5), 2)
    move = float(rng.choice([1e-3, 0.5, 3.0, 12.0]))  # |log h(v) - log h(w)| at most, for all v, w
    pairs = list(itertools.combinations(range(size), 2))
    tanh = [
        math.tanh(abs(math.log(p[v] * q[w] / (p[w] * q[v]))) / 4) * math.tanh(move / 4)
        for v, w in pairs
    ]
    edge = 4 * math.atanh(max(tanh))

    def cost(tau: np.ndarray, h: np.ndarray) -> float:
        one, other = (tau * law for law in (p, q))
        return math.log((one @ h / one.sum()) / (other @ h / other.sum()))

    for _ in range(200):
        tau = np.exp(rng.normal(0, 3, size))
        h = np.exp(move * (rng.random(size) if rng.random() < 0.5 else rng.integers(0, 2, size)))
        assert cost(tau, h) <= edge * (1 + 1e-9) + 1e-13
    v, w = pairs[int(np.argmax(tanh))]
    (v, w) = (v, w) if p[v] * q[w] > p[w] * q[v] else (w, v)
    tau, h = np.zeros(size), np.ones(size)
    h[v] = math.exp(move)
    tau[v] = 1.0
    tau[w] = math.sqrt(p[v] * q[v] / (p[w] * q[w])) * math.exp(move / 2)
    assert cost(tau, h) == pytest.approx(edge, rel=1e-6, abs=1e-12)  # attained


@pytest.mark.parametrize("flip", [0.1, 0.25, 0.4])
@pytest.mark.parametrize(("scale", "above"), [(1.0, 1.2), (5.0, 1.04), (25.0, 1.005)])
def test_symmetric_trees_come_near_it(flip: float, scale: float, above: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        parents = [-1, *(int(rng.integers(0, v)) for v in range(1, 7))]
        tree = unspoken.Tree(parents, FAIR, [[1 - flip, flip], [flip, 1 - flip]])
        exact = unspoken.worst(tree, unspoken.Laplace(scale)).bound
        high = bounds(tree, unspoken.Laplace(scale)).max()
        assert exact.exact
        assert exact.value <= high * (1 + 1e-12)
        assert high <= exact.value * above


def test_the_middle_of_a_long_chain() -> None:
    """Where anybody's exact scales are 8.653 and 1.468, limit 1; found by halving beforehand."""
    for flip, scale in ((0.1, 8.90810), (0.4, 1.49144)):
        chain = unspoken.Chain(FAIR, [[1 - flip, flip], [flip, 1 - flip]], 400)
        assert bounds(chain, unspoken.Laplace(scale)).max() == pytest.approx(1.0, abs=1e-5)


def test_independent_variables_leak_what_they_move() -> None:
    loose = unspoken.Tree([-1, 0, 0], [0.3, 0.7], [[0.2, 0.8], [0.2, 0.8]])
    found = bounds(loose, unspoken.Laplace(4.0, [1.0, -2.0, 0.0]))
    assert found == pytest.approx([0.25, 0.5, 0.0], rel=1e-13)
    assert (found >= [0.25, 0.5, 0.0]).all()
    nearly = unspoken.Tree([-1, 0], FAIR, [[0.5 + 1e-9, 0.5 - 1e-9], FAIR])
    assert bounds(nearly, unspoken.Laplace(1.0))[0] == pytest.approx(1.0, rel=1e-8)


def test_copies_leak_as_a_group() -> None:
    copies = unspoken.Tree([-1, 0, 0, 1, 1, 1], FAIR, [[1.0, 0.0], [0.0, 1.0]])
    found = bounds(copies, unspoken.Laplace(2.0, [1.0, 2.0, 0.5, 1.0, 0.0, -1.0]))
    assert found == pytest.approx([2.75] * 6, rel=1e-12)
    assert (found >= 2.75).all()


def test_a_neighbour_that_is_seen_tells_what_it_knows() -> None:
    """Without end to what the branch may show, E is r: here log (.9 / .1)^2."""
    three, r = unspoken.Tree([-1, 0, 1], FAIR, FLIP), 2 * math.log(9)
    for weight in (1e3, 1e6, 1e100):
        found = bounds(three, unspoken.Laplace(1.0, [0.0, weight, 0.0]))
        assert found[0] == pytest.approx(r, rel=1e-12)
        leaf = bounds(three, unspoken.Laplace(1.0, [0.0, 0.0, weight]))
        assert leaf[1] == pytest.approx(math.log(9), rel=1e-12)  # nothing is known behind a leaf
    found = bounds(three, unspoken.Laplace(1.0, [1.0, 1e6, 0.0]))
    assert found[0] == pytest.approx(1 + r, rel=1e-12)


def test_a_leaf_by_hand() -> None:
    """Two variables are exact: 1 + log (1 + .9 (e - 1)) / (1 + .1 (e - 1))."""
    pair = unspoken.Tree([-1, 0], FAIR, FLIP)
    found = bounds(pair, unspoken.Laplace(1.0))[0]
    grown = math.e - 1
    by_hand = 1 + math.log((1 + 0.9 * grown) / (1 + 0.1 * grown))
    assert found == pytest.approx(by_hand, rel=1e-12)
    assert found >= computed(pair, unspoken.Laplace(1.0), unspoken.Adversary("x0")).value
    assert found >= unspoken.worst(pair, unspoken.Laplace(1.0)).bound.low


def test_what_cannot_be_has_no_part() -> None:
    """The third value of the root never occurs, so what would follow it says nothing."""
    belief = unspoken.Tree([-1, 0], [0.5, 0.5, 0.0], [[0.6, 0.4], [0.4, 0.6], [0.0, 1.0]])
    without = unspoken.Tree([-1, 0], FAIR, [[0.6, 0.4], [0.4, 0.6]])
    laplace = unspoken.Laplace(2.0)
    found = bounds(belief, unspoken.Laplace(2.0, {"x0": 1.0, "x1": 1.0}))
    assert found == pytest.approx(bounds(without, laplace), rel=1e-12)


@pytest.mark.parametrize("scale", [1e12, 1e100])
def test_tiny_epsilons_keep_their_digits(scale: float) -> None:
    """So wide noise is linear: a multiple of the noise is a share of the bound."""
    tree = unspoken.Tree([-1, 0, 0, 1, 1, 3], FAIR, FLIP)
    near, wide = (bounds(tree, unspoken.Laplace(own)) for own in (scale, 1e3 * scale))
    np.testing.assert_allclose(near, wide * 1e3, rtol=1e-9)
    steps = tree.forest.balls([0])
    by_distance = [len(edge) for _, edge in steps]
    linear = 1 + sum(0.8 ** (k + 1) * count for k, count in enumerate(by_distance))
    assert near[0] * scale == pytest.approx(linear, rel=1e-9)  # tanh(r / 4) = .8 for each arrow


@pytest.mark.parametrize("scale", [1e-100, 1e-3])
def test_huge_epsilons_are_numbers(scale: float) -> None:
    tree = unspoken.Tree([-1, 0, 0, 1], FAIR, [[1.0, 0.0], [0.1, 0.9]])
    found = bounds(tree, unspoken.Laplace(scale))
    assert np.isfinite(found).all()
    assert (found >= 1 / scale).all()
    assert (found <= 4 / scale * (1 + 1e-12)).all()


def test_values_of_all_sizes_and_rare_ones() -> None:
    rng = np.random.default_rng(8)
    laws: list[Any] = [[1.0] * 3, rng.dirichlet([0.1] * 5, 3), rng.dirichlet([9.0] * 2, 5)]
    laws[1][0] = [1e-300, 0.5, 0.5, 0.0, 0.0]
    belief = unspoken.Tree([-1, 0, 1], [1e-300, 0.5, 0.5], laws)
    reference = by_recursion(belief, moved(belief, [1.0, 1.0, 1.0], 3.0))
    found = bounds(belief, unspoken.Laplace(3.0))
    assert (found[1:] >= np.array(reference)[1:] * (1 - 1e-12)).all()  # products underflow there


@examples(15)
@given(st.integers(0, 2**32 - 1))
def test_it_holds_for_several_answers_and_coins(seed: int) -> None:
    """Two noisy sums beside a randomised response: likelihoods enumerated at corners."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(0, v)) for v in range(1, 4))]
    tree = unspoken.Tree(
        parents, rng.dirichlet([1, 1]), [rng.dirichlet([1, 1], 2) for _ in parents]
    )
    response = unspoken.RandomizedResponse("x1", float(rng.uniform(0.1, 2)))
    rows = {name: rng.choice([-1.0, 0.0, 1.0], 2).tolist() for name in tree.domain.names}
    scale = float(rng.uniform(0.7, 5.0))
    two, both = unspoken.Laplace(scale, rows), [unspoken.Laplace(scale, rows), response]
    alone, told = bounds(tree, two), bounds(tree, unspoken.Together(both))
    channels = bounds(tree, response)
    for i, target in enumerate(tree.domain.names):
        others = [name for name in tree.domain.names if name != target]
        for size in range(4):
            for known in itertools.combinations(others, size):
                who = Adversary(target, knows=known)
                assert unspoken.leakage(tree, two, who).value <= alone[i] * (1 + 1e-9) + 1e-13
                assert (
                    unspoken.leakage(tree, response, who).value <= channels[i] * (1 + 1e-9) + 1e-13
                )
                seen = unspoken.leakage(tree, unspoken.Together(both), who)
                assert seen.low <= told[i] * (1 + 1e-9) + 1e-13


def test_leak_of_node_is_what_is_compared_with() -> None:
    """A planted fault: half the bound is too little for somebody."""
    tree = unspoken.Tree([-1, 0], FAIR, FLIP)
    table = np.array([[0.45, 0.05], [0.05, 0.45]])
    leak = leak_of_node(table, [[0.0, 1.0]] * 2, 1.0, 0, ())
    assert (
        0.5 * bounds(tree, unspoken.Laplace(1.0))[0]
        < leak
        <= bounds(tree, unspoken.Laplace(1.0))[0]
    )
