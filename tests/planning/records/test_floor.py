"""The floor that needs no belief, beside every plan."""

import numpy as np
import pytest

import unspoken
from tests.planning.records.enumerated import objective, patterns, records, shown, worst_odds
from unspoken.planning.protection import Protection
from unspoken.planning.records import task as records_task
from unspoken.planning.records.bits import nats
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.floor import is_floor
from unspoken.planning.records.model import Model
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.quiet import quieter
from unspoken.planning.records.rounding import held

RNG = np.random.default_rng(3)
BELIEF = unspoken.Joint(RNG.integers(1, 60, (3, 2, 3)), names="ABC")
SENSITIVE = {"A": [0], "B": [1], "C": []}


def planned(belief=BELIEF, **more):
    return unspoken.plan(belief, by="record", **{"sensitive": SENSITIVE, **more})


def test_it_shows_all_of_a_record_without_a_secret_or_nothing():
    floor = planned(odds_cap=4.0).floor
    for record, told in shown(floor).items():
        labels = dict(record)
        whole = {frozenset("ABC"): 0.75, frozenset(): 0.25}
        silent = labels["A"] == 0 or labels["B"] == 1
        expected = {frozenset(): 1.0} if silent else whole
        assert {k: float(w) for k, w in told.items() if w} == pytest.approx(expected)
    assert len(shown(floor)) == 6
    assert float(objective(floor, BELIEF)) == pytest.approx(floor.objective)
    assert floor.share == pytest.approx(floor.objective / 3)


@pytest.mark.parametrize(
    "more", [{}, {"weights": {"A": 3.0, "C": 0.5}}, {"odds_cap": 1.0}], ids=str
)
def test_nothing_shown_is_what_holds_it_back(more):
    """Of records with a secret always; a larger cap adds what its price says."""
    asked = {"odds_cap": 4.0, **more}
    floor, larger = (
        planned(**asked | {"odds_cap": f * asked["odds_cap"]}).floor for f in (1, 1.0001)
    )
    (bind,) = floor.binding
    assert (bind.shown, bind.about) == ({}, "any secret")
    added = (larger.objective - floor.objective) / np.log(1.0001)
    assert bind.price == pytest.approx(added, rel=1e-3)
    law, table = BELIEF.marginal([*"ABC"]), shown(floor)
    nothing = sum(
        law[tuple(record.values())] * float(patterns(floor, record, table).get(frozenset(), 0))
        for record in records(BELIEF.domain)
    )
    assert bind.given == pytest.approx(nothing)
    assert bind.probability == pytest.approx(1 / asked["odds_cap"])
    assert {bind.costs(name) for name in "ABC"} == {bind.price}
    assert not planned(odds_cap=None).floor.binding


def test_no_belief_makes_it_tell_more_than_the_cap():
    floor = planned(odds_cap=4.0).floor
    for _ in range(20):
        law = RNG.dirichlet(np.full(18, 0.1)).reshape(3, 2, 3)
        belief = unspoken.Joint(law, names="ABC")
        for a, b in ((0, None), (None, 1), (0, 1)):

            def inside(x, a=a, b=b):
                return (a is None or x["A"] == a) and (b is None or x["B"] == b)  # fmt: skip

            odds = worst_odds(floor, belief, "ABC", inside, lambda x, f=inside: not f(x))
            assert odds <= 4


def test_a_plan_that_gains_little_says_so():
    rich = planned()
    assert rich.gain == pytest.approx(rich.share - rich.floor.share)
    assert rich.gain > 0.05
    assert "not worth it" not in repr(rich)
    assert "without any belief" in repr(rich)
    # Hardly any record has a secret.
    law = np.full((3, 3), 100)
    law[0] = 1
    rare = unspoken.Joint(law)
    poor = unspoken.plan(rare, by="record", sensitive={"x0": [0], "x1": []}, odds_cap=100.0)
    assert poor.gain < 0.05
    assert "not worth it: use .floor" in repr(poor)


@pytest.mark.parametrize(
    "more",
    [{"floor": 0.5}, {"limit_bits": 0.02}, {"unbiased": True}, {"pooled_cap": 2.0}, {"reads": "C"}],
    ids=str,
)
def test_it_keeps_what_else_is_asked(more):
    more = {**more, "reads": ["C"]} if "reads" in more else more
    plan = planned(**more)
    assert 0 <= plan.floor.objective <= plan.bound.high
    limit = more.get("limit_bits", np.inf)
    assert plan.floor.objective > 0 or "unbiased" in more
    assert all(bound.bits <= limit for bound in plan.floor.information.values())
    assert plan.floor.odds.value <= more.get("pooled_cap", 4.0)


def test_rows_are_held_once_however_much_silence_a_limit_on_bits_takes(monkeypatch):
    """Of sets of beliefs and contexts that takes seconds each time."""
    laps = []

    def counted(table, *rows):
        laps.append(table)
        return held(table, *rows)

    monkeypatch.setattr(records_task, "held", counted)
    floor = planned(limit_bits=0.02).floor
    assert len(laps) <= 4  # the plan and its floor, and both with the silence that mends them
    told = [bound.bits for bound in floor.information.values()]
    assert 0.0198 < max(told) <= 0.02  # no more silence than it takes


def test_of_all_optima_one_that_tells_little_is_taken():
    """As much is shown, and no more bits are told, nor always as many."""
    less = []
    for seed in range(4):
        table = np.random.default_rng(seed).integers(0, 3, (3, 2, 3)).astype(float)
        belief, sees = unspoken.Joint(table, names="ABC"), [["A", "B"], ["C"]]
        problem = RecordProblem.of(
            belief, Protection(sensitive=SENSITIVE, odds_cap=2.0, coalitions=sees), RecordOptions()
        )
        cells = problem.cells()
        layout = Layout.of(cells, Pairs.of(cells), problem.sees(), problem.rules(cells))
        values = layout.values(problem.prices(cells))
        model = Model.of(layout, values)
        solved = model.solve()
        limits = problem.limits(cells, all_of_them=True)
        quiet = quieter(model, solved, limits)
        assert quiet.x[: len(values)] @ values == pytest.approx(solved.objective, rel=3e-7)
        told = [
            sum(nats(cells, layout.pairs, np.clip(each.x[: len(values)], 0, 1), b) for b in limits)
            for each in (solved, quiet)
        ]
        assert told[1] <= told[0]
        less.append(told[1] < told[0] - 1e-3)
    assert any(less)


def test_a_floor_is_known_by_its_table():
    """By what it shows of whom, and how often; not by whence it is."""
    both = planned(odds_cap=4.0)
    assert is_floor(both.floor.mechanism, SENSITIVE, 4.0)
    assert is_floor(both.floor.mechanism.showing(["C"]), SENSITIVE, 4.0)
    assert not is_floor(both.floor.mechanism, SENSITIVE, 3.9)
    assert not is_floor(both.floor.mechanism, {**SENSITIVE, "C": [0]}, 4.0)
    assert not is_floor(both.floor.mechanism, {**SENSITIVE, "D": [0]}, 4.0)
    assert not is_floor(both.mechanism, SENSITIVE, 4.0)


def test_what_extends_a_floor_is_none():
    """Both together show more of a record, and it may have names that the floor had not."""
    two = unspoken.Joint(BELIEF.marginal(["A", "B"]), ["A", "B"], BELIEF.domain.values[:2])
    hidden = {"A": [0], "B": [1]}
    first = planned(two, sensitive=hidden, odds_cap=2.0).floor.mechanism
    assert is_floor(first, hidden, 2.0)
    more = planned(odds_cap=4.0, extends=first).mechanism
    assert {*more.delivered} == {"A", "B", "C"}
    assert not is_floor(more, SENSITIVE, 4.0)
