"""The best release with one coin a record for stated beliefs: solved, rounded, held, bounded."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from unspoken.errors import InputError, TooLarge
from unspoken.mechanisms import Extension, Suppression
from unspoken.numerics.arrays import Array, Counts
from unspoken.planning.records.binding import Binding, binding
from unspoken.planning.records.bits import nats
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.column_generation import by_columns
from unspoken.planning.records.conditions import Condition
from unspoken.planning.records.exact_rounding import table_at_the_cap
from unspoken.planning.records.floor import floor_binds, floor_table
from unspoken.planning.records.interior import interior_table, tight_answers
from unspoken.planning.records.model import FIXED, Model, Unfinished
from unspoken.planning.records.needed import needed
from unspoken.planning.records.problem import RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.quiet import quieter
from unspoken.planning.records.rounding import FINE, IntegerTable, broken, sums
from unspoken.planning.records.routes import (
    QUICKER,
    everything,
    of_one_event,
    room_for_all,
    routes,
    with_common_thresholds,
)
from unspoken.planning.records.solver import Solved
from unspoken.planning.records.task import Task
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
NEAR = 2e-5  # of the upper end: what is missed so little is not looked for
NEAR_WITH_BITS = 2e-3  # the same where bits are limited: lines are drawn no nearer
TIED = 20_000  # pairs up to which a program is solved a second time, at its caps
INWARD = FIXED / 2  # how much of a table that has room is mixed in
# Of the upper end, what a program with a common threshold may leave where one with a threshold for
# each side is the other way, and where that has no room for all patterns.
ENOUGH, SOME = 2e-3, 2e-2
LOST = 0.05  # of what a solution shows: what rounding may take before it is said
NOT_KEPT = "; rounding to exact probabilities lost {lost:.0%} of what the solver's solution shows"

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
    solution: float = 0.0  # what the solver's solution shows, before it was rounded; 0: not known

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
        return self.note + self._lost_by_rounding + bits + self._unlooked

    @property
    def _lost_by_rounding(self) -> str:
        """What could not be kept of a solution, if that is much."""
        lost = 1 - self.objective / self.solution if self.solution > 0 else 0.0
        return NOT_KEPT.format(lost=lost) if lost > LOST else ""

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
    found = _solved(task, rule)
    return replace(found, upper=min(found.upper, everything(cells, worth)))


def _solved(task: Task, rule: Condition | None) -> Planned:
    """``rule``: the only one there is, of which patterns can be priced one by one."""
    problem, cells, rows = task.problem, task.cells, task.rows
    worth = problem.prices(cells)
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
            return found if masks is not None else _at_the_cap(task, found)
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


def _at_the_cap(task: Task, found: Planned) -> Planned:
    """With the caps as they are, not a little tighter, where that shows more.

    So it does where an answer's odds are the cap whatever is shown, and where prices of rows that
    nearly cancel one another are thousands of labels.
    """
    near = found.objective >= found.upper * (1 - (NEAR_WITH_BITS if task.limits else NEAR))
    if near or task.problem.believed.of_sets:
        return found
    problem = task.problem
    layout = Layout.of(task.cells, Pairs.of(task.cells), task.sees, task.rows)
    values = layout.values(problem.prices(task.cells))
    if len(values) > TIED:
        return found
    limits, shares = task.limits, sharing(problem)
    model = Model.of(layout, values, task.alike, shares, limits, problem.cap, slack=0.0)
    try:
        solved = model.solve()
    except TooLarge:
        return found
    found = replace(found, upper=min(found.upper, _upper(model, solved, found)))
    solved = model.with_unexpected(solved)
    inside = interior_table(model)
    if inside is None:
        return found
    inward = (1 - INWARD) * solved.x[: len(values)] + INWARD * inside[0]
    tight = tight_answers(model, inside[1])
    table = task.within_bits(
        lambda silence: table_at_the_cap(layout, inward * (1 - silence), task.alike, tight)
    )
    if table is None:
        return found
    return max(found, _from_model(task, model, solved, table), key=_fairest)


def _over(
    task: Task,
    masks: Counts | None,
    most: tuple[float, str],
    common: bool = False,
) -> Planned:
    """The most worth of these patterns, and what no release exceeds: of some patterns ``most``.
    ``common``: with a common threshold of sides without the secret.
    """
    problem, cells, limits, alike = task.problem, task.cells, task.limits, task.alike
    layout = Layout.of(cells, Pairs.of(cells, masks), task.sees, task.rows)
    values = layout.values(problem.prices(cells))
    model = Model.of(layout, values, alike, sharing(problem), limits, problem.cap, common=common)
    solved = model.solve()
    bit_limits = [] if problem.believed.of_sets else problem.limits(cells, all_of_them=True)
    solved = model.with_unexpected(quieter(model, solved, bit_limits))
    shown = solved.x[: len(values)]
    shown = shown if alike else needed(layout, shown)  # what is given to one cell is not even
    table = task.within_bits(lambda silence: task.rounded(layout, shown * (1 - silence)))
    found = _from_model(task, model, solved, table)
    if masks is not None:
        return replace(found, upper=most[0], note=FEWER.format(upper=most[1]))
    return replace(found, fair=model.fair) if common else found


def _from_model(task: Task, model: Model, solved: Solved, table: IntegerTable) -> Planned:
    """A table that was made from a solution, and what its multipliers say of it."""
    found = Planned(task.problem, table, math.inf)
    shown = solved.x[: len(model.values)]
    return replace(
        found,
        upper=_upper(model, solved, found),
        binding=binding(model.layout, model.costs(solved), shown, solved.objective),
        multiplier=model.of_bits(solved),
        solution=0.0 if task.limits else float(model.values @ shown),
    )


def _upper(model: Model, solved: Solved, found: Planned) -> float:
    """What no release exceeds whose smallest share is that of what was found, at least."""
    shares = found.shares if sharing(found.problem) else {}
    least = min(shares.values(), default=0.0) * (1 - 1e-14)
    return model.upper(solved, min(least, model.least_share))


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
        table = task.within_bits(lambda part: task.held(free.scaled(FINE - int(part * FINE), FINE)))
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
