"""Rounding outward: a leakage up, a budget down, so that what is printed is what holds."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["ROUNDED", "UNIT", "down", "quotient_down", "quotient_up", "sum_up", "up"]

UNIT = 2.0**-53  # the relative error of one rounded operation
ROUNDED = 2.0**-44  # what computations of some hundred operations are off by, relatively, at most


def up(number: float, operations: float) -> float:
    """An upper end for a number >= 0 that so many rounded operations have made."""
    if number == 0.0 or math.isinf(number):
        return number
    return math.nextafter(number * (1.0 + UNIT * operations), math.inf)


def down(number: float, operations: float) -> float:
    """A lower end for a number >= 0 that so many rounded operations have made."""
    if number == 0.0 or math.isinf(number):
        return number
    return math.nextafter(number * (1.0 - UNIT * operations), 0.0)


def sum_up(x: float, y: float) -> float:
    """An upper end of a sum of two numbers >= 0; exact where one of them is 0."""
    total = x + y
    return math.nextafter(total, math.inf) if x and y else total


def quotient_down(limit: float, k: int) -> float:
    """The largest float whose k-fold, in exact arithmetic, is at most the limit."""
    if math.isinf(limit):
        return limit
    quotient = limit / k
    while Fraction(quotient) * k > Fraction(limit):
        quotient = math.nextafter(quotient, 0.0)
    return quotient


def quotient_up(reach: float, limit: float) -> float:
    """reach / limit, rounded so that no more than the limit is left of the reach."""
    if not reach:
        return 0.0
    scale = reach / limit or math.nextafter(0.0, 1.0)
    while reach / scale > limit:
        scale = math.nextafter(scale, math.inf)
    return scale
