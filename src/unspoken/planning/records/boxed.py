"""Rows that hold for every belief of a set.

    max_Q Q . W_y <= cap min_R R . W_y    for every answer y, Q and R laws of an event's sides

The two sides do not restrain one another, and each row has its own worst laws. Contexts: with
o_k = P(s|k) / P(not s|k) known only to an interval, the rows (*) of conditions.py are linear in
the share o_k / (o_k + o_l), so both of its ends are rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from unspoken.core.families import WHOLE, Side, TableSet
from unspoken.core.numerics.arrays import Array, Codes, Integers, Mask
from unspoken.core.numerics.rounding import ROUNDED
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.binding import Cost
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.conditions import Event, Rule, between, within
from unspoken.planning.records.earlier import Earlier
from unspoken.planning.records.knapsacks import Columns, Common, End, PairPlaces
from unspoken.planning.records.program import SLACK, Layout
from unspoken.planning.records.solver import Coefficients, Constraints

__all__ = ["BoxCondition", "BoxRows", "EndKey", "Sets", "added"]

NO_LIMIT = 1e100  # a cap that is none: a price of its rows would be beyond floats
PARTS = 2**40  # weights of contexts are out of these
Terms = tuple[tuple[int, Side], ...]
EndKey = tuple[int, int, int]  # a side, a coalition, a sign


@dataclass(frozen=True, eq=False)
class BoxCondition(Rule):
    """secret <= cap other for every answer and all laws of the sides; both are weighted sums of
    sides, of the same weight in all. ``earlier``: what is out of the cells, of which several are
    one record of the sides then.
    """

    secret: Terms
    other: Terms
    earlier: Earlier

    @cached_property
    def holders(self) -> Mask:
        return self._cells(self.secret)

    @cached_property
    def others(self) -> Mask:
        return self._cells(self.other)

    def _cells(self, terms: Terms) -> Mask:
        mask: Mask = np.logical_or.reduce([side.cells for _, side in terms])
        return mask[self.earlier.record]

    def totals(self, cells: Mask) -> tuple[int, int]:
        """All cells show nothing, then: no weight is known of the label of anything else."""
        sums = [WHOLE * sum(w for w, _ in terms) for terms in (self.secret, self.other)]
        return sums[0], sums[1]

    def sums(self, answers: Answers, pairs: Pairs, weights: Integers) -> tuple[Integers, Integers]:
        """The most of the secret and the least of the others, of every answer."""
        weights = weights * self.earlier.weights[pairs.cell]
        records = self.earlier.record[pairs.cell]
        order = np.lexsort((records, answers.of_pair))
        answer, cell = answers.of_pair[order], records[order]
        new = np.append(True, (answer[1:] != answer[:-1]) | (cell[1:] != cell[:-1]))
        summed = np.add.reduceat(weights[order], np.flatnonzero(new))
        answer, cell = answer[new], cell[new]
        ends, axes = [], (pairs.pattern[answers.first] & answers.sees).tolist()
        for terms, sign in ((self.secret, 1), (self.other, -1)):
            found = np.zeros(len(answers), dtype=object)
            for weight, side in terms:
                places = side.cells[cell]
                starts = np.searchsorted(answer[places], np.arange(len(answers) + 1)).tolist()
                cells, shown = cell[places].tolist(), summed[places].tolist()
                for y, (a, b) in enumerate(itertools.pairwise(starts)):
                    if a < b:
                        found[y] += weight * side.end(cells[a:b], shown[a:b], sign, axes[y])
            ends.append(found)
        return ends[0], ends[1]


@dataclass(frozen=True)
class Sets:
    """A set of beliefs for each context, asked about the cells of a program.

    ``place``: the record of each combination of all of the sets' variables, of ``count``.
    """

    families: tuple[TableSet, ...]
    place: Codes
    count: int
    axes: Mapping[int, int]
    earlier: Earlier
    known: dict[tuple[int, bytes], Side] = field(default_factory=dict)

    @classmethod
    def of(cls, families: Sequence[TableSet], cells: Cells) -> Sets:
        domain = families[0].domain
        codes = np.indices(domain.sizes).reshape(len(domain.sizes), -1)
        axes = {domain.axis(name): at for at, name in enumerate(cells.domain.names)}
        place = np.ravel_multi_index(tuple(codes[axis] for axis in axes), cells.domain.sizes)
        return cls(tuple(families), place, cells.earlier.records, axes, cells.earlier)

    def side(self, k: int, cells: Mask) -> Side:
        """What one of them says of the records of some cells; each is made once."""
        cells = self.earlier.of_records(cells)
        key = k, cells.tobytes()
        if key not in self.known:
            self.known[key] = (
                self.families[k].side(cells[self.place]).summed(self.place, self.count, self.axes)
            )
        return self.known[key]

    def conditions(
        self, events: Iterable[Event], cap: Fraction, sees: int | None = None
    ) -> Iterator[BoxCondition]:
        """The rows of conditions.py, for any belief of each set."""
        for event in events:
            for k, m in itertools.combinations_with_replacement(range(len(self.families)), 2):
                of = within(k, m, len(self.families))
                (s_k, n_k), (s_m, n_m) = (
                    (self.side(c, event.inside), self.side(c, event.outside)) for c in (k, m)
                )
                for part in (PARTS,) if k == m else self._parts(event, k, m):
                    secret = tuple((w, s) for w, s in ((part, s_k), (PARTS - part, s_m)) if w)
                    other = tuple((w, s) for w, s in ((part, n_m), (PARTS - part, n_k)) if w)
                    row = BoxCondition(
                        secret, other, self.earlier,
                        name=between(event.name, of), cap=cap, sees=sees, contexts=of,
                    )  # fmt: skip
                    if row.holders.any() and row.others.any():  # else certain before any answer
                        yield row

    def _parts(self, event: Event, k: int, m: int) -> tuple[int, ...]:
        """The ends of o_k / (o_k + o_m), out of PARTS."""
        sides = event.inside, event.inside | event.outside
        cells, context = (self.earlier.of_records(mask)[self.place] for mask in sides)
        (least, most), (low, high) = (self.families[c].weight(cells, context) for c in (k, m))
        # o = p / (1 - p): o_k / (o_k + o_m) = p (1 - q) / (p (1 - q) + q (1 - p))
        ends = []
        for p, q in ((least, high), (most, low)):
            a, b = p * (1 - q), q * (1 - p)
            ends.append(a / (a + b) if a + b else 0.5)
        first = max(0, math.floor(ends[0] * PARTS * (1 - ROUNDED)))
        last = min(PARTS, math.ceil(ends[1] * PARTS * (1 + ROUNDED)))
        return (first,) if first == last else (first, last)


@dataclass(frozen=True)
class BoxRows:
    """The rows of some conditions, whose unknowns are the pairs and ``columns`` more.

    ``ends``: each once, with its key; ``uses``: per watched condition, the
    scale of each row and the ends in it, with their weights. ``common``: the threshold that sides
    without the secret have in common, for each coalition; None: each has its own.
    """

    layout: Layout
    columns: Columns
    ends: dict[EndKey, End]
    uses: list[tuple[slice, Array, list[tuple[float, EndKey]]]]
    rules: list[tuple[BoxCondition, Answers]]
    common: dict[int, Common] | None = None

    @classmethod
    def of(cls, layout: Layout, start: int, slack: float = SLACK, common: bool = False) -> BoxRows:
        """``common``: sides without the secret have one threshold."""
        rows = cls(layout, Columns(start), {}, [], [], {} if common else None)
        for watched in layout.watched:
            if isinstance(watched.condition, BoxCondition):
                rows._hold(watched.condition, watched.answers, slack)
        return rows

    def _hold(self, rule: BoxCondition, answers: Answers, slack: float) -> None:
        """max secret - cap min other <= 0, each row divided by its largest number."""
        caps = self.layout.caps(rule, answers, slack)
        whole = sum(weight for weight, _ in rule.secret)
        used = [(weight / whole, self._end(side, answers, 1)) for weight, side in rule.secret]
        used += [(weight / whole, self._end(side, answers, -1)) for weight, side in rule.other]
        terms = []
        for weight, key in used:
            end = self.ends[key]
            times = caps[end.coefficients.line] if key[2] < 0 else 1.0
            scaled = replace(end.coefficients, number=end.coefficients.number * times)
            terms.append((end.sign * weight, scaled))
        coefficients, scale = added(terms).divided()
        kept = [(w * float(rule.cap) if k[2] < 0 else w, k) for w, k in used]
        self.uses.append((self.columns.hold(Constraints.at_most(coefficients, 0.0)), scale, kept))
        self.rules.append((rule, answers))

    def _end(self, side: Side, answers: Answers, sign: int) -> EndKey:
        key = id(side), answers.sees, sign
        if key not in self.ends:
            pairs, earlier = self.layout.pairs, self.layout.cells.earlier
            masses = PairPlaces.of(side, pairs, answers, earlier)
            weighed = side.apart if self.common is not None and sign < 0 else side
            low, up = masses.sums(weighed.low), masses.sums(weighed.up)
            first = answers.first
            axes, cell = pairs.pattern[first] & answers.sees, pairs.cell[first]
            mass = weighed.weighing(axes, earlier.record[cell], low, up)
            if self.common is not None and sign < 0:
                if answers.sees not in self.common:
                    made = Common.of(self.columns, len(side.low), pairs, answers, earlier)
                    self.common[answers.sees] = made
                common = self.common[answers.sees]
                self.ends[key] = End.least(self.columns, side, masses, mass[0], common)
            else:
                self.ends[key] = End.of(self.columns, side, sign, masses, mass)
        return key

    @property
    def rows(self) -> Constraints:
        return Constraints.stacked(self.columns.rows)

    def costs(self, multipliers: Array, x: Array) -> Iterator[Cost]:
        """Of each rule, price cap min other of every answer, and the answer's least probability."""
        for (rule, answers), (rows, scale, used) in zip(self.rules, self.uses, strict=True):
            other = np.zeros(len(answers))
            for weight, key in used:
                coefficients = self.ends[key].coefficients
                if key[2] < 0:
                    number = coefficients.number * x[coefficients.column]
                    other += weight * np.bincount(coefficients.line, number, len(answers))
            price = np.maximum(multipliers[rows], 0.0) / scale
            yield Cost(rule, answers, price * other, other / float(rule.cap))

    def prices(self, multipliers: Array) -> dict[EndKey, Array]:
        """What an answer's end costs [answer], for each end: prices >= 0 of the rows it is in."""
        prices: dict[EndKey, Array] = {}
        for rows, scale, used in self.uses:
            price = np.maximum(multipliers[rows], 0.0) / scale
            if max(weight for weight, _ in used) > NO_LIMIT:
                price = np.zeros_like(price)  # as sound as any
            for weight, key in used:
                prices[key] = prices.get(key, 0.0) + weight * price
        return prices

    def taken(self, multipliers: Array) -> tuple[Array, Array]:
        """What these rows take off each pair, at laws of the sides and prices >= 0: whatever they
        are, no table within the rows has more than 0 of it. And the sum of the terms' sizes.
        """
        off, size = (np.zeros(len(self.layout.pairs)) for _ in range(2))
        for key, price in self.prices(multipliers).items():
            end = self.ends[key]
            terms = (price[end.masses.answer] * end.law(price, multipliers))[end.masses.place]
            terms *= end.masses.rate
            np.add.at(off, end.masses.pair, end.sign * terms)
            np.add.at(size, end.masses.pair, terms)
        return off, size


def added(terms: Sequence[tuple[float, Coefficients]]) -> Coefficients:
    """A weighted sum, each place once."""
    line, column = (np.concatenate([getattr(e, a) for _, e in terms]) for a in ("line", "column"))
    number = np.concatenate([weight * e.number for weight, e in terms])
    wide = int(column.max(initial=0)) + 1
    key, place = np.unique(line * wide + column, return_inverse=True)
    summed = np.bincount(place, number, len(key))
    return Coefficients(terms[0][1].lines, key // wide, key % wide, summed.astype(np.float64))
