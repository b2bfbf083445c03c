"""From a problem to the best table with one coin a record, in order: solved, rounded, bounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np

from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import Array, Counts
from unspoken.core.types.bound import LOG2
from unspoken.planning.records.binding import binding
from unspoken.planning.records.bits import nats
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.column_generation import by_columns
from unspoken.planning.records.conditions import Condition
from unspoken.planning.records.exact_rounding import Tight, table_at_the_cap
from unspoken.planning.records.floor import floor_binds, floor_table
from unspoken.planning.records.interior import interior_table, tight_answers
from unspoken.planning.records.model import FIXED, Model, Unfinished
from unspoken.planning.records.needed import needed
from unspoken.planning.records.planned import Planned, sharing
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

__all__ = ["of_one_belief", "plan_floor", "plan_records"]

TOO_MANY = "patterns are too many to try all"
NOT_ALL = "the program of all patterns was not solved"
FEWER = (
    "; {why}: of those that hide first what tells most, or one label, it is the best; the upper "
    "end is {upper}"
)
NOT_SOLVED = "; no program was solved in time, so this is the floor; the upper end is {upper}"
FREE = "all that is free"
OF_ONE = "what one belief of the set allows"
PRICED = "what the program of all patterns had come down to when its time was over"
BY_LAWS = "what some beliefs of the set allow"

HAIR = 1e-9  # of a cap
NEAR = 2e-5  # of what can be shown: what is missed so little is not looked for
NEAR_WITH_BITS = 2e-3  # the same where bits are limited: lines are drawn no nearer
TIED = 20_000  # pairs up to which a program is solved a second time, at its caps
# How much of a table that has room is mixed in: little, or more where a solver was less exact.
INWARD = (FIXED / 2, 1e-6, NEAR / 2)
# A cap that costs no more than a ten-thousandth, and spares a solver numbers that far apart.
LARGE = 1e4
# Of the upper end, what a program with a common threshold may leave where one with a threshold for
# each side is the other way, and where that has no room for all patterns.
ENOUGH, SOME = 2e-3, 2e-2


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
    found = _solve(task, rule)
    return replace(found, upper=min(found.upper, everything(cells, worth)))


def _solve(task: Task, rule: Condition | None) -> Planned:
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
    why = TOO_MANY
    for masks in routes(task.cells, task.rows):
        try:
            if masks is not None:
                found = _over(task, masks, upper)
                return replace(found, note=FEWER.format(why=why, upper=upper[1]))
            return _over_all_patterns(task)
        except Unfinished as ended:  # in the time there is
            if masks is None:
                upper, why = min(upper, (ended.upper, PRICED)), NOT_ALL
        except TooLarge:
            continue
    return plan_floor(task.problem, upper[0], NOT_SOLVED.format(upper=upper[1]))


def _over_all_patterns(task: Task) -> Planned:
    """The best of what several constructions find, the next being tried where one misses some."""
    near, candidates, unfinished = NEAR_WITH_BITS if task.limits else NEAR, list[Planned](), None
    for construction in (_a_little_below_the_caps, _at_the_caps, _below_smaller_caps):
        try:
            found = construction(task)
        except Unfinished as ended:
            unfinished = min(unfinished or ended, ended, key=attrgetter("upper"))
            continue
        candidates += [found] if found is not None else []
        if candidates and candidates[-1].lacks <= near:
            break
    if unfinished is not None and not candidates:
        raise unfinished
    shares = [_fairest(each)[0] for each in candidates]
    # Shares that are as good as the same: then the sum decides.
    fair = [each for each, least in zip(candidates, shares, strict=True)
            if least >= max(shares) * (1 - NEAR)]  # fmt: skip
    best = max(fair, key=lambda each: each.objective)
    # Each upper end is for releases whose smallest share is that of its plan at least.
    least = _fairest(best)[0]
    upper = min(each.upper for each, own in zip(candidates, shares, strict=True) if own <= least)
    return replace(best, upper=upper, most_shown=0.0 if task.limits else upper)


def _a_little_below_the_caps(task: Task) -> Planned:
    return _over(task, None, (math.inf, ""))


def _below_smaller_caps(task: Task) -> Planned | None:
    """Of caps so large that coefficients are too far apart for a solver."""
    problem = task.problem
    cap, pooled_cap = (
        LARGE if LARGE < each < math.inf else each for each in (problem.cap, problem.pooled_cap)
    )
    if (cap, pooled_cap) == (problem.cap, problem.pooled_cap):
        return None
    smaller = replace(problem, cap=cap, pooled_cap=pooled_cap)
    found = _over_all_patterns(Task.of(smaller, task.cells))
    return replace(found, problem=problem, upper=everything(task.cells, problem.prices(task.cells)))


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


def _at_the_caps(task: Task) -> Planned | None:
    """With the caps as they are, not a little tighter, which may show more.

    So it does where an answer's odds are the cap whatever is shown, and where prices of rows that
    nearly cancel one another are thousands of labels.
    """
    problem, limits = task.problem, task.limits
    if problem.believed.of_sets:
        return None
    layout = Layout.of(task.cells, Pairs.of(task.cells), task.sees, task.rows)
    values = layout.values(problem.prices(task.cells))
    if len(values) > TIED:
        return None
    model = Model.of(layout, values, task.alike, sharing(problem), limits, problem.cap, slack=0.0)
    solved = model.with_unexpected(model.solve())
    inside = interior_table(model)
    if inside is None:
        return None
    tight, best = tight_answers(model, inside[1]), solved.x[: len(values)]
    inward = [(1 - part) * best + part * inside[0] for part in INWARD]
    for shares in inward:
        table = task.within_bits(partial(_table_with_ties, task, layout, shares, tight))
        if table is not None:
            return _from_model(task, model, solved, table)
    # No such table out of 2^62; one that is mended where a cap is broken.
    shown = inward[0] if task.alike else needed(layout, inward[0])
    mended = task.within_bits(lambda silence: task.table_near(layout, shown * (1 - silence)))
    return _from_model(task, model, solved, mended)


def _table_with_ties(
    task: Task, layout: Layout, shares: Array, tight: Sequence[Tight], silence: float
) -> IntegerTable | None:
    return table_at_the_cap(layout, shares * (1 - silence), task.alike, tight)


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
    table = task.within_bits(lambda silence: task.table_near(layout, shown * (1 - silence)))
    found = _from_model(task, model, solved, table)
    if masks is not None:
        return replace(found, upper=most[0])
    return replace(found, fair=model.fair) if common else found


def _from_model(task: Task, model: Model, solved: Solved, table: IntegerTable) -> Planned:
    """A table that was made from a solution, and what its multipliers say of it.

    The upper end is for releases whose smallest share is that of the table at least.
    """
    found = Planned(task.problem, table, math.inf)
    shares = found.shares if sharing(task.problem) else {}
    least, most = min(shares.values(), default=0.0) * (1 - 1e-14), model.largest_smallest_share()
    shown = solved.x[: len(model.values)]
    return replace(
        found,
        upper=model.upper(solved, min(least, model.least_share)),
        fair=min(1.0, least / most) if most > 0 else 1.0,
        binding=binding(model.layout, model.costs(solved), shown, solved.objective),
        multiplier=model.of_bits(solved),
        most_shown=0.0 if task.limits else float(model.values @ shown),
    )


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
