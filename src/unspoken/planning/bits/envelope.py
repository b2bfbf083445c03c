"""The concave envelope of utility as a function of leakage.

As a function of p every I_i is convex; as a function of eps it is concave, or convex up to one
inflection and concave from there (the S-shape theorem; it needs that all targets of one bit share
its q). So on any interval [lo, hi] the envelope of U_i = w_i I_i^-1 is the curve itself from lo to
a knee, then one chord to hi:

    knee = the root in [lo, hi] of  (hi - e) I_i'(e) = I_i(hi) - I_i(e),     ' = d/deps,

lo itself where I_i is concave on all of [lo, hi], and hi where it is convex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import Jet
from unspoken.planning.bits.objective_curves import ObjectiveCurves

__all__ = ["Envelope", "envelope", "inverse", "rise"]

# Knees are found to this share of the interval, then one Newton step better: what a knee misses
# costs the bound the square.
KNEE = 1e-10
# A search that has not converged after so many rounds stops; what it is for is sound all the same.
ROUNDS = 100


class Envelope(NamedTuple):
    """For every item the interval [lo, hi] with the knee between, the leakage at each, and dI/du
    and d2I/du2 where the curve part ends.
    """

    lo: Array
    knee: Array
    hi: Array
    at_lo: Array
    at_knee: Array
    at_hi: Array
    slope_lo: Array
    slope_knee: Array
    bend_lo: Array
    bend_knee: Array

    def but(self, items: Codes, part: Envelope) -> Envelope:
        """The same with some items' envelopes replaced."""
        fields = [field.copy() for field in self]
        for field, values in zip(fields, part, strict=True):
            field[items] = values
        return Envelope(*fields)


def rise(
    curves: ObjectiveCurves,
    function: Callable[[Jet, Array, Codes], tuple[Array, Array]],
    low: Array,
    high: Array,
    at: Array,
    width: Array,
) -> Array:
    """Where functions that turn once turn from negative to positive; else the end nearest to that.

    ``function`` gives values and derivatives by u from the curves at some eps, that eps, and the
    items it is of. Newton's steps, kept inside a shrinking bracket, and halving where the last step
    did not halve the value; until no step is wider than ``width``. Items done are left by and by.
    """
    roots, items, part = at.copy(), np.arange(len(at)), curves
    first, last, before = low, high, np.full_like(at, np.inf)
    for _ in range(ROUNDS):
        value, slope = function(part.jet(at), at, items)
        below = value < 0.0
        low, high = np.where(below, at, low), np.where(below, high, at)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = np.clip(at - value / slope / part.rate(at), first, last)
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


def inverse(
    curves: ObjectiveCurves, leakage: Array, low: Array, high: Array, width: Array
) -> Array:
    """The eps in [low, high] with I_i(eps) = leakage."""

    def over(here: Jet, _: Array, items: Codes) -> tuple[Array, Array]:
        return here.leakage - leakage[items], here.slope

    return rise(curves, over, low, high, 0.5 * (low + high), width)


def envelope(curves: ObjectiveCurves, lo: Array, hi: Array) -> Envelope:
    """The envelopes on [lo, hi]."""
    start, end = curves.jet(lo), curves.jet(hi)
    convex = (start.curvature > 0.0) & (end.curvature > 0.0)
    knee = np.where(convex, hi, lo)
    at_knee = [np.where(convex, *ends) for ends in zip(end, start, strict=True)]
    turning = np.flatnonzero((start.curvature > 0.0) & ~convex & (hi > lo))
    if len(turning):
        part = curves.take(turning)
        knee[turning] = _knee(part, lo[turning], hi[turning], end.leakage[turning])
        for each, there in zip(at_knee, part.jet(knee[turning]), strict=True):
            each[turning] = there
    (at_lo, *lows), (at, *knees) = start, at_knee
    return Envelope(lo, knee, hi, at_lo, at, end.leakage, lows[0], knees[0], lows[1], knees[1])


def _knee(curves: ObjectiveCurves, lo: Array, hi: Array, at_hi: Array) -> Array:
    """Where the tangent meets the end: d/de [(hi - e) I'(e) - I(hi) + I(e)] = (hi - e) I''(e)."""

    def over(here: Jet, epsilon: Array, items: Codes) -> tuple[Array, Array]:
        rest = hi[items] - epsilon
        value = rest * here.slope - (at_hi[items] - here.leakage)
        # Past the inflection it is positive in theory, and may be mere rounding in floats.
        return np.where(here.curvature > 0.0, value, np.abs(value)), rest * here.curvature

    return rise(curves, over, lo, hi, lo, KNEE * hi)
