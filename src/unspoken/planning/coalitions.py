"""Coalitions that do not pool with one another, each within the limits on its own; and likewise

beliefs of a set, each of which may be true.

A cell has one coin, so every variable has one p, whoever sees it. What a coalition C sees tells no
more than it may if p restricted to C's variables lies in a lower set F_C, and the plans are the
intersection of all F_C. Coalitions that share no variable are planned apart. Where they do share,
a cut of F_C (planning/cuts.py) holds for the intersection, whatever the other variables are, so the
same search applies. Where that takes too many numbers, weights are parted, w_i = sum_C w_i^C:

    max over the intersection of w.p <= sum_C max over F_C of w^C.p,

and the least p that some coalition's plan has for each variable keeps every coalition's limits,
since releasing less is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.planning.block import WORK, Block
from unspoken.planning.exempt import raised
from unspoken.planning.frontier import Frontier, fill, search
from unspoken.planning.large_blocks import search_block
from unspoken.planning.limit_set import LimitSet
from unspoken.planning.relaxations import Cuttable

__all__ = ["Group", "Intersection", "overlapping"]

# Up to how many sets of variables cuts of several coalitions are put side by side.
SETS = 2**12


def overlapping(
    names: Sequence[str], coalitions: Sequence[Sequence[str]], exempt: bool = False
) -> list[list[list[str]]]:
    """What each coalition sees of ``names``, in groups that share no variable.

    One that sees part of what another sees adds nothing, unless some answers are ``exempt``: their
    probability may be larger for who sees less.
    """
    shown: list[list[str]] = []
    for coalition in coalitions:
        sees = [name for name in names if name in coalition]
        if sees and sees not in shown:
            shown.append(sees)
    if not exempt:
        shown = [less for less in shown if not any(set(less) < set(more) for more in shown)]
    groups: list[list[list[str]]] = []
    for sees in shown:
        near = [group for group in groups if any(set(sees) & set(other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), sees])
    return groups


@dataclass(frozen=True)
class Intersection(Cuttable):
    """The p that are in every part; ``axes``: which of the variables a part is about."""

    parts: tuple[LimitSet, ...]
    axes: tuple[Codes, ...]
    weights: Array

    @cached_property
    def excluded(self) -> Mask:
        sets = np.zeros(2 ** len(self.weights))
        for part, axes in self._each():
            sets += self._spread(part.excluded[None].astype(np.float64), axes)[0]
        return sets > 0

    def excess(self, p: Array) -> float:
        return max(part.excess(p[axes]) for part, axes in self._each())

    def outer_excess(self, p: Array) -> float:
        return max(part.outer_excess(p[axes]) for part, axes in self._each())

    def keeps(self, p: Array) -> bool:
        return all(part.keeps(p[axes]) for part, axes in self._each())

    def separating(self, p: Array, a: Array) -> tuple[Array, int | None]:
        rows, faces = [], []
        for part, axes in self._each():
            cuts, face = part.separating(p[axes], a[axes])
            rows.append(self._spread(cuts, axes))
            faces += [] if face is None else [int(axes[face])]
        return np.concatenate(rows), next(iter(faces), None)

    def tangents(self, p: Array, sure: Mask) -> Array:
        each = self._each()
        return np.concatenate([self._spread(s.tangents(p[i], sure[i]), i) for s, i in each])

    def _each(self) -> Iterator[tuple[LimitSet, Codes]]:
        return zip(self.parts, self.axes, strict=True)

    def _spread(self, rows: Array, axes: Codes) -> Array:
        """Numbers for every set of a part's variables as numbers for every set of all."""
        n = len(self.weights)
        shape = [2 if axis in axes else 1 for axis in range(n)]
        wide = np.broadcast_to(rows.reshape(len(rows), *shape), (len(rows), *[2] * n))
        return np.asarray(wide.reshape(len(rows), 2**n))


@dataclass(frozen=True)
class Group:
    """Coalitions that share variables: ``names`` are those that any of them sees, and each of the

    ``parts`` is a block of what one of them sees, under one belief. All names are in one order.
    """

    names: tuple[str, ...]
    weights: Array  # of the names, as the caps
    caps: Array
    parts: tuple[Block, ...]

    @classmethod
    def of(cls, blocks: Sequence[Block], shown: Sequence[Sequence[str]]) -> Group:
        """``blocks``: one for each belief; ``shown``: of their names those each coalition sees."""
        union = {name for sees in shown for name in sees}
        whole = blocks[0].only([name for name in blocks[0].names if name in union])
        parts = tuple(block.only(sees) for block in blocks for sees in shown)
        return cls(whole.names, whole.weights, whole.caps, parts)

    @property
    def axes(self) -> tuple[Codes, ...]:
        """The names of each part, as places among all."""
        return tuple(
            np.array([self.names.index(name) for name in part.names], dtype=np.intp)
            for part in self.parts
        )

    def search(self, gap: float) -> Frontier:
        """The best p within every part's limits, and what no such p exceeds."""
        if len(self.parts) == 1:
            return search_block(self.parts[0], gap)
        if not self._limited or not self._side_by_side:
            return self._parted(gap)
        budget = int(min(max(WORK / sum(part.size for part in self.parts) ** 0.75, 30), 1500))
        most = search(self.weights, self.caps, self._lower(), budget, gap)
        if not self._exempt or self._lower().keeps(most.p):
            return most
        least = search(self.weights, self.caps, self._strict()._lower(), budget, gap)
        p = raised(self._lower().keeps, self.weights, self.caps, least.p)
        return Frontier.of(self.weights, p, most.upper)

    @property
    def _limited(self) -> bool:
        """Whether there is any limit to keep."""
        return any(part.limited for part in self.parts)

    @property
    def _exempt(self) -> bool:
        """Whether some answers may exceed the odds cap."""
        return any(part.limits.exceed > 0 for part in self.parts)

    @property
    def _side_by_side(self) -> bool:
        """Whether all parts' cuts can be put side by side."""
        return 2 ** len(self.names) <= SETS and all(part.certifiable for part in self.parts)

    def _lower(self) -> Intersection:
        return Intersection(tuple(part.limit_set() for part in self.parts), self.axes, self.weights)

    def _strict(self) -> Group:
        """Without exempt answers, whose probability may rise when less is released."""
        strict = (replace(part, limits=replace(part.limits, exceed=0.0)) for part in self.parts)
        return replace(self, parts=tuple(strict))

    def _parted(self, gap: float) -> Frontier:
        """The plans of the parts one by one, each with its share of the weights."""
        frontiers = [search_block(part, gap) for part in self._weighted()]
        upper = math.fsum(frontier.upper for frontier in frontiers)
        if self._exempt:
            return Frontier.of(self.weights, self._strict()._parted(gap).p, upper)
        p = self.caps.copy()
        for frontier, axes in zip(frontiers, self.axes, strict=True):
            p[axes] = np.minimum(p[axes], frontier.p)
        if self._limited and all(part.listable for part in self.parts):
            p = fill(self.weights, self.caps, self._lower().excess, p, 1e-4)
        return Frontier.of(self.weights, p, upper)

    def _weighted(self) -> list[Block]:
        """The parts, a variable's weight parted evenly among those that see it."""
        readers = np.zeros(len(self.names))
        for axes in self.axes:
            readers[axes] += 1
        return [
            replace(part, weights=part.weights / readers[axes])
            for part, axes in zip(self.parts, self.axes, strict=True)
        ]
