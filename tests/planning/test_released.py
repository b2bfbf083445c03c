"""max sum w_i p_i within a limit: against grids, SLSQP, 50-digit vectors, and planted faults."""

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
from unspoken.core.numerics.arrays import Array
from unspoken.planning.bits.curves import Curves, Jet
from unspoken.planning.bits.items import Items
from unspoken.planning.bits.maximise import maximise
from unspoken.planning.bits.objective_curves import ObjectiveCurves
from unspoken.planning.bits.relaxation import Rest, bound, rest
from unspoken.planning.bits.solution import Solution

GAP = 1e-9  # promised
REACHED = 1e-11  # what the solver really does, everywhere below
INF = math.inf


def binary(joint: Array) -> list[tuple[float, Array, Array]]:
    """For each attribute of a joint over {0,1}^n: q, and P(v), P(X_i=1|v) of every value of all."""
    n, everything = joint.ndim, []
    for i in range(n):
        weight, ones = [], []
        for j in range(n):
            pair = joint.sum(axis=tuple(k for k in range(n) if k not in (i, j)))
            if i == j:
                pair = np.diag(pair)
            elif j < i:
                pair = pair.T
            weight += [pair[:, 0].sum(), pair[:, 1].sum()]
            ones += [pair[1, 0], pair[1, 1]]
        mass = np.array(weight)
        everything.append((float(ones[2 * i + 1]), mass, np.array(ones) / mass))
    return everything


def curves(joint: Array) -> Curves:
    """Eq. 21 for every attribute, by direct summation."""
    q, weight, a = (list(parts) for parts in zip(*binary(joint), strict=True))
    start = np.cumsum([0, *[len(x) for x in weight[:-1]]])
    gap = [x - y for x, y in zip(a, q, strict=True)]
    rest = [1.0 - x for x in a]
    return Curves(np.array(q), start, *map(np.concatenate, (weight, a, rest, gap)))


def entropy(p: Array) -> Array:
    parts = [-x * np.log(np.where(x > 0.0, x, 1.0)) for x in (p, 1.0 - p)]
    return parts[0] + parts[1]


def leaks(joint: Array, p: Array) -> Array:
    """sum_i I_i at each row of p, from H(M) - H(M | target): no formula of the library."""
    total = np.zeros(p.shape[:-1])
    for i, (q, weight, a) in enumerate(binary(joint)):
        mine = p[..., i]
        share = entropy(mine[..., None] * a)
        total += len(weight) // 2 * entropy(mine * q) - (share * weight).sum(-1)
    return total


def random_joint(n: int, seed: int, concentration: float = 0.7) -> Array:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(2**n, concentration)).reshape((2,) * n) * 0.999 + 0.001 / 2**n


def solve(field: Curves, limit: float, weights: Any = 1.0, caps: Any = INF) -> Solution:
    ones = np.ones(field.n)
    return maximise("released", field, ones * weights, ones * caps, limit)


def sound(field: Curves, solution: Solution, limit: float, caps: Any = INF) -> None:
    """What every answer promises."""
    assert solution.total <= limit
    assert field.total(solution.epsilon) <= limit
    assert (solution.epsilon >= 0.0).all()
    assert (solution.epsilon <= caps).all()
    assert solution.objective <= solution.upper
    assert solution.gap <= GAP


VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "osdp.json").read_text("utf-8"))
SUMS = [v for v in VECTORS["vectors"] if v["kind"] == "opt_sum_wp"]


@pytest.mark.parametrize("vector", SUMS, ids=lambda vector: vector["id"])
def test_vectors(vector: dict[str, Any]) -> None:
    given, expected = vector["inputs"], vector["expected"]
    joint = np.array(given["joint_numerators"]) / given["joint_denominator"]
    caps = np.array([float(cap) for cap in given["caps"]])
    field = curves(joint.reshape((2,) * given["n"]))
    solution = solve(field, given["T"], np.array(given["weights"]), caps)
    sound(field, solution, given["T"], caps)
    assert solution.gap < REACHED
    assert solution.objective == pytest.approx(expected["objective"], rel=1e-11)
    assert solution.upper >= expected["dual_bound"] * (1.0 - 1e-15)
    assert solution.multiplier == pytest.approx(expected["lambda_"], rel=1e-6)
    assert -np.expm1(-solution.epsilon) == pytest.approx(expected["p"], rel=1e-7, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "steps"), [(2, 600), (3, 90)])
def test_no_grid_point_is_better(n: int, steps: int, seed: int) -> None:
    """The certificate holds for every feasible grid point, and the best of them is nearly it."""
    joint = random_joint(n, seed)
    rng = np.random.default_rng(seed)
    weights, caps = rng.uniform(0.2, 2.0, n), rng.choice([INF, 0.5, 2.0], n)
    ends = -np.expm1(-caps)
    axes = np.meshgrid(*[np.linspace(0.0, end, steps) for end in ends], indexing="ij")
    grid = np.stack(axes, -1)
    spent, gain = leaks(joint, grid), grid @ weights
    for share in (0.01, 0.3, 0.8):
        limit = share * float(spent.max())
        solution = solve(curves(joint), limit, weights, caps)
        sound(curves(joint), solution, limit, caps)
        best = float(gain[spent <= limit].max())
        assert best <= solution.upper
        # One grid step per attribute is all that the grid can miss.
        assert solution.objective <= best + float(weights @ ends) / (steps - 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [2, 4, 6])
def test_another_solver_agrees(n: int, seed: int) -> None:
    """SLSQP on the textbook formula, from several starts."""
    joint = random_joint(n, 100 + seed)
    rng = np.random.default_rng(seed)
    weights, caps = rng.uniform(0.2, 2.0, n), rng.uniform(0.3, 4.0, n)
    ends = -np.expm1(-caps)
    limit = float(rng.uniform(0.05, 0.8) * leaks(joint, ends))
    solution = solve(curves(joint), limit, weights, caps)
    sound(curves(joint), solution, limit, caps)
    best = 0.0
    for _ in range(4):
        found = minimize(
            lambda p: -float(weights @ p),
            rng.uniform(0.0, 0.5, n) * ends,
            method="SLSQP",
            bounds=[(0.0, end) for end in ends],
            constraints={"type": "ineq", "fun": lambda p: limit - float(leaks(joint, p))},
            options={"ftol": 1e-13, "maxiter": 300},
        )
        if leaks(joint, found.x) <= limit * (1.0 + 1e-9):
            best = max(best, -found.fun)
    assert best == pytest.approx(solution.objective, rel=1e-6)
    assert best <= solution.upper * (1.0 + 1e-8)


SHARES = (1e-12, 1e-6, 1e-3, 0.2, 0.5, 0.9, 0.999999, 1.0 - 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("capped", [False, True])
@pytest.mark.parametrize(("n", "pairs"), [(1, 0), (2, 1), (5, 8), (20, 190), (300, 2000)])
def test_certified_at_every_size_and_limit(n: int, pairs: int, capped: bool, share: float) -> None:
    field = curves_of(latent_classes(n, pairs, seed=n))
    caps = np.random.default_rng(n).uniform(0.01, 3.0, n) if capped else np.full(n, INF)
    limit = share * float(field.leakage(caps).sum())
    solution = solve(field, limit, field.q, caps)
    sound(field, solution, limit, caps)
    assert solution.gap < REACHED
    # Between the bounds of duality: V(T) >= lambda T, for V is concave and V(0) = 0.
    assert solution.multiplier * limit <= solution.upper * (1.0 + 1e-9)


def test_nothing_may_leak() -> None:
    field = curves(random_joint(3, 1))
    solution = solve(field, 0.0)
    assert solution.epsilon.tolist() == [0.0, 0.0, 0.0]
    assert (solution.objective, solution.upper, solution.total) == (0.0, 0.0, 0.0)
    # Nor may what leaks less than the smallest float.
    rarely = curves_of(latent_classes(3, 3, seed=1))
    assert solve(rarely, 0.0, caps=5e-324).epsilon.tolist() == [0.0, 0.0, 0.0]
    # The first nat would buy the most where I'(0) is least.
    assert solution.multiplier == pytest.approx(1.0 / field.slope_at_zero.min())


@pytest.mark.parametrize("limit", [1e-320, 1e-280, 1e-100, 1e-30])
def test_next_to_nothing_may_leak(limit: float) -> None:
    field = curves(random_joint(3, 1))
    solution = solve(field, limit)
    assert solution.total <= limit
    price = 1.0 / field.slope_at_zero.min()
    assert solution.objective <= solution.upper
    assert solution.upper == pytest.approx(price * limit, rel=1e-12)


@pytest.mark.parametrize("cap", [0.0, 0.7, 700.0, INF])
def test_everything_fits(cap: float) -> None:
    field = curves(random_joint(3, 2))
    for limit in (field.total(np.full(3, cap)), 10.0, INF):
        solution = solve(field, limit, caps=cap)
        assert solution.epsilon.tolist() == [cap] * 3
        assert solution.multiplier == 0.0
        assert solution.objective == pytest.approx(3.0 * -math.expm1(-cap), rel=1e-15)
        assert solution.objective <= solution.upper <= solution.objective * (1.0 + 1e-14)


def test_almost_everything_fits() -> None:
    """Where the limit binds at all, an attribute with a self-term is not released for certain."""
    field = curves(random_joint(3, 2))
    most = float(field.leakage(np.full(3, INF)).sum())
    solution = solve(field, most * (1.0 - 1e-9))
    sound(field, solution, most)
    assert np.isfinite(solution.epsilon).all()
    assert solution.multiplier > 0.0
    assert solution.objective == pytest.approx(3.0, rel=1e-6)


def test_free_and_worthless_attributes() -> None:
    """What leaks nothing gets its cap, whatever its weight; what is worth nothing gets nothing."""
    pair = curves(random_joint(2, 5))
    field = Curves(
        np.array([*pair.q, 1.0, 0.0]),
        np.array([*pair.start, 8, 10]),
        np.array([*pair.weight, 0.0, 1.0, 1.0, 0.0]),
        np.array([*pair.a, 0.0, 1.0, 0.0, 1.0]),
        np.array([*pair.b, 1.0, 0.0, 1.0, 0.0]),
        np.array([*pair.gap, -1.0, 0.0, 0.0, 1.0]),
    )
    caps = np.array([INF, INF, INF, 2.0])
    for limit in (0.0, 0.05, 0.1, 100.0):
        solution = solve(field, limit, np.array([1.0, 0.0, 3.0, 0.0]), caps)
        sound(field, solution, limit, caps)
        assert solution.epsilon[1:].tolist() == [0.0, INF, 2.0]
        assert solution.objective == pytest.approx(3.0 - math.expm1(-solution.epsilon[0]))
    nothing = solve(field, 0.1, 0.0, caps)
    assert nothing.epsilon.tolist() == [0.0, 0.0, INF, 2.0]
    assert (nothing.objective, nothing.upper, nothing.gap) == (0.0, 0.0, 0.0)


def test_caps_of_zero_and_huge_scales() -> None:
    field = curves_of(latent_classes(12, 30, seed=3))
    rng = np.random.default_rng(3)
    weights, caps = 10.0 ** rng.uniform(-9, 9, 12), 10.0 ** rng.uniform(-9, 2.9, 12)
    caps[::4] = 0.0
    most = float(field.leakage(caps).sum())
    for share in (1e-6, 0.1, 0.9):
        solution = solve(field, share * most, weights, caps)
        sound(field, solution, share * most, caps)
        assert (solution.epsilon[::4] == 0.0).all()
        twice = solve(field, share * most, 2.0 * weights, caps)
        assert np.array_equal(twice.epsilon, solution.epsilon)
        assert twice.multiplier == 2.0 * solution.multiplier


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Curves, Array, Array, float]:
    """Curves, weights, caps, and the share of the largest leakage that is allowed."""
    n = draw(st.integers(1, 12))
    pairs = draw(st.integers(0, n * (n - 1) // 2))
    field = curves_of(latent_classes(n, pairs, draw(st.integers(0, 10**6))))
    weight = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))
    cap = st.one_of(st.just(0.0), st.just(INF), st.floats(1e-6, 800.0))
    weights, caps = (draw(st.lists(x, min_size=n, max_size=n)) for x in (weight, cap))
    return field, np.array(weights), np.array(caps), 10.0 ** draw(st.floats(-9.0, 0.1))


@pytest.mark.slow
@given(tasks(), st.floats(0.01, 1.0))
def test_properties(task: tuple[Curves, Array, Array, float], part: float) -> None:
    """Within the limit, certified, and never better within a smaller limit."""
    field, weights, caps, share = task
    limit = share * float(field.leakage(caps).sum())
    solution, less = (solve(field, x, weights, caps) for x in (limit, part * limit))
    for answer, within in ((solution, limit), (less, part * limit)):
        sound(field, answer, within, caps)
    assert less.objective <= solution.upper
    assert less.multiplier >= solution.multiplier * (1.0 - 1e-6)
    # V is concave with V(0) = 0 (what is free aside): part of the limit buys at least that part.
    assert less.upper >= part * solution.objective * (1.0 - 1e-12)


def certify(items: Items, price: float, point: Array) -> float:
    """What a price of a nat and any point bound."""
    jet, nothing = items.curves.jet(point), np.zeros(len(point))
    now = Rest(1.0 / price, point, jet, nothing, float(jet.leakage.sum()), 0.0)
    return bound(items.smooth, items.root, items.weights, items.limit, now)


@given(tasks(), st.floats(-12.0, 12.0), st.integers(0, 99))
def test_any_price_and_point_certify(
    task: tuple[Curves, Array, Array, float], log_price: float, seed: int
) -> None:
    """Weak duality: a certificate from a bad price is loose, never wrong."""
    field, weights, caps, share = task
    limit = share * float(field.leakage(caps).sum())
    solution = solve(field, limit, weights, caps)
    kept = np.flatnonzero((weights > 0.0) & (caps > 0.0) & (field.curvature_at_zero > 0.0))
    by, caps = ObjectiveCurves(field.take(kept), "released"), np.minimum(caps[kept], 690.0)
    items = Items.of(by, weights[kept], caps, limit)
    point = np.random.default_rng(seed).uniform(0.0, 1.0, len(kept)) * items.ends
    reached = by.gain(weights[kept], solution.epsilon[kept])
    assert certify(items, math.exp(log_price), point) >= reached * (1.0 - 1e-13)


@pytest.mark.parametrize("miss", [-1e-3, -1e-6, 0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("wanted", [0.02, 0.5, 3.0])
def test_a_certificate_is_no_less_than_the_dual(wanted: float, miss: float) -> None:
    """The bound from a tangent near the best answer to a price covers that answer; where the answer
    is searched for, it is no more either.
    """
    field = curves_of(latent_classes(1, 0, seed=4))
    best = np.array([wanted])
    price = float(1.0 / field.jet(best).slope[0])  # w = lambda I'(p)
    limit = float(field.leakage(best)[0])
    dual = -math.expm1(-wanted)  # lambda T + w p - lambda I(p), at I(p) = T
    items = Items.of(ObjectiveCurves(field, "released"), np.ones(1), np.full(1, 690.0), limit)
    near = certify(items, price, best * (1.0 + miss))
    assert dual <= near <= dual * (1.0 + 1e-12) + 100.0 * abs(miss)
    found = rest(items.smooth, items.root, 1.0 / price)
    tight = bound(items.smooth, items.root, items.weights, limit, found)
    assert dual <= tight <= dual * (1.0 + 1e-12)


def test_weights_next_to_nothing() -> None:
    field = curves(random_joint(3, 1))
    weights = np.array([1.0, 1e-200, 5e-324])
    solution = solve(field, 0.1, weights)
    sound(field, solution, 0.1)
    assert solution.epsilon[1:].tolist() == [0.0, 0.0]
    # Room enough for the first: the others' price would be below the smallest float.
    caps = np.array([0.5, INF, INF])
    limit = 0.99 * float(field.leakage(caps).sum())
    sound(field, solve(field, limit, weights, caps), limit, caps)
    alone = solve(field, 0.1, np.array([0.0, 1e-200, 5e-324]))
    sound(field, alone, 0.1)


def without_self_terms(field: Curves) -> Curves:
    """The fault: the information about X_i itself is left out."""
    return Curves(
        field.q,
        field.start,
        field.weight,
        field.a,
        field.b,
        np.where((field.a == 0.0) | (field.b == 0.0), 0.0, field.gap),
    )


def test_a_dropped_self_term_is_noticed() -> None:
    joint = random_joint(3, 7)
    limit = 0.3 * float(leaks(joint, np.ones(3)))
    for field, keeps in ((curves(joint), True), (without_self_terms(curves(joint)), False)):
        p = -np.expm1(-solve(field, limit).epsilon)
        assert (float(leaks(joint, p)) <= limit * (1.0 + 1e-12)) is keeps


def test_a_wrong_slope_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver led astray reaches less than another point does."""
    joint, weights = random_joint(3, 8), np.array([1.0, 1.1, 0.9])
    limit = 0.4 * float(leaks(joint, np.ones(3)))
    right = solve(curves(joint), limit, weights)
    original, second = Curves.jet, curves(joint).q[1]

    def astray(field: Curves, epsilon: Array) -> Jet:
        jet, odd = original(field, epsilon), field.q == second
        return jet._replace(slope=jet.slope * np.where(odd, 0.8, 1.0))

    monkeypatch.setattr(Curves, "jet", astray)
    wrong = solve(curves(joint), limit, weights)
    assert wrong.objective < right.objective * (1.0 - 1e-4)
