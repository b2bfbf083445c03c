"""The ends of an answer's probability in a linear program: both knapsacks dualised, and exact.

    max_Q Q . W_y <= cap min_R R . W_y,    Q and R any laws of the two sides of an event

    max:  low . W + slack lam + sum_x (up - low) a_x,   a_x >= W_x - lam, lam >= 0, a >= 0
    min:  low . W + slack mu  - sum_x (up - low) b_x,   b_x >= mu - W_x,  mu >= 0,  b >= 0

with slack = the mass of the answer's cells, at most or at least, minus low's. One unknown more for
each pair and one for each answer and side; cuts at the worst laws take far longer. Where P(side) is
free, in [least, most], and P has the intervals,

    max:  z + alpha / least - beta / most,
          alpha - beta = low . W - low(side) z + sum_x (up - low) a_x,   a_x >= W_x - z

and likewise the least, its others at their upper ends.

Where events are many, most unknowns are those of the sides without the secret, by one threshold mu
of each answer for every event. One for all of them (`Common`) asks for no less, and has an unknown
for each pair, however many events there are; decision 35 has what it costs: next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unspoken.core.families import Side
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.earlier import Earlier
from unspoken.planning.records.solver import Coefficients, Constraints

__all__ = ["Columns", "Common", "End", "PairPlaces"]

ROUNDED = 1e-12
NARROW = 1e-15  # intervals are not wider than this but by rounding


@dataclass
class Columns:
    """The unknowns of a program beside its pairs, and the rows that define them."""

    count: int
    rows: list[Constraints] = field(default_factory=list)

    def add(self, many: int) -> Codes:
        self.count += many
        return np.arange(self.count - many, self.count)

    def hold(self, rows: Constraints) -> slice:
        """Rows of their own; where they are among all of these."""
        start = sum(part.lines for part in self.rows)
        self.rows.append(rows)
        return slice(start, start + rows.lines)


@dataclass(frozen=True)
class PairPlaces:
    """The places (an answer, and a cell of one side that may give it) of the pairs.

    ``pair``, ``place``, ``rate``: which pairs add up to which place, and how much of each;
    ``cell``, ``answer``: of each place.
    """

    pair: Codes
    place: Codes
    cell: Codes
    answer: Codes
    answers: int
    rate: Array

    @classmethod
    def of(cls, side: Side, pairs: Pairs, answers: Answers, earlier: Earlier) -> PairPlaces:
        """With what is out ``earlier``, several cells are one record: of each W(h | x)."""
        records = earlier.record[pairs.cell]
        pair = np.flatnonzero(side.cells[records])
        rate = earlier.rates[pairs.cell[pair]]
        key, size = answers.of_pair[pair] * len(side.low) + records[pair], len(side.low)
        found, place = np.unique(key, return_inverse=True)
        return cls(pair, place, found % size, found // size, len(answers), rate)

    def sums(self, table: Array) -> Array:
        """Of numbers [cell], over the cells of each answer."""
        summed = np.bincount(self.answer, table[self.cell], self.answers)
        return summed.astype(np.float64)

    def spread(self, lines: Codes, numbers: Array, places: Codes) -> tuple[Codes, Codes, Array]:
        """Numbers at some places as numbers at their pairs, in these lines."""
        at = np.full(len(self.cell), -1)
        at[places] = np.arange(len(places))
        kept = at[self.place] >= 0
        entry = at[self.place[kept]]
        return lines[entry], self.pair[kept], numbers[entry] * self.rate[kept]


@dataclass(frozen=True)
class Common:
    """The threshold ``level`` of each answer for all sides without the secret.

    ``masses``: of every record that may give it; ``spare``: b_x of each of these places, ``rows``:
    the one that defines it.
    """

    masses: PairPlaces
    level: Codes
    spare: Codes
    rows: Codes

    @classmethod
    def of(
        cls, columns: Columns, records: int, pairs: Pairs, answers: Answers, earlier: Earlier
    ) -> Common:
        everybody = Side(np.zeros(records), np.ones(records))
        masses = PairPlaces.of(everybody, pairs, answers, earlier)
        level, places = columns.add(len(answers)), np.arange(len(masses.cell))
        return cls(
            masses, level, *_spare(columns, masses, places, -1, level, np.ones(len(answers)))
        )

    def at(self, masses: PairPlaces) -> Codes:
        """Where the places of one side are among these."""
        records = int(self.masses.cell.max()) + 1
        every, some = (each.answer * records + each.cell for each in (self.masses, masses))
        return np.searchsorted(every, some)


@dataclass(frozen=True)
class End:
    """The largest (sign 1) or least (-1) probability of every answer of a coalition, as a sum.

    ``coefficients``: a line for each answer. ``places``: those that are above the others' ends by
    a_x or b_x; ``rows``: theirs. ``mass``: of each answer's cells; of a quotient, ``defines``: its
    rows, and ``scale``: what they are divided by. With a threshold that is ``common``: where the
    places are in it, and their ``widths`` in the program.
    """

    side: Side
    sign: int
    masses: PairPlaces
    coefficients: Coefficients
    places: Codes
    rows: Codes
    mass: Array
    defines: slice | None = None
    scale: Array | float = 1.0
    common: Codes | None = None
    widths: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(
        cls, columns: Columns, side: Side, sign: int, masses: PairPlaces, mass: tuple[Array, Array]
    ) -> End:
        """``mass``: the least and most that the cells of each answer weigh, but for rounding."""
        make = cls._conditional if side.conditional else cls._quotient
        return make(columns, side, sign, masses, mass[(1 + sign) // 2])

    @classmethod
    def _conditional(
        cls,
        columns: Columns,
        side: Side,
        sign: int,
        masses: PairPlaces,
        mass: Array,
        common: Common | None = None,
    ) -> End:
        low, up = masses.sums(side.low), masses.sums(side.up)
        mass = np.clip(mass, low, up)
        cell, answer = masses.cell, masses.answer
        # All at one end, or a single cell: a number times the weight, and nothing to choose.
        number = np.where((mass >= up - NARROW)[answer], side.up[cell], side.low[cell])
        alone = np.bincount(answer, minlength=masses.answers) == 1
        number = np.where(alone[answer], mass[answer], number)
        free = ~alone & (mass > low + NARROW) & (mass < up - NARROW)
        wide = np.flatnonzero(free[answer] & (side.up[cell] > side.low[cell]))
        if common is None:
            at, level = None, np.full(masses.answers, -1)
            level[free] = columns.add(int(free.sum()))
            spare, rows = _spare(columns, masses, wide, sign, level, np.ones(masses.answers))
        else:
            at, level = common.at(masses)[wide], common.level
            spare, rows = common.spare[at], common.rows[at]
        widths = (side.up - side.low)[cell[wide]]
        parts = [
            masses.spread(answer, number, np.arange(len(cell))),
            (np.flatnonzero(free), level[free], (mass - low)[free]),
            (answer[wide], spare, sign * widths),
        ]
        coefficients = _joined(masses.answers, parts)
        return cls(side, sign, masses, coefficients, wide, rows, mass, common=at, widths=widths)

    @classmethod
    def least(
        cls, columns: Columns, side: Side, masses: PairPlaces, mass: Array, common: Common
    ) -> End:
        """The least, by a threshold that others have, too; of a quotient what it is at least, each
        record having its own share of P(side).
        """
        end = cls._conditional(columns, side.apart, -1, masses, mass, common)
        return replace(end, side=side)

    @classmethod
    def _quotient(
        cls, columns: Columns, side: Side, sign: int, masses: PairPlaces, _: Array
    ) -> End:
        low, up = masses.sums(side.low), masses.sums(side.up)
        cell, answer = masses.cell, masses.answer
        there = np.unique(answer)
        unit = np.minimum(1.0, up / side.least) if side.least else np.ones(masses.answers)
        scale = np.where(up > 0, up, 1.0)
        level, above, under = (columns.add(len(there)) for _ in range(3))
        level_of = np.full(masses.answers, -1)
        level_of[there] = level
        places = np.arange(len(cell))
        spare, rows = _spare(columns, masses, places, sign, level_of, unit)
        # Where P(side) is: alpha and beta are counted in units of their own ends.
        ends = [
            (there, column, number * (unit / scale)[there])
            for column, number in ((above, sign * side.least), (under, -sign * side.most))
        ]
        resting = side.low.sum() if sign > 0 else low + side.up.sum() - up
        defines = [
            *ends,
            (there, level, (resting * unit / scale)[there]),
            masses.spread(answer, -side.low[cell] / scale[answer], places),
            (answer, spare, -sign * (side.up - side.low)[cell] / scale[answer]),
        ]
        held = columns.hold(Constraints.exactly(_joined(masses.answers, defines), 0.0))
        parts = [(there, level, unit[there]), (there, under, -sign * unit[there])]
        if side.least:
            parts.append((there, above, sign * unit[there]))
        coefficients = _joined(masses.answers, parts)
        return cls(side, sign, masses, coefficients, places, rows, up, held, scale)

    def law(self, price: Array, multipliers: Array) -> Array:
        """A law [place] of the side that makes the end, as the multipliers have it, and is one of
        the side's whatever they are: for the most below one of them, for the least above.
        """
        turn, wanted = np.ones(self.masses.answers), self.mass
        if self.defines is not None:
            turn, wanted = self._turned(price, multipliers[self.defines] / self.scale)
        spare, each = np.abs(multipliers[self.rows]), price[self.masses.answer[self.places]]
        more = np.divide(spare, each, out=0 * spare, where=each > 0)
        return self._near(more, turn, wanted)

    def law_of(self, part: Array) -> Array:
        """The same of a common threshold: what part of what they may have more the places have."""
        cell, answer = (of[self.places] for of in (self.masses.cell, self.masses.answer))
        turn, wanted = np.ones(self.masses.answers), self.mass
        more = part * (self.side.up - self.side.low)[cell]
        if not self.side.conditional:
            turn, wanted = self._divided(more)
        return self._near(more * turn[answer], turn, wanted)

    @property
    def left(self) -> Array:
        """What the places of each answer have more than their lower ends, in the program."""
        left: Array = np.maximum(self.mass - self.masses.sums(self.side.apart.low), 0.0)
        return left

    def worst(self, x: Array) -> Array:
        """What part of what they may have more the places of a common threshold have where an
        answer is least likely: those that give it least often come first.
        """
        held = self.masses
        given = np.bincount(held.place, x[held.pair] * held.rate, len(held.cell))[self.places]
        answer = held.answer[self.places]
        order = np.lexsort([given, answer])
        before = np.cumsum(self.widths[order]) - self.widths[order]
        first = np.searchsorted(answer[order], answer[order])
        room = self.left[answer[order]] - (before - before[first])
        part = np.zeros(len(order))
        part[order] = np.clip(room / self.widths[order], 0.0, 1.0)
        return part

    def _near(self, more: Array, turn: Array, wanted: Array) -> Array:
        """A law whose places have so much more than their lower ends, of such a mass."""
        cell, answer = self.masses.cell, self.masses.answer
        low, width = (
            ends[cell] * turn[answer] for ends in (self.side.low, self.side.up - self.side.low)
        )
        extra = width.copy() if self.sign > 0 else np.zeros(len(cell))  # where there is no choice
        extra[self.places] = more
        extra = np.clip(extra, 0.0, width)
        left = wanted - np.bincount(answer, low, self.masses.answers)
        have = np.bincount(answer, extra, self.masses.answers).astype(np.float64)
        if self.sign > 0:
            kept = np.divide(left, have, out=np.ones_like(have), where=have > np.maximum(left, 0.0))
            below: Array = low + extra * np.clip(kept, 0.0, 1.0)[answer] * (1.0 - ROUNDED)
            return below
        room = np.bincount(answer, width, self.masses.answers) - have
        lacks = np.divide(left - have, room, out=np.zeros_like(have), where=room > 0)
        extra += (width - extra) * np.clip(lacks + ROUNDED, 0.0, 1.0)[answer]
        law: Array = (low + extra) * (1.0 + ROUNDED)
        return law

    def _turned(self, price: Array, multipliers: Array) -> tuple[Array, Array]:
        """t = 1 / P(side) of each answer, and the mass its cells have then."""
        low, up = self.masses.sums(self.side.low), self.masses.sums(self.side.up)
        turn = np.divide(-self.sign * multipliers, price, out=np.ones_like(price), where=price > 0)
        all_low, all_up = float(self.side.low.sum()), float(self.side.up.sum())
        if not min(self.side.most, all_up) > 0:  # of a side without cells nothing is weighed
            return np.ones_like(price), np.zeros_like(price)
        turn = np.clip(turn, 1.0 / min(self.side.most, all_up), None)
        if max(self.side.least, all_low) > 0:
            turn = np.minimum(turn, 1.0 / max(self.side.least, all_low))
        beside = all_low - low if self.sign > 0 else all_up - up
        return turn, 1.0 - beside * turn

    def _divided(self, more: Array) -> tuple[Array, Array]:
        """The same of a quotient's least, its cells having so much more than their lower ends and
        all others being at their upper ones, as far as P(side) allows.
        """
        answer = self.masses.answer[self.places]
        low, up = self.masses.sums(self.side.low), self.masses.sums(self.side.up)
        beside = float(self.side.up.sum()) - up
        have = low + np.bincount(answer, more, self.masses.answers)
        ends = max(self.side.least, float(self.side.low.sum())), self.side.most
        turn = 1.0 / np.maximum(np.clip(have + beside, *ends), 1e-300)
        return turn, 1.0 - beside * turn


def _spare(
    columns: Columns, masses: PairPlaces, places: Codes, sign: int, level: Codes, unit: Array
) -> tuple[Codes, Codes]:
    """a_x >= W_x - level, or b_x >= level - W_x, at some places: where they are, and their rows."""
    spare, lines = columns.add(len(places)), np.arange(len(places))
    answer = masses.answer[places]
    parts = [
        (lines, spare, np.ones(len(places))),
        (lines, level[answer], sign * unit[answer]),
        masses.spread(lines, np.full(len(places), -float(sign)), places),
    ]
    rows = columns.hold(Constraints.at_least(_joined(len(places), parts), 0.0))
    return spare, np.arange(rows.start, rows.stop)


def _joined(lines: int, parts: Sequence[tuple[Codes, Codes, Array]]) -> Coefficients:
    line, column, number = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Coefficients(lines, line, column, number)
