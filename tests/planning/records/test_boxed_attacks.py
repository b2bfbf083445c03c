"""Ways in which a plan for a set of beliefs could be broken, each of which is stopped."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import unspoken
from unspoken.planning.protection import Protection
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.boxed import Sets
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.conditions import attribute_events
from unspoken.planning.records.planner import plan_records
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import IntegerTable, broken, held
from unspoken.tables.learning.intervals import confidence

NAMES = ["a", "b", "c"]
LAW = np.random.default_rng(2).dirichlet(np.full(40, 0.4)).reshape(2, 5, 4)


def _learned(counts: np.ndarray, level: float = 0.9):
    belief = unspoken.Joint(counts, NAMES)
    return confidence.box(counts, belief, {"a": [1]}, rows=int(counts.sum()), confidence=level)


def _odds(law: np.ndarray, belief, cap: float) -> float:
    """The worst that an answer of the plan does under a law."""
    options = RecordOptions(reads=NAMES[1:])
    asked = RecordProblem.of(belief, Protection(sensitive={"a": [1]}, odds_cap=cap), options)
    table = plan_records(asked).table
    answers = Answers.of(table.cells, table.pairs, table.cells.reads)
    masses = law[tuple(table.cells.codes.T)][table.pairs.cell] * table.shares
    secret = (table.cells.codes[:, 0] == 1)[table.pairs.cell]
    with_secret, without = (
        np.bincount(answers.of_pair, masses * side, len(answers)) for side in (secret, ~secret)
    )
    shares = float(law[1].sum()), float(law[0].sum())
    odds = (with_secret / shares[0])[with_secret > 0] / (without / shares[1])[with_secret > 0]
    return float(odds.max(initial=0.0))


@pytest.mark.slow
def test_plans_hold_under_the_law_that_the_rows_came_from():
    """A plan for the counts alone breaks its cap out of sample; one for the box does not."""
    rng, worst, plugged = np.random.default_rng(8), [], []
    for _ in range(8):
        counts = rng.multinomial(1_500, LAW.ravel()).reshape(LAW.shape)
        worst.append(_odds(LAW, _learned(counts), 3.0))
        plugged.append(_odds(LAW, unspoken.Joint(counts, NAMES), 3.0))
    assert max(worst) <= 3.0
    assert min(plugged) > 3.0


def test_cells_that_no_row_has_are_cells_of_the_program():
    """Lumped together as silent they would lend their mass to the answers of others."""
    counts = np.random.default_rng(8).multinomial(300, LAW.ravel()).reshape(LAW.shape)
    assert (counts == 0).sum() > 5
    options = RecordOptions(reads=NAMES[1:])
    asked = RecordProblem.of(
        _learned(counts), Protection(sensitive={"a": [1]}, odds_cap=3.0), options
    )
    planned = plan_records(asked)
    assert len(planned.table.cells) == LAW.size
    assert _odds(LAW, _learned(counts), 3.0) <= 3.0


def test_a_box_that_is_too_narrow_is_found_to_be():
    """What the test above says is no accident: where intervals miss the law, the cap is broken."""
    counts = np.random.default_rng(8).multinomial(1_500, LAW.ravel()).reshape(LAW.shape)
    narrow = unspoken.Box.within(unspoken.Joint((counts + 0.0) / counts.sum(), NAMES), 1e-3)
    assert _odds(LAW, narrow, 3.0) > 3.0


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_solver_finds_is_held_to_every_row(seed):
    """Thin answers may be far off: points inside a program keep rows but for a tolerance."""
    rng = np.random.default_rng(seed)
    centre = unspoken.Joint(LAW, NAMES)
    hidden = [np.array([False, True]), np.zeros(5, bool), np.zeros(4, bool)]
    cells = Cells.of(centre.domain, [LAW], [1.0], hidden, 0b110, True)
    rules = [
        *Sets.of([unspoken.Box.within(centre, 0.1)], cells).conditions(
            attribute_events(cells, {0: np.array([1])}), Fraction(3)
        )
    ]
    pairs = Pairs.of(cells)
    shares = rng.dirichlet(np.full(4, 0.3), len(cells)).ravel() * (1 + 1e-7)
    shares[rng.uniform(size=len(shares)) < 0.3] = 1e-12
    table = held(IntegerTable.of(cells, pairs, shares), [cells.reads], rules)
    for watched in Layout.over(cells, table.pairs, [cells.reads], rules).watched:
        assert not len(broken(table, watched))
    assert table.weights.min() >= 0


def test_least_suppression_is_not_enough():
    """The minimality attack: all is shown but of who has the secret, so that a blank gives it away.

    Held to its rows it keeps much of what it shows, and shows nothing to others as well.
    """
    centre, sees = unspoken.Joint(LAW, NAMES), 0b110
    hidden = [np.array([False, True]), np.zeros(5, bool), np.zeros(4, bool)]
    cells = Cells.of(centre.domain, [LAW], [1.0], hidden, sees, True)
    box = Sets.of([unspoken.Box.within(centre, 0.1)], cells)
    rules = [*box.conditions(attribute_events(cells, {0: np.array([1])}), Fraction(3))]
    pairs = Pairs.of(cells, np.array([sees]))
    secret = cells.codes[pairs.cell, 0] == 1
    least = IntegerTable.of(cells, pairs, np.where(secret, pairs.rest, ~pairs.rest).astype(float))
    table = held(least, [sees], rules)
    shown = [
        float((cells.probability[each.pairs.cell] * each.shares)[~each.pairs.rest].sum())
        for each in (least, table)
    ]
    assert any(len(broken(least, each)) for each in _watched(least, sees, rules))
    assert not any(len(broken(table, each)) for each in _watched(table, sees, rules))
    assert 0.5 * shown[0] < shown[1] < shown[0]


def _watched(table, sees, rules):
    return Layout.over(table.cells, table.pairs, [sees], rules).watched
