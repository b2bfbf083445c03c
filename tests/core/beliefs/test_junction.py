"""Eliminating variables: the orders, the sizes, the two arithmetics, and another library."""

from __future__ import annotations

import importlib.util
import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.beliefs.networks import Drawn, networks, star
from tests.core.beliefs.other_library import ask
from tests.effort import examples
from unspoken.core.beliefs.networks import network as network_room
from unspoken.core.beliefs.networks import updating
from unspoken.core.beliefs.networks.elimination import CliqueTree, neighbours
from unspoken.core.beliefs.networks.junction import collect, eliminate
from unspoken.core.beliefs.networks.network import Network
from unspoken.core.beliefs.networks.potentials import Potential
from unspoken.core.numerics.ring import LINEAR, LOGS, OutOfRange, in_range
from unspoken.core.types.channel import Channel

pytestmark = pytest.mark.slow

Rng = np.random.Generator


@st.composite
def scopes(draw: st.DrawFn) -> list[tuple[int, ...]]:
    count = draw(st.integers(1, 9))
    some = st.lists(st.integers(0, count - 1), min_size=1, max_size=4, unique=True).map(tuple)
    return [*draw(st.lists(some, max_size=12)), *((v,) for v in range(count))]


@given(scopes(), st.data())
def test_tables_cover_their_factors_and_hand_on_their_sums(
    found: list[tuple[int, ...]], data: st.DataObject
) -> None:
    """Running intersection: whatever a sum is about is in the table it goes into."""
    count = 1 + max(map(max, found))
    sizes = [data.draw(st.integers(1, 3)) for _ in range(count)]
    kept = data.draw(st.permutations(range(count)))[: data.draw(st.integers(0, count))]
    tree = CliqueTree.of(found, sizes, kept)
    assert sorted(tree.order) == list(range(count))
    assert [tree.order[r] for r in tree.kept] == list(kept)
    for r, scope in enumerate(tree.tables):
        assert scope[0] == r
        assert list(scope) == sorted(set(scope))
        into = tree.into(scope[1:])
        assert r < into <= len(tree.tables)
        assert set(scope[1:]) <= set(tree.tables[into] if into < len(tree.tables) else tree.kept)
    for scope in found:
        ranks = sorted(tree.rank[v] for v in scope)
        into = tree.into(tuple(ranks))
        assert set(ranks) <= set(tree.tables[into] if into < len(tree.tables) else tree.kept)
    # The sizes said beforehand are those of the tables that are then made.
    ones = [np.ones((1, 1, *(sizes[v] for v in scope))) for scope in found]
    factors = [
        Potential.of([tree.rank[v] for v in scope], table, LINEAR)
        for scope, table in zip(found, ones, strict=True)
    ]
    made = collect(tree, factors, LINEAR)
    assert max(*(t.table.size for t in made.tables), made.end.table.size, 1) == tree.largest
    assert sum(t.table.size for t in made.tables) + made.end.table.size == tree.total


def widths(tree: CliqueTree) -> int:
    return max(len(scope) for scope in tree.tables) - 1


def test_min_fill_finds_the_known_widths() -> None:
    path = [(i, i + 1) for i in range(30)]
    cycle = [*path, (30, 0)]
    forest = [(i // 3, i) for i in range(1, 60)]
    wheel = [*((0, i) for i in range(1, 9)), *((i, i % 8 + 1) for i in range(1, 9))]
    complete = list(itertools.combinations(range(6), 2))
    for edges, width in ((path, 1), (cycle, 2), (forest, 1), (wheel, 3), (complete, 5)):
        tree = CliqueTree.of(edges, [2] * 61)
        assert widths(tree) == width
        assert tree.largest == 2 ** (width + 1)


def test_orders_of_large_graphs_are_found_quickly() -> None:
    """A hub with 3,000 spokes, and a chain: no step may look at everything again."""
    spokes = CliqueTree.of([(0, i) for i in range(1, 3001)], [2] * 3001)
    assert widths(spokes) == 1
    assert spokes.total == 4 * 3000 + 2 + 1
    assert widths(CliqueTree.of([(i, i + 1) for i in range(3000)], [2] * 3001)) == 1


@given(scopes())
def test_the_counts_kept_up_to_date_are_the_counts(found: list[tuple[int, ...]]) -> None:
    """Every step takes a variable whose neighbours lack the fewest links, counted afresh."""
    links = neighbours(found)
    tree = CliqueTree.of(found, [2] * (1 + max(map(max, found))))
    for v, scope in zip(tree.order, tree.tables, strict=True):
        lacking = {
            u: sum(b not in links[a] for a, b in itertools.combinations(sorted(near), 2))
            for u, near in links.items()
        }
        assert lacking[v] == min(lacking.values())
        near = links.pop(v)
        assert {tree.order[r] for r in scope} == {v, *near}
        for u in near:
            links[u] = (links[u] | near) - {u, v}


def potential(rng: Rng, parts: int, ring: Any = LINEAR) -> tuple[np.ndarray, Potential]:
    table = rng.random((parts, 2, 3, 2)) * (rng.random((parts, 2, 3, 2)) > 0.2)
    return table, Potential.of([1, 4], table, ring)


@pytest.mark.parametrize("parts", [(1, 1), (1, 2), (2, 1), (2, 2)])
@pytest.mark.parametrize("ring", [LINEAR, LOGS])
@pytest.mark.parametrize("seed", range(3))
def test_parts_multiply_as_their_sums_do(parts: tuple[int, int], ring: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    (p, one), (q, other) = potential(rng, parts[0], ring), potential(rng, parts[1], ring)
    product = one.times(other).plain()
    np.testing.assert_allclose(product.sum(0), p.sum(0) * q.sum(0), rtol=1e-13)
    if parts == (2, 2):
        np.testing.assert_allclose(product[0], p[0] * q[0], rtol=1e-14)
    summed = one.times(other).onto((4,)).plain()
    np.testing.assert_allclose(summed, product.sum(2), rtol=1e-13)
    for whole in (one.scaled(), one.scaled().scaled()):
        np.testing.assert_allclose(whole.plain(), p, rtol=0 if ring is LINEAR else 1e-14)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(whole.logs(), np.log(p), rtol=1e-13, atol=1e-15)


def test_scaling_is_exact_and_beyond_it_are_logarithms() -> None:
    tiny = Potential.of([0], np.array([[[1e-200, 3e-201]]]), LINEAR)
    product = tiny
    for _ in range(9):
        product = product.times(tiny)
    np.testing.assert_allclose(product.logs()[0, 0], 10 * np.log([1e-200, 3e-201]), rtol=1e-14)
    one = Potential.of([0], np.array([[[1.0, 1e-200]]]), LINEAR)
    other = Potential.of([0], np.array([[[1e-200, 1.0]]]), LINEAR)
    with pytest.raises(OutOfRange):
        one.times(one).times(other)
    huge = Potential.of([0], np.array([[[1e200, 3e200]]]), LINEAR)
    assert huge.times(huge).logs()[0, 0] == pytest.approx(2 * np.log([1e200, 3e200]), rel=1e-14)
    assert in_range(lambda ring: ring is LOGS or _refused()) is True


def _refused() -> bool:
    raise OutOfRange


def everything(one: Network, channel: dict[str, Channel]) -> list[np.ndarray]:
    """What a network says, as one list of tables."""
    told = one.outputs(one.domain.names[:1], channel)
    excess = np.exp(told.excess) if told.in_logs else told.excess
    rng = np.random.default_rng(0)
    rows = {name: rng.random((3, one.cells([name]))) for name in one.domain.names[1:]}
    updated = one.posteriors(rows)
    return [
        one.marginal(one.domain.names),
        excess,
        np.exp(updated.log_evidence),
        *updated.laws.values(),
        *one.pair_tables().values(),
    ]


@given(networks(most=5, least=2))
@examples(30)
def test_logarithms_give_the_same(drawn: Drawn) -> None:
    last = drawn.names[-1]
    value = int(np.argwhere(drawn.enumerated() > 0)[0, -1])
    rng = np.random.default_rng(1)
    events = {}
    for name, size in zip(drawn.names[:-1], drawn.sizes, strict=False):
        law = rng.dirichlet(np.ones(2), size=size)
        events[name] = Channel.of("ab", law).event("a", "a")

    def answers() -> list[np.ndarray]:
        known = drawn.network.given({last: value})
        return [*everything(drawn.network, events), *everything(known, events)]

    plain = answers()
    with pytest.MonkeyPatch.context() as patch:
        for module in (network_room, updating):
            patch.setattr(module, "in_range", lambda compute: compute(LOGS))
        logs = answers()
    for mine, theirs in zip(logs, plain, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-290)


def test_the_sum_of_everything_is_one() -> None:
    drawn = star(np.random.default_rng(0), 200, 3)
    model = drawn.network.model
    for ring in (LINEAR, LOGS):
        whole = eliminate(model.whole, model.factors(model.whole, None, ring), ring)
        assert whole.plain().item() == pytest.approx(1.0, rel=1e-12)


# Another library. In CI it has to be there; elsewhere its absence is printed as the reason.
other_library = pytest.mark.skipif(
    not os.environ.get("CI") and importlib.util.find_spec("pyagrum") is None,
    reason="pyagrum, the independent oracle, is not installed",
)


def agree(belief: Network, tables: dict[tuple[str, str], np.ndarray]) -> None:
    dag, place = belief.model.dag, belief.domain.axis
    pairs = [(place(a), place(b)) for a, b in tables]
    theirs = ask((belief.domain.sizes, dag.parents, belief.model.laws, pairs))
    for own, other in zip(tables.values(), theirs, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12, atol=4e-15)


@other_library
@pytest.mark.parametrize("name", ["asia", "child", "alarm", "win95pts"])
def test_pair_tables_are_those_of_another_library(name: str, shared: Path) -> None:
    belief = Network.read(shared / f"data/bayes_nets/{name}.bif")
    agree(belief, belief.pair_tables())


@other_library
def test_pairs_of_a_dense_network_are_those_of_another_library(shared: Path) -> None:
    """water, with tables of 1.8 million cells: all pairs take minutes there, so those of one."""
    belief = Network.read(shared / "data/bayes_nets/water.bif")
    first, *others = belief.domain.names
    agree(belief, {(first, other): belief.marginal([first, other]) for other in others})


@other_library
@given(networks(least=2))
@examples(8)
def test_drawn_networks_are_those_of_another_library(drawn: Drawn) -> None:
    if 1 not in drawn.sizes:  # it knows no variable of one value
        agree(drawn.network, drawn.network.pair_tables())
