"""Homogeneous linear equations with whole coefficients, solved exactly in whole numbers.

Every equation makes one unknown follow from the free ones, as in a reduced row echelon form. To
round a vector of floats to a solution, only the free unknowns are rounded, to multiples of the
denominators they meet; the others are computed from them, so that every equation holds exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from unspoken.core.numerics.arrays import Array, Integers

__all__ = ["SolutionSpace"]

Rational = int | Fraction

# Of the largest value in an equation: unknowns below are not solved for, since what follows from
# rounded numbers could come out negative there.
SUBSTANTIAL = 1e-2


class SolutionSpace:
    """All solutions x of the equations that were added.

    ``values``: about how large each unknown is. ``solved``: x_j = sum of coefficient * x_k over
    free k, for each unknown j that follows from the free ones.
    """

    def __init__(self, values: Array) -> None:
        self.values = values
        self.solved: dict[int, dict[int, Rational]] = {}
        self._users: dict[int, set[int]] = {}  # free unknown -> the solved ones that use it

    def add(self, equation: Mapping[int, Rational]) -> None:
        """sum of equation[j] * x_j = 0; one that follows from the others changes nothing."""
        reduced: dict[int, Rational] = {}
        for j, coefficient in equation.items():
            for k, factor in self.solved.get(j, {j: 1}).items():
                reduced[k] = reduced.get(k, 0) + coefficient * factor
        reduced = {k: coefficient for k, coefficient in reduced.items() if coefficient}
        if reduced:
            self._solve_for(self._pivot(reduced), reduced)

    def _pivot(self, equation: Mapping[int, Rational]) -> int:
        """Which unknown to solve for: a large one, with a small coefficient, used by few others."""
        largest = max(self.values[k] for k in equation)
        enough = min(largest, SUBSTANTIAL * largest)
        return min(
            (k for k in equation if self.values[k] >= enough),
            key=lambda k: (abs(equation[k]), len(self._users.get(k, ())), -self.values[k], k),
        )

    def _solve_for(self, pivot: int, equation: Mapping[int, Rational]) -> None:
        by = -equation[pivot]
        row = {k: _quotient(c, by) for k, c in equation.items() if k != pivot}
        for user in self._users.pop(pivot, ()):
            changed = self.solved[user]
            factor = changed.pop(pivot)
            for k, coefficient in row.items():
                total = changed.get(k, 0) + factor * coefficient
                if total:
                    changed[k] = total
                    self._users.setdefault(k, set()).add(user)
                else:
                    del changed[k]
                    self._users[k].discard(user)
        self.solved[pivot] = row
        for k in row:
            self._users.setdefault(k, set()).add(pivot)

    def steps(self) -> dict[int, int]:
        """What each free unknown must be a multiple of, so that those that follow from it are whole
        numbers; unknowns for which that is 1 are left out.
        """
        found: dict[int, int] = {}
        for row in self.solved.values():
            for k, coefficient in row.items():
                if coefficient.denominator > 1:
                    found[k] = math.lcm(found.get(k, 1), coefficient.denominator)
        return found

    def nearest_solution(self, scale: int, steps: Mapping[int, int]) -> Integers:
        """A solution in whole numbers near ``scale`` times the values; free unknowns are rounded
        down to multiples of their `steps`.
        """
        found = np.array([int(value * scale) for value in self.values.tolist()], dtype=object)
        for k, step in steps.items():
            found[k] -= found[k] % step
        for j, row in self.solved.items():
            found[j] = int(sum(c * found[k] for k, c in row.items()))
        return found


def _quotient(number: Rational, by: Rational) -> Rational:
    """A whole number where it is one: these are faster."""
    found = Fraction(number) / by
    return found.numerator if found.denominator == 1 else found
