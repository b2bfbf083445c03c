"""A program being solved: the smallest share first, where there are shares, and then the sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unspoken.errors import TooLarge
from unspoken.numerics.arrays import Array
from unspoken.planning.records.certificate import upper_bound
from unspoken.planning.records.program import (
    CapRows,
    Layout,
    Rows,
    alike_rows,
    cap_rows,
    certain_rows,
    share_rows,
)
from unspoken.planning.records.solver import Entries, Program, Solved

__all__ = ["Model"]

FIXED = 1e-7  # of what a first solution reached, what a second may give up
LARGEST = 1e30  # as good as no bound


@dataclass
class Model:
    """Unknowns: the pairs, then the smallest share, then what was added. Rows: caps, one each of

    the cells, alike, shares, then what was added.
    """

    layout: Layout
    values: Array  # P(x) worth of each pair
    caps: CapRows
    alike: Rows
    shares: Entries
    program: Program
    least_share: float = 0.0
    added: tuple[Rows, ...] = ()

    @classmethod
    def of(
        cls, layout: Layout, values: Array, alike: tuple[int, ...], shares: tuple[int, ...]
    ) -> Model:
        count = len(layout.pairs)
        caps, even, listed = cap_rows(layout), alike_rows(layout, alike), share_rows(layout, shares)
        behind = Entries(
            listed.lines, np.arange(listed.lines), np.full(listed.lines, count),
            np.full(listed.lines, -1.0),
        )  # fmt: skip
        both = Entries(
            listed.lines,
            *(
                np.concatenate([getattr(listed, part), getattr(behind, part)])
                for part in ("line", "column", "number")
            ),
        )
        parts = [caps.rows, certain_rows(layout.pairs), even]
        parts.append(Rows(both, np.zeros(both.lines), np.full(both.lines, np.inf)))
        program = Program(
            np.append(values, 0.0),
            Entries.stacked([part.entries for part in parts]),
            np.concatenate([part.least for part in parts]),
            np.concatenate([part.most for part in parts]),
            np.zeros(count + 1),
            np.append(np.full(count, np.inf), 1.0 if shares else 0.0),
        )
        return cls(layout, values, caps, even, listed, program)

    def solve(self) -> Solved:
        """The smallest share first, where there are any, then the sum."""
        if self.shares.lines and not self.least_share:
            count = len(self.values)
            self.program.change_worth(np.append(np.zeros(count), 1.0))
            smallest = _optimal(self.program.solve()).x[count]
            self.least_share = max(0.0, float(smallest) * (1 - FIXED))
            self.program.change_bounds(
                np.array([count]), np.array([self.least_share]), np.array([1.0])
            )
            self.program.change_worth(np.append(self.values, 0.0))
        return _optimal(self.program.solve())

    def upper(self, solved: Solved) -> float:
        """What no release within the limits, of such shares, exceeds."""
        count, multipliers = len(self.values), solved.multipliers
        at = np.cumsum(
            [0, self.caps.rows.entries.lines, len(self.layout.pairs.first),
             self.alike.entries.lines, self.shares.lines]
        )  # fmt: skip
        prices = self.caps.prices(self.layout, multipliers)
        taken, ends = [self.alike.taken(multipliers[at[2] : at[3]], count)], []
        if self.shares.lines:
            price = np.minimum(multipliers[at[3] : at[4]], 0.0)
            rows = Rows.at_most(self.shares, np.zeros(self.shares.lines))
            taken.append(rows.taken(price, count))
            ends += (price * self.least_share).tolist()
        return upper_bound(self.layout, self.values, prices, taken, ends)


def _optimal(solved: Solved) -> Solved:
    if not solved.optimal:
        raise TooLarge(f"plan: the solver ends with {solved.status}; use fewer labels or limits")
    return solved
