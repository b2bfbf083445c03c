"""Whole counts and whole caps tie: an answer's odds are exactly the cap, whatever is shown.

Compared with the optimum as an exact fraction (exact_program.py), which nothing of the library is
behind. Tables are drawn small, so that ties are frequent.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

import unspoken
from tests.planning.records.enumerated import answers, records, shown
from tests.planning.records.exact_program import ExactProgram, best
from tests.selection import slow_values
from unspoken.planning.protection import Protection
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.exact_rounding import table_at_the_cap, table_with_equal_shares
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import broken

LOST = 2e-5  # what rounding may cost, of all that can be shown


def drawn(seed):
    """A table of counts, its secret labels, and who sees what."""
    rng = np.random.default_rng(seed)
    shape = tuple(int(size) for size in rng.integers(2, 4, int(rng.integers(2, 4))))
    while np.prod(shape) > 12:
        shape = shape[:-1]
    counts = rng.integers(0, 5, shape)
    counts.flat[0] += 1
    sensitive = [[] for _ in shape]
    for axis in rng.permutation(len(shape))[: 1 + seed % 2]:
        few = int(rng.integers(1, shape[axis]))
        sensitive[axis] = sorted(rng.choice(shape[axis], few, replace=False).tolist())
    sees = [(0,), (1,)] if len(shape) == 2 else [(0, 1), (1, 2)]
    return counts, sensitive, sees, Fraction(int(rng.choice([3, 4, 6, 8])), 2)


def planned(counts, sensitive, cap, sees, **options):
    names = [f"x{axis}" for axis in range(counts.ndim)]
    return unspoken.plan(
        unspoken.Joint(counts, names),
        by="record",
        sensitive=dict(zip(names, sensitive, strict=True)),
        odds_cap=float(cap),
        coalitions=[[names[i] for i in each] for each in sees],
        events="attribute",
        **options,
    )


OPTIONS = {
    "own_reads": lambda sees, many: ({"own_reads": True}, sees),
    "unbiased": lambda sees, many: ({"unbiased": True}, [(i,) for i in range(many)]),
    "order": lambda sees, many: ({"order": ["x1", "x0"]}, [(1,), (0, 1)]),
    "none": lambda sees, many: ({}, []),
}


@pytest.mark.parametrize("seed", [*range(8), *slow_values(*range(8, 12))])
@pytest.mark.parametrize("option", OPTIONS)
def test_as_much_is_shown_as_can_be(option, seed):
    counts, sensitive, sees, cap = drawn(seed)
    options, groups = OPTIONS[option](sees, counts.ndim)
    plan = planned(counts, sensitive, cap, sees, **options)
    most = best(counts, sensitive, cap, coalitions=sees, groups=groups)
    assert (1 - LOST) * most <= plan.objective <= most
    assert most <= plan.bound.high * (1 + 1e-12) + 1e-12
    assert plan.odds.high <= cap


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("option", OPTIONS)
def test_every_cap_and_every_equation_holds_exactly(option, seed):
    """In fractions of the counts, for every record of the domain."""
    counts, sensitive, sees, cap = drawn(seed)
    options, groups = OPTIONS[option](sees, counts.ndim)
    plan = planned(counts, sensitive, cap, sees, **options)
    belief = unspoken.Joint(counts)
    names, table = belief.domain.names, shown(plan)
    of = [(x, int(counts[tuple(x.values())])) for x in records(belief.domain)]
    for seen, (axis, labels) in product(sees, enumerate(sensitive)):
        told = [(x, n, answers(plan, x, table, [names[i] for i in seen])) for x, n in of]
        for label in labels:
            for other in [[v] for v in labels if v != label] + [
                [v for v in range(counts.shape[axis]) if v not in labels]
            ]:
                sides = [{}, {}]
                totals = [0, 0]
                for x, n, given in told:
                    place = 0 if x[names[axis]] == label else 1 if x[names[axis]] in other else None
                    if place is not None:
                        totals[place] += n
                        for y, weight in given.items():
                            sides[place][y] = sides[place].get(y, 0) + n * weight
                if all(totals):
                    for y, mass in sides[0].items():
                        assert mass * totals[1] <= cap * sides[1].get(y, 0) * totals[0]
    for group in groups:
        own = [names[i] for i in group]
        by_labels = {}
        for x, _ in of:
            given = {y: w for y, w in answers(plan, x, table, own).items() if w}
            assert by_labels.setdefault(tuple(x[n] for n in own), given) == given


@pytest.mark.parametrize(
    ("counts", "sensitive", "sees", "option", "most"),
    [
        ([[6, 4], [9, 1]], [[0], []], [(1,)], {"order": ["x1"]}, 1.0),
        ([[6, 4], [9, 1]], [[0], []], [(1,)], {"unbiased": True}, 1.0),
        ([[6, 4], [9, 1]], [[0], []], [(1,)], {"own_reads": True}, 1.0),
        # Shares of these counts are rounded, and as floats their odds are above the cap of 4.
        ([[7, 4], [10, 1]], [[0], []], [(1,)], {"unbiased": True}, 1.0),
        # So are decimals.
        ([[0.24, 0.16], [0.54, 0.06]], [[0], []], [(1,)], {"own_reads": True}, 1.0),
    ],
)
def test_a_tie_costs_nothing(counts, sensitive, sees, option, most):
    exact = [[Fraction(str(number)) for number in row] for row in counts]
    cap = exact[0][1] * sum(exact[1]) / exact[1][1] / sum(exact[0])
    assert cap == 4
    plan = planned(np.array(counts), sensitive, cap, sees, reads=["x1"], **option)
    assert plan.objective == pytest.approx(most, rel=1e-6)
    assert plan.odds.high == 4.0
    assert "%" not in plan.bound.why  # nothing was lost, and nothing is recommended


def test_a_cap_of_1_shows_what_is_independent_of_the_secret():
    counts = np.array([[[2, 4], [1, 2]], [[3, 6], [5, 10]]])  # x2 is independent of x0
    for options in ({}, {"own_reads": True}, {"unbiased": True}):
        plan = planned(counts, [[0], [], []], Fraction(1), [(1, 2)], reads=["x1", "x2"], **options)
        groups = OPTIONS[next(iter(options), "none")]([(1, 2)], 3)[1]
        most = best(
            counts, [[0], [], []], Fraction(1), coalitions=[(1, 2)], groups=groups, reads=(1, 2)
        )
        assert (1 - LOST) * most <= plan.objective <= most
        assert plan.odds.high <= 1.0


def test_contexts_of_few_rows_tie_too():
    """The plan with a cap a little larger shows hardly more."""
    tables = [
        [[[0, 3, 0], [1, 3, 4], [0, 3, 0]], [[1, 5, 1], [0, 0, 5], [4, 0, 2]]],
        [[[2, 0, 1], [2, 0, 1], [0, 0, 2]], [[4, 0, 0], [0, 3, 0], [0, 1, 0]]],
    ]
    contexts = [(float(np.sum(table)), unspoken.Joint(table)) for table in tables]
    secret = {"x0": [], "x1": [], "x2": [0, 2]}
    plans = [
        unspoken.plan(by="record", contexts=contexts, sensitive=secret, odds_cap=cap)
        for cap in (2.0, 2.0 * (1 + 1e-9))
    ]
    assert plans[0].objective >= plans[1].objective * (1 - LOST)
    assert plans[0].gap < LOST


def _task(counts, sensitive, cap, sees, **options):
    names = [f"x{axis}" for axis in range(counts.ndim)]
    problem = RecordProblem.of(
        unspoken.Joint(counts, names),
        Protection(
            sensitive=dict(zip(names, sensitive, strict=True)),
            odds_cap=float(cap),
            coalitions=[[names[i] for i in each] for each in sees],
        ),
        RecordOptions(events="attribute", **options),
    )
    cells = problem.cells()
    layout = Layout.of(cells, Pairs.of(cells), problem.sees(), problem.rules(cells))
    return layout, [problem.mask(group) for group in problem.alike]


@pytest.mark.parametrize("seed", range(20))
def test_any_shares_become_a_table_that_keeps_every_row(seed):
    """However far they are from one: a solver may be wrong."""
    counts, sensitive, sees, cap = drawn(seed)
    layout, groups = _task(counts, sensitive, cap, sees, own_reads=True)
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(len(layout.pairs), 0.3)) * rng.choice([0.1, 5.0])
    found = [
        table_with_equal_shares(layout, shares, groups),
        table_at_the_cap(layout, shares, groups, []),
    ]
    for table in filter(None, found):
        again = Layout.over(table.cells, table.pairs, [*{w.answers.sees for w in layout.watched}], [
            w.condition for w in layout.watched
        ])  # fmt: skip
        assert not any(len(broken(table, each)) for each in again.watched)
        assert (table.weights >= 0).all()


@pytest.mark.parametrize("cap", [1e3, 1e6, 1e7, 1e9, 1e12])
def test_no_bound_exceeds_all_there_is_to_show(cap):
    for belief in (unspoken.Joint([[1, 2], [3, 4]]), unspoken.Joint([[1, 2], [3, 4000]])):
        free = float(1 + belief.marginal(["x0"])[1])  # x0 = 0 is never shown
        for by in ("record", "cell"):
            plan = unspoken.plan(belief, by=by, odds_cap=cap, sensitive={"x0": [0], "x1": []})
            assert plan.objective <= plan.bound.high <= free * (1 + 1e-11)
        whole = unspoken.plan(belief, by="record", odds_cap=cap, sensitive={"x0": [0], "x1": []})
        assert whole.objective > free * 0.99


def test_secret_labels_are_compared_with_one_another_in_single_attributes_too():
    """One answer told two secret labels apart with certainty; only events about several attributes
    may be dropped.
    """
    belief = unspoken.Joint(
        [[6, 0], [2, 4], [20, 68]], ["A", "B"], [["s1", "s2", "ok"], ["x", "y"]]
    )
    for events in ("default", "attribute"):
        plan = unspoken.plan(
            belief, by="record", sensitive={"A": ["s1", "s2"], "B": []}, odds_cap=2.0, events=events
        )
        table = shown(plan)
        for s, t in (("s1", "s2"), ("s2", "s1"), ("s1", "ok"), ("s2", "ok")):
            sides = []
            for label in (s, t):
                side, row = {}, belief.table[["s1", "s2", "ok"].index(label)]
                for b, mass in zip("xy", row, strict=True):
                    told = answers(plan, {"A": label, "B": b}, table, ["A", "B"])
                    for y, weight in told.items():
                        side[y] = side.get(y, 0) + float(weight) * mass / row.sum()
                sides.append(side)
            for y, mass in sides[0].items():
                assert mass <= 2.0 * sides[1].get(y, 0) * (1 + 1e-9)


def test_attribute_events_drop_only_what_is_about_several_attributes():
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 40, (3, 3, 2))
    single, every = (
        unspoken.plan(
            unspoken.Joint(counts), by="record", sensitive={"x0": [0, 2], "x1": [1]}, events=events
        )
        for events in ("attribute", "default")
    )
    assert single.objective > every.objective * 1.001


def test_a_set_whose_event_cannot_happen_in_one_context_is_planned():
    tables = [np.array([[[3, 1], [0, 0]], [[2, 5], [0, 0]]]), np.array([[[1, 1], [4, 2]]] * 2)]
    boxes = [unspoken.Box.within(unspoken.Joint(table), 0.01) for table in tables]
    plan = unspoken.plan(
        by="record", contexts=[(2, boxes[0]), (3, boxes[1])], sensitive={"x1": [0]}, floor=0.5
    )
    assert plan.objective <= plan.bound.high


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_for_shares_as_small_as_those_of_the_plan(seed):
    """Compared with the best of all releases whose smallest share is no smaller."""
    rng = np.random.default_rng(seed)
    counts, sees, cap = rng.integers(1, 9, (2, 2, 3)), [(0, 1, 2)], Fraction(3, 2)
    sensitive, groups = [[0], [], []], [(1,), (2,)]
    shares = {str(k): [f"x{i}" for i in group] for k, group in enumerate(groups)}
    weights = {"x0": 1.0, "x1": 1.0, "x2": 30.0}
    plan = planned(counts, sensitive, cap, sees, shares=shares, weights=weights)
    program = ExactProgram(counts, sensitive, None)
    program.add_caps(cap, sees)
    worth, least = np.zeros(len(program.at)), np.zeros((len(groups), len(program.at)))
    for (x, names), j in program.at.items():
        mass = counts[x] / counts.sum()
        worth[j] = mass * sum(weights[f"x{i}"] for i in names)
        for k, group in enumerate(groups):
            least[k, j] = mass * len({*names} & {*group}) / len(group)
    lines = np.array(program.lines, dtype=float)
    smallest = np.full(len(groups), min(plan.shares.values()))
    solved = linprog(
        -worth,
        A_ub=np.concatenate([lines, -least]),
        b_ub=np.concatenate([np.array(program.ends, dtype=float), -smallest + 1e-12]),
    )
    assert solved.status == 0
    assert -solved.fun * (1 - 1e-8) <= plan.bound.high <= -solved.fun * (1 + 1e-4)


@pytest.mark.parametrize("events", [[], [{}], None, 3, {"A": [0]}, "all"])
def test_events_that_limit_nothing_are_refused(events):
    """Everything free was shown under a cap of 4, without a word."""
    with pytest.raises(unspoken.UnspokenError, match=r"plan\.events"):
        unspoken.plan(unspoken.Joint([[1, 2], [3, 4]], ["A", "B"]), by="record", events=events)
