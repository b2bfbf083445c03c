"""What leaves the holder is coarse: release probabilities have three decimal places.

A plan made from a table is a function of its exact counts, so at full digits p tells them to who
knows all rows but one. p is rounded down before coins are tossed, and only 1 stays 1: what is
charged, tossed and written down is the rounded p. Less p is the same release with some of it left
out, so every limit on odds and on information holds for it too. How often an answer above the cap
comes up is no such limit: a plan that uses `exceed` is asked again once rounded (findings.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from functools import cache

from unspoken.core.mechanisms import Mechanism, OneSided
from unspoken.core.mechanisms.one_sided import release_probability

__all__ = ["PLACES", "STEPS", "coarse", "probability", "up", "with_exponents"]

PLACES = 3
STEPS: int = 10**PLACES


def coarse(epsilon: Mapping[str, float]) -> dict[str, float]:
    """For each eps the largest one, not above it, of a p of three decimal places."""
    return {name: _rounded(eps) for name, eps in epsilon.items()}


def with_exponents(mechanism: Mechanism, epsilon: Mapping[str, float]) -> OneSided:
    """One coin a cell by these eps, which withholds the same."""
    return OneSided(epsilon, {name: mechanism.hides(name) for name in epsilon})


def probability(p: float) -> float:
    """p rounded down to three decimal places, but for what is off in the last of a double."""
    return math.floor(STEPS * float(p) + 1e-6) / STEPS


def up(x: float, digits: int = 2) -> float:
    """The next number of so many significant digits; what is off in the last of a double stays."""
    if x == 0 or not math.isfinite(x):
        return x
    unit = Decimal(1).scaleb(math.floor(math.log10(abs(x))) + 1 - digits)
    return float(math.ceil(Decimal(x * (1 - 1e-12)) / unit) * unit)


def _rounded(epsilon: float) -> float:
    if math.isinf(epsilon):
        return epsilon
    step = min(math.floor(STEPS * release_probability(epsilon)) + 1, STEPS - 1)
    while _exponent(step) > epsilon:
        step -= 1
    return _exponent(step)


@cache
def _exponent(step: int) -> float:
    """The largest double with 1 - e^-eps <= step / STEPS, so that no coin falls more often."""
    with localcontext() as context:
        context.prec = 50
        exact = (Decimal(STEPS) / (STEPS - step)).ln()
        nearest = float(exact)
        return nearest if Decimal(nearest) <= exact else math.nextafter(nearest, 0.0)
