"""Coalitions that do not pool with one another, each within the limits on its own; and likewise
beliefs of a set, each of which may be true.

A cell has one coin, so every variable has one p, whoever sees it. What a coalition C sees tells no
more than it may if p restricted to C's variables lies in a lower set F_C, and the plans are the
intersection of all F_C, a lower set again (planning/frontier.py). Coalitions that share no variable
are planned apart. Where the answers are too many to list, only so many variables are released as
can be.

A few answers may be let exceed the odds cap, up to a probability. That is not monotone in p:
releasing more of one variable can bring an answer's odds back below the cap. The certificate then
comes from what is necessary and monotone (`AnswerLaw.hockey_stick`), the plan from the best one
without exempt answers, raised as far as it keeps the limits as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.block import Block
from unspoken.planning.frontier import Excesses, Frontier, LowerSet, search
from unspoken.planning.limits import Limits
from unspoken.planning.supports import worst_by_support

__all__ = ["Group", "overlapping"]

# How much may be looked at: so many numbers of laws of answers, and what any look costs beside.
WORK, LOOK = 6e7, 1e3
# Levels tried of a coordinate that is raised, and halvings above the last level kept.
LEVELS, HALVINGS = 16, 24


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

    def only(self, names: Sequence[str]) -> Group:
        """With nothing but these names released."""
        at = [self.names.index(name) for name in names]
        parts = tuple(part.only([n for n in part.names if n in names]) for part in self.parts)
        return Group(tuple(names), self.weights[at], self.caps[at], parts)

    def near(self, name: str) -> Group:
        """With this name alone, for it and its dependents: fewer limits."""
        alone = self.only([name])
        near = [part.near(part.names) for part in alone.parts]
        return Group(
            (name,), alone.weights, alone.caps, tuple(p for p in near if p.names and p.targets)
        )

    def place(self, part: Block) -> list[int]:
        """The names of a part, as places among all."""
        return [self.names.index(name) for name in part.names]

    @property
    def listable(self) -> bool:
        return all(part.listable for part in self.parts)

    def search(self, gap: float) -> Frontier:
        """The best p within every part's limits, and what no such p exceeds."""
        if not any(part.limited for part in self.parts):
            return Frontier.of(self.weights, self.caps, 0.0)
        return self._listed(gap) if self.listable else self._few(gap)

    def _listed(self, gap: float) -> Frontier:
        most = search(self._lower(), gap)
        if not any(part.limits.exceed > 0 for part in self.parts) or self._keeps(most.p):
            return most
        least = search(self._lower(exempt=False), gap)
        order = np.argsort(-self.weights * (self.caps - least.p), kind="stable")
        return Frontier.of(self.weights, self._kicked(self._raised(least.p, order)), most.upper)

    def _few(self, gap: float) -> Frontier:
        """As many names as can be listed, those worth most by themselves first."""
        alone = {name: self._alone(name, gap) for name in self.names}
        few = self.only([])
        for name in sorted(self.names, key=lambda name: -alone[name].objective):
            longer = self.only([n for n in self.names if n in (*few.names, name)])
            few = longer if longer.listable else few
        found = few.search(gap)
        chosen = dict(zip(few.names, found.p.tolist(), strict=True))
        p = np.array([chosen.get(name, 0.0) for name in self.names])
        return Frontier.of(self.weights, p, math.fsum(each.upper for each in alone.values()))

    def _alone(self, name: str, gap: float) -> Frontier:
        """What one name could release at best; all of it where not even that can be listed."""
        group = self.near(name)
        if not group.listable:
            return Frontier(np.zeros(1), 0.0, float(group.weights @ group.caps))
        return group.search(gap)

    def _lower(self, exempt: bool = True) -> LowerSet:
        limits = [
            part.limits if exempt else replace(part.limits, exceed=0.0) for part in self.parts
        ]
        outer = [each.eased() for each in limits]
        excluded = np.zeros((2,) * len(self.names), dtype=bool)
        for part, allowed in zip(self.parts, outer, strict=True):
            if math.isfinite(allowed.odds_cap) and not allowed.exceed:
                shape = [2 if name in part.names else 1 for name in self.names]
                excluded |= (worst_by_support(part.joint) > allowed.log_cap).reshape(shape)
        return LowerSet(
            self.weights,
            self.caps,
            self._excesses([each.tightened() for each in limits]),
            self._excesses(outer),
            excluded.ravel(),
            int(WORK / sum(LOOK + part.answers for part in self.parts)),
        )

    def _excesses(self, limits: Sequence[Limits]) -> Excesses:
        """Of all parts."""
        laws = [
            (part.joint, self.place(part), each)
            for part, each in zip(self.parts, limits, strict=True)
        ]
        return lambda p: np.concatenate([each.excesses(law.at(p[at])) for law, at, each in laws])

    def _keeps(self, p: Array) -> bool:
        """Whether every limit is kept at p, the exempt probability counted as it is."""
        return all(
            part.limits.tightened().kept(part.joint.at(p[self.place(part)])) for part in self.parts
        )

    def _kicked(self, p: Array) -> Array:
        """Give up one coordinate, or most of it, for more of the others, while that pays."""
        for share in (0.0, 0.4):
            for axis in np.flatnonzero(p > 0).tolist():
                order = np.argsort(-self.weights * (np.arange(len(p)) != axis), kind="stable")
                less = _at(p, axis, share * p[axis])
                tried = self._raised(less, order) if self._keeps(less) else p
                p = tried if float(self.weights @ tried) > float(self.weights @ p) else p
        return p

    def _raised(self, p: Array, order: Codes) -> Array:
        """Every coordinate in turn, as far as the others let it rise: to the highest of a few
        levels that is kept, then halving above it.
        """
        for axis in order.tolist():
            levels = p[axis] + (self.caps[axis] - p[axis]) * np.arange(LEVELS, -1, -1) / LEVELS
            kept = (k for k in range(LEVELS) if self._keeps(_at(p, axis, levels[k])))
            highest = next(kept, LEVELS)
            inside, outside = levels[highest], levels[max(highest - 1, 0)]
            for _ in range(HALVINGS if highest else 0):
                middle = 0.5 * (inside + outside)
                if self._keeps(_at(p, axis, middle)):
                    inside = middle
                else:
                    outside = middle
            p = _at(p, axis, inside)
        return p


def _at(p: Array, axis: int, level: float) -> Array:
    tried = p.copy()
    tried[axis] = level
    return tried
