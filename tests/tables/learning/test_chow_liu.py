"""The tree that is learned, against all trees there are; and the joint it comes from."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.errors import InputError, TooLarge
from unspoken.tables.learning.counts import grid
from unspoken.tables.learning.counts.pairs import PAIRS, PairCounts
from unspoken.tables.learning.trees.chow_liu import spanning

Pair = tuple[int, int]


def table_of(codes: np.ndarray) -> pa.Table:
    return pa.table({f"x{i}": codes[:, i] for i in range(codes.shape[1])})


def all_trees(count: int) -> list[tuple[Pair, ...]]:
    """Every set of count - 1 pairs that joins all; there are count^(count - 2)."""
    pairs = list(itertools.combinations(range(count), 2))
    trees = []
    for edges in itertools.combinations(pairs, count - 1):
        reached = {0}
        for _ in range(count):
            reached |= {v for pair in edges if reached & set(pair) for v in pair}
        trees += [edges] if len(reached) == count else []
    assert len(trees) == count ** (count - 2) if count > 1 else 1
    return trees


def edges_of(belief: Any) -> set[Pair]:
    """The arrows of a tree, without their direction; silent ones are none."""
    parents = belief.forest.parents
    return {(min(v, p), max(v, p)) for v, p in enumerate(parents) if p >= 0}


def by_hand(codes: np.ndarray, i: int, j: int) -> float:
    """I(X_i; X_j) in nats of two columns, entry by entry."""
    first, second = sorted(set(codes[:, i])), sorted(set(codes[:, j]))
    p = {(a, b): np.mean((codes[:, i] == a) & (codes[:, j] == b)) for a in first for b in second}
    one = {a: sum(p[a, b] for b in second) for a in first}
    other = {b: sum(p[a, b] for a in first) for b in second}
    return math.fsum(v * math.log(v / one[a] / other[b]) for (a, b), v in p.items() if v)


def dependent(seed: int, count: int, rows: int) -> np.ndarray:
    """Columns that copy earlier ones in part."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, count))
    for own, other in itertools.combinations(range(count), 2):
        copied = rng.random(rows) < rng.random() * 0.5
        codes[copied, other] = codes[copied, own]
    codes[: 3 * count] = np.arange(3 * count)[:, None] % 3  # every value occurs
    return codes


@examples(40)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_no_other_tree_has_more_information(seed: int, count: int) -> None:
    codes = dependent(seed, count, 80)
    told = {pair: by_hand(codes, *pair) for pair in itertools.combinations(range(count), 2)}
    most = max(math.fsum(told[pair] for pair in tree) for tree in all_trees(count))
    belief = unspoken.learn(table_of(codes), form="tree")
    kept = edges_of(belief)
    assert math.fsum(told[pair] for pair in kept) == pytest.approx(most, rel=1e-9)
    assert belief.premise == "learned(tree, 80 rows)"
    assert not belief.premise.certifies


@examples(25)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_no_other_tree_is_nearer_to_the_joint(seed: int, count: int) -> None:
    """In relative entropy; and a pair that is kept has the table the whole joint gives it."""
    codes = dependent(seed, count, 60)
    table = table_of(codes)
    joint, tree = unspoken.learn(table, form="joint"), unspoken.learn(table, form="tree")
    names = joint.domain.names
    for i, j in edges_of(tree):
        pair = [names[i], names[j]]
        np.testing.assert_allclose(tree.marginal(pair), joint.marginal(pair), rtol=1e-11)
    whole = joint.marginal(names)
    occurs = whole > 0

    def relative(other: Any) -> float:
        return float((whole[occurs] * np.log(whole[occurs] / other[occurs])).sum())

    def apart(edges: Any) -> float:
        """D(joint || the tree with these pairs): prod of pairs over prod of singles^(degree-1)."""
        other = np.ones(whole.shape)
        degree = [sum(v in pair for pair in edges) for v in range(count)]
        for i, j in edges:
            shape = [size if k in (i, j) else 1 for k, size in enumerate(whole.shape)]
            other = other * joint.marginal([names[i], names[j]]).reshape(shape)
        for v, times in enumerate(degree):
            shape = [size if k == v else 1 for k, size in enumerate(whole.shape)]
            other = other / joint.marginal([names[v]]).reshape(shape) ** (times - 1)
        return relative(other)

    least = min(map(apart, all_trees(count)))
    own = relative(tree.marginal(names))
    assert own == pytest.approx(least, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_a_tree_is_found_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parents = [-1, 0, 0, 1, 1, 2]
    laws = [0.7 * np.eye(4) + 0.3 * rng.dirichlet(np.ones(4), 4) for _ in parents]
    truth = unspoken.Tree(parents, rng.dirichlet(np.full(4, 5.0)), laws)
    found = unspoken.learn(table_of(truth.sample(rng, 20_000)), form="tree")
    assert edges_of(found) == {(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)}
    names = truth.domain.names
    apart = np.abs(found.marginal(names) - truth.marginal(names)).sum() / 2
    assert apart < 0.05


def test_a_value_that_nobody_has_changes_nothing() -> None:
    copies = table_of(np.repeat(np.arange(3), 20)[:, None] * np.ones((1, 3), dtype=int))
    found = unspoken.learn(copies, values={"x0": [3, 2, 1, 0]}, form="tree")
    assert found.marginal(["x0"]).tolist() == [0, 1 / 3, 1 / 3, 1 / 3]
    assert np.isfinite(found.marginal(["x0", "x2"])).all()


def test_equal_pairs_are_taken_in_the_order_of_the_attributes() -> None:
    copies = np.repeat(np.arange(3), 20)[:, None] * np.ones((1, 5), dtype=int)
    assert edges_of(unspoken.learn(table_of(copies), form="tree")) == {(0, k) for k in range(1, 5)}
    even = dict.fromkeys(itertools.combinations(range(4), 2), 0.25)
    even[2, 3] += 1e-15  # rounding is no reason
    assert spanning("abcd", even) == [(0, 1), (0, 2), (0, 3)]


def test_pairs_that_have_to_be_there_come_first() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        told = {pair: rng.random() for pair in itertools.combinations(range(5), 2)}
        needed = set(all_trees(5)[rng.integers(125)][:2])
        most = max(
            math.fsum(told[pair] for pair in tree) for tree in all_trees(5) if needed <= set(tree)
        )
        kept = spanning("abcde", told, needed)
        assert needed <= set(kept)
        assert math.fsum(told[pair] for pair in kept) == pytest.approx(most, rel=1e-12)
    with pytest.raises(InputError, match="closes a circle of attributes, which no tree can hold"):
        spanning("abc", {(0, 1): 0.1, (0, 2): 0.2, (1, 2): 0.3}, [(0, 1), (0, 2), (1, 2)])


def test_the_order_of_rows_changes_no_bit() -> None:
    codes = dependent(9, 5, 300)
    shuffled = np.random.default_rng(1).permutation(codes)
    first, again = (unspoken.learn(table_of(rows), form="tree") for rows in (codes, shuffled))
    assert first.forest.parents == again.forest.parents
    for own, other in zip(first.forest.laws, again.forest.laws, strict=True):
        assert own.tobytes() == other.tobytes()


def test_beyond_what_a_joint_can_be_somebody_has_to_ask_for_a_tree() -> None:
    codes = dependent(2, 13, 500)  # 3^13 > 2^20
    assert repr(unspoken.learn(table_of(codes), form="tree")).startswith("Tree")
    assert repr(unspoken.learn(table_of(codes[:, :12]))).startswith("Joint")
    with pytest.raises(TooLarge, match=r'1,594,323 comb.* take form = "tree"'):
        unspoken.learn(table_of(codes))
    with pytest.raises(InputError, match=r'there is no "tre"\. Did you mean "tree"\?'):
        unspoken.learn(table_of(codes), form="tre")  # type: ignore[call-overload]


def test_one_column_is_a_tree_of_one() -> None:
    table = pa.table({"a": [1, 1, 2]})
    alone = unspoken.learn(table, form="tree")
    np.testing.assert_allclose(alone.marginal(["a"]), unspoken.learn(table).marginal(["a"]))


def test_pairs_of_too_many_values_are_refused() -> None:
    assert PAIRS == 2**24
    with pytest.raises(
        TooLarge, match=r"25,000,000 cells, more than 16,777,216 \(a 5000, b 5000\)"
    ):
        PairCounts.none(["a", "b"], [5000, 5000])


@pytest.mark.parametrize("rows", [0, 1, 700])
def test_pairs_at_once_are_pairs_two_by_two(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of attributes of one code, of few (some of which no row has) and of many, in parts."""
    monkeypatch.setattr(grid, "AT_ONCE", 2**10)  # products of few rows, so that they are added up
    rng = np.random.default_rng(8)
    sizes = [1, 2, 5, 32, 33, 60, 32, 3]
    codes = [rng.integers(0, max(1, size - 1), rows) for size in sizes]
    codes[6] = 5 * (codes[6] % grid.FEW)  # many codes that may occur, and few that do
    pairs = PairCounts.none([f"x{size}" for size in sizes], sizes)
    for part in (slice(0, 3), slice(3, 300), slice(300, None)):
        pairs.add([own[part] for own in codes])
    for (i, j), table in pairs.pair.items():
        counted = np.zeros((sizes[i], sizes[j]))
        np.add.at(counted, (codes[i], codes[j]), 1)
        assert (table == counted).all()
    for single, own, size in zip(pairs.single, codes, sizes, strict=True):
        assert (single == np.bincount(own, minlength=size)).all()
    assert pairs.rows == rows


def test_pairs_are_counted_in_parts_and_renamed() -> None:
    rng = np.random.default_rng(5)
    codes = [rng.integers(0, 4, 100) for _ in range(3)]
    whole, parts = (PairCounts.none("abc", [4, 4, 4]) for _ in range(2))
    whole.add(codes)
    parts.add([own[:30] for own in codes], np.full(30, 2.0))
    parts.add([own[30:] for own in codes])
    parts.add([own[:30] for own in codes], np.full(30, -1.0))
    assert all((whole.pair[pair] == parts.pair[pair]).all() for pair in whole.pair)
    merged = whole.renamed([[0, 0, 1, 1], [2, 1, 0, -1], [0, 1, 2, 3]], [2, 3, 4])
    assert merged.pair[0, 1].shape == (2, 3)
    seen = (codes[0] >= 2) & (codes[1] == 0)
    assert merged.pair[0, 1][1, 2] == seen.sum()
    assert whole.rows == 100
