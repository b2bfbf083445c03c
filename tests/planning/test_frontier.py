"""The largest linear function over sets that no point leaves by getting smaller."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from unspoken.planning.frontier import Frontier, LowerSet, bracket, fill, furthest, search

Feasible = Callable[[np.ndarray], bool]


def maximise(
    weights: np.ndarray,
    caps: np.ndarray,
    feasible: Feasible,
    budget: int = 20_000,
    gap: float = 1e-3,
) -> Frontier:
    def excess(p: np.ndarray) -> np.ndarray:
        return np.array([0.0 if feasible(p) else math.inf])

    return search(LowerSet(weights, caps, excess, excess, budget=budget), gap)


def budget(p: np.ndarray) -> bool:
    return bool(p.sum() <= 1.0)


def product(p: np.ndarray) -> bool:
    """Not convex, and with the best points at its ends."""
    return bool(np.prod(1.0 + 3.0 * p) <= 4.0)


def apart(p: np.ndarray) -> bool:
    """Any coordinate on its own, but no two together, however small."""
    return bool((p > 0).sum() <= 1)


def stairs(p: np.ndarray) -> bool:
    return any(bool((p <= corner).all()) for corner in CORNERS)


CORNERS = np.random.default_rng(4).random((6, 3))

CASES = [
    (budget, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0], 3.0),
    (budget, [1.0, 2.0, 3.0], [1.0, 1.0, 0.25], 2.25),
    (product, [1.0, 1.0], [1.0, 1.0], 1.0),
    (product, [3.0, 4.0], [0.5, 1.0], 4.0),
    (apart, [1.0, 0.9, 0.8], [0.5, 1.0, 1.0], 0.9),
    (stairs, [1.0, 2.0, 1.0], [1.0, 1.0, 1.0], float((CORNERS @ [1.0, 2.0, 1.0]).max())),
    (lambda p: True, [1.0, 2.0], [0.5, 1.0], 2.5),
    (lambda p: not p.any(), [1.0, 2.0], [0.5, 1.0], 0.0),
]


@pytest.mark.parametrize(("feasible", "weights", "caps", "best"), CASES)
def test_the_certificate_holds_the_optimum(
    feasible: Feasible, weights: list[float], caps: list[float], best: float
) -> None:
    found = maximise(np.array(weights), np.array(caps), feasible)
    assert feasible(found.p)
    assert (found.p <= caps).all()
    assert found.objective == pytest.approx(np.array(weights) @ found.p, abs=1e-15)
    assert found.objective <= best + 1e-12
    assert found.upper >= best * (1 - 1e-12)
    assert found.objective >= best * (1 - 1e-2)


def test_what_is_certain_has_no_gap() -> None:
    everything = maximise(np.array([1.0, 2.0]), np.array([0.5, 1.0]), lambda p: True)
    nothing = maximise(np.array([1.0, 2.0]), np.array([0.5, 1.0]), lambda p: not p.any())
    assert (everything.objective, everything.upper, everything.gap) == (2.5, 2.5, 0.0)
    assert nothing.objective == 0.0
    assert nothing.upper <= 1e-200


@pytest.mark.slow
def test_two_dimensions_are_certified_to_the_gap_asked_for() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        power, share = rng.uniform(0.3, 3.0, 2), rng.uniform(0.2, 1.5, 2)

        def feasible(p: np.ndarray, power=power, share=share) -> bool:
            return bool((share * p**power).sum() <= 0.7)

        weights = rng.uniform(0.1, 1.0, 2)
        found = maximise(weights, np.ones(2), feasible, budget=60_000, gap=1e-2)
        assert found.gap <= 1e-2
        again = maximise(weights, np.ones(2), feasible, budget=60_000, gap=1e-2)
        assert (again.p == found.p).all()
        assert again.upper == found.upper


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
@examples(30)
def test_no_corner_of_a_staircase_is_above_the_certificate(seed: int, n: int) -> None:
    """A union of boxes has its optimum at one of their corners."""
    rng = np.random.default_rng(seed)
    corners = rng.random((int(rng.integers(1, 7)), n)) * (rng.random(n) < 0.8)
    weights, caps = rng.random(n), rng.uniform(0.3, 1.0, n)
    corners = np.minimum(corners, caps)
    best = float((corners @ weights).max())

    def feasible(p: np.ndarray) -> bool:
        return bool((p <= corners).all(1).any())

    found = maximise(weights, caps, feasible, budget=3_000)
    assert feasible(found.p)
    assert found.objective <= best + 1e-12
    assert found.upper >= best * (1 - 1e-12)


def test_a_small_budget_says_so() -> None:
    weights, caps = np.ones(5), np.ones(5)

    def round_one(p: np.ndarray) -> bool:
        return bool((p**2).sum() <= 1.0)

    found = maximise(weights, caps, round_one, budget=5)
    assert found.objective <= math.sqrt(5) <= found.upper
    assert found.gap > 1e-3


def test_brackets_close_in_from_both_sides() -> None:
    zero, end = np.zeros(1), np.ones(1)
    for boundary, power in itertools.product((1e-9, 0.1, 0.5, 1 - 1e-9), (0.2, 1.0, 4.0)):
        asked = 0

        def excess(p: np.ndarray, boundary=boundary, power=power) -> float:
            nonlocal asked
            asked += 1
            return float(p[0] ** power - boundary**power)

        inside, outside = bracket(excess, zero, end)
        assert inside <= boundary <= outside
        assert outside - inside <= 2e-11 * outside
        assert asked <= 120


def test_brackets_need_no_finite_excess() -> None:
    zero, end = np.zeros(2), np.ones(2)
    inside, outside = bracket(lambda p: math.inf if p[0] > 0.3 else -1.0, zero, end)
    assert inside <= 0.3 <= outside
    assert outside - inside <= 1e-11
    assert bracket(lambda p: math.inf if p.any() else -1.0, zero, end)[0] == 0.0
    assert bracket(lambda p: -1.0, zero, end) == (1.0, 1.0)


def test_points_found_are_inside_and_maximal() -> None:
    weights, caps = np.array([1.0, 2.0, 0.5]), np.array([1.0, 0.2, 1.0])

    def excess(p: np.ndarray) -> float:
        return float((p**2).sum() - 0.5)

    reached = furthest(excess, np.zeros(3), caps)
    assert excess(reached) <= 0.0
    full = fill(weights, caps, excess, reached)
    assert excess(full) <= 0.0
    for axis in np.flatnonzero(full < caps):
        more = full.copy()
        more[axis] *= 1 + 1e-9
        assert excess(more) > 0.0
    assert (furthest(excess, np.zeros(3), np.array([0.5, 0.1, 0.1])) == [0.5, 0.1, 0.1]).all()
