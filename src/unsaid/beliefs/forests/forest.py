"""Variables on a forest of arrows: each depends on its parent only.

An arrow whose rows are all equal says nothing, so it is none: the variable below it is a root. What
is left is a forest in which two variables depend on one another only along the path between them.
Values that are known cut it further; what is left is a forest again, each law weighted with how
likely it makes what is known below it,

    P(x_v | x_parent, known) = P(x_v | x_parent) b_v(x_v) / sum,   b_v(x_v) = P(known below | x_v).

Variables are numbers 0 .. n-1 here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unsaid.numerics.arrays import Array, Codes

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
    def singles(self) -> list[Array]:
        """The law of every variable by itself."""
        singles: list[Array] = [np.empty(0)] * len(self.laws)
        for v in self.order:
            parent, law = self.parents[v], self.laws[v]
            single = law[0] if parent < 0 else singles[parent] @ law
            singles[v] = single / single.sum()  # else rounding adds up over 100,000 steps
        return singles

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
        found = set(points)
        for v in tuple(found):
            parent = self.parents[v]
            while parent >= 0 and parent not in found:
                found.add(parent)
                parent = self.parents[parent]
        return found

    def spanning(self, points: Collection[int]) -> tuple[list[int], set[int]]:
        """The least trees that join these points, children first, and the top of each."""
        found = self.ancestors(points)
        below: dict[int, list[int]] = {v: [] for v in found}
        for v in found:
            if self.parents[v] >= 0:
                below[self.parents[v]].append(v)
        tops, wanted = set(), set(points)
        for v in [v for v in found if self.parents[v] < 0]:
            while v not in wanted and len(below[v]) == 1:  # a bare stem up to the root
                found.discard(v)
                (v,) = below[v]
            tops.add(v)
        return self._children_first(found), tops

    def _children_first(self, of: Iterable[int]) -> list[int]:
        return sorted(of, key=self.rank.__getitem__, reverse=True)

    def given(self, known: Mapping[int, int]) -> Forest | None:
        """The forest of the others, in the same order; None if these values are impossible."""
        likely = self._likely(known)
        if likely is None:
            return None
        rest = [v for v in range(len(self.laws)) if v not in known]
        number = {v: place for place, v in enumerate(rest)}
        laws = []
        for v in rest:
            law, parent = self.laws[v], self.parents[v]
            law = law[[known[parent]]] if parent in known else law
            laws.append(_weighted(law, likely[v]) if v in likely else law)
        return Forest.of([number.get(self.parents[v], -1) for v in rest], laws)

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        """Parents first."""
        codes = np.zeros((rows, len(self.laws)), dtype=np.intp)
        steps = {id(law): np.cumsum(law, axis=1) for law in _unlike(self.laws)}
        for v in self.order:
            parent, own = self.parents[v], steps[id(self.laws[v])]
            reached = own[codes[:, parent]] if parent >= 0 else own
            drawn = rng.random((rows, 1)) * reached[:, -1:] >= reached
            codes[:, v] = drawn.sum(1)
        return codes

    def _likely(self, known: Mapping[int, int]) -> dict[int, Array] | None:
        """b_v up to a factor, for all v at or above something known."""
        likely: dict[int, Array] = {}
        for v in self._children_first(self.ancestors(known)):
            own = likely.get(v, np.ones(self.laws[v].shape[1]))
            if v in known:
                own = np.where(np.arange(own.size) == known[v], own, 0.0)
            if not own.max() > 0:
                return None
            likely[v] = own = own / own.max()
            parent = self.parents[v]
            if parent < 0 and not (self.laws[v] @ own).max() > 0:
                return None
            if parent >= 0:
                before = likely.get(parent, np.ones(self.laws[v].shape[0]))
                told = self.laws[v] @ own
                likely[parent] = before * (told / max(told.max(), np.finfo(float).tiny))
        return likely


def _weighted(law: Array, likely: Array) -> Array:
    """Bayes, row by row; a row that what is known rules out can be any law, so it stays."""
    joint = law * likely
    mass = joint.sum(1, keepdims=True)
    return np.where(mass > 0, joint / np.where(mass > 0, mass, 1.0), law)


def _unlike(laws: Sequence[Array]) -> Iterable[Array]:
    """Each matrix once, however often it is repeated."""
    return {id(law): law for law in laws}.values()
