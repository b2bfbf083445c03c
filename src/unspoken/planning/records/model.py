"""A program being solved: the smallest share first, where there are shares, and then the sum."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from unspoken.errors import TooLarge
from unspoken.numerics.arrays import Array
from unspoken.planning.records.binding import Cost, cost_of
from unspoken.planning.records.bits import BitLimit, Bits
from unspoken.planning.records.boxed import BoxRows
from unspoken.planning.records.certificate import upper_bound
from unspoken.planning.records.program import (
    SLACK,
    CapRows,
    Layout,
    alike_rows,
    cap_rows,
    certain_rows,
    share_rows,
)
from unspoken.planning.records.solver import Program, Rows, Solved

__all__ = ["Model", "Unfinished"]

FIXED, LOOSER = 1e-7, 1e-4  # of what a first solution reached, what a second may give up; of bits
# With bits: what silence may cost of a program of few pairs times limits, of another; for how many
# rounds lines are drawn.
NEAR, SMALL, FAR = 1e-6, 2_500, 1e-3
ROUNDS, STUCK, PATIENCE = 60, 1e-10, 6
# How long is looked, in steps of the solver times the size of the program, about 1e8 a second: for
# lines, and for one solution, after which fewer patterns are tried.
WORK_OF_BITS, WORK = 3e9, 6e9
INSIDE = 200_000  # rows and columns that are solved from inside, in half a minute


class Unfinished(TooLarge):
    """A program was not solved in time; ``upper``: what its last prices say no release exceeds."""

    def __init__(self, status: str, upper: float) -> None:
        super().__init__(f"plan: the solver ends with {status}; use fewer labels or limits")
        self.upper = upper


@dataclass
class Model:
    """Unknowns: the pairs, then the smallest share, then what was added. Rows, ``at``: caps, one
    each of the cells, alike, shares, those of sets of beliefs; then what was added.
    """

    layout: Layout
    values: Array  # P(x) worth of each pair
    caps: CapRows
    alike: Rows
    shares: Rows
    boxed: BoxRows
    at: tuple[slice, ...]
    program: Program
    bits: Bits | None = None
    least_share: float = 0.0
    fairest: Solved | None = None  # with the smallest share as large as can be
    work: float = math.inf
    inside: bool = False

    @classmethod
    def of(
        cls,
        layout: Layout,
        values: Array,
        alike: Sequence[int] = (),
        shares: Sequence[int] = (),
        limits: Sequence[BitLimit] = (),
        cap: float = math.inf,
        slack: float = SLACK,
    ) -> Model:
        """``slack``: that single beliefs leave for rounding."""
        count = len(layout.pairs)
        boxed, caps = BoxRows.of(layout, count + 1), cap_rows(layout, slack)
        even, listed = alike_rows(layout, alike), share_rows(layout, shares)
        parts = [caps.rows, certain_rows(layout.pairs), even, listed, boxed.rows]
        spare = boxed.columns.count - count - 1
        program = Program(
            np.append(values, np.zeros(1 + spare)),
            Rows.stacked(parts),
            np.zeros(count + 1 + spare),
            np.concatenate([np.full(count, np.inf), [float(bool(shares))], np.full(spare, np.inf)]),
            presolve=spare > 0,  # of sets: half of the time; else they take longer
        )
        ends = np.cumsum([0, *(part.lines for part in parts)]).tolist()
        at = tuple(slice(*both) for both in itertools.pairwise(ends))
        bits = None
        if limits:
            program.solve(WORK)  # from the best without lines it is a few steps, from nothing many
            bits = Bits.added(program, layout, limits, cap, count + 1 + spare, ends[-1])
        return cls(layout, values, caps, even, listed, boxed, at, program, bits, work=WORK)

    def solve(self) -> Solved:
        """The smallest share first, where there are any, then the sum."""
        if self.shares.lines and not self.least_share:
            count = len(self.values)
            self.program.change_worth(np.append(np.zeros(count), 1.0))
            self.fairest = self._best()
            given = FIXED if self.bits is None else LOOSER
            self.least_share = max(0.0, float(self.fairest.x[count]) * (1 - given))
            self.program.change_bounds(
                np.array([count]), np.array([self.least_share]), np.array([1.0])
            )
            self.program.change_worth(np.append(self.values, 0.0))
        return self._best()

    def _best(self) -> Solved:
        """With bits, until silence costs next to nothing; what is over is silence."""
        if self.bits is None:
            return self._optimal(self._solved())
        count, left = len(self.values), WORK_OF_BITS
        near = NEAR if count * len(self.bits.lines) <= SMALL else FAR
        last, stuck, best = math.inf, 0, (-math.inf, np.zeros(0), 1.0)
        for _ in range(ROUNDS):
            solved = self._optimal(self.program.solve(self.work))
            left -= solved.work
            silent = self.bits.silence(solved.x[:count])
            found = (1 - silent) * solved.objective
            moved = solved.objective < last * (1 - STUCK) or found > best[0] * (1 + STUCK)
            best = max(best, (found, solved.x, silent), key=itemgetter(0))
            stuck = 0 if moved else stuck + 1
            if silent <= near or stuck > PATIENCE or left < 0:
                break
            last = solved.objective
            if not self.bits.sharpened(self.program, solved.x):
                break
        x, silent = best[1].copy(), best[2]
        x[:count] = (1 - silent) * x[:count] + silent * self.layout.pairs.rest
        x[count] *= 1 - silent  # the smallest share falls with them
        return replace(solved, x=x)

    def _solved(self) -> Solved:
        """From inside, where vertices are too many and the program is not too large for that."""
        if not self.inside:
            found = self.program.solve(self.work)
            if found.optimal or self.program.size > INSIDE:
                return found
            self.inside = True
        return self.program.solve_inside()

    def with_unexpected(self, solved: Solved) -> Solved:
        """The same of all that is expected, and the most of records that the belief has at 0.

        They are worth nothing, so that the best table may leave them blank for nothing; where a set
        of beliefs holds them possible, there may be such rows all the same.
        """
        cells, pairs = self.layout.cells, self.layout.pairs
        unexpected = cells.probability[pairs.cell] == 0
        if not unexpected.any():
            return solved
        count = len(self.values)
        fixed = np.append(np.flatnonzero(~unexpected), count)
        self.program.change_bounds(fixed, solved.x[fixed], solved.x[fixed])
        worth = np.zeros(len(solved.x))
        worth[:count] = np.where(unexpected, pairs.shown, 0.0)
        self.program.change_worth(worth)
        found = self.program.solve_anew(self.work)  # what is fixed goes first
        return replace(solved, x=found.x) if found.optimal else solved

    def upper(self, solved: Solved) -> float:
        """What no release within the limits, of such shares, exceeds."""
        count = len(self.values)
        caps, _, alike, shares, boxed = (solved.multipliers[at] for at in self.at)
        taken = [self.alike.taken(alike, count), self.boxed.taken(boxed)]
        ends = list[float]()
        if self.shares.lines:
            price = np.minimum(shares, 0.0)
            taken.append(self.shares.taken(price, count))
            ends += (price * self.least_share).tolist()
        if self.bits is not None:
            both = self.bits.taken(solved.multipliers)
            taken, ends = taken + both[0], ends + both[1]
        return upper_bound(
            self.layout, self.values, self.caps.prices(self.layout, caps), taken, ends
        )

    def costs(self, solved: Solved) -> Iterator[Cost]:
        """What the caps cost, with what a larger smallest share takes of the sum."""
        if self.fairest is None:
            yield from self._costs(solved)
            return
        taken = self._of_smallest(solved)
        for cost, of_share in zip(self._costs(solved), self._costs(self.fairest), strict=True):
            yield replace(cost, taken=taken * of_share.price)

    def _costs(self, solved: Solved) -> Iterator[Cost]:
        layout, shares = self.layout, solved.x[: len(self.values)]
        prices = self.caps.prices(layout, solved.multipliers[self.at[0]])
        for (rule, seen), price in zip(layout.stated, prices, strict=True):
            yield cost_of(rule, seen, layout.pairs, shares, price)
        yield from self.boxed.costs(solved.multipliers[self.at[4]], solved.x)

    def of_bits(self, solved: Solved) -> float:
        """What one more nat of every limit adds; not a number without limits."""
        if self.bits is None:
            return math.nan
        found = self.bits.multiplier(solved.multipliers)
        if self.fairest is not None:
            of_share = self.bits.multiplier(self.fairest.multipliers)
            found += self._of_smallest(solved) * of_share
        return found

    def _of_smallest(self, solved: Solved) -> float:
        """What a larger smallest share adds to the sum: 0 or less."""
        of_shares = solved.multipliers[self.at[3]]
        return math.fsum(np.minimum(of_shares, 0.0).tolist())

    def _optimal(self, solved: Solved) -> Solved:
        """Else what its prices bound: any prices do, and those of dual steps come down to it."""
        if not solved.optimal:
            raise Unfinished(solved.status, self.upper(solved))
        return solved
