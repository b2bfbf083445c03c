"""The best release with one coin a record for stated beliefs: solved, rounded, held, bounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from unspoken.errors import InputError, TooLarge
from unspoken.mechanisms import Extension, Suppression
from unspoken.numerics.arrays import Array, Counts
from unspoken.planning.records.binding import Binding, binding
from unspoken.planning.records.bits import BitLimit, nats
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.column_generation import by_columns
from unspoken.planning.records.conditions import Rule
from unspoken.planning.records.floor import floor_binds, floor_table
from unspoken.planning.records.model import Model, Unfinished
from unspoken.planning.records.needed import needed
from unspoken.planning.records.problem import RecordProblem
from unspoken.planning.records.program import SLACK, Layout
from unspoken.planning.records.quiet import quieter
from unspoken.planning.records.rounding import FINE, IntegerTable, broken, held, sums
from unspoken.planning.records.routes import (
    QUICKER,
    everything,
    of_one_event,
    room_for_all,
    routes,
    with_common_thresholds,
)
from unspoken.planning.records.telling import information, most_odds
from unspoken.types.bound import LOG2, Bound

FEWER = (
    "; patterns are too many to try all: of those that hide first what tells most, or one label, "
    "it is the best; the upper end is {upper}"
)
NOT_SOLVED = "; no program was solved in time, so this is the floor; the upper end is {upper}"
FREE = "all that is free"
OF_ONE = "what one belief of the set allows"
PRICED = "what the program of all patterns had come down to when its time was over"
BY_LAWS = "what some beliefs of the set allow"

HAIR = 1e-9  # of a cap
NEAR, CLOSER = 2e-5, 1e-3  # of the upper end that is not looked for; how much of slack is left then
# Of the upper end, what a program with a common threshold may leave where one with a threshold for
# each side is the other way, and where that has no room for all patterns.
ENOUGH, SOME = 2e-3, 2e-2
LOST = 0.05  # of what a solution shows: what rounding may take before it is said
EVENED = (
    "; made exactly alike, what is shown of its groups of names lost {lost:.0%} of the solution; "
    "groups that overlap do that: ask for one of own_reads, order and unbiased alone"
)

__all__ = ["Planned", "of_one_belief", "plan_floor", "plan_records", "sharing"]


@dataclass(frozen=True)
class Planned:
    """A table that keeps every row exactly, and what no release within the limits exceeds."""

    problem: RecordProblem
    table: IntegerTable
    upper: float
    binding: tuple[Binding, ...] = ()
    multiplier: float = math.nan  # of the limits on bits
    fair: float = 1.0  # the smallest share, of what it may be at most
    note: str = ""  # on what was tried

    @property
    def objective(self) -> float:
        """Expected worth of what a record shows."""
        return float(self._worth(self.problem.prices(self.table.cells)))

    def _worth(self, prices: Array) -> float:
        layout = Layout(self.table.cells, self.table.pairs, ())
        return float(layout.values(prices) @ self.table.shares) * (1 - 1e-14)

    @property
    def lacks(self) -> float:
        """Which part of what may be it lacks at most, of the smallest share or of the sum."""
        reached = self.objective / self.upper if self.upper > 0 else 1.0
        return 1.0 - min(self.fair, reached)

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
        rows = problem.held(cells, Fraction(1))
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
        return self.note + bits + self._unlooked

    @property
    def _unlooked(self) -> str:
        """Which releases the upper end is not about."""
        names = self.problem.unlooked
        return f"; of releases that do not look at {', '.join(names)} of a record" if names else ""

    @property
    def mechanism(self) -> Suppression | Extension:
        """As it is stored."""
        problem, cells, pairs = self.problem, self.table.cells, self.table.pairs
        shown = ~pairs.rest
        starts = np.searchsorted(pairs.cell[shown], np.arange(len(cells) + 1))
        weights = self.table.weights[shown].astype(np.int64)
        adds = (pairs.pattern & ~cells.out[pairs.cell])[shown]
        return cells.earlier.extended(
            cells.codes, starts, adds, weights, problem.domain, problem.sensitive
        )


@dataclass(frozen=True)
class Task:
    """A problem with its cells, and what a table of these is held to."""

    problem: RecordProblem
    cells: Cells
    rows: Sequence[Rule]
    limits: Sequence[BitLimit]
    sees: Sequence[int]
    alike: Sequence[int]

    @classmethod
    def of(cls, problem: RecordProblem, cells: Cells) -> Task:
        rows, limits = problem.rules(cells), problem.limits(cells)
        alike = [problem.mask(group) for group in problem.alike]
        return cls(problem, cells, rows, limits, problem.sees(), alike)

    def held(self, table: IntegerTable) -> IntegerTable:
        """With every row exactly."""
        return held(table, self.sees, self.rows, self.alike)

    def quieter(self, table: IntegerTable) -> IntegerTable:
        """With as little silence as keeps every limit on bits: mostly none.

        Silence breaks no row but by rounding, so rows are held once how much it takes is known.
        """

        def silenced(part: int) -> IntegerTable:
            return table.scaled(FINE - part, FINE) if part else table

        def kept(each: IntegerTable) -> bool:
            leaked = (nats(each.cells, each.pairs, each.shares, limit) for limit in self.limits)
            return all(leak <= limit.nats for leak, limit in zip(leaked, self.limits, strict=True))

        low, high = 0, 0
        while high < FINE and not kept(silenced(high)):
            low, high = high, max(1, 2 * high)
        while high - low > max(1, high >> 10):
            middle = (low + high) // 2
            low, high = (low, middle) if kept(silenced(middle)) else (middle, high)
        found = self.held(silenced(high)) if high else table
        while high < FINE and not kept(found):
            high = min(FINE, 2 * high)
            found = self.held(silenced(high))
        return found


def plan_records(problem: RecordProblem) -> Planned:
    """The most worth within the limits, over as many patterns as a program has room for."""
    task = Task.of(problem, problem.cells())
    cells, rows, worth = task.cells, task.rows, problem.prices(task.cells)
    others = bool(task.alike or sharing(problem) or task.limits or problem.extends)
    if not (rows or problem.secrets or problem.extends):  # all is shown of every record there is
        return plan_floor(problem, everything(cells, worth))
    rule = of_one_event(cells, rows, task.sees, others)
    if problem.extends:
        _refuse_out(task)
    if rule is not None and Pairs.count(cells) > QUICKER:
        priced = by_columns(cells, rule, worth)
        table = task.held(IntegerTable.of(cells, priced.pairs, priced.shares))
        return Planned(problem, table, priced.upper, priced.binding(cells, rule, worth))
    first = _with_common_thresholds(task)
    enough = ENOUGH if room_for_all(cells, rows) else SOME
    if first is not None and first.lacks <= enough:
        return first
    upper = (everything(cells, worth), FREE)
    if first is not None:
        upper = min(upper, (first.upper, BY_LAWS))
    elif problem.believed.of_sets and not room_for_all(cells, rows):
        upper = min(upper, (plan_records(of_one_belief(problem)).upper, OF_ONE))
    found = _by_programs(task, upper)
    return found if first is None else max(first, found, key=_fairest)


def _with_common_thresholds(task: Task) -> Planned | None:
    """Of sets, where that is a far smaller program and may lose next to nothing; None elsewhere.

    Sides of several contexts have thresholds that are far apart, and what is made exactly alike
    wants a vertex.
    """
    problem = task.problem
    fits = problem.believed.of_sets and len(problem.beliefs) == 1
    if not fits or task.alike or task.limits or not with_common_thresholds(task.cells, task.rows):
        return None
    try:
        return _over(task, None, (math.inf, ""), common=True)
    except TooLarge:
        return None


def _fairest(planned: Planned) -> tuple[float, float]:
    """By which the better of two plans is: the smallest share, and then the sum. To the last digit:
    a bound on the sum is for shares no smaller than those it was found for.
    """
    shares = planned.shares if sharing(planned.problem) else {}
    return min(shares.values(), default=0.0), planned.objective


def _by_programs(task: Task, upper: tuple[float, str]) -> Planned:
    """Over as many patterns as there is room for; ``upper``: what no release exceeds, and why."""
    for masks in routes(task.cells, task.rows):
        try:
            found = _over(task, masks, upper)
            return found if masks is not None else _closer(task, found)
        except Unfinished as ended:  # in the time there is
            if masks is None:
                upper = min(upper, (ended.upper, PRICED))
        except TooLarge:
            continue
    return plan_floor(task.problem, upper[0], NOT_SOLVED.format(upper=upper[1]))


def sharing(problem: RecordProblem) -> list[int]:
    """Masks of the applications whose smallest share is made large first; none where that is the
    sum: one reads all, and labels are worth the same.
    """
    masks = [problem.mask(names) for names in problem.shares.values()]
    worth = np.unique(np.concatenate([*problem.worth.values()]))
    return [] if masks == [problem.mask(problem.reads)] and len(worth) == 1 else masks


def of_one_belief(problem: RecordProblem) -> RecordProblem:
    """The caps alone, a hair larger for what is rounded, for one belief of each set: what no
    release exceeds then, none does that keeps all limits for all of them.
    """
    members = problem.believed.members
    return replace(
        problem,
        beliefs=tuple(
            (share, m[0]) for (share, _), m in zip(problem.beliefs, members, strict=True)
        ),
        cap=problem.cap * (1 + HAIR),
        pooled_cap=problem.pooled_cap * (1 + HAIR),
        limit=math.inf,
        shares={},
        alike=(),
        floor=math.inf,
    )


def _closer(task: Task, found: Planned) -> Planned:
    """With less slack, where that may show more: prices of rows that nearly cancel one another are
    thousands of labels, and slack costs that part of them.
    """
    near = found.objective >= found.upper * (1 - NEAR)
    if near or task.problem.believed.of_sets or task.limits or task.alike:
        return found
    try:
        closer = _over(task, None, (math.inf, ""), CLOSER * SLACK)
    except TooLarge:
        return found
    least, better = (min(each.shares.values(), default=0.0) for each in (found, closer))
    return closer if better >= least and closer.objective > found.objective else found


def _over(
    task: Task,
    masks: Counts | None,
    most: tuple[float, str],
    slack: float = SLACK,
    common: bool = False,
) -> Planned:
    """The most worth of these patterns, and what no release exceeds: of some patterns ``most``.
    ``common``: with a common threshold of sides without the secret.
    """
    problem, cells, limits, alike = task.problem, task.cells, task.limits, task.alike
    layout = Layout.of(cells, Pairs.of(cells, masks), task.sees, task.rows)
    values = layout.values(problem.prices(cells))
    model = Model.of(layout, values, alike, sharing(problem), limits, problem.cap, slack, common)
    solved = model.solve()
    bit_limits = [] if problem.believed.of_sets else problem.limits(cells, all_of_them=True)
    quiet = model.with_unexpected(quieter(model, solved, bit_limits))
    shown = quiet.x[: len(values)]
    shown = shown if alike else needed(layout, shown)  # what is given to one cell is not even
    table = task.quieter(task.held(IntegerTable.of(cells, layout.pairs, shown)))
    upper, note = model.upper(solved), ""
    if masks is not None:
        upper, note = most[0], FEWER.format(upper=most[1])
    bind = binding(layout, model.costs(solved), solved.x[: len(values)], solved.objective)
    fair = model.fair if common else 1.0
    found = Planned(problem, table, upper, bind, model.of_bits(solved), fair, note)
    lost = 1 - found.objective / max(float(values @ quiet.x[: len(values)]), 1e-300)
    evened = EVENED.format(lost=lost) if alike and lost > LOST and not limits else ""
    return replace(found, note=note + evened)


def plan_floor(problem: RecordProblem, upper: float, note: str = "") -> Planned:
    """What needs no belief, and what no release within the limits exceeds; of what is out already,
    nothing more.
    """
    if problem.extends:
        return Planned(problem, nothing_new(problem.cells()), upper, note=note)
    free = table = floor_table(problem)
    binds = floor_binds(problem, free.cells)
    if problem.alike or problem.limits(free.cells):  # rows that it does not keep by itself
        task = Task.of(problem, free.cells)
        table = task.quieter(task.held(free))
        binds = binds if np.array_equal(table.weights, free.weights) else ()
    return Planned(problem, table, upper, binds, note=note)


def nothing_new(cells: Cells) -> IntegerTable:
    """All stays as it is."""
    rest = Pairs.of(cells).only(Pairs.of(cells).rest)
    return IntegerTable(cells, rest, np.zeros(len(rest), dtype=object)).filled()


def _refuse_out(task: Task) -> None:
    """What is out stays out: where that breaks a cap, or tells too many bits, nothing mends it."""
    cells, table = task.cells, nothing_new(task.cells)
    for watched in Layout.over(cells, table.pairs, task.sees, task.rows).watched:
        secret, other = sums(table, watched)
        at = broken(table, watched)
        if len(at):
            factors = [math.inf if not other[y] else secret[y] / other[y] for y in at.tolist()]
            worst = max(factors)
            raise InputError(
                f"plan.extends: what is out already multiplies the odds of {watched.condition.name}"
                f" by {worst:.4g}, and the cap is {float(watched.condition.cap):g}; it cannot be "
                "taken back: raise the cap, or leave these records as they are, and plan anew "
                "under another [epoch] label for others"
            )
    for limit in task.limits:
        leaked = nats(cells, table.pairs, table.shares, limit)
        if leaked > limit.nats:
            raise InputError(
                f"plan.extends: what is out already tells {leaked / LOG2:.4g} bit, and the limit "
                f"is {limit.nats / LOG2:.4g}; it cannot be taken back: raise the limit"
            )
