"""What is known of one event: of its cells and all others, of sums of them, and of P(event)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.families.knapsack import Knapsack, between
from unspoken.core.families.sides import Marginal, Side
from unspoken.core.numerics.arrays import Array, Mask

__all__ = ["Declared"]


@dataclass(frozen=True)
class Declared:
    """``cells``: of the event, [cell]; ``low``, ``up``: of P(x | event) inside, of P(x | not event)
    outside; ``weight``: the least and largest P(event) allowed; ``marginals``: inside and outside.
    """

    cells: Mask
    low: Array
    up: Array
    weight: tuple[float, float]
    marginals: tuple[tuple[Marginal, ...], tuple[Marginal, ...]] = ((), ())

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The event and its complement."""
        inside, outside = (
            Side(self.low * cells, self.up * cells, marginals=held)
            for cells, held in zip((self.cells, ~self.cells), self.marginals, strict=True)
        )
        return inside, outside

    def side(self, cells: Mask) -> Mask | None:
        """The event, if it has these cells, or its complement; else None."""
        if np.array_equal(cells, self.cells):
            return self.cells
        return ~self.cells if np.array_equal(cells, ~self.cells) else None

    def part(self, side: Mask, context: Mask, loose: float) -> Knapsack:
        """The cells of one side that agree with what is known, beside its others."""
        others = side & ~context
        beside = float(self.low[others].sum()) - loose, float(self.up[others].sum()) + loose
        at = side & context
        return Knapsack.of(self.low[at], self.up[at], beside)

    def best(self, side: Mask, kernel: Array, sign: int, loose: float) -> tuple[float, Array]:
        """The largest or least mean of a kernel over a whole side, and its law [cell].

        Where the kernel is not 0, cells may agree on some variables, whose marginals say more.
        """
        held = self.sides[0 if np.array_equal(side, self.cells) else 1]
        at = np.flatnonzero(side & (kernel != 0)) if held.marginals else np.flatnonzero(side)
        rest = side.copy()
        rest[at] = False
        low, up, law = self.low[at], self.up[at], np.zeros(side.size)
        least, most = held.mass(at)
        knapsack = Knapsack.of(low, up, (1.0 - most - loose, 1.0 - least + loose))
        mass = knapsack.most if sign > 0 else knapsack.least
        law[at] = knapsack.weighing(kernel[at], sign, np.array([mass]))[0]
        law[rest] = between(self.low[rest], self.up[rest], 1.0 - float(law[at].sum()))
        return float(law[at] @ kernel[at]), law

    def law(self, side: Mask, context: Mask, masses: Array) -> Array:
        """A law [cell] of one side with these masses in the context."""
        law, others = np.zeros(side.size), side & ~context
        law[side & context] = masses
        law[others] = between(self.low[others], self.up[others], 1 - float(masses.sum()))
        return law

    def mixed(self, law: Array) -> Array:
        """Both laws, with a P(event) that is allowed, as near a half as may be."""
        weight = min(max(0.5, self.weight[0]), self.weight[1])
        return np.where(self.cells, weight, 1 - weight) * law
