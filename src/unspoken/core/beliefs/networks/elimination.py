"""In which order variables are summed out, and how large the tables get: known before any is made.

Summing v out of a product of tables makes one table over v and its neighbours (those it shares a
table with); afterwards the neighbours share one. Linking them is what "moralising" the parents of a
common child and "filling in" stand for: sharing a table is all that counts. Next is always a
variable whose neighbours lack the fewest links (min-fill), of several the one with the smallest
table. The tables, each passing its sum on to the next one concerned, are the clique tree.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

__all__ = ["CliqueTree", "neighbours"]

Links = dict[int, set[int]]


@dataclass(frozen=True)
class CliqueTree:
    """Variables numbered anew, by rank: in the order they are summed out, then the kept ones.

    ``tables[r]`` are the ranks in the table that sums out rank r, ascending, so r is the first of
    them; its sum is about the others, and goes into the table of the next one.
    """

    order: tuple[int, ...]  # the variable of each rank
    tables: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]  # by rank

    @classmethod
    def of(
        cls, scopes: Iterable[Collection[int]], sizes: Sequence[int], kept: Sequence[int] = ()
    ) -> CliqueTree:
        cliques = dict(_min_fill(neighbours(scopes), sizes, set(kept)))
        order = (*cliques, *kept)
        rank = {v: r for r, v in enumerate(order)}
        tables = (tuple(sorted(rank[u] for u in scope)) for scope in cliques.values())
        return cls(order, tuple(tables), tuple(sizes[v] for v in order))

    @cached_property
    def rank(self) -> dict[int, int]:
        return {v: r for r, v in enumerate(self.order)}

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(range(len(self.tables), len(self.order)))

    def into(self, scope: tuple[int, ...]) -> int:
        """The table that takes a factor over these; one more than the last is the kept one."""
        return min(scope[0], len(self.tables)) if scope else len(self.tables)

    @property
    def largest(self) -> int:
        """The cells of the largest table."""
        return max(self._cells())

    @property
    def total(self) -> int:
        """The cells of all tables together."""
        return sum(self._cells())

    def _cells(self) -> Iterator[int]:
        for scope in (self.kept, *self.tables):
            yield math.prod(self.sizes[r] for r in scope)


def neighbours(scopes: Iterable[Collection[int]]) -> Links:
    """Who shares a table with whom."""
    links: Links = {}
    for scope in scopes:
        for v in scope:
            links.setdefault(v, set()).update(scope)
    for v, beside in links.items():
        beside.discard(v)
    return links


def _min_fill(links: Links, sizes: Sequence[int], kept: set[int]) -> Iterator[tuple[int, set[int]]]:
    """Each variable in its turn, with the variables of its table; ``links`` is used up."""
    lacks = {v: _lacking(links, v) for v in links if v not in kept}
    heap = [(lacks[v], _weight(links, sizes, v), v) for v in lacks]
    heapq.heapify(heap)
    while heap:
        lacking, _, v = heapq.heappop(heap)
        if lacks.get(v) != lacking:
            continue  # counted anew since it was put here
        del lacks[v]
        around = links.pop(v)
        yield v, {v, *around}
        for u in around:
            links[u].discard(v)
        if lacking:
            changed = _link_up(links, around)
            lacks.update((u, _lacking(links, u)) for u in changed if u in lacks)
        else:  # they are all linked: u only loses the links v lacked to the others around u
            changed = around
            for u in around & lacks.keys():
                lacks[u] -= len(links[u]) - (len(around) - 1)
        for u in changed & lacks.keys():
            heapq.heappush(heap, (lacks[u], _weight(links, sizes, u), u))


def _link_up(links: Links, around: set[int]) -> set[int]:
    """Link them all; who may lack fewer links now: they, and whoever is beside both new ends."""
    changed = set(around)
    for u in around:
        for new in around - links[u] - {u}:
            changed |= links[u] & links[new]
            links[u].add(new)
            links[new].add(u)
    return changed


def _lacking(links: Links, v: int) -> int:
    """How many pairs of neighbours of v are not linked."""
    around = links[v]
    linked = sum(len(links[u] & around) for u in around)
    return (len(around) * (len(around) - 1) - linked) // 2


def _weight(links: Links, sizes: Sequence[int], v: int) -> float:
    return math.log(sizes[v]) + sum(math.log(sizes[u]) for u in links[v])
