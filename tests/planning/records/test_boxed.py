"""Plans that hold for every belief of a set: vectors, closed forms, members, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import unspoken
from tests.planning.records.laws import laws_of
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.families import WHOLE, Side
from unspoken.core.families.searched import Pair
from unspoken.planning.protection import Protection
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.planned import Planned
from unspoken.planning.records.planner import of_one_belief, plan_records
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.records.solver import Program
from unspoken.tables.learning.intervals import confidence

VECTORS = Path(__file__).parents[2] / "vectors" / "best-release.json"
BOXES = [v for v in json.loads(VECTORS.read_text())["vectors"] if v["kind"] == "record_box"]


@pytest.mark.parametrize("vector", BOXES, ids=lambda vector: vector["id"])
def test_vectors(vector):
    given, expected = vector["inputs"], vector["expected"]["objective"]
    counts = np.array(given["counts"])
    names = [f"x{axis}" for axis in range(counts.ndim)]
    ends = {}
    for event, (low, up) in given["box"].items():
        axis, labels = event.split(":")
        key = names[int(axis)], tuple(map(int, labels.split(",")))
        ends[key] = np.reshape(low, counts.shape), np.reshape(up, counts.shape)
    found = unspoken.plan(
        unspoken.Intervals(unspoken.Joint(counts, names), ends),
        by="record",
        sensitive={name: own for name, own in zip(names, given["sensitive"], strict=True) if own},
        odds_cap=given["cap"],
        events=[
            {names[int(axis)]: [*map(int, labels.split(","))]}
            for axis, labels in (event.split(":") for event in given["box"])
        ],
    )
    assert expected * (1 - 2e-5) <= found.objective <= expected * (1 + 1e-9)
    assert expected * (1 - 1e-9) <= found.bound.high <= expected * (1 + 1e-5)
    assert found.odds.odds <= given["cap"]


def _best(side: Side, weights: np.ndarray, sign: int) -> float:
    """The end of a mean, as a linear program in Q and t = 1 / P(side)."""
    size = len(weights)
    turn = 1 / side.most, 1 / side.least if side.least else 1e6
    solved = Program(
        np.append(sign * weights, 0.0),
        laws_of(side),
        np.append(np.zeros(size), turn[0]),
        np.append(np.ones(size), turn[1]),
    ).solve()
    assert solved.optimal
    return sign * solved.objective


@pytest.mark.parametrize("seed", range(30))
def test_the_ends_of_an_answer_are_those_of_a_linear_program(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    law = rng.dirichlet(np.full(size, 0.7)) * rng.uniform(0.2, 1)
    low, up = np.maximum(0, law - rng.uniform(0, 0.2, size)), law + rng.uniform(0, 0.2, size)
    total = float(law.sum())
    side = [
        Side(low / total, up / total),
        Side(low, up, total * rng.uniform(0.5, 1), min(1.0, total * rng.uniform(1, 1.5))),
        Side(0 * low, up, 0.0, 1.0),
    ][seed % 3]
    weights = np.round(rng.uniform(0, 1, size), 1 + seed % 2) * (np.arange(size) < 4)
    whole = [round(weight * 2**62) for weight in weights.tolist()]
    for sign in (-1, 1):
        end = side.end(range(size), whole, sign) / (WHOLE * 2**62)
        assert end == pytest.approx(_best(side, weights, sign), abs=2e-6)


def _planned(belief, cap: float, sensitive, **options) -> Planned:
    more = RecordOptions(**options)
    protection = Protection(sensitive=sensitive, odds_cap=cap)
    return plan_records(RecordProblem.of(belief, protection, more))


def _kernel(planned: Planned) -> np.ndarray:
    """How likely each cell gives each answer of somebody who sees all."""
    table = planned.table
    answers = Answers.of(table.cells, table.pairs, table.cells.reads)
    kernel = np.zeros((len(table.cells), len(answers)))
    np.add.at(kernel, (table.pairs.cell, answers.of_pair), table.shares)
    return kernel


def _worst(planned: Planned, belief) -> float:
    """The largest odds of an answer about an event, as the set itself says."""
    found = [
        belief.furthest(Pair(event.inside, event.outside, event.inside | event.outside), kernel)
        for event in planned.problem.about(planned.table.cells)
        for kernel in _kernel(planned).T
    ]
    return float(np.exp(max(each.log_ratio for each in found if each is not None)))


COUNTS = np.random.default_rng(5).multinomial(900, np.random.default_rng(6).dirichlet(np.ones(24)))
COUNTS = COUNTS.reshape(2, 3, 4)
NAMES = ["a", "b", "c"]


def _learned(scale: float | None = None, counts: np.ndarray = COUNTS, sensitive=None):
    return confidence.box(
        counts, unspoken.Joint(counts, NAMES), sensitive or {"a": [1]}, rows=int(counts.sum()),
        scale=scale, confidence=0.9,
    )  # fmt: skip


@pytest.mark.parametrize("events", ["default", "attribute"])
@pytest.mark.parametrize("secrets", [{"a": [1]}, {"b": [0, 2]}, {"a": [1], "c": [0, 2]}])
def test_a_set_says_itself_that_the_cap_holds(events, secrets):
    belief = _learned(2.0, sensitive=secrets)
    planned = _planned(belief, 3.0, secrets, events=events)
    assert 1 < _worst(planned, belief) <= planned.odds.odds <= 3.0
    assert planned.objective <= planned.upper <= planned.objective * (1 + 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("eta", [0.01, 0.3])
def test_no_table_of_a_box_breaks_the_cap(eta):
    centre = unspoken.Joint(COUNTS, NAMES)
    box = unspoken.Box.within(centre, eta)
    planned = _planned(box, 2.0, {"a": [1], "b": [0]})
    kernel, rng = _kernel(planned), np.random.default_rng(1)
    assert _worst(planned, box) <= 2.0
    for _ in range(200):
        turns = rng.choice([-eta / 2, eta / 2], COUNTS.size)  # and as much for what they sum to
        table = centre.table.ravel() * np.exp(turns)
        for event in planned.problem.about(planned.table.cells):
            secret, other = (
                table[side] @ kernel[side] / table[side].sum()
                for side in (event.inside, event.outside)
            )
            assert (secret <= 2.0 * other * (1 + 1e-9)).all()
    # A plug-in plan is no plan for the box.
    assert _worst(_planned(centre, 2.0, {"a": [1], "b": [0]}), box) > 2.0 * 1.01


def test_answers_with_intervals_of_their_own_show_more():
    counts = np.random.default_rng(5).multinomial(
        20_000, np.random.default_rng(6).dirichlet(np.ones(120))
    )
    belief = _learned(2.0, counts.reshape(2, 10, 6))
    plain = unspoken.Intervals(
        belief.centre,
        {
            key: (d.low.reshape(2, 10, 6), d.up.reshape(2, 10, 6))
            for key, d in belief.events.items()
        },
    )
    both = [_planned(each, 2.0, {"a": [1]}, reads=["b", "c"]) for each in (plain, belief)]
    assert both[1].objective > 1.05 * both[0].objective
    assert _worst(both[1], belief) <= 2.0 < _worst(both[1], plain)


def test_what_is_known_of_events_narrows_what_is_said_of_others():
    belief = _learned(sensitive={"a": [1], "c": [0]})
    a, c = (declared for declared in belief.events.values())
    either = belief.side(a.cells | c.cells)
    assert either.least >= max(a.weight[0], c.weight[0]) - 1e-12
    assert either.most <= a.weight[1] + c.weight[1] + 1e-12
    both = belief.side(a.cells & c.cells)
    assert 0 < both.least < both.most < 1
    for side in (either, both):
        law = np.where(side.cells, belief.centre.table.ravel(), 0.0)
        law /= law.sum()
        assert (law >= side.low / side.most - 1e-12).all()
        assert (law <= side.up / side.least + 1e-12).all()


@pytest.mark.parametrize("eta", [0.0, 0.1])
def test_what_binds_says_what_a_larger_cap_adds(eta):
    belief = unspoken.Box.within(unspoken.Joint(COUNTS, NAMES), eta)
    plans = [_planned(belief, cap, {"a": [1]}) for cap in (2.0, 2.0 * 1.0001)]
    gained = plans[1].objective - plans[0].objective
    assert sum(each.price for each in plans[0].binding) * 1e-4 == pytest.approx(gained, rel=0.05)


def test_a_list_of_beliefs_has_a_row_for_each():
    tables = np.random.default_rng(3).dirichlet(np.ones(24), 3).reshape(3, 2, 3, 4)
    members = [unspoken.Joint(table, NAMES) for table in tables]
    planned = _planned(unspoken.Beliefs(members), 2.0, {"a": [1]})
    kernel, (event,) = _kernel(planned), planned.problem.about(planned.table.cells)
    for law in tables.reshape(3, -1):
        secret, other = (
            law[side] @ kernel[side] / law[side].sum() for side in (event.inside, event.outside)
        )
        assert (secret <= 2.0 * other).all()
    assert planned.objective < _planned(members[0], 2.0, {"a": [1]}).objective


def test_contexts_of_boxes_hold_for_any_knowledge_of_the_context():
    eta, rng = 0.05, np.random.default_rng(9)
    tables = rng.dirichlet(np.ones(24), 2).reshape(2, 2, 3, 4)
    boxes = [unspoken.Box.within(unspoken.Joint(table, NAMES), eta) for table in tables]
    planned = _planned(
        None, 3.0, {"a": [1]}, contexts=[(2, boxes[0]), (1, boxes[1])], events="attribute"
    )
    kernel, (event,) = _kernel(planned), planned.problem.about(planned.table.cells)
    for _ in range(300):
        weight = rng.choice([0.0, 0.5, 1.0, rng.uniform()])
        laws = tables.reshape(2, -1) * np.exp(rng.choice([-eta / 2, eta / 2], (2, 24)))
        mixed = np.array([weight, 1 - weight]) @ (laws / laws.sum(1, keepdims=True))
        secret, other = (
            mixed[side] @ kernel[side] / mixed[side].sum() for side in (event.inside, event.outside)
        )
        assert (secret <= 3.0 * other * (1 + 1e-9)).all()
    assert planned.objective > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_one_belief_of_a_set_bounds_what_holds_for_all(seed):
    """With several events, coalitions, contexts, and limits that only the set's plan keeps."""
    rng = np.random.default_rng(seed)
    tables = rng.dirichlet(np.full(24, rng.choice([0.3, 1.0])), 2).reshape(2, 2, 3, 4)
    eta, several = (1e-6, 0.05, 0.3, 0.0)[seed % 7 % 4], seed % 2 == 1
    boxes = [unspoken.Box.within(unspoken.Joint(table, NAMES), eta) for table in tables]
    secrets = {"a": [1], "b": [0]} if several else {"a": [1]}
    if seed % 3 == 2:
        boxes[0] = _learned(counts=rng.poisson(30 * tables[0] * 24) + 1, sensitive=secrets)
    more = RecordOptions(
        contexts=[(2, boxes[0]), (1, boxes[1])] if seed % 3 == 1 else None,
        pooled_cap=3.0 if several else None,
        own_reads=seed % 4 == 1,
    )
    pools = [NAMES[:2], NAMES[1:]] if several else None
    bits = 0.01 if seed % 4 == 0 else None
    belief = None if more.contexts else boxes[0]
    protection = Protection(bits, secrets, odds_cap=2.0, coalitions=pools)
    problem = RecordProblem.of(belief, protection, more)
    found, bound = plan_records(problem), plan_records(of_one_belief(problem)).upper
    assert 0 < found.objective <= bound
    if eta == 0.0 and seed % 4 > 1:  # one belief, which has nothing but its caps
        assert bound == pytest.approx(found.objective, rel=2e-5)


def test_values_without_rows_keep_their_rows():
    counts = COUNTS.copy()
    counts[1] = 0
    planned = _planned(_learned(counts=counts), 3.0, {"a": [1]})
    assert planned.objective > 0
    # Nothing is known of who has the secret: what any of them shows keeps the cap by itself.
    kernel = _kernel(planned).reshape(2, 12, -1)
    others = counts[0].ravel() @ kernel[0] / counts[0].sum()
    assert (kernel[1] <= 3.0 * others).all()


def test_what_has_no_intervals_is_refused_by_name():
    rows = unspoken.Rows(np.full((2, 2), 0.1), np.full((2, 2), 0.9), given=["x0"])
    with pytest.raises(NotKnown, match="set of beliefs and has no intervals for its cells"):
        unspoken.plan(rows, by="record", sensitive={"x0": [0]})
    pair = unspoken.Beliefs([unspoken.Joint(COUNTS, NAMES)] * 2)
    with pytest.raises(InputError, match=r"plan\.contexts: take a single belief each"):
        unspoken.plan(by="record", sensitive={"a": [1]}, contexts=[(1, pair), (1, pair)])
