"""Plans in which a few answers may exceed the odds cap, up to a probability.

That probability is not monotone in p: releasing more of one variable can bring an answer's odds
back below the cap. So there is no lower set to search. The certificate comes from what is necessary
and monotone (`AnswerLaw.hockey_stick`); the plan itself is climbed to, from points known to keep
the limits, and every step is checked as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array
from unspoken.planning.cuts import relaxed
from unspoken.planning.frontier import Frontier, search
from unspoken.planning.joint_law import AnswerLaw
from unspoken.planning.limit_set import LimitSet
from unspoken.planning.relaxations import RADIUS

__all__ = ["raised", "search_exempt"]

Keeps = Callable[[Array], bool]

# Levels tried of a coordinate, halvings above the last level kept, steps of one climb, rounds of
# kicks, and for how many answers still allowed an event's odds are held below the cap in one step.
LEVELS, HALVINGS, STEPS, ROUNDS, HELD = 16, 30, 40, 3, 3
# Up to how many numbers a look at the answers is so quick that there is time for kicks.
QUICK = 2**15


def search_exempt(
    weights: Array, caps: Array, necessary: LimitSet, budget: int, gap: float
) -> Frontier:
    """``necessary``: limits with an exempt probability, whose ceilings hold for every plan."""
    most = search(weights, caps, necessary, budget, gap)
    climber = Climber(necessary, weights, caps)
    if climber.keeps(most.p):
        return most
    strict = replace(necessary, limits=replace(necessary.limits, exceed=0.0))
    least = search(weights, caps, strict, budget // 4, gap)
    zero = np.zeros_like(caps)
    starts = [least.p, zero, *climber.between(zero, most.p), *climber.between(least.p, most.p)]
    best = max(map(climber.climb, starts), key=lambda p: float(weights @ p))
    if necessary.joint.table.size <= QUICK:
        best = climber.kicked(best)
    return Frontier.of(weights, best, most.upper)


@dataclass(frozen=True)
class Climber:
    """Moves from a plan that keeps the limits to better ones that do."""

    limit_set: LimitSet
    weights: Array
    caps: Array

    @cached_property
    def keeps(self) -> Keeps:
        return self.limit_set.keeps

    def between(self, start: Array, end: Array) -> Iterable[Array]:
        """The last point kept, among a few levels between two points."""
        for share in np.arange(LEVELS, 0, -1) / LEVELS:
            if self.keeps(start + share * (end - start)):
                return [start + share * (end - start)]
        return []

    def kicked(self, p: Array) -> Array:
        """Give up part of one coordinate and climb again, while that pays."""
        for _ in range(ROUNDS):
            before = float(self.weights @ p)
            for axis in np.flatnonzero(p > 0):
                for share in (0.0, 0.6):
                    less = p.copy()
                    less[axis] *= share
                    tried = self.climb(less)
                    p = tried if float(self.weights @ tried) > float(self.weights @ p) else p
            if float(self.weights @ p) <= before * (1 + 1e-3):
                break
        return p

    def climb(self, p: Array) -> Array:
        """Linear programmes in a box that shrinks when they do not help; then each coordinate."""
        if not self.keeps(p):
            return np.zeros_like(p)
        radius = RADIUS
        for _ in range(STEPS):
            low, high = np.maximum(p - radius, 0.0), np.minimum(p + radius, self.caps)
            answers, before = self.limit_set.joint.at(p), p
            for share in (1.0, 0.5, 0.0):
                end = relaxed(self.weights, low, high, self._cuts(answers, share)).point
                p = self._better(p, end)
                if p is not before:
                    break
            radius = radius / 3.0 if p is before else radius
            if radius < 1e-3 * RADIUS:
                break
        return raised(self.keeps, self.weights, self.caps, p)

    def _better(self, p: Array, end: Array) -> Array:
        reached = float(self.weights @ p)
        for share in (1.0, 0.9, 0.7, 0.4):
            tried = p + share * (end - p)
            gained = float(self.weights @ tried) > reached * (1 + 1e-5) + 1e-300
            if gained and self.keeps(tried):
                return tried
        return p

    def _cuts(self, answers: AnswerLaw, share: float) -> Array:
        """What is to hold nearby: answers that exceed the cap now may go on, within the exemption.

        So may those next to the cap, as many as fill a ``share`` of it. Answers that show what is
        not released yet are distinguished by what they would be.
        """
        cuts, cap = self.limit_set.cuts, self.limit_set.inner.log_cap
        limits = self.limit_set.inner.information
        bounded = np.flatnonzero(np.isfinite(limits) & (limits > 0))
        rows = [*cuts.information(answers, bounded, limits[bounded])] if len(bounded) else []
        targets = np.array([event.target for event in answers.joint.events], dtype=np.intp)
        for target in np.unique(targets):
            events = np.flatnonzero(targets == target)
            factors = answers.log_factors[events].max(0)
            order = np.argsort(-factors, kind="stable")
            near = np.cumsum(answers.mass[order]) <= share * self.limit_set.inner.exceed
            exempt = (factors > cap) | near[np.argsort(order)]
            rows.append(cuts.mass(exempt, self.limit_set.inner.exceed))
            for event in events.tolist():
                allowed = np.where(exempt, -np.inf, answers.log_factors[event])
                worst = np.argsort(-allowed, kind="stable")[:HELD]
                rows += [cuts.odds(event, y, cap) for y in worst if allowed[y] > 0.5 * cap]
        return np.array(rows).reshape(-1, 2 ** len(answers.p))


def raised(keeps: Keeps, weights: Array, caps: Array, p: Array) -> Array:
    """Every coordinate in turn, the weightiest first, as far as the others let it rise."""
    for axis in np.argsort(-weights * (caps - p), kind="stable").tolist():
        p = _raised(keeps, caps, p, axis)
    return p


def _raised(keeps: Keeps, caps: Array, p: Array, axis: int) -> Array:
    """The highest of a few levels of one coordinate that is kept, then halving above it."""

    def at(level: float) -> Array:
        tried = p.copy()
        tried[axis] = level
        return tried

    levels = p[axis] + (caps[axis] - p[axis]) * np.arange(LEVELS, -1, -1) / LEVELS
    levels[0] = caps[axis]
    highest = next((k for k in range(LEVELS) if keeps(at(levels[k]))), LEVELS)
    if highest == 0:
        return at(levels[0])
    inside, outside = float(levels[highest]), float(levels[highest - 1])
    for _ in range(HALVINGS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if keeps(at(middle)) else (inside, middle)
    return at(inside)
