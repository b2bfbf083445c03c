"""Every belief between two tables: intervals for the probability of each cell.

For known x_K, values a, b and an answer r the two likelihoods

    f(r | a, x_K) = sum_x P(x) e^(-|r - S(x)|/lambda) / sum_x P(x)     over the cells of (a, x_K)

are quotients over disjoint cells. The largest has P at its upper end where the kernel is largest
and at its lower end elsewhere: a threshold, found by sorting; the least likewise. And sup over r
and over P can be swapped, so the answers looked at are the noise-free ones. What is lost is only
that all cells together must have mass 1: where the rest of the table can make up for the two rows,
the number is reached by a belief in the box.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Joint
from unspoken.core.beliefs.asking import NoisySum
from unspoken.core.errors import InputError, shown
from unspoken.core.families.ends import Ends
from unspoken.core.families.knapsack import Knapsack, between, fill, share, threshold
from unspoken.core.families.noisy import Masses
from unspoken.core.families.searched import Furthest, Pair
from unspoken.core.families.sides import Side
from unspoken.core.families.tables import TableSet
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import expect
from unspoken.core.types.premise import Premise

__all__ = ["Box"]

# In so many ways two rows share a mass, where a belief near the bound is looked for.
SHARES = 65
# e^eta is a float.
MOST = 700.0


class Box(TableSet):
    """All P with lower <= P(x) <= upper and total mass 1."""

    kind = "box"

    def __init__(
        self,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        names: Iterable[str] | None = None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        self.ends = Ends.of(lower, upper, names, values, "box")
        self.domain, self.premise = self.ends.domain, Premise.of(premise)
        self.rounded = 4 * UNIT * self.ends.lower.size
        least, most = float(self.ends.lower.sum()), float(self.ends.upper.sum())
        if least > 1 + self.rounded or most < 1 - self.rounded:
            raise InputError(f"box: is empty, masses are {least:g} to {most:g}; they must allow 1")

    @classmethod
    def around(cls, centre: Joint, radius: float) -> Box:
        """All P with |P(x) - Q(x)| <= radius at every x."""
        expect(centre, Joint, "box.centre", "give a Joint")
        apart = number(radius)
        if not apart >= 0:
            raise InputError(f"box.radius: {shown(radius)}; is 0 or more")
        return cls._of(centre, centre.table - apart, centre.table + apart)

    @classmethod
    def within(cls, centre: Joint, eta: float) -> Box:
        """All P with |log P(x) / Q(x)| <= eta at every x."""
        expect(centre, Joint, "box.centre", "give a Joint")
        if not 0 <= number(eta) <= MOST:
            raise InputError(f"box.eta: {shown(eta)}; is 0 or more, and {MOST:g} at most")
        return cls._of(centre, centre.table * math.exp(-eta), centre.table * math.exp(eta))

    @classmethod
    def _of(cls, centre: Joint, lower: Array, upper: Array) -> Box:
        ends = np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
        return cls(*ends, centre.domain.names, centre.domain.values, centre.premise)

    def apart(self, query: NoisySum, adversary: Adversary) -> Bound:
        """The largest log-ratio of the beliefs in the box; low = high where one reaches it."""
        masses = Masses.of(self.ends, query, adversary, "box")
        rest = self._rest(masses)
        best, low = PairBound(0.0, 0.0), 0.0
        for answer in masses.answers:
            sides = [Likelihoods.of(masses, float(answer), a) for a in range(len(masses.term))]
            for a, b in itertools.permutations(range(len(sides)), 2):
                pair_bound, sure = _pair(sides[a], sides[b], rest[a, b], self.rounded)
                best, low = max(best, pair_bound), max(low, sure, pair_bound.reached)
        reached = low >= best.high
        high = best.high + (UNIT * (8 * masses.added + 64) if best.high else 0.0)
        words = "one of them reaches it" if reached else "their masses may not allow it"
        why = f"every table between the two, at {len(masses.answers)} answers; {words}"
        return masses.bound(high if reached else low, high, self.premise, why)

    def _rest(self, masses: Masses) -> Array:
        """rest[a, b, c] = least and most mass of all cells but the rows (a, c) and (b, c)."""
        ends = []
        for table, masses_of in ((self.ends.lower, masses.lower), (self.ends.upper, masses.upper)):
            rows = masses_of.sum(-1)
            ends.append(float(table.sum()) - rows[:, None] - rows[None])
        return np.stack(ends, axis=-1)

    def furthest(self, pair: Pair, kernel: Array) -> Furthest | None:
        """Exact: where both classes together may not weigh so much or little, they share."""
        at = [np.flatnonzero(cells & pair.context) for cells in (pair.above, pair.below)]
        rest = np.ones(kernel.size, dtype=bool)
        rest[np.concatenate(at)] = False
        above, below = (self._knapsack(cells_of) for cells_of in at)
        if not (above.possible and below.possible):
            return None
        kernels = kernel[at[0]], kernel[at[1]]
        most, least = above.best(kernels[0], 1), below.best(kernels[1], -1)
        others = self._weigh(rest)
        total = float(most.sum() + least.sum())
        allowed = min(max(total, 1 - others[1] - self.loose), 1 - others[0] + self.loose)
        if abs(total - allowed) > self.rounded:
            most, least = share(above, below, kernels, allowed)
        table = np.empty(kernel.size)
        table[at[0]], table[at[1]] = most, least
        low, up = (end.ravel()[rest] for end in (self.ends.lower, self.ends.upper))
        table[rest] = between(low, up, 1 - float(most.sum() + least.sum()))
        high = float(above.mean(most[None], kernels[0], 1)[0])
        return Furthest.of(high, float(below.mean(least[None], kernels[1], -1)[0]), table)

    def likely(self, cells: Mask, context: Mask, kernel: Array) -> tuple[float, float] | None:
        at = np.flatnonzero(cells & context)
        held = self._knapsack(at)
        return held.range(kernel[at]) if held.possible else None

    def weight(self, cells: Mask, context: Mask) -> tuple[float, float]:
        """Between all of it on the other side and all of it on this one."""
        these, those = self._weigh(cells & context), self._weigh(~cells & context)
        ends = [(these[i], those[1 - i]) for i in (0, 1)]
        least, most = (part / (part + rest) if part + rest else 0.0 for part, rest in ends)
        return max(least - self.loose, 0.0), min(most + self.loose, 1.0)

    def allowed(self) -> Mask:
        return self.ends.upper.ravel() > 0

    def examples(self) -> list[Array]:
        return [between(self.ends.lower.ravel(), self.ends.upper.ravel(), 1.0)]

    def holds(self, table: Array) -> bool:
        off, cells = self.rounded, table.reshape(self.ends.lower.shape)
        inside = (cells >= self.ends.lower - off) & (cells <= self.ends.upper + off)
        return bool(inside.all()) and abs(float(cells.sum()) - 1) <= off

    def side(self, cells: Mask) -> Side:
        return Side(self.ends.lower.ravel(), self.ends.upper.ravel()).part(cells)

    def _weigh(self, cells: Mask) -> tuple[float, float]:
        """The least and the most these cells weigh by themselves."""
        return float(self.ends.lower.ravel()[cells].sum()), float(
            self.ends.upper.ravel()[cells].sum()
        )

    def _knapsack(self, at: Codes) -> Knapsack:
        rest = np.ones(self.ends.lower.size, dtype=bool)
        rest[at] = False
        least, most = self._weigh(rest)
        beside = least - self.loose, most + self.loose
        return Knapsack.of(self.ends.lower.ravel()[at], self.ends.upper.ravel()[at], beside)

    def facts(self) -> list[tuple[str, str]]:
        gap = float((self.ends.upper - self.ends.lower).max())
        names = ", ".join(self.ends.domain.names[:6])
        return [
            ("variables", f"{len(self.ends.domain.names)}: {names}"),
            ("intervals", f"up to {gap:.6g} wide"),
            ("premise", str(self.premise)),
        ]


@dataclass(frozen=True, order=True)
class PairBound:
    """A log-ratio that no belief in the box exceeds, and one that is reached nearby."""

    high: float
    reached: float


@dataclass(frozen=True)
class Likelihoods:
    """The likelihoods of one answer under one value of the target, a row for each context.

    ``most`` and ``least`` are the masses in [low, up] that make them largest and least.
    """

    kernel: Array
    low: Array
    up: Array
    most: Array
    least: Array

    @classmethod
    def of(cls, masses: Masses, answer: float, value: int) -> Likelihoods:
        """By thresholds on the kernel."""
        low, up, kernel = masses.lower[value], masses.upper[value], masses.kernel(answer, value)
        return cls(kernel, low, up, threshold(low, up, kernel, 1), threshold(low, up, kernel, -1))

    def log(self, rows: Array) -> Array:
        """log f at these masses; NaN where the row is impossible."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs: Array = np.log(rows @ self.kernel / rows.sum(-1))
        return logs

    def weighing(self, mass: Array, context: int, sign: int) -> Array:
        """The largest (sign 1) or least log f of one context, the row weighing this much."""
        low, up = (
            np.broadcast_to(end[context], (len(mass), end.shape[1])) for end in (self.low, self.up)
        )
        return self.log(fill(low, up, self.kernel, sign, mass[:, None]))


def _pair(
    above: Likelihoods, below: Likelihoods, rest: Array, rounded: float
) -> tuple[PairBound, float]:
    """The largest log-ratio over the contexts; and the largest of those that a belief reaches.

    Where the two rows leave the rest too much or too little mass they share what they may weigh,
    in the best of some ways.
    """
    log_ratio = above.log(above.most) - below.log(below.least)
    if np.isnan(log_ratio).all():
        return PairBound(0.0, 0.0), 0.0
    mass = above.most.sum(-1) + below.least.sum(-1)
    least, most = 1 - rest[:, 1], 1 - rest[:, 0]  # what the two rows may weigh together
    allowed = (mass >= least - rounded) & (mass <= most + rounded)
    at = int(np.nanargmax(log_ratio))
    high, sure = float(log_ratio[at]), float(np.nanmax(np.where(allowed, log_ratio, 0.0)))
    if allowed[at]:
        return PairBound(high, high), sure
    both = float(min(max(mass[at], least[at]), most[at]))
    first = max(above.low[at].sum(), both - below.up[at].sum())
    last = min(above.up[at].sum(), both - below.low[at].sum())
    first_mass = np.linspace(first, max(first, last), SHARES)
    log_ratios = above.weighing(first_mass, at, 1) - below.weighing(both - first_mass, at, -1)
    return PairBound(high, float(np.fmax.reduce(log_ratios, initial=0.0))), sure
