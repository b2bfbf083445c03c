"""The largest weights . p over a set that p never leaves by getting smaller, with a certificate.

Releasing less is post-processing, so what keeps a limit is a lower set: with p everything below p
belongs to it. Branch and bound over boxes [a, b]: where a is outside, so is the whole box; where it
is inside, b is cut back to the set along every axis, and no point of the set is above the last one
on the diagonal in all coordinates. The best ceiling still open is the certificate.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.planning.records.solver import Coefficients, Constraints, Program

__all__ = ["Frontier", "LowerSet", "bracket", "fill", "furthest", "search"]

Excess = Callable[[Array], float]
Excesses = Callable[[Array], Array]
Found = dict[bytes, float]  # the worst excess, by point

# More than nothing, and less than any probability that matters.
TINY = 1e-300
# A gap that does not matter, as a share of everything: where next to nothing is allowed, no
# relative gap is ever reached.
NEGLIGIBLE = 1e-10
# How closely a boundary is located, relative to its distance from 0, or else from the start: of
# what is handed out, and of what is only tried.
CLOSE, ROUGH = 1e-11, 1e-4
# How far back slopes are looked for.
STEP = 1e-3


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


@dataclass
class LowerSet:
    """A set of points p >= 0 that holds 0 and, with every point, all smaller ones.

    ``excesses``: at most 0 in it, one above 0 outside, none falling in any coordinate; ``outer``:
    the same of a set that is wider by what rounding may do, for ceilings. They are asked ``budget``
    times: then what was found stands.
    """

    weights: Array
    caps: Array
    excesses: Excesses
    outer: Excesses
    excluded: Mask | None = None  # [set of coordinates, in binary]: not all of them can be above 0
    budget: int = 20_000
    asked: int = field(default=0, init=False)
    _found: tuple[Found, Found] = field(default_factory=lambda: ({}, {}), init=False, repr=False)

    def inside(self, p: Array) -> float:
        return self._asked(self.excesses, p, self._found[0])

    def beyond(self, p: Array) -> float:
        return self._asked(self.outer, p, self._found[1])

    def _asked(self, excesses: Excesses, p: Array, found: Found) -> float:
        """Boxes have corners in common, and every way out of one begins there."""
        if self.out(p):
            return math.inf
        self.asked += 1
        at = p.tobytes()
        if at not in found:
            found[at] = float(excesses(p).max(initial=-1.0))
        return found[at]

    @property
    def affords(self) -> bool:
        return self.asked < self.budget

    def out(self, p: Array) -> bool:
        """Whether no point with the same coordinates above 0 is in the set."""
        return self.excluded is not None and bool(self.excluded[(p > 0) @ self.places])

    @cached_property
    def places(self) -> Codes:
        return 1 << np.arange(len(self.caps))[::-1]

    def ceiling(self, a: Array, b: Array, floor: float) -> SearchBox | None:
        """The box, smaller if possible, with its ceiling; None: nothing above ``floor`` in it."""
        if self.beyond(a) > 0:
            return None
        b = b.copy()
        for axis in np.flatnonzero(b > a).tolist():
            end = a.copy()
            end[axis] = b[axis]
            b[axis] = a[axis] + bracket(self.beyond, a, end, ROUGH)[1] * (b[axis] - a[axis])
            if float(self.weights @ b) <= floor:
                return None
        _, outside = bracket(self.beyond, a, b, ROUGH)
        sides = (1.0 - outside) * self.weights * (b - a)
        upper = float(self.weights @ b - sides[b > a].min(initial=math.inf if (b > a).any() else 0))
        undecided = self.out(b) & (a == 0)
        axis = int(np.argmax(np.where(undecided.any() <= undecided, self.weights * (b - a), -1.0)))
        at = 0.0 if undecided[axis] else float(a[axis] + b[axis]) / 2.0
        return SearchBox(a, b, upper, axis, at) if upper > floor else None

    def offered(self, best: Array, start: Array, end: Array) -> Array:
        """The last point of the set on the way, then as far as each coordinate allows; or best."""
        start = start if self.inside(start) <= 0 else np.zeros_like(start)
        reached, least = furthest(self.inside, start, end, ROUGH), float(self.weights @ best)
        # Filling up costs some evaluations a coordinate: not for a point far below the best.
        if float(self.weights @ reached) < 0.9 * least:
            return best
        filled = fill(self.weights, self.caps, self.inside, reached, ROUGH)
        if float(self.weights @ filled) <= least * (1.0 + 1e-9):
            return best
        return climbed(self, exchange(self, filled))


@dataclass(frozen=True)
class SearchBox:
    """The points a <= p <= b; nothing better than ``upper`` is in the set. Split next: ``axis``,
    at ``at``: 0 means that it is 0, or above.
    """

    a: Array
    b: Array
    upper: float
    axis: int
    at: float

    def halves(self) -> Iterator[tuple[Array, Array]]:
        below, above = self.b.copy(), self.a.copy()
        below[self.axis], above[self.axis] = self.at, max(self.at, TINY)
        yield self.a, below
        if above[self.axis] <= self.b[self.axis]:
            yield above, self.b


def search(lower: LowerSet, gap: float = 1e-3) -> Frontier:
    """Best first, until no open box promises more than ``gap``, or the budget is spent."""
    weights, caps = lower.weights, lower.caps
    best = lower.offered(np.zeros_like(caps), np.zeros_like(caps), caps)
    order = itertools.count()
    first = lower.ceiling(np.zeros_like(caps), caps, float(weights @ best))
    heap = [] if first is None else [(-first.upper, next(order), first)]
    closed, negligible = 0.0, NEGLIGIBLE * float(weights @ caps)
    while heap and lower.affords:
        reached = float(weights @ best)
        if -heap[0][0] <= reached * (1.0 + gap) + negligible:
            break
        ceiling, _, box = heapq.heappop(heap)
        best = lower.offered(best, box.a, box.b)
        if not (box.b > box.a).any():  # a point, so near the boundary that rounding decides
            closed = max(closed, -ceiling)
            continue
        for half in box.halves():
            child = lower.ceiling(*half, float(weights @ best))
            if child is not None:
                heapq.heappush(heap, (max(-child.upper, ceiling), next(order), child))
    if heap:
        closed = max(closed, -heap[0][0])
    best = fill(weights, caps, lower.inside, best)
    upper = min(max(float(weights @ best), closed) * (1.0 + 1e-12), float(weights @ caps))
    return Frontier.of(weights, best, upper)


def fill(weights: Array, caps: Array, excess: Excess, p: Array, close: float = CLOSE) -> Array:
    """Every coordinate in turn, the weightiest first, as large as the others let it be."""
    for axis in np.argsort(-weights * (caps - p), kind="stable"):
        room = float(caps[axis] - p[axis])
        if room > 0.0:
            end = p.copy()
            end[axis] = caps[axis]
            p = furthest(excess, p, end, close, float(p[axis]) / room)
    return p


def exchange(lower: LowerSet, p: Array) -> Array:
    """Give up part of one coordinate for more of the others, while that pays."""
    weights, caps, excess = lower.weights, lower.caps, lower.inside
    for share in (1.0, 0.3):
        for axis in np.flatnonzero(p > 0):
            if not lower.affords:
                return p
            less = p.copy()
            less[axis] *= 1.0 - share
            others = np.where(np.arange(len(p)) == axis, less, caps)
            tried = fill(weights, others, excess, less, ROUGH)
            tried = fill(weights, caps, excess, tried, ROUGH)
            if float(weights @ tried) > float(weights @ p) * (1.0 + 1e-9):
                p = tried
    return p


def climbed(lower: LowerSet, p: Array) -> Array:
    """By linear programs in a box around p, smaller after each that does not help."""
    weights, radius = lower.weights, 0.3
    while (p > STEP).sum() > 1 and radius > 1e-3 and lower.affords:
        end = _linear(lower, p, radius)
        tried = furthest(lower.inside, np.zeros_like(p), end, ROUGH)
        tried = fill(weights, lower.caps, lower.inside, tried, ROUGH)
        if float(weights @ tried) > float(weights @ p) * (1.0 + 1e-5):
            p = tried
        else:
            radius /= 3.0
    return p


def _linear(lower: LowerSet, p: Array, radius: float) -> Array:
    """The best point near p if every excess went on as it comes to p; what is next to 0 stays."""
    free = np.flatnonzero(p > STEP)
    here = lower.excesses(p)
    slopes = np.zeros((len(here), len(free)))
    for place, axis in enumerate(free):
        less = p.copy()
        less[axis] -= STEP
        slopes[:, place] = (here - lower.excesses(less)) / STEP
    lower.asked += 1 + len(free)
    known = np.isfinite(here) & np.isfinite(slopes).all(1)
    slopes, here = slopes[known], here[known]
    line, column = np.nonzero(slopes)
    program = Program(
        lower.weights[free],
        Constraints.at_most(
            Coefficients(len(here), line, column, slopes[line, column]), slopes @ p[free] - here
        ),
        np.maximum(p[free] - radius, 0.0),
        np.minimum(p[free] + radius, lower.caps[free]),
    )
    solved, end = program.solve(), p.copy()
    if solved.optimal:
        end[free] = np.clip(solved.x, 0.0, lower.caps[free])
    return end


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
