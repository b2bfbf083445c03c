"""max sum w_i eps_i within a limit: against vectors, grids, SLSQP, and with faults planted."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from benchmarks.instances import curves_of, latent_classes
from tests.planning.joints import INF, Task, curves, leaks, one_cause, random_joint, tasks
from unspoken.core.numerics.arrays import Array
from unspoken.planning.bits import relaxation
from unspoken.planning.bits.curves import Curves
from unspoken.planning.bits.envelope import Envelope
from unspoken.planning.bits.maximise import NOTHING, maximise, unbounded_witness
from unspoken.planning.bits.solution import Solution

pytestmark = pytest.mark.slow

GAP = 1e-9  # promised
# What float error alone may leave: a few parts in 1e13 of the limit, at the steepest price met.
ROUNDING = 1e-10
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "osdp.json").read_text("utf-8"))
SUMS = [vector for vector in VECTORS["vectors"] if vector["kind"] == "opt_sum_eps"]


FAMILIES = {"any": random_joint, "one cause": one_cause}


def solve(field: Curves, limit: float, weights: Any = 1.0, caps: Any = INF) -> Solution:
    ones = np.ones(field.n)
    return maximise("epsilon", field, ones * weights, ones * caps, limit)


def sound(field: Curves, solution: Solution, limit: float, caps: Any = INF) -> None:
    """What every bounded answer promises."""
    assert solution.total <= limit
    assert field.total(solution.epsilon) <= limit
    assert (solution.epsilon >= 0.0).all()
    assert (solution.epsilon <= caps).all()
    assert solution.objective <= solution.upper


def certified(field: Curves, solution: Solution, limit: float, caps: Any = INF) -> None:
    sound(field, solution, limit, caps)
    assert solution.gap <= GAP + ROUNDING


@pytest.mark.parametrize("vector", SUMS, ids=lambda vector: vector["id"])
def test_vectors(vector: dict[str, Any]) -> None:
    given, expected = vector["inputs"], vector["expected"]
    joint = np.array(given["joint_numerators"]) / given["joint_denominator"]
    field = curves(joint.reshape((2,) * given["n"]))
    weights, caps = np.array(given["weights"]), np.array([float(cap) for cap in given["caps"]])
    solution = maximise("epsilon", field, weights, caps, given["T"])
    if expected.get("unbounded"):
        assert (solution.objective, solution.upper) == (INF, INF)
        witness = unbounded_witness(field, weights, caps, given["T"])
        assert np.flatnonzero(np.isinf(solution.epsilon)) == [witness]
        assert solution.total == pytest.approx(expected["min_I_inf"], rel=1e-12)
        return
    certified(field, solution, given["T"], caps)
    assert solution.objective == pytest.approx(expected["objective"], rel=1e-11)
    assert solution.objective <= expected["bnb_upper_bound"] * (1.0 + 1e-15)
    assert solution.upper >= expected["objective"] * (1.0 - 1e-15)
    assert solution.upper == pytest.approx(expected["objective"], rel=1e-11)
    assert solution.epsilon == pytest.approx(expected["eps"], rel=1e-10, abs=1e-12)
    assert solution.total == pytest.approx(expected["I_total"], rel=1e-12)


def grid_of(field: Curves, caps: Array, steps: int) -> tuple[Array, Array]:
    """Every point of a grid on the box, and what it leaks."""
    axes = np.meshgrid(*[np.linspace(0.0, cap, steps) for cap in caps], indexing="ij")
    grid = np.stack(axes, -1)
    return grid, leaks(field, grid)


SHARES = (0.003, 0.05, 0.3, 0.8)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "steps"), [(2, 500), (3, 70)])
def test_no_grid_point_is_better(n: int, steps: int, seed: int, family: str) -> None:
    """The certificate holds for every feasible grid point, and the best of them is nearly it."""
    field, rng = curves(FAMILIES[family](n, seed)), np.random.default_rng(seed)
    weights, caps = rng.uniform(0.2, 2.0, n), rng.uniform(0.3, 6.0, n)
    grid, spent = grid_of(field, caps, steps)
    for share in SHARES:
        limit = share * float(spent.max())
        solution = solve(field, limit, weights, caps)
        certified(field, solution, limit, caps)
        best = float((grid @ weights)[spent <= limit].max())
        assert best <= solution.upper
        # Rounding the optimum down to the grid loses one step per attribute at most.
        assert solution.objective <= best + float(weights @ caps) / (steps - 1)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [2, 4, 8])
def test_another_solver_finds_nothing_better(n: int, seed: int, family: str) -> None:
    """SLSQP on the textbook formula from 20 starts is never above the bound."""
    field, rng = curves(FAMILIES[family](n, 50 + seed)), np.random.default_rng(seed)
    weights, caps = rng.uniform(0.2, 2.0, n), rng.uniform(0.3, 5.0, n)
    limit = float(rng.uniform(0.02, 0.7) * leaks(field, caps))
    solution = solve(field, limit, weights, caps)
    certified(field, solution, limit, caps)
    best = 0.0
    for _ in range(20):
        found = minimize(
            lambda e: -float(weights @ e),
            rng.uniform(0.0, 1.0, n) ** 3 * caps,
            jac=lambda e: -weights,
            method="SLSQP",
            bounds=[(0.0, cap) for cap in caps],
            constraints={"type": "ineq", "fun": lambda e: 1.0 - float(leaks(field, e)) / limit},
            options={"ftol": 1e-12, "maxiter": 200},
        )
        inside = np.clip(found.x, 0.0, caps)
        if leaks(field, inside) <= limit * (1.0 + 1e-9):
            best = max(best, float(weights @ inside))
    assert best <= solution.upper * (1.0 + 1e-7)
    # Stuck in a local optimum it may be, but not by much in the best of so many runs.
    assert best >= 0.8 * solution.objective


def test_all_the_budget_goes_to_one() -> None:
    """Concave curves, no caps, no attribute within the limit: theory of the paper's own problem."""
    field = curves(np.full((2, 2, 2), 0.125))
    limit = 0.9 * math.log(2.0)
    solution = solve(field, limit)
    certified(field, solution, limit)
    assert (solution.epsilon > 0.0).sum() == 1
    alone = [limit if i == np.argmax(solution.epsilon) else 0.0 for i in range(3)]
    assert field.leakage(solution.epsilon) == pytest.approx(alone, rel=1e-12)
    for seed in range(5):
        some = curves_of(latent_classes(6, 4, seed))
        limit = 0.9 * float(some.leakage(np.full(6, INF)).min())
        if (some.curvature_at_zero <= some.slope_at_zero).all():
            solution = solve(some, limit, np.arange(1.0, 7.0))
            certified(some, solution, limit)
            assert (solution.epsilon > 0.0).sum() == 1


def test_nothing_may_leak() -> None:
    field = curves(random_joint(3, 1))
    solution = solve(field, 0.0)
    assert solution.epsilon.tolist() == [0.0, 0.0, 0.0]
    assert (solution.objective, solution.upper, solution.total) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("limit", [1e-320, 1e-280, 1e-100, 1e-30, 1e-12])
def test_next_to_nothing_may_leak(limit: float, family: str) -> None:
    """I is a line there: the optimum is limit / I'(0) of the cheapest."""
    field = curves(FAMILIES[family](3, 1))
    solution = solve(field, limit)
    sound(field, solution, limit)
    best = limit / float(field.slope_at_zero.min())
    assert best <= solution.upper * (1.0 + 1e-9)
    if limit > NOTHING:
        certified(field, solution, limit)
        assert solution.objective == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("cap", [0.0, 0.7, 700.0, 1e6])
def test_everything_fits(cap: float) -> None:
    field = curves(random_joint(3, 2))
    for limit in (field.total(np.full(3, cap)), 10.0, INF):
        solution = solve(field, limit, caps=cap)
        assert solution.epsilon.tolist() == [cap] * 3
        assert solution.multiplier == 0.0
        assert 3.0 * cap == solution.objective <= solution.upper <= 3.0 * cap * (1.0 + 2e-14)


def with_constants(joint: Array) -> Curves:
    """Two attributes more, one never sensitive and one always: they leak nothing."""
    field = curves(joint)
    more = [[0.0, 0.0, 1.0, -1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    terms = np.stack([field.weight, field.a, field.b, field.gap], 1)
    weight, a, b, gap = np.concatenate([terms, more]).T.copy()
    start = np.append(field.start, [len(terms), len(terms) + 2])
    return Curves(np.append(field.q, [1.0, 0.0]), start, weight, a, b, gap)


def test_free_and_worthless_attributes() -> None:
    """What leaks nothing gets its cap, whatever its weight; what is worth nothing gets nothing."""
    field = with_constants(random_joint(2, 5))
    caps = np.array([3.0, 3.0, 5.0, 2.0])
    for limit in (0.0, 0.01, 0.1, 100.0):
        solution = solve(field, limit, np.array([1.0, 0.0, 3.0, 0.0]), caps)
        certified(field, solution, limit, caps)
        assert solution.epsilon[1:].tolist() == [0.0, 5.0, 2.0]
        assert solution.objective == pytest.approx(15.0 + solution.epsilon[0])
    nothing = solve(field, 0.1, 0.0, caps)
    assert nothing.epsilon.tolist() == [0.0, 0.0, 5.0, 2.0]
    assert (nothing.objective, nothing.upper, nothing.gap) == (0.0, 0.0, 0.0)


def test_unbounded() -> None:
    """Exactly if some attribute with a weight and no cap may be released always."""
    field = with_constants(random_joint(2, 5))
    always = field.leakage(np.full(4, INF))
    cheap, dear = (int(i) for i in np.argsort(always[:2]))
    limit, caps = 0.5 * float(always[0] + always[1]), np.array([INF, INF, 1.0, 1.0])
    assert unbounded_witness(field, np.ones(4), caps, limit) == cheap
    assert solve(field, limit, caps=caps).upper == INF
    assert unbounded_witness(field, np.ones(4), caps, 0.9 * float(always[cheap])) is None
    certified(field, solve(field, 0.9 * float(always[cheap]), caps=caps), limit, caps)
    weights = np.ones(4)
    weights[cheap] = 0.0
    assert unbounded_witness(field, weights, caps, limit) is None
    capped = np.where(np.arange(4) == cheap, 9.0, caps)
    assert unbounded_witness(field, np.ones(4), capped, limit) is None
    assert unbounded_witness(field, np.ones(4), caps, 1.01 * float(always[dear])) == cheap
    # An attribute that leaks nothing makes any limit enough.
    assert unbounded_witness(field, np.ones(4), np.full(4, INF), 0.0) in (2, 3)


def test_bounded_or_not_is_too_close_to_call() -> None:
    """I(inf) is the limit to the last digit: no float knows, so no bound is claimed."""
    field = curves_of(latent_classes(3, 2, seed=1))
    limit = float(field.leakage(np.full(3, INF)).min())
    solution = solve(field, limit)
    sound(field, solution, limit)
    assert math.isfinite(solution.objective)
    assert solution.upper == INF


def test_caps_beyond_every_float_of_p() -> None:
    """e^-800 is 0, so the rest of so large a cap is free once I(inf) is paid."""
    field, caps = curves(random_joint(3, 4)), np.array([800.0, 1e5, 3.0])
    always = field.leakage(caps)
    weights = np.array([1.0, 0.01, 1.0])
    for limit, most in ((1.001 * always[1], 1e3), (1.001 * (always[0] + always[1]), 1800.0)):
        solution = solve(field, float(limit), weights, caps)
        certified(field, solution, float(limit), caps)
        assert most <= solution.objective


@pytest.mark.parametrize("nodes", [0, 1, 3, 10, 100])
def test_the_certificate_is_sound_at_any_moment(nodes: int) -> None:
    field = curves_of(latent_classes(40, 200, seed=3))
    rng = np.random.default_rng(3)
    weights, caps = rng.uniform(0.5, 2.0, 40), rng.uniform(5.0, 40.0, 40)
    limit = 0.2 * float(field.leakage(caps).sum())
    early = maximise("epsilon", field, weights, caps, limit, nodes=nodes)
    late = solve(field, limit, weights, caps)
    sound(field, early, limit, caps)
    certified(field, late, limit, caps)
    assert early.objective <= late.upper
    assert late.objective <= early.upper


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
@pytest.mark.parametrize(("n", "pairs"), [(60, 400), (300, 6000), (1000, 10_000)])
def test_large_instances_are_certified(n: int, pairs: int, share: float) -> None:
    field, rng = curves_of(latent_classes(n, pairs, seed=n)), np.random.default_rng(n)
    weights, caps = rng.uniform(0.5, 2.0, n), rng.uniform(0.3, 5.0, n)
    limit = share * float(field.leakage(caps).sum())
    certified(field, solve(field, limit, weights, caps), limit, caps)


@pytest.mark.parametrize(("q", "cap"), [(0.25, 6.5), (0.3164224028197708, 6.0), (0.5, 6.1)])
def test_twins_with_different_caps_are_told_apart(q: float, cap: float) -> None:
    """Their chords cost the same but for the last digit: one of them has to be the partial one."""
    field, caps = curves(np.diag([1.0 - q, q])), np.array([3.0, cap])
    certified(field, solve(field, 0.5, 1.0, caps), 0.5, caps)


@given(tasks(), st.floats(0.01, 1.0))
def test_properties(task: Task, part: float) -> None:
    """Within the limit, certified, and never better within a smaller limit or a smaller box."""
    field, weights, caps, limit = task
    solution = solve(field, limit, weights, caps)
    sound(field, solution, limit, caps)
    assert solution.gap <= 1e-7
    less = solve(field, part * limit, weights, caps)
    sound(field, less, part * limit, caps)
    assert less.objective <= solution.upper
    assert solve(field, limit, weights, part * caps).objective <= solution.upper
    twice = solve(field, limit, 2.0 * weights, caps)
    assert np.array_equal(twice.epsilon, solution.epsilon)


@given(tasks(), st.integers(0, 999))
def test_no_feasible_point_is_above_the_bound(task: Task, seed: int) -> None:
    """Random points, each shrunk into the limit."""
    field, weights, caps, limit = task
    upper, rng = solve(field, limit, weights, caps).upper, np.random.default_rng(seed)
    caps = np.minimum(caps, 800.0)
    for sparse in (0.0, 0.5, 0.8):
        point = caps * rng.uniform(0.0, 1.0, field.n) * (rng.random(field.n) >= sparse)
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = 0.5 * (low + high)
            fits = field.total(middle * point) <= limit
            low, high = (middle, high) if fits else (low, middle)
        assert float(weights @ (low * point)) <= upper


BOUND = relaxation.bound


def without_chord(smooth: Any, env: Envelope, *others: Any) -> float:
    """The fault: the bound follows the curve and forgets the chord to its end."""
    return BOUND(smooth, env._replace(hi=env.knee, at_hi=env.at_knee), *others)


@pytest.mark.parametrize("seed", [2, 6, 8])
def test_a_bound_without_the_chord_is_noticed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the grid: it has feasible points above what the faulty bound certifies."""
    field, rng = curves(random_joint(3, seed)), np.random.default_rng(seed)
    weights, caps = rng.uniform(0.2, 2.0, 3), rng.uniform(0.3, 6.0, 3)
    grid, spent = grid_of(field, caps, 120)
    limit = 0.6 * float(spent.max())
    best = float((grid @ weights)[spent <= limit].max())
    assert best <= solve(field, limit, weights, caps).upper
    monkeypatch.setattr(relaxation, "bound", without_chord)
    assert best > solve(field, limit, weights, caps).upper
