"""Programs of sets with one threshold for all sides without the secret: sound, nearly as good."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from tests.planning.records.laws import laws_of
from unspoken.core.beliefs import Belief
from unspoken.core.families import WHOLE
from unspoken.planning.protection import Protection
from unspoken.planning.records import planner, routes
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.boxed import BoxRows
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.planner import plan_records
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.solver import Program
from unspoken.planning.records.task import Task

NAMES = ["a", "b", "c"]


def _problem(seed: int) -> RecordProblem:
    """Of counts, learned or in a box; two secrets or one, coalitions, contexts."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, 3)
    secrets = {"a": [0], "b": [1]} if seed % 2 else {"a": [0]}
    sets: list[Belief] = []
    for _ in range(2 if seed % 5 == 4 else 1):
        table = rng.dirichlet(np.full(sizes.prod(), rng.choice([0.3, 1.0, 3.0]))).reshape(sizes)
        if seed % 3 == 0:
            sets.append(
                unspoken.Box.within(unspoken.Joint(table, NAMES), 10 ** rng.uniform(-4, -1))
            )
            continue
        counts = rng.multinomial(int(10 ** rng.uniform(2, 5)), table.ravel())
        codes = np.unravel_index(np.repeat(np.arange(counts.size), counts), sizes)
        rows = pa.table(dict(zip(NAMES, codes, strict=True)))
        values = {name: list(range(size)) for name, size in zip(NAMES, sizes.tolist(), strict=True)}
        sets.append(unspoken.learn(rows, values=values, secrets=secrets, confidence=0.95))
    contexts = [(2, sets[0]), (1, sets[1])] if len(sets) == 2 else None
    pools = [["a", "b"], ["b", "c"]] if seed % 4 == 3 else None
    more = RecordOptions(contexts=contexts, unbiased=seed % 7 == 6)
    first = None if contexts else sets[0]
    cap = rng.choice([1.5, 3.0])
    protection = Protection(sensitive=secrets, odds_cap=cap, coalitions=pools)
    return RecordProblem.of(first, protection, more)


@pytest.mark.parametrize("seed", range(24))
def test_both_ends_hold_the_best_that_thresholds_of_their_own_find(seed: int) -> None:
    """What is shown keeps every row, so it is at most that; and no release exceeds the bound."""
    problem = _problem(seed)
    task = Task.of(problem, problem.cells())
    every = (float("inf"), "")
    best = planner._over(task, None, every)
    found = planner._over(task, None, every, common=True)
    assert found.objective <= best.upper
    assert best.objective <= found.upper
    assert found.odds.odds <= problem.cap


def _rows(seed: int) -> tuple[BoxRows, Pairs]:
    problem = _problem(seed)
    cells = problem.cells()
    layout = Layout.of(cells, Pairs.of(cells), problem.sees(), problem.rules(cells))
    return BoxRows.of(layout, len(layout.pairs) + 1, common=True), layout.pairs


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_any_parts_stand_for_a_law_of_the_side_or_for_more_than_one(seed: int) -> None:
    """A law below it: a linear program of t = 1 / P(side) and of what each cell has."""
    boxed, _ = _rows(seed)
    rng = np.random.default_rng(seed)
    for end in [end for end in boxed.ends.values() if end.common is not None][:4]:
        law, side = end.law_of(rng.random(len(end.places)) ** 3), end.side
        size = len(side.low)
        for answer in rng.permutation(np.unique(end.masses.answer))[:5].tolist():
            at = end.masses.answer == answer
            most = np.ones(size)
            most[end.masses.cell[at]] = law[at]
            solved = Program(
                np.zeros(size + 1),
                laws_of(side),
                np.append(np.zeros(size), 1 / side.most),
                np.append(most, 1 / side.least if side.least else np.inf),
            ).solve()
            assert solved.optimal, (answer, law[at])


@pytest.mark.parametrize("seed", range(12))
def test_the_worst_parts_are_those_of_the_least_an_answer_can_have(seed: int) -> None:
    """As the set's own whole numbers have it, where counts of the side itself gave intervals."""
    boxed, pairs = _rows(seed)
    x = np.random.default_rng(seed).random(len(pairs))
    every = [(end, key[1]) for key, end in boxed.ends.items() if end.common is not None]
    asked = [(end, sees) for end, sees in every if end.side.conditional]
    for end, sees in asked:
        masses = end.masses
        given = np.bincount(masses.place, x[masses.pair], len(masses.cell))
        least = np.bincount(masses.answer, end.law_of(end.worst(x)) * given, masses.answers)
        answers = Answers.of(boxed.layout.cells, pairs, sees, 0)
        axes = pairs.pattern[answers.first] & sees
        for answer in range(masses.answers):
            at = np.flatnonzero(masses.answer == answer)
            if len(at):
                weights = np.floor(given[at] * 2**62).astype(object).tolist()
                told = end.side.end(masses.cell[at].tolist(), weights, -1, int(axes[answer]))
                assert least[answer] == pytest.approx(told / WHOLE / 2**62, rel=1e-9, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2, 7])
def test_a_plan_loses_no_more_than_what_it_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too much may be left, each side has a threshold of its own after all."""
    problem = _problem(seed)
    best = plan_records(problem)
    monkeypatch.setattr(routes, "LARGE", 0)
    found = plan_records(problem)
    assert found.objective >= best.objective * (1 - planner.ENOUGH)
    assert best.objective * (1 - 1e-9) <= found.upper


def _extending(seed: int) -> RecordProblem:
    """Two applications, the smaller share first, beside what is out."""
    secrets: dict[str, list[Any]] = {"a": [0, 1]}
    table = np.random.default_rng(seed).dirichlet(np.ones(18)).reshape(3, 3, 2)
    box = unspoken.Box.within(unspoken.Joint(table, NAMES), 0.03)
    first = unspoken.plan(box, by="record", sensitive=secrets, odds_cap=1.6).mechanism
    assert isinstance(first, unspoken.Suppression)
    more = RecordOptions(shares={"one": ["a"], "two": ["b", "c"]}, extends=first)
    return RecordProblem.of(box, Protection(sensitive=secrets, odds_cap=2.0), more)


@pytest.mark.parametrize("seed", [2, 46, 76, 184])
def test_the_smallest_share_loses_no_more(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made as large as can be before the sum, and has a bound of its own."""
    problem = _extending(seed)
    best = min(plan_records(problem).shares.values())
    monkeypatch.setattr(routes, "LARGE", 0)
    common = planner._with_common_thresholds(Task.of(problem, problem.cells()))
    assert common is not None
    assert common.objective >= common.upper * (1 - planner.ENOUGH)
    assert best * (1 - 5e-2) < min(common.shares.values()) < best * (1 - planner.ENOUGH)
    assert best <= min(common.shares.values()) / common.fair * (1 + 1e-6)
    found = plan_records(problem)
    assert min(found.shares.values()) >= best * (1 - planner.ENOUGH)
