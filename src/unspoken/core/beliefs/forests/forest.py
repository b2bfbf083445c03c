"""Variables on a forest of arrows: each depends on its parent only.

An arrow whose rows are all equal says nothing, so it is none: the variable below it is a root. What
is left is a forest in which two variables depend on one another only along the path between them.
Values that are known cut it further (knowing.py). Variables are numbers 0 .. n-1 here.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.ring import LEAST
from unspoken.core.numerics.rounding import beside_one
from unspoken.core.numerics.tables import fixed

__all__ = ["Forest"]


@dataclass(frozen=True)
class Forest:
    """``laws[v][x_parent, x_v]``, with a single row where ``parents[v]`` is -1."""

    parents: tuple[int, ...]
    laws: tuple[Array, ...]

    @classmethod
    def of(cls, parents: Iterable[int], laws: Iterable[Array]) -> Forest:
        """Arrows that say nothing are left out; the same matrix is looked at once."""
        laws = tuple(laws)
        silent = {id(law): law[:1] if (law == law[0]).all() else None for law in _unlike(laws)}
        cut = [silent[id(law)] for law in laws]
        return cls(
            tuple(p if row is None else -1 for p, row in zip(parents, cut, strict=True)),
            tuple(law if row is None else row for law, row in zip(laws, cut, strict=True)),
        )

    @cached_property
    def sizes(self) -> list[int]:
        return [law.shape[1] for law in self.laws]

    @cached_property
    def children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.parents]
        for v, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(v)
        return children

    @cached_property
    def order(self) -> list[int]:
        """Every variable after its parent."""
        order = [v for v, parent in enumerate(self.parents) if parent < 0]
        for v in order:  # grows while it is read
            order.extend(self.children[v])
        return order

    @cached_property
    def rank(self) -> list[int]:
        """The place of every variable in ``order``."""
        rank = [0] * len(self.order)
        for place, v in enumerate(self.order):
            rank[v] = place
        return rank

    @cached_property
    def operations(self) -> float:
        """The operations behind any product of the laws, summed over all else.

        Each law is rounded once, and rows whose sums are a little off 1 are off by that; d products
        are added up, and messages multiplied (three operations at most, and scaled). A sum that is
        divided by is off 1 by what was rounded since the last one, so all that counts twice.
        """
        each = {id(law): 8.0 + 2.0 * (law.shape[1] + beside_one(law)) for law in _unlike(self.laws)}
        return math.fsum(each[id(law)] for law in self.laws)

    @cached_property
    def singles(self) -> list[Array]:
        """The law of every variable by itself."""
        singles: list[Array] = [np.empty(0)] * len(self.laws)
        for v in self.order:
            parent, law = self.parents[v], self.laws[v]
            single = law[0] if parent < 0 else singles[parent] @ law
            singles[v] = fixed(single / single.sum())  # else rounding adds up over 100,000 steps
        return singles

    @cached_property
    def _faint(self) -> list[bool]:
        """Whether a variable may take values so rare that its law has lost them, or digits."""
        faint = [False] * len(self.laws)
        for v in self.order:
            parent, law = self.parents[v], self.laws[v]
            rare = self.singles[v] < LEAST
            if rare.any():
                possible = law > 0 if parent < 0 else law[self.singles[parent] > 0] > 0
                lost = bool((possible.any(axis=0) & rare).any())
                faint[v] = lost or (parent >= 0 and faint[parent])
        return faint

    @cached_property
    def steps(self) -> tuple[Array, ...]:
        """Of a path 0 -> 1 -> ...: P(x_v+1 | x_v), with equal rows where x_v says nothing."""
        silent: dict[tuple[int, int], Array] = {}
        for law, parent, size in zip(self.laws[1:], self.parents[1:], self.sizes, strict=False):
            if parent < 0 and (id(law), size) not in silent:
                silent[id(law), size] = np.repeat(law, size, axis=0)
        return tuple(
            law if parent >= 0 else silent[id(law), size]
            for law, parent, size in zip(self.laws[1:], self.parents[1:], self.sizes, strict=False)
        )

    def neighbours(self, v: int) -> list[int]:
        """Whose law, or in whose law, v is."""
        parent = self.parents[v]
        return self.children[v] if parent < 0 else [parent, *self.children[v]]

    def balls(self, centre: Iterable[int]) -> Iterator[tuple[set[int], set[int]]]:
        """All within 0, 1, 2, ... arrows of ``centre``, and those one arrow further."""
        inner = set(centre)
        edge = {u for v in inner for u in self.neighbours(v)} - inner
        while edge:
            yield inner, edge
            inner = inner | edge
            edge = {u for v in edge for u in self.neighbours(v)} - inner
        yield inner, edge

    @cached_property
    def tree(self) -> list[int]:
        """The number of the tree each variable is on; different trees are independent."""
        tree, count = [0] * len(self.parents), 0
        for v in self.order:
            parent = self.parents[v]
            tree[v] = count if parent < 0 else tree[parent]
            count += parent < 0
        return tree

    def ancestors(self, points: Iterable[int]) -> set[int]:
        """These and all above them."""
        above = set(points)
        for v in tuple(above):
            parent = self.parents[v]
            while parent >= 0 and parent not in above:
                above.add(parent)
                parent = self.parents[parent]
        return above

    def spanning(self, points: Collection[int]) -> tuple[list[int], set[int]]:
        """The least trees that join these points, children first, and the top of each."""
        needed = self.ancestors(points)
        below: dict[int, list[int]] = {v: [] for v in needed}
        for v in needed:
            if self.parents[v] >= 0:
                below[self.parents[v]].append(v)
        tops, wanted = set(), set(points)
        for v in [v for v in needed if self.parents[v] < 0]:
            while v not in wanted and len(below[v]) == 1:  # a bare stem up to the root
                if self._faint[below[v][0]]:
                    break
                needed.discard(v)
                (v,) = below[v]
            tops.add(v)
        return self.children_first(needed), tops

    def children_first(self, of: Iterable[int]) -> list[int]:
        """These, every variable before its parent."""
        return sorted(of, key=self.rank.__getitem__, reverse=True)

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        """Parents first."""
        codes = np.zeros((rows, len(self.laws)), dtype=np.intp)
        cumulated = {id(law): np.cumsum(law, axis=1) for law in _unlike(self.laws)}
        for v in self.order:
            parent, sums = self.parents[v], cumulated[id(self.laws[v])]
            reached = sums[codes[:, parent]] if parent >= 0 else sums
            drawn = rng.random((rows, 1)) * reached[:, -1:] >= reached
            codes[:, v] = drawn.sum(1)
        return codes


def _unlike(laws: Sequence[Array]) -> Iterable[Array]:
    """Each matrix once, however often it is repeated."""
    return {id(law): law for law in laws}.values()
