"""Sums over products of potentials: along a tree of tables, for many rows of evidence at once.

Towards the end of the elimination order each bucket passes on the sum of its table (`eliminate`).
Back again, every table is made the law of its variables: since the sum it passed on was all that
the rest ever heard of it,

    P(x_bucket) = table P(x_rest) / sum,

with P(x_rest) from the next bucket (`calibrate`). Nothing is subtracted, and 0/0 stands for 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs.networks.elimination import CliqueTree
from unspoken.core.beliefs.networks.potentials import Potential
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import Ring

__all__ = ["Collected", "calibrate", "collect", "eliminate"]


@dataclass(frozen=True)
class Collected:
    """Each table and the sum it passed on, by rank, and what arrived at the end."""

    tree: CliqueTree
    tables: list[Potential]
    sums: list[Potential]
    end: Potential


def eliminate(tree: CliqueTree, factors: Sequence[Potential], ring: Ring) -> Potential:
    """The product of ``factors`` summed over all variables that are not kept."""
    return _inward(tree, factors, ring, None)


def collect(tree: CliqueTree, factors: Sequence[Potential], ring: Ring) -> Collected:
    """The same, with every table on the way."""
    passed: list[tuple[Potential, Potential]] = []
    end = _inward(tree, factors, ring, passed)
    return Collected(tree, [table for table, _ in passed], [total for _, total in passed], end)


def calibrate(collected: Collected, ring: Ring) -> dict[int, Array]:
    """The law of every variable, row by row; impossible rows have mass 0."""
    tree, around, single = collected.tree, dict[int, Array](), dict[int, Array]()
    after: list[list[int]] = [[] for _ in tree.tables]
    for r, total in enumerate(collected.sums):
        if total.scope:
            after[total.scope[0]].append(r)
    for r in reversed(range(len(tree.tables))):
        table, total = collected.tables[r], collected.sums[r]
        share = ring.ratio(around.pop(r, ring.of(np.ones(1))), total.table)
        widened = Potential(total.scope, share, ring).over(table.scope)
        law = Potential(table.scope, ring.times(table.table, widened.table), ring)
        single[tree.order[r]] = law.onto((r,)).plain()[0]
        for other in after[r]:
            around[other] = law.onto(collected.sums[other].scope).table
    return single


def _inward(
    tree: CliqueTree,
    factors: Sequence[Potential],
    ring: Ring,
    passed: list[tuple[Potential, Potential]] | None,
) -> Potential:
    waiting: list[list[Potential]] = [[] for _ in range(len(tree.tables) + 1)]
    for factor in factors:
        waiting[tree.into(factor.scope)].append(factor)
    for r, scope in enumerate(tree.tables):
        table = Potential.product(waiting[r], scope, ring)
        waiting[r] = []
        total = table.onto(scope[1:])
        if passed is not None:
            passed.append((table, total))
        waiting[tree.into(total.scope)].append(total)
    return Potential.product(waiting[-1], tree.kept, ring)
