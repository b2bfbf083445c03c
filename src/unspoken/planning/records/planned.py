"""The best release with one coin a record for stated beliefs: solved, rounded, held, bounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from unspoken.errors import TooLarge
from unspoken.mechanisms import Suppression
from unspoken.numerics.arrays import Array, Counts
from unspoken.planning.records.binding import Binding, binding
from unspoken.planning.records.bits import BitLimit, nats
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.columns import by_columns
from unspoken.planning.records.conditions import Rule
from unspoken.planning.records.floor import floor_table
from unspoken.planning.records.model import Model
from unspoken.planning.records.problem import RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.quiet import quieter
from unspoken.planning.records.rounding import FINE, Table, held
from unspoken.planning.records.routes import QUICKER, everything, of_one_event, routes
from unspoken.planning.records.telling import information, most_odds
from unspoken.types.bound import Bound

FEWER = (
    "; patterns are too many to try all: of those that hide first what tells most, or one label, "
    "it is the best; the upper end is all that is free"
)
NOT_SOLVED = (
    "; no program was solved in time, so this is the floor; the upper end is all that is free"
)

__all__ = ["Planned", "plan_floor", "plan_records"]


@dataclass(frozen=True)
class Planned:
    """A table that keeps every row exactly, and what no release within the limits exceeds."""

    problem: RecordProblem
    table: Table
    upper: float
    binding: tuple[Binding, ...] = ()
    multiplier: float = math.nan  # of the limits on bits
    note: str = ""  # on what was tried

    @property
    def objective(self) -> float:
        """Expected worth of what a record shows."""
        return float(self._worth(self.problem.prices(self.table.cells)))

    def _worth(self, prices: Array) -> float:
        layout = Layout(self.table.cells, self.table.pairs, ())
        return float(layout.values(prices) @ self.table.shares) * (1 - 1e-14)

    @property
    def most(self) -> float:
        """The worth of all that is read, shown or not."""
        cells = self.table.cells
        return float(cells.probability @ self.problem.prices(cells).sum(1))

    def shown(self, names: tuple[str, ...]) -> float:
        """Expected number of labels of these that are shown."""
        chosen = np.zeros(self.table.cells.codes.shape)
        chosen[:, [self.problem.domain.axis(name) for name in names]] = 1.0
        return self._worth(chosen)

    @property
    def p(self) -> dict[str, float]:
        """Shown cells out of free ones, per name."""
        cells, found = self.table.cells, {}
        for name in self.problem.reads:
            bit = 1 << self.problem.domain.axis(name)
            free = float(cells.probability[(cells.free & bit) != 0].sum())
            found[name] = min(1.0, self.shown((name,)) / free) if free > 0 else 0.0
        return found

    @property
    def shares(self) -> dict[str, float]:
        """Shown cells out of all that each application reads."""
        return {
            application: self.shown(names) / len(names)
            for application, names in self.problem.shares.items()
        }

    @property
    def odds(self) -> Bound:
        """The worst factor of any answer of any coalition, about any event."""
        problem, cells = self.problem, self.table.cells
        rows = problem.believed.rules(cells, problem.about(cells), Fraction(1))
        reached = not problem.believed.of_sets
        return most_odds(self.table, problem.sees(), rows, problem.premise, reached)

    @property
    def information(self) -> dict[str, Bound]:
        """What the coalition that learns most learns of each secret."""
        problem = self.problem
        if problem.believed.of_sets:
            return {}
        return information(self.table, problem.sees(), problem.axes(), problem.premise)

    @property
    def beside(self) -> str:
        """What was not tried and what the limits leave out, in words."""
        middle = self.problem.believed.of_sets and self.problem.limit != math.inf
        bits = "; bits are limited under the belief in the middle of the set" if middle else ""
        return self.note + bits

    @property
    def mechanism(self) -> Suppression:
        """As it is stored."""
        problem, cells, pairs = self.problem, self.table.cells, self.table.pairs
        shown = pairs.pattern != 0
        starts = np.searchsorted(pairs.cell[shown], np.arange(len(cells) + 1))
        return Suppression.of_arrays(
            cells.codes, starts, pairs.pattern[shown], self.table.weights[shown].astype(np.int64),
            problem.domain.names, problem.domain.values, problem.sensitive,
        )  # fmt: skip


def plan_records(problem: RecordProblem) -> Planned:
    """The most worth within the limits, over as many patterns as a program has room for."""
    cells = problem.cells()
    rows, sees, limits = problem.rules(cells), problem.sees(), problem.limits(cells)
    rule = of_one_event(cells, rows, sees, bool(problem.alike or problem.shares or limits))
    if rule is not None and Pairs.count(cells) > QUICKER:
        priced = by_columns(cells, rule, problem.prices(cells))
        table = held(Table.of(cells, priced.pairs, priced.shares), sees, rows)
        return Planned(problem, table, priced.upper)
    for masks in routes(cells, rows):
        try:
            return _over(problem, cells, rows, masks)
        except TooLarge:  # in the time there is
            continue
    return plan_floor(problem, everything(cells, problem.prices(cells)), NOT_SOLVED)


def _over(
    problem: RecordProblem, cells: Cells, rows: Sequence[Rule], masks: Counts | None
) -> Planned:
    """The most worth of these patterns, and what no release exceeds."""
    sees, limits = problem.sees(), problem.limits(cells)
    alike = tuple(problem.mask(group) for group in problem.alike)
    shares = [problem.mask(names) for names in problem.shares.values()]
    layout = Layout.of(cells, Pairs.of(cells, masks), sees, rows)
    values = layout.values(problem.prices(cells))
    model = Model.of(layout, values, alike, shares, limits, problem.cap)
    solved = model.solve()
    told = [] if problem.believed.of_sets else problem.limits(cells, all_of_them=True)
    quiet = quieter(model, solved, told)
    table = held(Table.of(cells, layout.pairs, quiet.x[: len(values)]), sees, rows, alike)
    table = _quieter(table, limits, sees, rows, alike)
    nats = model.bits.multiplier(solved.multipliers) if model.bits else math.nan
    upper, note = model.upper(solved), ""
    if masks is not None:
        upper, note = everything(cells, problem.prices(cells)), FEWER
    return Planned(problem, table, upper, binding(model, solved), nats, note)


def plan_floor(problem: RecordProblem, upper: float, note: str = "") -> Planned:
    """What needs no belief, and what no release within the limits exceeds."""
    table = floor_table(problem)
    limits = problem.limits(table.cells)
    if problem.alike or limits:  # rows that it does not keep by itself
        sees, rows = problem.sees(), problem.rules(table.cells)
        alike = tuple(problem.mask(group) for group in problem.alike)
        table = _quieter(held(table, sees, rows, alike), limits, sees, rows, alike)
    return Planned(problem, table, upper, note=note)


def _quieter(
    table: Table,
    limits: Sequence[BitLimit],
    sees: Sequence[int],
    rows: Sequence[Rule],
    alike: Sequence[int],
) -> Table:
    """With as little silence as keeps every limit on bits: mostly none."""

    def silenced(part: int) -> Table:
        return held(table.scaled(FINE - part, FINE), sees, rows, alike) if part else table

    def kept(each: Table) -> bool:
        told = (nats(each.cells, each.pairs, each.shares, limit) for limit in limits)
        return all(own <= limit.nats for own, limit in zip(told, limits, strict=True))

    low, high = 0, 0
    while high < FINE and not kept(silenced(high)):
        low, high = high, max(1, 2 * high)
    while high - low > max(1, high >> 10):
        middle = (low + high) // 2
        low, high = (low, middle) if kept(silenced(middle)) else (middle, high)
    return silenced(high)
