"""Ceilings of a lower set that offers cuts: solve the relaxation, look there, cut again."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from unspoken.numerics.arrays import Array, Mask
from unspoken.planning.cuts import corners, relaxed
from unspoken.planning.frontier import LowerSet, SearchBox, fill, furthest

__all__ = ["RADIUS", "Cuttable"]

# Linear programmes a box; cuts kept for its halves.
ROUNDS, KEPT = 4, 24
# The first box around a point that is to be improved.
RADIUS = 0.3


class Cuttable(LowerSet):
    """A lower set that says what is broken at a point by cuts (planning/cuts.py).

    `excess` is for points, a little tighter than the set; `outer_excess` for ceilings, a little
    wider: what breaks it is outside in spite of rounding.
    """

    weights: Array

    @property
    @abstractmethod
    def excluded(self) -> Mask:
        """Which of the 2^n sets of variables have no plan that releases something of each."""

    @abstractmethod
    def outer_excess(self, p: Array) -> float:
        """Above 0 only outside the set; never falling in any coordinate."""

    @abstractmethod
    def separating(self, p: Array, a: Array) -> tuple[Array, int | None]:
        """Cuts, for all points >= a, for what p breaks; or the variable to decide on first."""

    @abstractmethod
    def tangents(self, p: Array, sure: Mask) -> Array:
        """Cuts for everything that is broken at p or might be nearby."""

    def ceiling(self, box: SearchBox, floor: float) -> SearchBox | None:
        """Cut, solve, look at the solution, cut again."""
        narrow = self._narrowed(box.a, box.b, floor)
        if narrow is None or self.outer_excess(narrow[0]) > 0:
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
            more, face = self.separating(best.point, a)
            if not len(more) or left < 0.1 * (best.upper - floor):
                break
            rows = np.concatenate([rows, more])
        axis, at = self._split(a, b, best.point) if face is None else (face, 0.0)
        upper = best.upper + 1e-13 * float(self.weights @ b)  # the corners' own rounding
        return SearchBox(a, b, upper, best.point, axis, at, np.concatenate([used, more])[:KEPT])

    def improve(self, p: Array, weights: Array, caps: Array) -> Array:
        """Climb by linear programmes in a box around p, smaller after each that does not help."""
        radius = RADIUS
        while len(p) > 1 and radius > RADIUS / 100:
            low, high = np.maximum(p - radius, 0.0), np.minimum(p + radius, caps)
            best = relaxed(weights, low, high, self.tangents(p, p > 0))
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
            if slack <= 0 or self.excluded[places @ (a > 0)]:
                return None
            spare = np.full_like(b, math.inf)
            np.divide(slack, self.weights, out=spare, where=self.weights > 0)
            a = np.maximum(a, b - spare)
            positive = places @ (a > 0)
            b = np.where(self.excluded[positive | places], np.minimum(a, b), b)
        return (a, b) if (a <= b).all() and not self.excluded[places @ (a > 0)] else None

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
        return self.tangents(furthest(self.outer_excess, a, b, 1e-3), a > 0)

    def _split(self, a: Array, b: Array, point: Array) -> tuple[int, float]:
        """The axis on which the corners' hull is furthest from the cuts, near the solution."""
        inside = np.minimum(point - a, b - point)
        score = self.weights * np.where(inside.max() > 0, inside + 0.01 * (b - a), b - a)
        axis = int(np.argmax(score))
        width = b[axis] - a[axis]
        middle = 0.5 * point[axis] + 0.25 * (a[axis] + b[axis])
        return axis, float(np.clip(middle, a[axis] + 0.15 * width, b[axis] - 0.15 * width))
