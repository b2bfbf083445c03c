"""A program being solved: the smallest share first, where there are shares, and then the sum."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import Array
from unspoken.planning.records.binding import Cost, cost_of
from unspoken.planning.records.bits import BitLimit, Bits
from unspoken.planning.records.boxed import BoxRows
from unspoken.planning.records.certificate import upper_bound
from unspoken.planning.records.laws import LawRows
from unspoken.planning.records.program import (
    SLACK,
    CapRows,
    Layout,
    alike_rows,
    cap_rows,
    certain_rows,
    share_rows,
)
from unspoken.planning.records.solver import Constraints, Program, Solved

__all__ = ["Model", "Unfinished"]

FIXED, LOOSER = 1e-7, 1e-4  # of what a first solution reached, what a second may give up; of bits
# With bits: what silence may cost of a program of few pairs times limits, of another; for how many
# rounds lines are drawn.
NEAR, SMALL, FAR = 1e-6, 2_500, 1e-3
ROUNDS, STUCK, PATIENCE = 60, 1e-10, 6
# How long is looked, in steps of the solver times the size of the program, about 1e8 a second: for
# lines, and for one solution, after which fewer patterns are tried.
WORK_OF_BITS, WORK = 3e9, 6e9
UNEXPECTED = 5e8  # the same for records that nobody expects
LAWS, BEYOND = 4, 0.3  # how often more laws are asked, and how far from what was found
INSIDE = 200_000  # rows and columns that are solved from inside, in half a minute


Taken = Callable[[Array], tuple[Array, Array]]


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
    alike: Constraints
    shares: Constraints
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
        common: bool = False,
    ) -> Model:
        """``slack``: that single beliefs leave for rounding; ``common``: see `BoxRows`."""
        count = len(layout.pairs)
        boxed = BoxRows.of(layout, count + 1, common=common)
        caps = cap_rows(layout, slack)
        even, listed = alike_rows(layout, alike), share_rows(layout, shares)
        parts = [caps.rows, certain_rows(layout.pairs), even, listed, boxed.rows]
        spare = boxed.columns.count - count - 1
        program = Program(
            np.append(values, np.zeros(1 + spare)),
            Constraints.stacked(parts),
            np.zeros(count + 1 + spare),
            np.concatenate([np.full(count, np.inf), [float(bool(shares))], np.full(spare, np.inf)]),
            presolve=spare > 0,  # of sets: half of the time; else they take longer
        )
        at, bits = _places(parts), None
        if limits:
            program.solve(WORK)  # from the best without lines it is a few steps, from nothing many
            bits = Bits.added(program, layout, limits, cap, count + 1 + spare, at[-1].stop)
        inside = common and program.size <= INSIDE
        return cls(
            layout, values, caps, even, listed, boxed, at, program, bits, work=WORK, inside=inside
        )

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
        near = NEAR if count * len(self.bits.cuts) <= SMALL else FAR
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
        """From inside, where vertices are very many and the program is not too large for that."""
        if self.inside:
            found = self.program.solve_inside()
            if found.optimal:
                return found
        found = self.program.solve(self.work)
        if found.optimal or self.inside or self.program.size > INSIDE:
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
        found = self.program.solve_anew(UNEXPECTED)  # what is fixed goes first
        return replace(solved, x=found.x) if found.optimal else solved

    def upper(self, solved: Solved, least_share: float | None = None) -> float:
        """What no release within the limits exceeds whose smallest share is this at least: that of
        the program, unless a smaller one is given.
        """
        least = self.least_share if least_share is None else least_share
        if self.boxed.common is not None:
            found, laws = self._by_laws(solved, np.append(self.values, 0.0), least)
            places = _places([*self._beside_sets, laws.rows])
            return self._bound(found.multipliers, places, laws.taken, least)
        return self._bound(solved.multipliers, self.at, self.boxed.taken, least)

    @property
    def fair(self) -> float:
        """Which part the smallest share is of what the smallest may be, where there are shares and
        thresholds in common.
        """
        if self.fairest is None or self.boxed.common is None:
            return 1.0
        worth = np.append(np.zeros(len(self.values)), 1.0)
        found, _ = self._by_laws(self.fairest, worth, 0.0)
        most = found.objective if found.optimal else 1.0
        return min(1.0, self.fairest.objective / most) if most > 0 else 1.0

    def _by_laws(self, solved: Solved, worth: Array, least_share: float) -> tuple[Solved, LawRows]:
        """By a program that stands in for this one of sets, without an unknown beside the pairs:
        with rows for more laws as long as its solution is far above this one.
        """
        count, laws = len(self.values), LawRows.of(self.boxed, self.at[4], solved)
        program = Program(
            worth,
            Constraints.stacked([*self._beside_sets, laws.rows]),
            np.append(np.zeros(count), least_share),
            np.append(np.full(count, np.inf), float(bool(self.shares.lines))),
        )
        found = program.solve(self.work)
        for _ in range(LAWS):
            if not found.optimal or found.objective <= solved.objective * (1 + FAR):
                break
            x = solved.x[:count] + BEYOND * (found.x[:count] - solved.x[:count])
            more = laws.worst(x)
            program.add_rows(more)
            laws = replace(laws, rows=Constraints.stacked([laws.rows, more]))
            found = program.solve(self.work)
        return found, laws

    @property
    def _beside_sets(self) -> list[Constraints]:
        """The rows that are the same whatever is said of sets."""
        return [self.caps.rows, *self.equations, self.shares]

    @property
    def equations(self) -> list[Constraints]:
        """Something is shown of every cell, and of each group the same for cells alike in it."""
        return [certain_rows(self.layout.pairs), self.alike]

    def largest_smallest_share(self) -> float:
        """What the smallest share of no release within the limits exceeds; 0 without shares, and
        where sides of sets have a threshold in common (see `fair`).
        """
        if self.fairest is None or self.boxed.common is not None:
            return 0.0
        multipliers, count = self.fairest.multipliers, len(self.values)
        caps, _, alike, shares, boxed = (multipliers[each] for each in self.at)
        price = np.maximum(-shares, 0.0)
        values, _ = self.shares.taken(price, count)
        taken = [self.alike.taken(alike, count), self.boxed.taken(boxed)]
        ends = [max(0.0, 1.0 - math.fsum(price.tolist()))]  # the smallest share is 1 at most
        if self.bits is not None:
            both = self.bits.taken(multipliers)
            taken, ends = taken + both[0], ends + both[1]
        prices = self.caps.prices(self.layout, caps)
        return upper_bound(self.layout, values, prices, taken, ends)

    def _bound(
        self, multipliers: Array, at: Sequence[slice], taken_by_sets: Taken, least_share: float
    ) -> float:
        """By the multipliers of the rows at these places."""
        count = len(self.values)
        caps, _, alike, shares, boxed = (multipliers[each] for each in at)
        taken = [self.alike.taken(alike, count), taken_by_sets(boxed)]
        ends = list[float]()
        if self.shares.lines:
            price = np.minimum(shares, 0.0)
            taken.append(self.shares.taken(price, count))
            ends += (price * least_share).tolist()
        if self.bits is not None:
            both = self.bits.taken(multipliers)
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


def _places(parts: Sequence[Constraints]) -> tuple[slice, ...]:
    """Where the rows of each part are, one below the other."""
    ends = np.cumsum([0, *(part.lines for part in parts)]).tolist()
    return tuple(slice(*both) for both in itertools.pairwise(ends))
