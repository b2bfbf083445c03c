"""Intervals for each conditional law: what one set of known values says of the rest, row by row.

P(x_rest | x_given) lies between two tables, and any row goes with any other. For an answer r

    f(r | a, x_K) = sum_x P(x | a, x_K) e^(-|r - S(x)|/lambda)

is linear in its row, so the largest fills the row up in the order of the kernel, until its mass
is 1: exact, since no row restrains another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from unspoken.adversary import Adversary
from unspoken.beliefs.asking import NoisySum, Shows
from unspoken.errors import InputError, NotKnown
from unspoken.families.cells import Ends, Masses, fill, one_query
from unspoken.families.family import Family
from unspoken.numerics.arrays import Array
from unspoken.numerics.rounding import UNIT
from unspoken.types.bound import Bound
from unspoken.types.channel import Output
from unspoken.types.domain import Value
from unspoken.types.premise import Premise
from unspoken.views import RatioView, View

__all__ = ["Rows"]


class Rows(Family):
    """lower <= P(x_rest | x_given) <= upper, entry by entry; axis i = variable i.

    It answers for adversaries whose target and knowledge are together the variables ``given``. A
    row whose upper ends are all 0 is impossible.
    """

    kind = "rows"

    def __init__(
        self,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        given: Sequence[str],
        names: Iterable[str] | None = None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        self.ends = Ends.of(lower, upper, names, values, "rows")
        self.conditions, self.premise = tuple(given), Premise.of(premise)
        self.domain = self.ends.domain
        axes = {self.ends.domain.axis(name, "rows.given") for name in self.conditions}
        rest = tuple(axis for axis in range(self.ends.lower.ndim) if axis not in axes)
        least, most = self.ends.lower.sum(rest), self.ends.upper.sum(rest)
        self.rounded = 4 * UNIT * self.ends.lower.size
        empty = (least > 1 + self.rounded) | ((most < 1 - self.rounded) & (most > 0))
        if empty.any() or not (most > 0).any():
            raise InputError("rows: some row can have no mass 1 between its lower and upper ends")

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        query = one_query(mechanism, self, adversary, outcome)
        values = self.domain.values_of(adversary.targets[0])
        return RatioView(self.kind, values, self._apart(query, adversary))

    def _apart(self, query: NoisySum, adversary: Adversary) -> Bound:
        """The largest log-ratio; exact."""
        if {*adversary.targets, *adversary.known} != {*self.conditions}:
            raise NotKnown(
                f"rows: are given {', '.join(self.conditions)}; target and known must be those"
            )
        masses = Masses.of(self.ends, query, adversary, "rows")
        values, high = range(len(masses.term)), 0.0
        for answer in masses.answers:
            most, least = (
                np.stack([self._mean(masses, float(answer), a, sign) for a in values])
                for sign in (1, -1)
            )
            apart = np.log(most)[:, None] - np.log(least)[None]
            apart[values, values] = 0.0
            high = max(high, float(np.fmax.reduce(apart, axis=None, initial=0.0)))
        high += UNIT * (8 * masses.added + 64) if high else 0.0
        why = f"every choice of the rows, at {len(masses.answers)} answers"
        return Bound(high, high, "nat", self.premise, why)

    def _mean(self, masses: Masses, answer: float, value: int, sign: int) -> Array:
        """The largest (sign 1) or least (-1) f for each context, rounded outward."""
        low, up = masses.lower[value], masses.upper[value]
        kernel = masses.kernel(answer, value)
        mean = fill(low, up, kernel, sign, 1.0) @ kernel + sign * self.rounded * kernel.max()
        possible = np.where(up > 0, kernel, np.nan)
        ends = np.fmax.reduce(possible, axis=1), np.fmin.reduce(possible, axis=1)
        held: Array = np.clip(mean, ends[1], ends[0])
        return held

    def facts(self) -> list[tuple[str, str]]:
        gap = float((self.ends.upper - self.ends.lower).max())
        return [
            ("given", ", ".join(self.conditions)),
            ("intervals", f"up to {gap:.6g} wide"),
            ("premise", str(self.premise)),
        ]
