"""The p that keep the limits on what pooled answers tell, as a lower set with tight ceilings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unsaid.numerics.arrays import Array, Codes, Mask
from unsaid.planning.clouds import Cloud, Look
from unsaid.planning.cuts import Cuts, corners, relaxed
from unsaid.planning.frontier import Box, LowerSet, fill, furthest
from unsaid.planning.supports import worst_by_support

__all__ = ["Limits", "Pooled"]

# Linear programmes a box; cuts kept for its halves; odds cuts made at one point.
ROUNDS, KEPT, WORST = 4, 24, 4
# The first box around a point that is to be improved.
RADIUS = 0.3


@dataclass(frozen=True)
class Limits:
    """What may be told: nats of each target, the log of the odds cap, an exempt probability."""

    information: Array
    log_cap: float
    exceed: float

    def tightened(self) -> Limits:
        """For the search: what keeps these keeps the true limits in spite of rounding."""
        return Limits(
            self.information * (1 - 1e-11), self.log_cap + 1e-13, self.exceed * (1 - 1e-11)
        )

    def eased(self) -> Limits:
        """For ceilings: what breaks these breaks the true limits in spite of rounding."""
        eased = self.information * (1 + 1e-9) + 2e-15
        return Limits(eased, self.log_cap + 1e-12, self.exceed * (1 + 1e-9))

    def excess(self, look: Look) -> float:
        """Above 0 where something is broken, and never falling in p.

        With an exempt probability the odds enter as `Look.beyond`, which is necessary for them but
        not sufficient: the probability of the answers above the cap is no monotone function.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.where(look.information > 0, look.information / self.information, 0.0)
        worst = float(shares.max(initial=0.0)) - 1.0
        if math.isinf(self.log_cap) or worst > 0:
            return worst
        if self.exceed > 0:
            beyond = look.beyond(self.log_cap).max(initial=0.0)
            return max(worst, float(beyond) / self.exceed - 1.0)
        return max(worst, look.log_odds() - self.log_cap)

    def kept(self, look: Look) -> bool:
        """Whether every limit is kept, the exempt probability counted as it is."""
        if not (look.information <= self.information).all():
            return False
        if math.isinf(self.log_cap) or look.log_odds() <= self.log_cap:
            return True
        return bool((look.above(self.log_cap) <= self.exceed).all())


@dataclass(frozen=True)
class Pooled(LowerSet):
    """Release probabilities of a cloud's names within ``limits``."""

    cloud: Cloud
    limits: Limits
    weights: Array
    inner: Limits = field(init=False)
    outer: Limits = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", self.limits.tightened())
        object.__setattr__(self, "outer", self.limits.eased())

    @cached_property
    def cuts(self) -> Cuts:
        return Cuts(self.cloud)

    @cached_property
    def telling(self) -> Mask:
        """Which sets of variables have no plan that releases something of each of them."""
        if math.isinf(self.outer.log_cap) or self.outer.exceed > 0:
            return np.zeros(2 ** len(self.cloud.names), dtype=bool)
        return worst_by_support(self.cloud) > self.outer.log_cap

    def excess(self, p: Array) -> float:
        return self.inner.excess(self.cloud.at(p))

    def ceiling(self, box: Box, floor: float) -> Box | None:
        """Cut, solve, look at the solution, cut again."""
        narrow = self._narrowed(box.a, box.b, floor)
        if narrow is None or self.outer.excess(self.cloud.at(narrow[0])) > 0:
            return None
        a, b = narrow
        rows = self._start(a, b) if box.memory is None else box.memory
        before = math.inf
        for _ in range(ROUNDS):
            b = self._cut_back(rows, a, b)
            best = relaxed(self.weights, a, b, rows)
            if best.upper <= floor:
                return None
            used, before, left = rows[best.multipliers > 0], best.upper, before - best.upper
            more, face = self._broken(self.cloud.at(best.point), a)
            if not len(more) or left < 0.1 * (best.upper - floor):
                break
            rows = np.concatenate([rows, more])
        axis, at = self._split(a, b, best.point) if face is None else (face, 0.0)
        upper = best.upper + 1e-13 * float(self.weights @ b)  # the corners' own rounding
        return Box(a, b, upper, best.point, axis, at, np.concatenate([used, more])[:KEPT])

    def improve(self, p: Array, weights: Array, caps: Array) -> Array:
        """Climb by linear programmes in a box around p, smaller after each that does not help."""
        radius = RADIUS
        while len(p) > 1 and radius > RADIUS / 100:
            low, high = np.maximum(p - radius, 0.0), np.minimum(p + radius, caps)
            best = relaxed(weights, low, high, self._tangents(self.cloud.at(p), p > 0))
            reached = float(weights @ p)
            if best.upper <= reached * (1 + 1e-6) or self.excess(low) > 0:
                break
            tried = furthest(self.excess, low, best.point, 1e-6)
            tried = fill(weights, caps, self.excess, tried, 1e-6)
            if float(weights @ tried) > reached * (1 + 1e-6):
                p = tried
            else:
                radius /= 4.0
        return fill(weights, caps, self.excess, p)

    def _narrowed(self, a: Array, b: Array, floor: float) -> tuple[Array, Array] | None:
        """What may hold a point above ``floor`` and has no set of variables that tells too much."""
        places = 1 << np.arange(len(a))[::-1]
        for _ in range(2):
            slack = float(self.weights @ b) - floor
            if slack <= 0 or self.telling[places @ (a > 0)]:
                return None
            spare = np.full_like(b, math.inf)
            np.divide(slack, self.weights, out=spare, where=self.weights > 0)
            a = np.maximum(a, b - spare)
            positive = places @ (a > 0)
            b = np.where(self.telling[positive | places], np.minimum(a, b), b)
        return (a, b) if (a <= b).all() and not self.telling[places @ (a > 0)] else None

    def _cut_back(self, rows: Array, a: Array, b: Array) -> Array:
        """b_i no further than the cuts allow from a along axis i: smaller p are in the set too."""
        if not len(rows):
            return b
        ends = corners(rows, a, b)
        steps = ends[:, 1 << np.arange(len(a))[::-1]] - ends[:, :1]
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(steps > 0, np.maximum(-ends[:, :1], 0.0) / steps, 1.0)
        return np.asarray(a + np.minimum(shares.min(0) * (1 + 1e-12), 1.0) * (b - a))

    def _start(self, a: Array, b: Array) -> Array:
        """Tangents where the diagonal leaves the set."""
        look = self.cloud.at(furthest(self._outer_excess, a, b, 1e-3))
        return self._tangents(look, a > 0)

    def _outer_excess(self, p: Array) -> float:
        return self.outer.excess(self.cloud.at(p))

    def _broken(self, look: Look, a: Array) -> tuple[Array, int | None]:
        """Cuts for what a look breaks; or the variable to decide on whether it appears at all.

        The odds of an answer count only if all it shows is released: where that is still open
        (a_i = 0), there is no cut that holds for the whole box.
        """
        over = np.flatnonzero(look.information > self.outer.information)
        rows = self._cuts(look, over, a > 0, 1.0)
        if math.isinf(self.outer.log_cap) or self.outer.exceed > 0:
            return rows, None
        factors = look.log_factors.max(0, initial=-math.inf)
        answer = int(np.argmax(np.where(look.happens, factors, -math.inf)))
        if not factors[answer] > self.outer.log_cap:
            return rows, None
        doubtful = self.cloud.released[answer] & (a == 0)
        if not doubtful.any():
            return rows, None
        return rows, int(np.argmax(np.where(doubtful, self.weights * look.p, -1.0)))

    def _tangents(self, look: Look, sure: Mask) -> Array:
        """Cuts for everything that is broken at this look or might be nearby."""
        return self._cuts(look, np.arange(len(self.cloud.targets)), sure, 0.5)

    def _cuts(self, look: Look, targets: Codes, sure: Mask, share: float) -> Array:
        """Information cuts for the targets; odds cuts where ``share`` of the cap is exceeded."""
        size = 2 ** len(self.cloud.names)
        targets = targets[np.isfinite(self.outer.information[targets])]
        rows = [np.zeros((0, size))]
        if len(targets):
            rows.append(self.cuts.information(look, targets, self.outer.information[targets]))
        if math.isfinite(self.outer.log_cap):
            make = self._beyond_cuts if self.outer.exceed > 0 else self._odds_cuts
            rows += make(look, sure, share)
        return np.concatenate(rows)

    def _beyond_cuts(self, look: Look, sure: Mask, share: float) -> list[Array]:
        beyond = look.beyond(self.outer.log_cap)
        return [
            self.cuts.beyond(look, int(event), self.outer.log_cap, self.outer.exceed)[None]
            for event in np.flatnonzero(beyond > share * self.outer.exceed)
        ]

    def _odds_cuts(self, look: Look, sure: Mask, share: float) -> list[Array]:
        """For the worst few events the answer that is worst among those that surely may happen."""
        surely = ~(self.cloud.released & ~sure).any(1)
        factors = np.where(surely, look.log_factors, -math.inf)
        worst = factors.max(1, initial=-math.inf)
        near = [e for e in np.argsort(-worst)[:WORST] if worst[e] > share * self.outer.log_cap]
        return [
            self.cuts.odds(int(event), int(np.argmax(factors[event])), self.outer.log_cap)[None]
            for event in near
        ]

    def _split(self, a: Array, b: Array, point: Array) -> tuple[int, float]:
        """The axis on which the corners' hull is furthest from the cuts, near the solution."""
        inside = np.minimum(point - a, b - point)
        score = self.weights * np.where(inside.max() > 0, inside + 0.01 * (b - a), b - a)
        axis = int(np.argmax(score))
        width = b[axis] - a[axis]
        middle = 0.5 * point[axis] + 0.25 * (a[axis] + b[axis])
        return axis, float(np.clip(middle, a[axis] + 0.15 * width, b[axis] - 0.15 * width))
