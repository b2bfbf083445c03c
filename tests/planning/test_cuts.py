"""Clouds at every p, the polynomials below what they tell, and the linear programme over them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import unspoken
from tests.effort import examples
from tests.planning.enumerated import Enumerated
from unspoken.planning.cuts import Cuts, corners, relaxed, simplex
from unspoken.planning.frontier import search
from unspoken.planning.joint_law import JointLaw
from unspoken.planning.limit_set import Allowed, LimitSet


def drawn(rng: np.random.Generator) -> Enumerated:
    shape = tuple(int(size) for size in rng.integers(2, 4, int(rng.integers(1, 5))))
    table = rng.dirichlet(np.full(math.prod(shape), 0.5)).reshape(shape)
    hidden = [
        tuple(sorted(rng.permutation(size)[: rng.integers(1, size + 1)].tolist())) for size in shape
    ]
    return Enumerated(table, hidden)


def joint_law_of(e: Enumerated) -> JointLaw:
    belief = unspoken.Joint(e.table)
    names = belief.domain.names
    hidden = {name: tuple(own) for name, own in zip(names, e.sensitive, strict=True)}
    return JointLaw.of(belief, hidden, hidden, names)


def at(row: np.ndarray, p: np.ndarray) -> float:
    """The value of one cut's polynomial."""
    return float(corners(row[None], p, p)[0, 0])


@given(st.integers(0, 2**32 - 1))
@examples(60)
def test_a_cloud_tells_what_enumeration_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    e = drawn(rng)
    joint = joint_law_of(e)
    p = rng.random(e.table.ndim) * (rng.random(e.table.ndim) < 0.8)
    answers = joint.at(p)
    said = e.said(p)
    cap = 1.5
    assert answers.mass.sum() == pytest.approx(1.0)
    assert answers.information == pytest.approx([told for told, *_ in said], rel=1e-9, abs=1e-14)
    worst = max(worst for _, worst, *_ in said)
    if worst > 0:
        assert answers.log_odds() == pytest.approx(math.log(worst), abs=1e-10)
    above = [mass[factor > cap].sum() for *_, factor, mass in said]
    assert answers.above(math.log(cap)) == pytest.approx(above, abs=1e-12)
    # What is necessary for an exemption never exceeds what the exemption counts.
    for event, beyond in zip(joint.events, answers.hockey_stick(math.log(cap)), strict=True):
        assert beyond <= above[event.target] + 1e-12


@given(st.integers(0, 2**32 - 1))
@examples(60)
def test_cuts_touch_and_stay_below(seed: int) -> None:
    rng = np.random.default_rng(seed)
    e = drawn(rng)
    joint, n = joint_law_of(e), e.table.ndim
    cuts, log_cap, exceed = Cuts(joint), math.log(2.0), 0.1
    here, there = joint.at(rng.random(n)), joint.at(rng.random(n))
    limits = np.full(len(joint.targets), 0.1)
    rows = cuts.information(here, np.arange(len(limits)), limits)
    for j, row in enumerate(rows):
        assert (at(row, here.p) + 1) * 0.1 == pytest.approx(here.information[j], abs=1e-8)
        assert (at(row, there.p) + 1) * 0.1 <= there.information[j] + 1e-14
    for k in range(len(joint.events)):
        row, excess = cuts.hockey_stick(here, k, log_cap, exceed), here.hockey_stick(log_cap)[k]
        assert (at(row, here.p) + 1) * exceed == pytest.approx(excess, abs=1e-12)
        assert (at(row, there.p) + 1) * exceed <= there.hockey_stick(log_cap)[k] + 1e-14
        y = int(rng.integers(here.table.shape[1]))
        if there.unscaled_mass[y] > 0:
            row = cuts.odds(k, y, log_cap)
            far = there.log_factors[k, y] - log_cap
            assert abs(far) < 1e-9 or (at(row, there.p) > 0) == (far > 0)
    answers = np.asarray(rng.random(here.table.shape[1]) < 0.5)
    row = cuts.mass(answers, exceed)
    assert (at(row, there.p) + 1) * exceed == pytest.approx(there.mass[answers].sum(), abs=1e-12)


@given(st.integers(0, 2**32 - 1))
@examples(100)
def test_the_linear_programme_against_another_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cuts, size = int(rng.integers(0, 7)), 2 ** int(rng.integers(1, 6))
    value, rows = rng.normal(size=size), rng.normal(size=(cuts, size))
    rows[:, 0] = -np.abs(rows[:, 0]) * (rng.random(cuts) < 0.7)
    shares, multipliers = simplex(value, rows)
    other = linprog(
        -value,
        A_ub=rows if cuts else None,
        b_ub=np.zeros(cuts) if cuts else None,
        A_eq=np.ones((1, size)),
        b_eq=[1.0],
    )
    assert (multipliers >= 0).all()
    assert float((value - multipliers @ rows).max()) == pytest.approx(-other.fun, abs=1e-8)
    assert float(value @ shares) == pytest.approx(-other.fun, abs=1e-8)


def test_any_number_of_steps_gives_a_ceiling() -> None:
    rng = np.random.default_rng(3)
    value, rows = rng.normal(size=32), rng.normal(size=(5, 32))
    rows[:, 0] = -1.0
    weights = rng.random(5)
    best = relaxed(weights, np.zeros(5), np.ones(5), rows)
    assert best.upper == pytest.approx(float(weights @ best.point))
    for steps in range(6):
        _, multipliers = simplex(value, rows, steps)
        full, _ = simplex(value, rows)
        assert float((value - multipliers @ rows).max()) >= float(value @ full) - 1e-9


@given(st.integers(0, 2**32 - 1))
@examples(40)
def test_ceilings_hold_for_every_point_of_a_box(seed: int) -> None:
    """The ceiling of a random box is above what any kept point in it reaches."""
    rng = np.random.default_rng(seed)
    e = drawn(rng)
    joint, n = joint_law_of(e), e.table.ndim
    limits = Allowed(np.full(len(joint.targets), 0.1), math.log(3.0), float(rng.choice([0, 0.05])))
    weights = rng.random(n)
    limit_set = LimitSet(joint, limits, weights)
    found = search(weights, np.ones(n), limit_set, budget=40)
    assert limits.tightened().excess(joint.at(found.p)) <= 0
    for _ in range(60):
        p = rng.random(n) ** 3 * (rng.random(n) < 0.7)
        if limits.kept(joint.at(p)):
            assert float(weights @ p) <= found.upper * (1 + 1e-9) + 1e-15
