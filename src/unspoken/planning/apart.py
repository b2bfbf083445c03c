"""Coalitions that do not pool with one another, each within the limits on its own.

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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.planning.block import WORK, Block
from unspoken.planning.ceilings import Cuttable
from unspoken.planning.exempt import raised
from unspoken.planning.frontier import Frontier, fill, search
from unspoken.planning.pooled import Pooled
from unspoken.planning.wide import search_block

__all__ = ["Apart", "Coalitions", "together"]

# Up to how many sets of variables cuts of several coalitions are put side by side.
SETS = 2**12


def together(
    names: Sequence[str], coalitions: Sequence[Sequence[str]], exempt: bool = False
) -> list[list[list[str]]]:
    """What each coalition sees of ``names``, in groups that share no variable.

    One that sees part of what another sees adds nothing, unless some answers are ``exempt``: their
    probability may be larger for who sees less.
    """
    own: list[list[str]] = []
    for one in coalitions:
        seen = [name for name in names if name in one]
        if seen and seen not in own:
            own.append(seen)
    if not exempt:
        own = [one for one in own if not any(set(one) < set(other) for other in own)]
    groups: list[list[list[str]]] = []
    for one in own:
        near = [group for group in groups if any(set(one) & set(other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), one])
    return groups


@dataclass(frozen=True)
class Coalitions(Cuttable):
    """The intersection of what each coalition may be told; ``places``: which variables it sees."""

    parts: tuple[Pooled, ...]
    places: tuple[Codes, ...]
    weights: Array

    @cached_property
    def telling(self) -> Mask:
        sets = np.zeros(2 ** len(self.weights))
        for part, own in zip(self.parts, self.places, strict=True):
            sets += self._spread(part.telling[None].astype(np.float64), own)[0]
        return sets > 0

    def excess(self, p: Array) -> float:
        return max(part.excess(p[own]) for part, own in zip(self.parts, self.places, strict=True))

    def outer_excess(self, p: Array) -> float:
        pairs = zip(self.parts, self.places, strict=True)
        return max(part.outer_excess(p[own]) for part, own in pairs)

    def keeps(self, p: Array) -> bool:
        return all(part.keeps(p[own]) for part, own in zip(self.parts, self.places, strict=True))

    def broken(self, p: Array, a: Array) -> tuple[Array, int | None]:
        rows, faces = [], []
        for part, own in zip(self.parts, self.places, strict=True):
            more, face = part.broken(p[own], a[own])
            rows.append(self._spread(more, own))
            faces += [] if face is None else [int(own[face])]
        return np.concatenate(rows), next(iter(faces), None)

    def tangents(self, p: Array, sure: Mask) -> Array:
        pairs = zip(self.parts, self.places, strict=True)
        rows = [self._spread(part.tangents(p[own], sure[own]), own) for part, own in pairs]
        return np.concatenate(rows)

    def _spread(self, rows: Array, own: Codes) -> Array:
        """Numbers for every set of a coalition's variables as numbers for every set of all."""
        n = len(self.weights)
        shape = [2 if axis in own else 1 for axis in range(n)]
        wide = np.broadcast_to(rows.reshape(len(rows), *shape), (len(rows), *[2] * n))
        return np.asarray(wide.reshape(len(rows), 2**n))


@dataclass(frozen=True)
class Apart:
    """Coalitions that share variables: ``block`` has all, each of ``parts`` those of one of them.

    All names are in one order.
    """

    block: Block
    parts: tuple[Block, ...]

    @classmethod
    def of(cls, block: Block, seen: Sequence[Sequence[str]]) -> Apart:
        """``seen``: the names of ``block`` that each coalition sees."""
        union = {name for own in seen for name in own}
        own = block.only([name for name in block.names if name in union])
        return cls(own, tuple(own.only(names) for names in seen))

    @property
    def places(self) -> tuple[Codes, ...]:
        return tuple(
            np.array([self.block.names.index(name) for name in part.names], dtype=np.intp)
            for part in self.parts
        )

    def search(self, gap: float) -> Frontier:
        """The best p within every coalition's limits, and what no such p exceeds."""
        if len(self.parts) == 1:
            return search_block(self.block, gap)
        if not self.block.bound or not self._side_by_side:
            return self._parted(gap)
        budget = int(min(max(WORK / sum(part.size for part in self.parts) ** 0.75, 30), 1500))
        most = search(self.block.weights, self.block.caps, self._lower(), budget, gap)
        if self.block.limits.exceed == 0 or self._lower().keeps(most.p):
            return most
        least = search(self.block.weights, self.block.caps, self._strict()._lower(), budget, gap)
        p = raised(self._lower().keeps, self.block.weights, self.block.caps, least.p)
        return Frontier.of(self.block.weights, p, most.upper)

    @property
    def _side_by_side(self) -> bool:
        """Whether all coalitions' cuts can be put side by side."""
        return 2 ** len(self.block.names) <= SETS and all(part.certifiable for part in self.parts)

    def _lower(self) -> Coalitions:
        pooled = tuple(Pooled(part.cloud(), part.allowed, part.weights) for part in self.parts)
        return Coalitions(pooled, self.places, self.block.weights)

    def _strict(self) -> Apart:
        """Without exempt answers, whose probability may rise when less is released."""
        limits = replace(self.block.limits, exceed=0.0)
        parts = tuple(replace(part, limits=limits) for part in self.parts)
        return Apart(replace(self.block, limits=limits), parts)

    def _parted(self, gap: float) -> Frontier:
        """The plans of the coalitions one by one, each with its share of the weights."""
        found = [search_block(part, gap) for part in self._weighted()]
        upper = math.fsum(one.upper for one in found)
        if self.block.limits.exceed > 0:
            return Frontier.of(self.block.weights, self._strict()._parted(gap).p, upper)
        p = self.block.caps.copy()
        for one, own in zip(found, self.places, strict=True):
            p[own] = np.minimum(p[own], one.p)
        if self.block.bound and all(part.listable for part in self.parts):
            p = fill(self.block.weights, self.block.caps, self._lower().excess, p, 1e-4)
        return Frontier.of(self.block.weights, p, upper)

    def _weighted(self) -> list[Block]:
        """The parts, a variable's weight parted evenly among the coalitions that see it."""
        readers = np.zeros(len(self.block.names))
        for own in self.places:
            readers[own] += 1
        return [
            replace(part, weights=part.weights / readers[own])
            for part, own in zip(self.parts, self.places, strict=True)
        ]
