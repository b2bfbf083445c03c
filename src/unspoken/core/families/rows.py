"""Intervals for each conditional law: what one set of known values says of the rest, row by row.

P(x_rest | x_given) lies between two tables, and any row goes with any other. For an answer r

    P(r | a, x_K) = sum_x P(x | a, x_K) P(r | x)

is linear in its row, so the largest fills the row up in the order of P(r | x), until its mass is 1:
exact, since no row restrains another. A class of several values may be any one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs.asking import NoisySum, Shows
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.families.ends import Ends
from unspoken.core.families.knapsack import Knapsack, between, fill
from unspoken.core.families.noisy import Masses
from unspoken.core.families.searched import Furthest, Pair
from unspoken.core.families.tables import TableSet
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import items
from unspoken.core.types.premise import Premise
from unspoken.core.views import View

__all__ = ["Rows"]


class Rows(TableSet):
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
        self.conditions, self.premise = items(given, "rows.given"), Premise.of(premise)
        self.domain = self.ends.domain
        axes = {self.ends.domain.axis(name, "rows.given") for name in self.conditions}
        if not axes or len(axes) < len(self.conditions):
            raise InputError("rows.given: name variables, once each")
        rest = tuple(axis for axis in range(self.ends.lower.ndim) if axis not in axes)
        least, most = self.ends.lower.sum(rest), self.ends.upper.sum(rest)
        self.rounded = 4 * UNIT * self.ends.lower.size
        empty = (least > 1 + self.rounded) | ((most < 1 - self.rounded) & (most > 0))
        if empty.any() or not (most > 0).any():
            raise InputError("rows: some row can have no mass 1 between its lower and upper ends")
        rows = np.expand_dims(np.arange(most.size).reshape(most.shape), rest)
        self._row = np.broadcast_to(rows, self.ends.lower.shape).ravel()  # of each cell
        self._low, self._up = self.ends.lower.ravel(), self.ends.upper.ravel()

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        if {*adversary.targets, *adversary.known} != {*self.conditions}:
            raise NotKnown(
                f"rows: are given {', '.join(self.conditions)}; target and known must be those"
            )
        return super().viewed(mechanism, adversary, outcome)

    def apart(self, query: NoisySum, adversary: Adversary) -> Bound:
        """The largest log-ratio; exact."""
        masses = Masses.of(self.ends, query, adversary, "rows")
        low, high = (self._most(masses, by * self.rounded) for by in (-1, 1))
        high += UNIT * (8 * masses.added + 64) if high else 0.0
        why = f"every choice of the rows, at {len(masses.answers)} answers"
        bound = masses.bound(high, high, self.premise, why)
        below, above = bound.outer or (high, high)
        return replace(bound, outer=(low - (high - below), above))

    def _most(self, masses: Masses, off: float) -> float:
        """The largest log-ratio of masses that may be off, or have to be nearer, by so much."""
        values, high = range(len(masses.term)), 0.0
        for answer in masses.answers:
            most, least = (
                np.stack([self._mean(masses, float(answer), a, sign, off) for a in values])
                for sign in (1, -1)
            )
            log_ratio = np.log(most)[:, None] - np.log(least)[None]
            log_ratio[values, values] = 0.0
            high = max(high, float(np.fmax.reduce(log_ratio, axis=None, initial=0.0)))
        return high

    def _mean(self, masses: Masses, answer: float, value: int, sign: int, off: float) -> Array:
        """The largest (sign 1) or least (-1) f for each context, moved out by this."""
        low, up = masses.lower[value], masses.upper[value]
        kernel = masses.kernel(answer, value)
        mean = fill(low, up, kernel, sign, 1.0) @ kernel + sign * off * kernel.max()
        possible = np.where(up > 0, kernel, np.nan)
        ends = np.fmax.reduce(possible, axis=1), np.fmin.reduce(possible, axis=1)
        held: Array = np.clip(mean, ends[1], ends[0])
        return held

    def furthest(self, pair: Pair, kernel: Array) -> Furthest | None:
        above = [self._extreme(at, kernel, 1) for at in self._rows(pair.above & pair.context)]
        below = [self._extreme(at, kernel, -1) for at in self._rows(pair.below & pair.context)]
        if not (above and below):
            return None
        most, high = max(above, key=lambda extreme: extreme[0])
        least, low = min(below, key=lambda extreme: extreme[0])
        return Furthest.of(most, least, (high + low) / 2)

    def likely(self, cells: Mask, context: Mask, kernel: Array) -> tuple[float, float] | None:
        rows = self._rows(cells & context)
        least = [self._extreme(at, kernel, -1)[0] for at in rows]
        return (min(least), max(self._extreme(at, kernel, 1)[0] for at in rows)) if rows else None

    def weight(self, cells: Mask, context: Mask) -> tuple[float, float]:
        return (1.0, 1.0) if not (~cells & context).any() else (0.0, 1.0)

    def allowed(self) -> Mask:
        return self._up > 0

    def examples(self) -> list[Array]:
        """All rows as likely as each other, each the same way between its ends."""
        rows = self._rows(np.ones(self._row.size, dtype=bool))
        table = np.zeros(self._row.size)
        for at in rows:
            table[at] = between(self._low[at], self._up[at], 1.0)
        return [table / len(rows)]

    def holds(self, table: Array) -> bool:
        total = np.bincount(self._row, table)[self._row]
        law = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
        inside = (law >= self._low - self.rounded) & (law <= self._up + self.rounded)
        return bool((inside | (total == 0)).all())

    def _rows(self, cells: Mask) -> list[Codes]:
        """The possible rows among these cells, as positions."""
        ids = np.unique(self._row[cells & self.allowed()])
        return [np.flatnonzero(self._row == row) for row in ids]

    def _extreme(self, at: Codes, kernel: Array, sign: int) -> tuple[float, Array]:
        """The largest (1) or least (-1) mean of a row, and a table [cell] of that row only."""
        row = Knapsack.of(self._low[at], self._up[at], (-self.loose, self.loose))
        masses, table = row.best(kernel[at], sign), np.zeros(self._row.size)
        table[at] = masses
        return float(row.mean(masses[None], kernel[at], sign)[0]), table

    def facts(self) -> list[tuple[str, str]]:
        gap = float((self.ends.upper - self.ends.lower).max())
        return [
            ("given", ", ".join(self.conditions)),
            ("intervals", f"up to {gap:.6g} wide"),
            ("premise", str(self.premise)),
        ]
