"""Rounding outward: a leakage up, a budget down, so that what is printed is what holds.

Of numbers of one sign, m rounded operations leave an error of gamma_m = m u / (1 - m u) of the
result at most, in whatever order they are done (Higham, Accuracy and Stability, lemma 3.1). So a
path needs but one number: how many operations are behind each of its entries.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from unspoken.core.numerics.arrays import Array

__all__ = [
    "NOTHING",
    "ROUNDED",
    "UNIT",
    "Rounding",
    "beside_one",
    "down",
    "gamma",
    "pairwise",
    "quotient_down",
    "quotient_ends",
    "quotient_up",
    "sum_up",
    "up",
]

UNIT = 2.0**-53  # the relative error of one rounded operation
ROUNDED = 2.0**-44  # what computations of some hundred operations are off by, relatively, at most


@dataclass(frozen=True)
class Rounding:
    """How many rounded operations are behind a likelihood P(y|s) = c(y) + e(y|s), at most.

    ``parts``: behind the parts c and e, each off by so much of itself. ``whole``: behind their sum,
    where the parts are a difference that came later (a matrix that was given). ``logs``: where
    they are logarithms, by how much these were larger on the way; ``plain``: how many of the
    operations behind the parts were on numbers all the same.
    """

    parts: float = 0.0
    whole: float = 0.0
    logs: float = 0.0
    plain: float = 0.0

    @classmethod
    def of_numbers(cls, parts: float, whole: float = 0.0) -> Rounding:
        """Of what is computed on numbers, whatever is computed on later."""
        return cls(parts, whole, plain=parts)

    @property
    def on_logs(self) -> float:
        """How many operations may have been on logarithms."""
        return self.parts - self.plain

    @property
    def of_common(self) -> Rounding:
        """Of the common part alone, where there is no other (four times: see `Lifts.off`)."""
        return replace(self, parts=self.parts + 4.0 * self.whole, whole=0.0)

    def __add__(self, other: Rounding) -> Rounding:
        return Rounding(
            self.parts + other.parts,
            self.whole + other.whole,
            self.logs + other.logs,
            self.plain + other.plain,
        )


NOTHING = Rounding()


def gamma(operations: float) -> float:
    """The relative error that so many rounded operations on numbers >= 0 may leave."""
    off = operations * UNIT
    return off / (1.0 - off) if off < 1.0 else math.inf


def pairwise(terms: int) -> float:
    """The operations behind a sum along an array's fast axis.

    NumPy adds blocks of up to 128 by eight sums (16 each, 3 to join them, 7 left over), pairwise.
    """
    return min(terms, 26.0 + math.log2(max(1, terms)))


def beside_one(laws: Array) -> float:
    """How many units of rounding the sums of rows of ``laws`` are off 1, at most.

    Multiples of 2^-50 add up without rounding up to 1; what is left of each number is half of that
    at most, so that their sum's own rounding is no part in a million of a unit (of 2^20 numbers).
    """
    grid = laws + 6.0  # between 4 and 8 floats are multiples of 2^-50
    grid -= 6.0
    ones = np.ones(laws.shape[-1])
    over = grid @ ones - 1.0
    over += np.subtract(laws, grid, out=grid) @ ones
    return float(np.abs(over).max(initial=0.0)) / UNIT + 2.0**-20


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
    while scale < math.inf and Fraction(reach) > Fraction(limit) * Fraction(scale):
        scale = math.nextafter(scale, math.inf)
    return scale


def quotient_ends(x: float, y: float) -> tuple[float, float]:
    """The floats next to x / y, or twice the quotient itself, where it is one; y > 0."""
    quotient = x / y
    if math.isinf(quotient):
        return sys.float_info.max, quotient
    gap = Fraction(quotient) * Fraction(y) - Fraction(x)
    below = math.nextafter(quotient, -math.inf) if gap > 0 else quotient
    return below, math.nextafter(quotient, math.inf) if gap < 0 else quotient
