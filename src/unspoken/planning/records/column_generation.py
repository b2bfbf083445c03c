"""One event and very many pairs: only the answers and pairs that pay are in the program.

    maximise  sum_x N_x sum_S W(S|x) worth(S, x)    with rows  sum_x N_x h_x W_y(x) <= 0

N_x is how many records there are like x, and h_x = (secret_x - cap other_x) / N_x, above 0 where x
has the secret. At prices a_x of the cells and u_y >= 0 of the rows a pair pays if worth - a_x - h_x
u_y > 0. An answer that is not in the program yet has whatever u_y suits it: it pays if

    max (worth - a_x) / h_x over x with the secret  >  min (worth - a_x) / h_x over the others.

So all patterns are priced in a pass over the catalogue, and whatever the prices are

    sum_x N_x max_S (worth(S, x) - h_x u_y)

bounds every release. What makes it quick: a start at the pairs that pay by prices near the best
(smoothed.py), few pairs of each new answer, the best ones, and prices halfway to those of the best
bound so far as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.rounding import UNIT
from unspoken.planning.records.answer_catalogue import AnswerCatalogue
from unspoken.planning.records.binding import Binding, binding, cost_of
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.conditions import Condition
from unspoken.planning.records.program import SLACK, Layout
from unspoken.planning.records.smoothed import Smoothed
from unspoken.planning.records.solver import Coefficients, Constraints, Program, Solved

__all__ = ["Priced", "by_columns"]

# Of the bound: so near is near enough, of so many pairs; from a hundredth on rounds are quick.
CLOSE, FEW, NEAR = 1e-5, 300_000, 1e-3
WORK, ROUNDS = 2.2e10, 12  # of the solver: about a minute
NEW, EACH, MORE = 4_000, 6, 15_000  # answers a round, pairs of each and side, pairs of old answers
PAYS = 1e-7
ROUNDED = 64 * UNIT


@dataclass(frozen=True)
class Priced:
    """Pairs and how often they are shown, at which price of their answer's row; and what no release
    within the rows exceeds.
    """

    pairs: Pairs
    shares: Array
    prices: Array
    upper: float

    def binding(self, cells: Cells, rule: Condition, worth: Array) -> tuple[Binding, ...]:
        """The answers that bind."""
        layout = Layout.over(cells, self.pairs, [cells.reads], [rule])
        seen, price = layout.watched[0].answers, np.zeros(len(layout.watched[0].answers))
        np.maximum.at(price, seen.of_pair, self.prices)
        costs = [cost_of(rule, seen, self.pairs, self.shares, price)]
        return binding(layout, costs, self.shares, float(layout.values(worth) @ self.shares))


def by_columns(cells: Cells, rule: Condition, worth: Array) -> Priced:
    """``worth``: of every label [cell, attribute]; the rule is about all that is read."""
    market, near = Market.of(cells, rule, worth), CLOSE if Pairs.count(cells) <= FEW else NEAR
    left = WORK
    for _ in range(ROUNDS):
        solved = market.solve(left)
        left -= solved.work
        if not solved.optimal:
            break
        market.keep(solved)
        prices = [market.prices(solved)]
        if market.best is not None:
            halfway = [(a + b) / 2 for a, b in zip(prices[0], market.best, strict=True)]
            prices.append((halfway[0], halfway[1]))
        asked = [market.price(*each) for each in prices]
        if market.upper <= (1 + near) * solved.objective or left < 0:
            break
        market.add(
            np.unique(np.concatenate([a for a, _ in asked])),
            np.unique(np.concatenate([p for _, p in asked])),
        )
    return market.result()


@dataclass
class Market:
    """The program so far. Rows: cells, then ``answers``; columns: what is shown without a row, of
    each cell, then ``places``. ``best``: the prices that gave ``upper``; ``row``: of each answer.
    """

    cells: Cells
    catalogue: AnswerCatalogue
    many: Array
    row: tuple[Array, Array]  # h_x with a cap that leaves room, and as it is, in a unit
    unit: float
    program: Program
    answers: Codes
    places: Codes
    shares: Array
    multipliers: Array
    upper: float = math.inf
    best: tuple[Array, Array] | None = None

    @classmethod
    def of(cls, cells: Cells, rule: Condition, worth: Array) -> Market:
        many, cap = cells.probability * len(cells), float(rule.cap)
        rows = [rule.numbers(c) / many for c in (cap - SLACK * (cap - 1), cap)]
        unit = np.abs(rows[0]).mean()
        row, exact = (each / unit for each in rows)
        held = AnswerCatalogue.of(cells, row, worth)
        count, start = len(cells), Smoothed(held, row, many)
        price = start.prices()
        places, cell_price = start.near(price)
        places = np.union1d(places, held.places(np.flatnonzero(held.pattern == 0)))
        alone = held.free_worth
        program = Program(
            alone,
            Constraints.exactly(
                Coefficients(count, np.arange(count), np.arange(count), np.ones(count)), many
            ),
            np.zeros(count),
            np.where(held.free > 0, np.inf, 0.0),
        )
        nothing = np.zeros(0, dtype=np.intp)
        market = cls(
            cells,
            held,
            many,
            (row, exact),
            float(unit),
            program,
            nothing,
            nothing,
            np.zeros(count),
            np.zeros(count),
        )
        market.add(np.unique(held.answer(places)), places)
        market._bound(cell_price, price)
        return market

    def add(self, answers: Codes, places: Codes) -> None:
        """Rows for answers that have none, and columns for places that have none."""
        held, count = self.catalogue, len(self.cells)
        answers = np.setdiff1d(answers, self.answers)
        self.answers = np.append(self.answers, answers)
        nothing = Coefficients(len(answers), *(np.zeros(0, dtype=np.intp),) * 2, np.zeros(0))
        self.program.add_rows(Constraints.at_most(nothing, 0.0))
        line = np.full(len(held), -1)
        line[self.answers] = np.arange(len(self.answers))
        places = np.setdiff1d(places, self.places)
        row = line[held.answer(places)]
        places, row = places[row >= 0], row[row >= 0]
        self.places = np.append(self.places, places)
        cell, at = held.cell[places], np.arange(len(places))
        self.program.add_columns(
            held.worth[places].astype(np.float64),
            Coefficients(
                len(places),
                np.append(at, at),
                np.append(cell, count + row),
                np.append(np.ones(len(places)), self.row[0][cell]),
            ),
            np.zeros(len(places)),
            np.full(len(places), np.inf),
        )

    def solve(self, work: float) -> Solved:
        return self.program.solve(work, primal=len(self.shares) > len(self.cells))

    def keep(self, solved: Solved) -> None:
        self.shares, self.multipliers = solved.x, solved.multipliers

    def prices(self, solved: Solved) -> tuple[Array, Array]:
        """Of the cells, and of all answers: -1 where one is not in the program."""
        count = len(self.cells)
        answer_prices = np.full(len(self.catalogue), -1.0)
        answer_prices[self.answers] = np.maximum(solved.multipliers[count:], 0.0)
        return solved.multipliers[:count], answer_prices

    def price(self, cell_price: Array, price: Array) -> tuple[Codes, Codes]:
        """The answers that pay most, and the pairs that do; and what these prices bound."""
        inside = np.zeros(len(self.catalogue), dtype=bool)
        inside[self.answers] = True
        most, least = self._ends(cell_price)
        price = np.where(inside, np.maximum(price, 0.0), np.maximum(least, 0.0))
        self._bound(cell_price, price)
        gain = np.maximum(most - np.maximum(least, 0.0), -least)
        gain = np.where(inside, 0.0, gain)
        pays = np.flatnonzero(gain > PAYS)
        order = np.argsort(-gain[pays] * self._size[pays])
        new = pays[order[:NEW]]
        old = self._paying(cell_price, price, inside)
        return new, np.append(old, self._best_of(new, cell_price))

    def _paying(self, cell_price: Array, price: Array, inside: Mask) -> Codes:
        """The places of answers that are in the program, not in it themselves, that pay most."""
        held, out = self.catalogue, np.ones(len(self.catalogue.cell), dtype=bool)
        out[self.places] = False
        found, gains = [self.places[:0]], [price[:0]]
        for answers, places in held.passes():
            cell, lengths = held.cell[places], held.lengths[answers]
            net = held.worth[places] - cell_price[cell]
            net -= self.row[0][cell] * np.repeat(price[answers], lengths)
            at = np.flatnonzero((net > PAYS) & np.repeat(inside[answers], lengths) & out[places])
            found.append(places.start + at)
            gains.append(net[at] * self.many[cell[at]])
        most = np.argsort(-np.concatenate(gains))[:MORE]
        return np.concatenate(found)[most]

    def _ends(self, cell_price: Array) -> tuple[Array, Array]:
        """Of every answer the most that a place with the secret pays, and the least of others."""
        held, ends = self.catalogue, np.empty((len(self.catalogue), 2))
        for answers, places in held.passes():
            rate = self._rate(cell_price, places)
            starts = held.sides[2 * answers.start : 2 * answers.stop] - places.start
            signed = np.where(held.secret[places], rate, -rate)
            ends[answers] = np.maximum.reduceat(signed, starts).reshape(-1, 2)
        return ends[:, 0], -ends[:, 1]

    def _rate(self, cell_price: Array, places: slice | Codes) -> Array:
        """(worth - a_x) / h_x."""
        held, cell = self.catalogue, self.catalogue.cell[places]
        rate: Array = (held.worth[places] - cell_price[cell]) / self.row[0][cell]
        return rate

    @cached_property
    def _size(self) -> Array:
        """Of every answer the rows of that side which has fewer, by what they count for."""
        held, size = self.catalogue, np.empty((len(self.catalogue), 2))
        for answers, places in held.passes():
            cell = held.cell[places]
            starts = held.sides[2 * answers.start : 2 * answers.stop] - places.start
            masses = np.abs(self.row[0][cell]) * self.many[cell]
            size[answers] = np.add.reduceat(masses, starts).reshape(-1, 2)
        smaller: Array = size.min(1)
        return smaller

    def _best_of(self, answers: Codes, cell_price: Array) -> Codes:
        """The few places of each side of an answer that pay most."""
        held = self.catalogue
        places = held.places(answers)
        secret, rate = held.secret[places], self._rate(cell_price, places)
        answer = np.repeat(answers, held.lengths[answers])
        order = np.lexsort((np.where(secret, -rate, rate), secret, answer))
        group = answer[order] * 2 + secret[order]
        first = np.flatnonzero(np.append(True, group[1:] != group[:-1])) if len(group) else group
        rank = np.arange(len(group)) - np.repeat(first, np.diff(np.append(first, len(group))))
        return places[order[rank < EACH]]

    def _bound(self, cell_price: Array, price: Array) -> None:
        """sum_x N_x max_S (worth - h_x u_y), rounded up."""
        held = self.catalogue
        best = np.where(held.free > 0, held.free_worth, -np.inf)
        for answers, places in held.passes():
            cell, worth = held.cell[places], held.worth[places]
            cost = self.row[1][cell] * np.repeat(price[answers], held.lengths[answers])
            net = worth - cost + ROUNDED * (worth + np.abs(cost))
            np.maximum.at(best, cell, net)
        upper = math.fsum((self.many * best).tolist()) / len(self.cells) * (1 + ROUNDED)
        upper *= len(self.cells)
        if upper < self.upper:
            self.upper, self.best = upper, (cell_price, price)

    def _row_prices(self) -> Array:
        """Of every answer, of a row that is not divided, where the objective is of one record."""
        found, solved = np.zeros(len(self.catalogue)), self.multipliers[len(self.cells) :]
        found[self.answers[: len(solved)]] = np.maximum(solved, 0.0)
        return found / (self.unit * len(self.cells))

    def result(self) -> Priced:
        """By cell, each with what shows nothing first."""
        held, count = self.catalogue, len(self.cells)
        used = np.flatnonzero(self.shares[count:] > 0)
        alone = np.flatnonzero((self.shares[:count] > 0) & (held.free > 0))
        place = self.places[used]
        cell = np.concatenate([np.arange(count), alone, held.cell[place]])
        pattern = np.concatenate(
            [np.zeros(count, dtype=np.int64), held.free[alone], held.pattern[held.answer(place)]]
        )
        shares = np.concatenate([np.zeros(count), self.shares[alone], self.shares[count:][used]])
        shares /= self.many[cell]
        prices = np.concatenate(
            [np.zeros(len(cell) - len(used)), self._row_prices()[held.answer(place)]]
        )
        pairs, order, first = Pairs.merged(cell, pattern)
        shares = np.add.reduceat(shares[order], first)
        prices = np.maximum.reduceat(prices[order], first)
        return Priced(pairs, shares, prices, self.upper / len(self.cells))
