"""The largest weights . p over a set that p never leaves by getting smaller, with a certificate.

Releasing less is post-processing, so what keeps a limit is a lower set: with p everything below p
belongs to it. Branch and bound over boxes [a, b]: where a is outside, so is the whole box; where it
is inside, a ceiling says what the box could hold at best. The best ceiling still open is the
certificate. A `LowerSet` that knows more than whether a point belongs to it gives tighter ceilings
(planning/cuts.py).
"""

from __future__ import annotations

import heapq
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from unspoken.numerics.arrays import Array

__all__ = ["SearchBox", "Frontier", "LowerSet", "bracket", "fill", "furthest", "maximise", "search"]

Excess = Callable[[Array], float]

# More than nothing, and less than any probability that matters.
TINY = 1e-300
# A gap that does not matter, as a share of everything: where next to nothing is allowed, no
# relative gap is ever reached.
NEGLIGIBLE = 1e-10
# How closely a boundary is located, relative to its distance from 0, or else from the start.
CLOSE = 1e-11


@dataclass(frozen=True)
class Frontier:
    """A point of the set, what it reaches, and what no point of the set exceeds."""

    p: Array
    objective: float
    upper: float

    @classmethod
    def of(cls, weights: Array, p: Array, upper: float) -> Frontier:
        """What p reaches; a bound below that is off by rounding only."""
        objective = float(weights @ p)
        return cls(p, objective, max(upper, objective))

    @property
    def gap(self) -> float:
        """(upper - objective) / upper: the share of the optimum that may be missing."""
        return (self.upper - self.objective) / self.upper if self.upper > 0.0 else 0.0


@dataclass(frozen=True)
class SearchBox:
    """The points a <= p <= b; nothing better than ``upper`` is in the set.

    ``point``: where the ceiling would be reached, a direction to look in. Split next: ``axis``,
    at ``at``; at 0 that means p_axis = 0 or p_axis > 0. ``memory`` is for who made the ceiling.
    """

    a: Array
    b: Array
    upper: float
    point: Array
    axis: int
    at: float
    memory: Array | None = None

    def halves(self) -> Iterator[SearchBox]:
        below, above = self.b.copy(), self.a.copy()
        below[self.axis] = self.at
        above[self.axis] = max(self.at, TINY)
        yield replace(self, b=below)
        if above[self.axis] <= self.b[self.axis]:
            yield replace(self, a=above)


class LowerSet(ABC):
    """A set of points p >= 0 that holds 0 and, with every point, all smaller ones."""

    @abstractmethod
    def excess(self, p: Array) -> float:
        """At most 0 in the set, above 0 outside; never falling in any coordinate."""

    @abstractmethod
    def ceiling(self, box: SearchBox, floor: float) -> SearchBox | None:
        """The box, smaller if possible, with its ceiling; None: nothing above ``floor`` in it."""

    def improve(self, p: Array, weights: Array, caps: Array) -> Array:
        """A better point near p that single coordinates do not find; or p."""
        return exchange(weights, caps, self.excess, p)


@dataclass(frozen=True)
class Predicate(LowerSet):
    """A lower set known only by asking whether points belong to it."""

    weights: Array
    feasible: Callable[[Array], bool]

    def excess(self, p: Array) -> float:
        return 0.0 if self.feasible(p) else math.inf

    def ceiling(self, box: SearchBox, floor: float) -> SearchBox | None:
        """weights . b, once b is cut back to the set along every axis and along the diagonal."""
        if not self.feasible(box.a):
            return None
        a, b = box.a, box.b.copy()
        for axis in np.flatnonzero(b > a).tolist():
            end = a.copy()
            end[axis] = b[axis]
            b[axis] = a[axis] + bracket(self.excess, a, end, 1e-4)[1] * (b[axis] - a[axis])
        # No point of the set is above the boundary point of the diagonal in all coordinates.
        _, outside = bracket(self.excess, a, b, 1e-4)
        sides = (1.0 - outside) * self.weights * (b - a)
        upper = float(self.weights @ b - sides[b > a].min(initial=math.inf if (b > a).any() else 0))
        if upper <= floor:
            return None
        axis = int(np.argmax(self.weights * (b - a)))
        return SearchBox(a, b, upper, b, axis, float(a[axis] + b[axis]) / 2.0)


def maximise(
    weights: Array,
    caps: Array,
    feasible: Callable[[Array], bool],
    budget: int = 400,
    gap: float = 1e-3,
) -> Frontier:
    """The largest weights . p, 0 <= p <= caps, over a lower set of feasible points (0 is one)."""
    return search(weights, caps, Predicate(weights, feasible), budget, gap)


def search(
    weights: Array, caps: Array, lower: LowerSet, budget: int = 400, gap: float = 1e-3
) -> Frontier:
    """Best first, until no open box promises more than ``gap``, or for ``budget`` boxes."""
    best = _Best(weights, caps, lower)
    best.offer(np.zeros_like(caps), caps)
    order = itertools.count()
    root = SearchBox(np.zeros_like(caps), caps, math.inf, caps, 0, 0.0)
    first = lower.ceiling(root, best.objective)
    heap = [] if first is None else [(-first.upper, next(order), first)]
    closed, negligible = 0.0, NEGLIGIBLE * float(weights @ caps)
    for _ in range(budget):
        if not heap or -heap[0][0] <= best.objective * (1.0 + gap) + negligible:
            break
        _, _, box = heapq.heappop(heap)
        best.offer(box.a, box.point)
        if not (box.b > box.a).any():  # a point, so near the boundary that rounding decides
            closed = max(closed, box.upper)
            continue
        for half in box.halves():
            child = lower.ceiling(half, best.objective)
            if child is not None:
                upper = min(child.upper, box.upper)
                heapq.heappush(heap, (-upper, next(order), replace(child, upper=upper)))
    if heap:
        closed = max(closed, -heap[0][0])
    upper = min(max(best.objective, closed) * (1.0 + 1e-12), float(weights @ caps))
    return Frontier.of(weights, best.p, upper)


class _Best:
    """The best point found so far, and how a direction is turned into a point."""

    def __init__(self, weights: Array, caps: Array, lower: LowerSet) -> None:
        self.weights, self.caps, self.lower = weights, caps, lower
        self.p = np.zeros_like(caps)
        self.objective = 0.0

    def offer(self, start: Array, end: Array) -> None:
        """The last point of the set on the way, then as far as each coordinate allows."""
        if self.lower.excess(start) > 0:
            start = np.zeros_like(start)
        reached = furthest(self.lower.excess, start, end, 1e-4)
        # Filling up costs some evaluations a coordinate: not for a point far below the best.
        if float(self.weights @ reached) < 0.9 * self.objective:
            return
        filled = fill(self.weights, self.caps, self.lower.excess, reached)
        if float(self.weights @ filled) > self.objective * (1.0 + 1e-9):
            self.p = self.lower.improve(filled, self.weights, self.caps)
            self.objective = float(self.weights @ self.p)


def fill(weights: Array, caps: Array, excess: Excess, p: Array, close: float = CLOSE) -> Array:
    """Every coordinate in turn, the weightiest first, as large as the others let it be."""
    for axis in np.argsort(-weights * (caps - p), kind="stable"):
        room = float(caps[axis] - p[axis])
        if room > 0.0:
            end = p.copy()
            end[axis] = caps[axis]
            p = furthest(excess, p, end, close, float(p[axis]) / room)
    return p


def exchange(weights: Array, caps: Array, excess: Excess, p: Array) -> Array:
    """Give up part of one coordinate for more of the others, while that pays."""
    for share in (1.0, 0.3):
        for axis in np.flatnonzero(p > 0):
            less = p.copy()
            less[axis] *= 1.0 - share
            others = np.where(np.arange(len(p)) == axis, less, caps)
            tried = fill(weights, others, excess, less, 1e-4)
            tried = fill(weights, caps, excess, tried)
            if float(weights @ tried) > float(weights @ p) * (1.0 + 1e-9):
                p = tried
    return p


def furthest(
    excess: Excess, start: Array, end: Array, close: float = CLOSE, behind: float = 0.0
) -> Array:
    """The last point of the set on the way from ``start``, which is in it, to ``end``."""
    inside, _ = bracket(excess, start, end, close, behind)
    return end if inside == 1.0 else start + inside * (end - start)


def bracket(
    excess: Excess, start: Array, end: Array, close: float = CLOSE, behind: float = 0.0
) -> tuple[float, float]:
    """Shares of the way (inside, outside the set), close together; 1, 1: all of it is inside.

    ``behind``: how far from 0 the start is, in the same shares: a step that is next to nothing
    beside that is none.

    Chandrupatla's rule: the next share is where a parabola through the last three values vanishes
    if their shape lets it be trusted, else half way; the excess need not even be finite.
    """
    b, fb = 1.0, excess(end)
    if fb <= 0.0:
        return 1.0, 1.0
    a = max(TINY, close * behind)
    if a >= 1.0 or (fa := excess(start + a * (end - start))) > 0.0:
        return 0.0, min(a, 1.0)
    c, fc, share = a, fa, 0.5  # b: the latest; a: across the boundary; c: the one before
    for _ in range(200):
        t = b + share * (a - b)
        ft = excess(start + t * (end - start))
        if (ft > 0.0) == (fb > 0.0):
            c, fc = b, fb
        else:
            c, fc, a, fa = a, fa, b, fb
        b, fb = t, ft
        width = abs(a - b)
        near = close * (max(a, b) + behind)
        if width <= near + 1e-18:
            break
        least = min(0.4, 0.4 * near / width)
        share = min(max(_vanishing(a, fa, b, fb, c, fc), least), 1.0 - least)
    return (b, a) if fb <= 0.0 else (a, b)


def _vanishing(a: float, fa: float, b: float, fb: float, c: float, fc: float) -> float:
    """The share of the way from b to a where inverse quadratic interpolation vanishes, or half."""
    if not math.isfinite(fa + fb + fc) or fa in (fb, fc) or fc == fb or a == c:
        return 0.5
    xi, phi = (b - a) / (c - a), (fb - fa) / (fc - fa)
    if not (phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi):
        return 0.5
    first = fb / (fa - fb) * fc / (fa - fc)
    second = (c - b) / (a - b) * fb / (fc - fb) * fa / (fc - fa)
    return first + second
