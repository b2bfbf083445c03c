"""The concave envelope of utility as a function of leakage.

As a function of eps every I_i is concave, or convex up to one inflection and concave from there
(the S-shape theorem; it needs that all targets of one bit share its q). So on any interval [lo, hi]
the envelope of U_i = w_i I_i^-1 is the curve itself from lo to a knee, then one chord to hi:

    knee = the root in [lo, hi] of  (hi - e) I_i'(e) = I_i(hi) - I_i(e),     ' = d/deps,

lo itself where I_i is concave on all of [lo, hi], and hi where it is convex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from unspoken.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import DEEP, Curves

__all__ = ["Bends", "Envelope", "bends", "envelope", "inverse", "rise"]

# Knees are found to this share of the interval, then one Newton step better: what a knee misses
# costs the bound the square.
KNEE = 1e-10
# A search that has not converged after so many rounds stops; what it is for is sound all the same.
ROUNDS = 100


class Bends(NamedTuple):
    """I and its first two derivatives by eps."""

    leakage: Array
    slope: Array
    bend: Array


class Envelope(NamedTuple):
    """For every item the interval [lo, hi] with the knee between, and the leakage at each."""

    lo: Array
    knee: Array
    hi: Array
    at_lo: Array
    at_knee: Array
    at_hi: Array

    def but(self, items: Codes, part: Envelope) -> Envelope:
        """The same with some items' envelopes replaced."""
        fields = [field.copy() for field in self]
        for field, values in zip(fields, part, strict=True):
            field[items] = values
        return Envelope(*fields)


def bends(curves: Curves, epsilon: Array) -> Bends:
    """dI/deps = s I' and d2I/deps2 = s (s I'' - I'), s = e^-eps."""
    jet = curves.jet(epsilon)
    s = np.exp(-epsilon)
    with np.errstate(invalid="ignore", over="ignore"):
        slope = np.where(s > 0.0, s * jet.slope, 0.0)
        # Where s^2 is no float any more, the curve has long been concave.
        first = np.where(epsilon < DEEP, s * (s * jet.curvature), 0.0)
    return Bends(jet.leakage, slope, first - slope)


def rise(
    curves: Curves,
    function: Callable[[Bends, Array, Codes], tuple[Array, Array]],
    low: Array,
    high: Array,
    at: Array,
    width: Array,
) -> Array:
    """Where functions that turn once turn from negative to positive; else the end nearest to that.

    ``function`` gives values and derivatives from the curves at some eps, that eps, and the items
    it is of. Newton's steps, kept inside a shrinking bracket, and halving where the last step did
    not halve the value; until no step is wider than ``width``. Items done are left by and by.
    """
    roots, items, part = at.copy(), np.arange(len(at)), curves
    first, last, before = low, high, np.full_like(at, np.inf)
    for _ in range(ROUNDS):
        value, slope = function(bends(part, at), at, items)
        below = value < 0.0
        low, high = np.where(below, at, low), np.where(below, high, at)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = np.clip(at - value / slope, first, last)
        fair = (newton >= low) & (newton <= high) & (np.abs(value) <= 0.5 * before)
        step = np.where(fair, newton, 0.5 * (low + high))
        before, wide = np.abs(value), np.flatnonzero(np.abs(step - at) > width)
        at = roots[items] = step
        if not len(wide):
            break
        if 2 * len(wide) <= len(items):
            items, part = items[wide], part.take(wide)
            arrays = (at, low, high, first, last, before, width)
            at, low, high, first, last, before, width = (array[wide] for array in arrays)
    return roots


def inverse(curves: Curves, leakage: Array, low: Array, high: Array, width: Array) -> Array:
    """The eps in [low, high] with I_i(eps) = leakage."""

    def over(here: Bends, _: Array, items: Codes) -> tuple[Array, Array]:
        return here.leakage - leakage[items], here.slope

    return rise(curves, over, low, high, 0.5 * (low + high), width)


def envelope(curves: Curves, lo: Array, hi: Array) -> Envelope:
    """The envelopes on [lo, hi]."""
    start, end = bends(curves, lo), bends(curves, hi)
    convex = (start.bend > 0.0) & (end.bend > 0.0)
    knee = np.where(convex, hi, lo)
    at_knee = np.where(convex, end.leakage, start.leakage)
    turning = np.flatnonzero((start.bend > 0.0) & ~convex & (hi > lo))
    if len(turning):
        part = curves.take(turning)
        knee[turning] = _knee(part, lo[turning], hi[turning], end.leakage[turning])
        at_knee[turning] = part.leakage(knee[turning])
    return Envelope(lo, knee, hi, start.leakage, at_knee, end.leakage)


def _knee(curves: Curves, lo: Array, hi: Array, at_hi: Array) -> Array:
    """Where the tangent meets the end: d/de [(hi - e) I'(e) - I(hi) + I(e)] = (hi - e) I''(e)."""

    def over(here: Bends, epsilon: Array, items: Codes) -> tuple[Array, Array]:
        rest = hi[items] - epsilon
        value = rest * here.slope - (at_hi[items] - here.leakage)
        # Past the inflection it is positive in theory, and may be mere rounding in floats.
        return np.where(here.bend > 0.0, value, np.abs(value)), rest * here.bend

    return rise(curves, over, lo, hi, lo, KNEE * hi)
