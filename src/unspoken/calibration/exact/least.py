"""The least scale that keeps a limit, from the safe side.

Every measure falls with the scale, since more noise is post-processing:

    Lap(s') = Lap(s) * [(s/s')^2 at 0 + (1 - (s/s')^2) Lap(s')]          (s' > s; DDP theory, T2)

and geometric noise likewise. So whoever keeps the limit at one scale keeps it at every larger one,
and need not be looked at again; the end that is returned is the upper one of the bracket.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from unspoken.errors import TooLarge
from unspoken.types.bound import Bound

__all__ = ["NUDGE", "Found", "Threat", "least", "root"]

# How close, relatively, the scale comes to the least one.
TOLERANCE = 2.0**-36
# One adversary alone is kept this much below the limit, relatively: searches of all round as well.
MARGIN = 2.0**-40
# The next adversary may need so much more noise.
CLOSE = 1.25
# A scale that was found to be too small by rounding only is raised by this much.
NUDGE = 2.0**-44
# Beyond so much noise something is wrong with the question.
LARGEST = 1e290

Leak = Callable[[float], float]


@dataclass(frozen=True)
class Found:
    """Who learns most at one scale: ``value``, and what the same one learns at others.

    ``bound``: in full, for the answer.
    """

    value: float
    leak: Leak
    bound: Callable[[float], Bound]


class Threat(Protocol):
    """Some adversaries, and who learns most at a scale. Scales that are asked for only grow."""

    def worst(self, scale: float) -> Found: ...


def least(threat: Threat, limit: float, start: float, guess: float) -> tuple[float, Found]:
    """The least scale from ``start`` on at which nobody exceeds the limit, and who comes nearest.

    One adversary at a time: the scale that the worst one needs is looked at by all.
    """
    scale, nudge = start, NUDGE
    while (found := threat.worst(scale)).value > limit:
        alone = found.leak if found.leak(scale) > limit else _everybody(threat)
        wanted = root(alone, limit * (1.0 - MARGIN), scale, guess)
        guess = CLOSE * wanted
        scale = max(wanted, scale * (1.0 + nudge))
        nudge *= 2.0
    return scale, found


def root(leak: Leak, limit: float, low: float, guess: float) -> float:
    """The least scale in (low, inf) that keeps the limit, which ``low`` does not: the upper end.

    Brent's method for log leak over log scale (leakages fall about as 1 / scale): secants, halving
    where they do not close in, and no step shorter than half the tolerance, which closes the
    bracket from its other side.
    """
    low, high = _bracket(leak, limit, low, guess)
    before = math.log(low), _gap(leak(low), limit)
    best = math.log(high), _gap(leak(high), limit)
    other, last = before, math.inf
    while high > low * (1.0 + TOLERANCE) and math.nextafter(low, high) < high:
        step = _step(best, before, other, last)
        last, scale = abs(step), _inside(math.exp(best[0] + step), low, high)
        before, best = best, (math.log(scale), _gap(leak(scale), limit))
        low, high = (scale, high) if best[1] > 0 else (low, scale)
        if (best[1] > 0) == (other[1] > 0):
            other = before
        if abs(other[1]) < abs(best[1]):
            before, best, other = best, other, best
    return high


Point = tuple[float, float]


def _step(best: Point, before: Point, other: Point, last: float) -> float:
    """From the best point towards the other end: by the secant where it is trusted, or half way."""
    apart = other[0] - best[0]
    step = apart / 2
    if math.isfinite(best[1]) and math.isfinite(before[1]) and best[1] != before[1]:
        secant = best[1] * (before[0] - best[0]) / (best[1] - before[1])
        if 0 <= secant / apart < 0.75 and abs(secant) < max(last / 2, TOLERANCE):
            step = secant
    return math.copysign(max(abs(step), TOLERANCE / 4), apart)


def _inside(scale: float, low: float, high: float) -> float:
    return min(max(scale, math.nextafter(low, high)), math.nextafter(high, low))


def _gap(leak: float, limit: float) -> float:
    """log leak / limit; more than 0 exactly where the limit is exceeded."""
    if leak > limit:
        return max(math.log(leak / limit), 5e-324)
    return min(math.log(leak / limit), 0.0) if leak > 0 else -math.inf


def _bracket(leak: Leak, limit: float, low: float, guess: float) -> tuple[float, float]:
    """A scale that exceeds the limit and a larger one that keeps it, a factor 2 apart or less."""
    high = max(guess, low * (1.0 + NUDGE))
    if leak(high) > limit:
        while leak(high) > limit:
            low, high = high, 2.0 * high
            if high > LARGEST:
                raise TooLarge("calibrate: no amount of noise keeps this limit")
        return low, high
    while high / 2.0 > low and leak(high / 2.0) <= limit:
        high /= 2.0
    return max(low, high / 2.0), high


def _everybody(threat: Threat) -> Leak:
    return lambda scale: threat.worst(scale).value
