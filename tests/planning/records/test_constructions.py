"""Where one way to a table loses something, the next is tried: tied shares, large caps, floors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import unspoken
from tests.planning.records.exact_program import ExactProgram
from tests.planning.records.test_ties import LOST, OPTIONS, drawn, planned

pytestmark = pytest.mark.slow


def largest_smallest_share(counts, sensitive, cap, sees, groups, readers):
    """The most that the smallest share can be, by a linear program of its own."""
    program = ExactProgram(np.asarray(counts), sensitive, None)
    program.add_caps(cap, sees)
    program.add_equations(groups)
    shares = np.zeros((len(readers), len(program.at) + 1))
    for (x, names), j in program.at.items():
        for k, reader in enumerate(readers):
            mass = counts[x] / counts.sum()
            shares[k, j] = -mass * len({*names} & {*reader}) / len(reader)
    shares[:, -1] = 1.0  # the smallest share is no larger than any
    lines = np.pad(np.array(program.lines, dtype=float), ((0, 0), (0, 1)))
    solved = linprog(
        np.append(np.zeros(len(program.at)), -1.0),
        A_ub=np.concatenate([lines, shares]),
        b_ub=np.concatenate([np.array(program.ends, dtype=float), np.zeros(len(readers))]),
    )
    assert solved.status == 0
    return -solved.fun


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("option", OPTIONS)
def test_the_smallest_share_is_as_large_as_it_can_be(option, seed):
    counts, sensitive, sees, cap = drawn(seed)
    options, groups = OPTIONS[option](sees, counts.ndim)
    readers = [(0,), tuple(range(1, counts.ndim))]
    shares = {str(k): [f"x{i}" for i in reader] for k, reader in enumerate(readers)}
    plan = planned(counts, sensitive, cap, sees, shares=shares, **options)
    most = largest_smallest_share(counts, sensitive, cap, sees, groups, readers)
    assert (1 - LOST) * most - 1e-8 <= min(plan.shares.values()) <= most + 1e-8


@pytest.mark.parametrize(
    ("counts", "sensitive", "cap", "most"),
    [
        ([[4, 2], [2, 0], [2, 4]], [[1], [1]], 2.0, 0.178882),
        ([[5, 1, 2], [1, 5, 6]], [[0], [2]], 1.5, 0.0875),
    ],
)
def test_a_tie_does_not_cost_the_smallest_share(counts, sensitive, cap, most):
    """It was 0, while the bound on the sum said that nothing was missed."""
    shares = {"first": ["x0"], "second": ["x1"]}
    sensitive = dict(zip(["x0", "x1"], sensitive, strict=True))
    plan = unspoken.plan(
        unspoken.Joint(counts), by="record", sensitive=sensitive, odds_cap=cap, unbiased=True,
        shares=shares,
    )  # fmt: skip
    assert min(plan.shares.values()) == pytest.approx(most, rel=1e-4)
    assert "patterns" not in plan.bound.why


@pytest.mark.parametrize("cap", [1e5, 1e6, 1e7, 1e12, 1e308])
def test_a_large_cap_shows_no_less(cap):
    """Numbers that are far apart are too much for a solver: then smaller caps serve."""
    counts = [
        [[[9, 2], [5, 6], [1, 0]], [[3, 9], [8, 6], [5, 8]]],
        [[[8, 10], [6, 2], [9, 2]], [[0, 2], [8, 9], [7, 0]]],
    ]
    sensitive = {"x0": [1], "x1": [1], "x2": [], "x3": []}
    for options in ({"unbiased": True}, {"own_reads": True}, {}):
        plan = unspoken.plan(
            unspoken.Joint(counts), by="record", sensitive=sensitive, odds_cap=cap,
            events="attribute", **options,
        )  # fmt: skip
        assert plan.objective >= 0.999 * plan.bound.high
        assert plan.bound.high <= 3.2


@pytest.mark.parametrize(
    ("counts", "cap", "options", "most"),
    [
        ([[[7, 2], [6, 2]], [[7, 2], [6, 5]]], 1.0, {"floor": 1.0}, 1.76524),
        (
            [[[2, 3, 1], [1, 1, 0]], [[1, 0, 0], [1, 0, 2]]],
            3.0,
            {"floor": 2.0, "unbiased": True},
            1.542074,
        ),
    ],
)
def test_a_floor_beside_a_tie_costs_nothing(counts, cap, options, most):
    """e to an epsilon is no short fraction, so no equation may rest on it."""
    sensitive = {"x0": [1], "x1": [], "x2": []}
    plan = unspoken.plan(
        unspoken.Joint(counts), by="record", sensitive=sensitive, odds_cap=cap, **options
    )
    assert plan.objective == pytest.approx(most, rel=1e-5)
    assert plan.odds.high <= Fraction(cap)


def test_what_cannot_be_kept_in_exact_probabilities_is_said():
    """A cap of 1 asks for an equation for each answer, here with large numbers."""
    rng = np.random.default_rng(0)
    counts = rng.integers(10**8, 10**9, (2, 3, 2))
    plan = unspoken.plan(unspoken.Joint(counts), by="record", odds_cap=1.0, sensitive={"x0": [1]})
    lost = 1 - plan.objective / plan.bound.high
    said = "no exact probabilities were found that keep every limit"
    assert (said in plan.bound.why) == (lost > 0.01)
    assert plan.odds.high <= 1.0
