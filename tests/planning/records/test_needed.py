"""Cells of next to no mass in one context, and of much in another: what rows need is shown."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.effort import tries
from tests.planning.records.enumerated import worst_odds
from unspoken.core.numerics.arrays import Array
from unspoken.planning.protection import Protection
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.needed import needed
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import IntegerTable, broken, held

# Given x0 = 1 the secret has 6e-12 of the first context, and a quarter of the second: in the first
# x0 = 1 alone has to be shown of those without it in 4e-12 of them, which a solver takes for 0.
FIRST = [[0.27, 0.0, 0.08], [6e-12, 0.0, 0.65 - 6e-12]]
SECOND = [[0.0, 0.33, 0.01], [0.27, 0.26, 0.13]]


SLACKED = 22  # draws rows that nearly cancel: what they leave for rounding cost .2 % of all shown


def joint(law: Any) -> unspoken.Joint:
    law = np.array(law)
    return unspoken.Joint(law / law.sum())


@pytest.mark.parametrize("cap", [1.5, 2.0, 4.0])
def test_a_cell_of_no_mass_in_one_context_costs_nothing(cap: float) -> None:
    """It cost half of all that can be shown where its cells were silenced instead."""
    both = [(13, joint(FIRST)), (5, joint(SECOND))]
    plan = unspoken.plan(None, contexts=both, by="record", sensitive={"x1": [0]}, odds_cap=cap)
    assert plan.gap < 2e-5
    assert plan.odds.value <= cap * (1 + 1e-12)
    for k in (0, 1):
        odds = worst_odds(
            plan, both[k][1], {"x0", "x1"}, lambda x: x["x1"] == 0, lambda x: x["x1"] != 0
        )
        assert odds <= cap


def drawn(
    seed: int,
) -> tuple[np.random.Generator, list[tuple[int, unspoken.Joint]], dict[str, Any]]:
    """Two contexts with cells down to 1e-8, and what is asked."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 4, rng.integers(2, 4)))
    contexts = []
    for _ in range(2):
        law = rng.random(shape) ** rng.integers(1, 4) + 1e-3
        rare = rng.random(shape) < 0.3
        law = np.where(rare, law * 10.0 ** -rng.integers(2, 7, shape), law)
        contexts.append(
            (int(rng.integers(1, 100)), joint(np.where(rng.random(shape) < 0.1, 0, law)))
        )
    names = contexts[0][1].domain.names
    sensitive = {name: [0] for name in names if rng.random() < 0.6} or {names[0]: [0]}
    asked = {"sensitive": sensitive, "odds_cap": float(rng.choice([1.5, 2.0, 4.0, 10.0]))}
    if len(names) > 2 and rng.random() < 0.4:
        asked["coalitions"] = [names[:2], names[1:]]
    return rng, contexts, asked


@pytest.mark.slow
@pytest.mark.stress
@pytest.mark.parametrize("seed", sorted({*range(tries(12)), SLACKED}))
def test_no_context_is_told_more_and_no_rival_shows_more(seed: int) -> None:
    rng, contexts, asked = drawn(seed)
    plan = unspoken.plan(None, contexts=contexts, by="record", **asked)
    cap, secrets = asked["odds_cap"], asked["sensitive"]
    assert plan.gap < 2e-5
    laws = np.stack([each.table for _, each in contexts])
    for mix in [*np.eye(2), *rng.dirichlet([0.5, 0.5], 4)]:
        belief = joint(np.tensordot(mix, laws, 1))
        for sees, (name, values) in itertools.product(
            asked.get("coalitions", [belief.domain.names]), secrets.items()
        ):
            odds = worst_odds(
                plan, belief, {*sees},
                lambda x, n=name, v=values: x[n] in v, lambda x, n=name, v=values: x[n] not in v,
            )  # fmt: skip
            assert odds <= cap * (1 + 1e-11)
    protection = Protection(sensitive=secrets, odds_cap=cap, coalitions=asked.get("coalitions"))
    problem = RecordProblem.of(None, protection, RecordOptions(contexts=contexts))
    cells = problem.cells()
    rows, pairs = problem.rules(cells), Pairs.of(cells)
    for _ in range(4):
        shares = rng.dirichlet(np.ones(len(pairs)) * rng.choice([0.1, 1.0]))
        whole = np.add.reduceat(shares, pairs.first)[pairs.cell]
        layout = Layout.over(cells, pairs, problem.sees(), rows)
        rival = held(
            IntegerTable.of(cells, pairs, needed(layout, (shares / whole).astype(np.float64))),
            problem.sees(),
            rows,
        )
        over = Layout.over(cells, rival.pairs, problem.sees(), rows)
        assert not any(len(broken(rival, each)) for each in over.watched)
        values = Layout(cells, rival.pairs, ()).values(problem.prices(cells))
        assert float(values @ rival.shares) <= plan.bound.high


def test_what_nothing_needs_stays() -> None:
    """And each cell is shown in one way, whatever a solver's sums are off."""
    problem = RecordProblem.of(
        joint([[0.2, 0.3], [0.1, 0.4]]), Protection(sensitive={"x1": [0]}), RecordOptions()
    )
    cells = problem.cells()
    pairs = Pairs.of(cells)
    layout = Layout.over(cells, pairs, problem.sees(), problem.rules(cells))
    silent: Array = pairs.rest.astype(np.float64) * (1 + 1e-9)
    assert needed(layout, silent).tolist() == pairs.rest.astype(float).tolist()
