"""The law of a weighted sum of independent variables, on the multiples of a common unit.

Sums of many variables have few different values where weights and values are multiples of one
unit. The law is built up a variable at a time by adding shifted copies: all terms are positive, so
the rare ends, which decide what noise cannot hide, keep their digits (a Fourier transform would
lose them).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from unsaid.numerics.arrays import Array, Codes

__all__ = ["Multiples", "law_of_sum"]

# Fractions of denominators up to here are looked for: 1/3 as well as 0.000001.
SIMPLE = 10**6


@dataclass(frozen=True)
class Multiples:
    """S = sum_i w_i x_i = start + unit sum_i steps_i[x_i], every step a whole number, 0 or more."""

    start: Fraction
    unit: Fraction
    steps: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, weights: Mapping[str, float], numbers: Mapping[str, Array]) -> Multiples:
        """Numbers are taken as they are meant: 0.1 is a tenth, so that 0.1, 0.2, 0.3 fit."""
        terms = {
            name: [_written(w) * x for x in map(_written, numbers[name].tolist())]
            for name, w in weights.items()
        }
        least = {name: min(own) for name, own in terms.items()}
        gaps = [term - least[name] for name, own in terms.items() for term in own]
        below = math.lcm(*(gap.denominator for gap in gaps))
        above = math.gcd(*(gap.numerator * (below // gap.denominator) for gap in gaps))
        unit = Fraction(above or below, below)
        steps = {
            name: [int((term - least[name]) / unit) for term in own] for name, own in terms.items()
        }
        return cls(sum(least.values(), Fraction(0)), unit, steps)

    @property
    def size(self) -> int:
        """How many multiples of the unit lie between the least and the largest sum."""
        return 1 + sum(map(max, self.steps.values()))

    def points(self, codes: Codes) -> Array:
        """The sums these many units above the start."""
        points: Array = float(self.start) + float(self.unit) * codes.astype(np.float64)
        return points


def law_of_sum(tables: Sequence[Array], steps: Sequence[Sequence[int]], size: int) -> Array:
    """P(sum of steps = 0, 1, ..., size - 1) of independent variables."""
    law, top = np.zeros(size), 0
    law[0] = 1.0
    for table, own in zip(tables, steps, strict=True):
        after = np.zeros(size)
        for mass, step in zip(table.tolist(), own, strict=True):
            if mass > 0:
                after[step : step + top + 1] += mass * law[: top + 1]
        law, top = after, top + max(own)
    return law


def _written(number: float) -> Fraction:
    """The fraction that was rounded to this float, if a simple one was; else its decimals."""
    simple = Fraction(number).limit_denominator(SIMPLE)
    return simple if float(simple) == number else Fraction(repr(float(number)))
