"""How far one may go: the last number that keeps a limit, found between one that does and one that
does not, and never from the wrong side.

Brent's method: secants where they are trusted, halving where they do not close in, and no step
shorter than a quarter of the width that is asked for, so that the bracket closes from its other
side too. Halving alone where values are infinite; so a yes or no is a function like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.rounding import ROUNDED

__all__ = ["bracket", "last_where", "least_scale"]

# How close, relatively, a scale comes to the least one.
CLOSE = 2.0**-36
# Where no smaller scale than this serves, something is wrong with the question.
LARGEST = math.log(1e290)

# More than 0 where the limit is exceeded, and not more where it is kept.
Excess = Callable[[float], float]
Point = tuple[float, float]  # x, and its excess


def last_where(
    holds: Callable[[float], object], inside: float, outside: float, absolute: float = 0.0
) -> float:
    """The last float on the way from ``inside``, where it holds, to ``outside`` where it does, or
    one that is so near.
    """
    return bracket(lambda x: -math.inf if holds(x) else math.inf, inside, outside, absolute)[0]


def bracket(
    excess: Excess, inside: float, outside: float, absolute: float = 0.0, relative: float = 0.0
) -> tuple[float, float]:
    """Numbers that keep the limit and exceed it, no further apart than one of the widths or, with
    none, neighbours among the floats. The first is the safe end, and it was looked at.

    ``inside`` keeps the limit by assumption. Where ``outside`` keeps it too, it is both ends.
    """
    before = outside, excess(outside)
    if before[1] <= 0:
        return outside, outside
    best = inside, min(excess(inside), 0.0)
    other, last = before, math.inf
    while (width := max(absolute, relative * max(abs(inside), abs(outside)))) < abs(
        outside - inside
    ) and math.nextafter(inside, outside) != outside:
        step = _step(best, before, other, last, width)
        last, x = abs(step), _between(best[0] + step, inside, outside)
        before, best = best, (x, excess(x))
        inside, outside = (inside, x) if best[1] > 0 else (x, outside)
        if (best[1] > 0) == (other[1] > 0):
            other = before
        if abs(other[1]) < abs(best[1]):
            before, best, other = best, other, best
    return inside, outside


def least_scale(leak: Callable[[float], float], limit: float, low: float, guess: float) -> float:
    """The least scale from ``low`` > 0 on at which a leak keeps the limit, from above.

    What leaks falls about as 1 / scale: log leak over t = log scale is nearly a straight line.
    """

    @cache
    def excess(t: float) -> float:
        """log leak / limit; more than 0 exactly where the limit is exceeded."""
        leaked = leak(math.exp(t))
        gap = math.log(leaked / limit) if leaked > 0 else -math.inf
        return max(gap, math.ulp(0.0)) if leaked > limit else min(gap, 0.0)

    if leak(low) <= limit:
        return low
    outside, twice = math.log(low), math.log(2.0)
    inside = math.log(max(guess, low * (1.0 + ROUNDED)))
    while excess(inside) > 0:
        outside, inside = inside, inside + twice
        if inside > LARGEST:
            raise TooLarge(f"limit {limit:g}: no amount of noise keeps it; allow more")
    while (half := inside - twice) > outside and excess(half) <= 0:
        inside = half
    return math.exp(bracket(excess, inside, max(outside, half), CLOSE)[0])


def _step(best: Point, before: Point, other: Point, last: float, width: float) -> float:
    """From the best point towards the other end: by the secant where it is trusted, or half way."""
    way = other[0] - best[0]
    step = way / 2
    if math.isfinite(best[1]) and math.isfinite(before[1]) and best[1] != before[1]:
        secant = best[1] * (before[0] - best[0]) / (best[1] - before[1])
        if 0 <= secant / way < 0.75 and abs(secant) < max(last / 2, width):
            step = secant
    return math.copysign(max(abs(step), width / 4), way)


def _between(x: float, one: float, other: float) -> float:
    """The number nearest to x that is strictly between these."""
    low, high = min(one, other), max(one, other)
    return min(max(x, math.nextafter(low, high)), math.nextafter(high, low))
