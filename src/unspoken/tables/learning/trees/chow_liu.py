"""The tree that keeps the most of what pairs of attributes show (Chow and Liu, 1968).

Of all beliefs in which each attribute depends on one other only, the nearest to the table (in
relative entropy) has the tables of its pairs, and those pairs form the tree for which

    sum over its pairs of I(X_i; X_j),    I = sum_xy P(x, y) log P(x, y) / P(x) P(y)

is largest. P is the share of the rows. Whatever three or more attributes show beyond the
pairs that are kept is not in the tree.

What a predicate rules out has to stay impossible, so pairs of which it rules out something are in
the tree first (impossible.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs import Tree
from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.domain import Value
from unspoken.core.types.premise import Premise
from unspoken.tables.learning.counts.pairs import PairCounts

__all__ = ["ChowLiu", "Pair", "information", "parents_of", "spanning"]

Pair = tuple[int, int]
TIES = 12  # decimals of a nat: what differs by less is a tie


@dataclass(frozen=True)
class ChowLiu:
    """``belief``, and the pairs it keeps, the strongest first.

    ``tables``: of all pairs; ``information``: I(X_i; X_j) of each, in nats.
    """

    belief: Tree
    kept: tuple[Pair, ...]
    tables: Mapping[Pair, Array]
    information: Mapping[Pair, float]

    @classmethod
    def of(
        cls,
        pairs: PairCounts,
        names: Sequence[str],
        values: Sequence[Sequence[Value]],
        needed: Collection[Pair] = (),
    ) -> ChowLiu:
        """``needed``: pairs that are kept, whatever they tell."""
        tables = {pair: counts / counts.sum() for pair, counts in pairs.pair.items()}
        shared = {pair: information(table) for pair, table in tables.items()}
        kept = spanning(names, shared, needed)
        parents = parents_of(len(names), kept)
        laws = [
            None if parent < 0 else _law(tables, parent, child)
            for child, parent in enumerate(parents)
        ]
        root = pairs.single[0] / pairs.single[0].sum()
        premise = Premise.learned(pairs.rows, "tree")
        strongest = sorted(kept, key=lambda pair: _rank(shared, pair))
        return cls(
            Tree(parents, root, laws, names, values, premise), tuple(strongest), tables, shared
        )


def information(table: Array) -> float:
    """I(X; Y) of a joint table, in nats."""
    independent = np.outer(table.sum(1), table.sum(0))
    positive = table > 0
    nats = float((table[positive] * np.log(table[positive] / independent[positive])).sum())
    return max(0.0, nats)


def spanning(
    names: Sequence[str], information: Mapping[Pair, float], first: Iterable[Pair] = ()
) -> list[Pair]:
    """The spanning tree with the most information that has all pairs of ``first``.

    Kruskal: each pair in its turn, unless it would close a circle.
    """
    needed = set(first)
    part = list(range(len(names)))
    kept: list[Pair] = []
    ranked = sorted(information, key=lambda pair: _rank(information, pair))
    for pair in sorted(ranked, key=lambda pair: pair not in needed):
        part_i, part_j = (part[v] for v in pair)
        if part_i != part_j:
            kept.append(pair)
            part = [part_i if p == part_j else p for p in part]
        elif pair in needed:
            raise InputError(
                f"learn: what `sensitive` of {names[pair[0]]} or {names[pair[1]]} rules out closes "
                "a circle of attributes, which no tree can hold; let it read fewer attributes, or "
                "give fewer bins or values, so that the whole joint can be learned"
            )
    return kept


def _rank(information: Mapping[Pair, float], pair: Pair) -> tuple[float, Pair]:
    """The strongest first, of equal ones those of attributes that are declared earlier."""
    return -round(information[pair], TIES), pair


def parents_of(count: int, kept: Sequence[Pair]) -> list[int]:
    """The tree hung up at the first attribute: the parent of each, -1 for the root."""
    parents, order = [-1] * count, [0]
    for v in order:  # grows while it is read
        beside = sorted({a + b - v for a, b in kept if v in (a, b)} - {parents[v]})
        for child in beside:
            parents[child] = v
        order += beside
    return parents


def _law(tables: Mapping[Pair, Array], parent: int, child: int) -> Array:
    """P(child | parent), a row for each value of the parent."""
    pair = (min(parent, child), max(parent, child))
    table = tables[pair] if parent < child else tables[pair].T
    possible = table.sum(1, keepdims=True) > 0  # where the parent never is, any law will do
    table = np.where(possible, table, table.sum(0))
    law: Array = table / table.sum(1, keepdims=True)
    return law
