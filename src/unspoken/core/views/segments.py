"""Whether a function is convex or concave along segments between posteriors, by looking at it.

On each segment the function is evaluated at equally far points, and each value is compared with
the middle of the chord between its neighbours, near and far ones. This finds out what a function
is not; that it is convex between the points that were looked at remains an assumption, which every
answer that relies on it states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.posteriors import Posteriors

__all__ = ["Evaluation", "Segments", "largest_of_concave", "numerical_noise", "scattered"]

# The points of a segment are the multiples of 1/STEPS; triples of them are this far apart.
STEPS = 32
STRIDES = (1, 2, 4, 8, 16)
PRIMES = (2, 3, 5, 7, 11, 13)
POINTS = STEPS + 1
GRID = np.linspace(0.0, 1.0, POINTS)
# Log lifts are moved by so many units of the last place to see what rounding does to a function.
JITTER, JITTERS = 4.0 * UNIT, 3
# A chord may be missed by so much of that, and by so much of the values themselves.
NOISE, RELATIVE = 8.0, 64.0 * UNIT
# Probabilities below are rounded to few digits, or to 0.
LOST = 1e-290
# How often the neighbourhood of the largest value is looked at again, 16 times closer each time.
ZOOMS, AGREED = 12, 1e-12

Shape = Literal["convex", "concave", "quasi-convex"]


@dataclass(frozen=True)
class Segments:
    """Segments between two posteriors of one context: rows of ``prior`` and of two log lifts."""

    prior: Array  # (segment, class)
    start: Array
    end: Array
    secret: Mask

    def __len__(self) -> int:
        return len(self.prior)

    def chunks(self, numbers: int) -> Iterator[Segments]:
        """These segments, as many at a time as have so many numbers at their points."""
        rows = max(1, numbers // (POINTS * self.prior.shape[1]))
        return (self.part(slice(at, at + rows)) for at in range(0, len(self), rows))

    def part(self, rows: slice | Mask) -> Segments:
        """Some of these segments."""
        return Segments(self.prior[rows], self.start[rows], self.end[rows], self.secret)

    def between(self, low: Array, high: Array) -> Segments:
        """The part of each segment between two of its points, from 0 to 1."""
        ends = self._log_lift(np.stack([low, high], axis=-1))
        return Segments(self.prior, ends[:, 0], ends[:, 1], self.secret)

    def points(self) -> Posteriors:
        """The posteriors on the grid: a context for each segment."""
        log_lift = self._log_lift(np.broadcast_to(GRID, (len(self), len(GRID))))
        return Posteriors(self.prior[:, None, :], log_lift, self.secret)

    def _log_lift(self, t: Array) -> Array:
        """log ((1 - t) e^start + t e^end); next to 0 by way of e^x - 1, which has more digits."""
        start, end, t = self.start[:, None, :], self.end[:, None, :], t[..., None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            moved = np.where(t < 1, (1 - t) * np.expm1(start), 0.0)
            moved += np.where(t > 0, t * np.expm1(end), 0.0)
            far = np.logaddexp(np.log1p(-t) + start, np.log(t) + end)
            near: Array = np.where(np.abs(moved) < 0.5, np.log1p(np.maximum(moved, -0.5)), far)
        near = np.where(t == 0, start, near)
        return np.where(t == 1, end, near)


def scattered(shape: tuple[int, ...], number: int) -> Array:
    """Numbers from 0 to 1 in no order, the same at every call: multiples of an irrational one."""
    count = math.prod(shape)
    multiples = np.arange(1, count + 1) * math.sqrt(PRIMES[number])
    parts: Array = np.modf(multiples)[0].reshape(shape)
    return parts


def numerical_noise(f: Callable[[Posteriors], Array], after: Posteriors, values: Array) -> Array:
    """By how much a function's values change if log lifts change in their last places."""
    noise = np.zeros_like(values)
    for number in range(JITTERS):
        signs = np.where(scattered(after.log_lift.shape, number) < 0.5, -1.0, 1.0)
        size = np.where(np.isfinite(after.log_lift), JITTER * (1 + np.abs(after.log_lift)), 0.0)
        with np.errstate(invalid="ignore"):
            change = np.abs(
                f(Posteriors(after.prior, after.log_lift + signs * size, after.secret)) - values
            )
        noise = np.maximum(noise, np.where(np.isfinite(change), change, 0.0))
    return noise


@dataclass(frozen=True)
class Evaluation:
    """The values of a function at the points of segments: (segment, point, function)."""

    segments: Segments
    values: Array
    noise: Array
    underflow: Array  # what the probabilities that floats hardly hold contribute

    @classmethod
    def of(cls, f: Callable[[Posteriors], Array], segments: Segments) -> Evaluation:
        """Evaluate ``f``, which returns an array with an axis for functions."""
        after = segments.points()
        values = f(after)
        noise = _spread(numerical_noise(f, after, values))
        return cls(segments, values, noise, _underflow(f, after, values))

    def excess(self, shape: Shape) -> Array:
        """For each segment and function, by how much it fails to have this shape, beyond rounding:
        0 where it has it.
        """
        if shape == "quasi-convex":
            return self._above_both_sides
        sign = 1.0 if shape == "convex" else -1.0
        beyond: Array = np.max([self._beyond_chords(sign, s) for s in STRIDES], axis=0)
        return beyond

    @cached_property
    def tolerance(self) -> Array:
        """What rounding may do to each value."""
        size = np.where(np.isfinite(self.values), np.abs(self.values), 0.0)
        some = self.noise[self.noise > 0]  # a value may stay the same by chance
        noise = np.maximum(self.noise, np.median(some) if some.size else 0.0)
        total: Array = NOISE * noise + RELATIVE * size + self.underflow
        return total

    def _beyond_chords(self, sign: float, stride: int) -> Array:
        """How far values lie above the middle of chords (for sign -1 below)."""
        values = sign * self.values
        left, middle, right = (
            values[:, : -2 * stride],
            values[:, stride:-stride],
            values[:, 2 * stride :],
        )
        tolerance = self.tolerance
        allowed = np.maximum(tolerance[:, : -2 * stride], tolerance[:, 2 * stride :])
        allowed = np.maximum(allowed, tolerance[:, stride:-stride])
        with np.errstate(invalid="ignore"):
            above = middle - (left / 2 + right / 2)
        fine = (left == np.inf) | (right == np.inf) | (middle == -np.inf)
        above = np.where(fine, 0.0, above)
        beyond: Array = np.where(above > allowed, above, 0.0).max(1)
        return beyond

    @cached_property
    def _above_both_sides(self) -> Array:
        """How far a value exceeds the least on its left and the least on its right."""
        least_left = np.minimum.accumulate(self.values, axis=1)[:, :-2]
        least_right = np.minimum.accumulate(self.values[:, ::-1], axis=1)[:, ::-1][:, 2:]
        middle = self.values[:, 1:-1]
        with np.errstate(invalid="ignore"):
            above = middle - np.maximum(least_left, least_right)
        allowed = 2 * self.tolerance[:, 1:-1] + self.tolerance[:, 1:-1].min(1, keepdims=True)
        beyond: Array = np.where(above > allowed, above, 0.0).max(1)
        return beyond

    @property
    def upper_ends(self) -> Array:
        """The most that concave functions can be anywhere on their segments: (segment, function).

        Between two points such a function lies below the chords beside, made longer.
        """
        v = self.values
        with np.errstate(invalid="ignore"):
            from_left = 2 * v[:, 1:-1] - v[:, :-2]  # at the next point
            from_right = 2 * v[:, 1:-1] - v[:, 2:]  # at the point before
        first = np.maximum(v[:, 1], from_right[:, 0])[:, None]
        last = np.maximum(v[:, -2], from_left[:, -1])[:, None]
        inner = _below_two_lines(v[:, 1:-2], from_left[:, :-1], from_right[:, 1:], v[:, 2:-1])
        cells = np.concatenate([first, inner, last], axis=1)
        most: Array = np.fmax(cells.max(1), v.max(1)) + NOISE * self.noise.max(1)
        return most


def largest_of_concave(f: Callable[[Posteriors], Array], segments: Segments) -> tuple[float, float]:
    """The largest value of a concave function on segments, from below and from above.

    ``f`` returns one function along the last axis. Around its largest value each segment is looked
    at again, ever closer, until both ends agree.
    """
    best, settled = -np.inf, -np.inf
    for zoom in range(ZOOMS):
        looked_at = Evaluation.of(f, segments)
        values, high = looked_at.values[..., 0], looked_at.upper_ends[:, 0]
        best = max(best, float(values.max(initial=-np.inf)))
        near = max(AGREED * abs(best), 2 * NOISE * float(looked_at.noise.max(initial=0.0)))
        open_rows = high > best + near
        if zoom == ZOOMS - 1 or not open_rows.any():
            return best, max(best, settled, float(high.max(initial=-np.inf)))
        settled = max(settled, float(high[~open_rows].max(initial=-np.inf)))
        at = values[open_rows].argmax(1)
        low, up = GRID[np.maximum(at - 1, 0)], GRID[np.minimum(at + 1, STEPS)]
        segments = segments.part(open_rows).between(low, up)
    raise AssertionError("the last zoom returns")


def _below_two_lines(start: Array, far: Array, early: Array, end: Array) -> Array:
    """The largest that is below two lines over a cell: from ``start`` to ``far`` and from ``early``
    to ``end``. A line through minus infinity says nothing.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        gap, slopes = early - start, (far - start) - (end - early)
        at = np.clip(np.where(slopes > 0, gap / slopes, 0.0), 0.0, 1.0)
        height = np.minimum(start + at * (far - start), early + at * (end - early))
        both = np.where(np.isfinite(height), np.maximum(height, np.maximum(start, end)), np.inf)
    first, second = np.maximum(start, far), np.maximum(early, end)
    either = np.fmin(
        np.where(np.isfinite(start), first, np.inf), np.where(np.isfinite(end), second, np.inf)
    )
    return np.where(np.isfinite(both), both, either)


def _underflow(f: Callable[[Posteriors], Array], after: Posteriors, values: Array) -> Array:
    """How far values change if the least probabilities, which have lost their digits, are 0."""
    lost = (after.posterior < LOST) & (after.log_lift > -np.inf) & after.possible
    if not lost.any():
        return np.zeros_like(values)
    with np.errstate(invalid="ignore"):
        log_lift = np.where(lost, -np.inf, after.log_lift)
        change = np.abs(f(Posteriors(after.prior, log_lift, after.secret)) - values)
    return np.where(np.isnan(change), 0.0, change)


def _spread(noise: Array) -> Array:
    """The largest of each point and of its two neighbours: one alone may be small by chance."""
    wide = noise.copy()
    wide[:, 1:] = np.maximum(wide[:, 1:], noise[:, :-1])
    wide[:, :-1] = np.maximum(wide[:, :-1], noise[:, 1:])
    return wide
