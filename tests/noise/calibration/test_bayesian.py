"""Two bounds of Lange and others: the authors' formulas, sound for everybody, by other means."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import unspoken
from tests.effort import EFFORT
from unspoken.core.errors import NotKnown
from unspoken.core.numerics.arrays import Array
from unspoken.noise.calibration import METHODS, calibrate
from unspoken.noise.calibration.problem import NoiseProblem


def scale(belief: unspoken.Gaussian | unspoken.Chain, limit: float, method: str) -> float:
    return METHODS[method](NoiseProblem(belief, None, limit))


def moved(covariance: Array, target: int, known: tuple[int, ...]) -> float:
    """What the mean of the sum moves with x_target, by regression."""
    given = [target, *known]
    slopes = np.linalg.solve(covariance[np.ix_(given, given)], covariance[given])
    rest = [j for j in range(len(covariance)) if j not in given]
    return abs(1.0 + float(slopes[0, rest].sum()))


def worst_of(covariance: Array) -> float:
    n = len(covariance)
    return max(
        moved(covariance, i, known)
        for i in range(n)
        for k in range(n)
        for known in itertools.combinations([j for j in range(n) if j != i], k)
    )


def test_two_of_one_variance_take_what_is_needed() -> None:
    for rho in (0.0, 0.3, -0.3, 0.9):
        pair = unspoken.Gaussian([[4, 4 * rho], [4 * rho, 4]], [3, 3])
        assert scale(pair, 0.5, "bdp_gaussian") == pytest.approx(3 * (1 + abs(rho)) / 0.5)


@pytest.mark.parametrize(("m", "rho"), [(3, 0.3), (4, 0.45), (5, 0.2), (6, 0.24)])
def test_the_authors_formula(m: int, rho: float) -> None:
    """Of their program: (m^2 / (4 (1 / rho - m + 2)) + 1) (b - a) / epsilon."""
    alike = np.full((m, m), rho) + (1 - rho) * np.eye(m)
    printed = (m**2 / (4 * (1 / rho - m + 2)) + 1) * 2.0 / 0.7
    assert scale(unspoken.Gaussian(alike, [2.0] * m), 0.7, "bdp_gaussian") == pytest.approx(printed)


def test_nobody_learns_more_of_drawn_gaussians() -> None:
    rng, closest = np.random.default_rng(2506), 0.0
    for _ in range(60 * EFFORT):
        n = int(rng.integers(2, 6))
        off = np.triu(rng.uniform(-1, 1, (n, n)), 1) * rng.uniform(0, 0.98) / max(n - 2, 1)
        covariance = np.eye(n) + off + off.T
        if np.linalg.eigvalsh(covariance).min() < 1e-6:
            continue
        found = scale(unspoken.Gaussian(covariance, [1.0] * n), 1.0, "bdp_gaussian")
        closest = max(closest, worst_of(covariance) / found)
        assert worst_of(covariance) <= found * (1 + 1e-12)
    assert closest > 0.9


def test_only_those_that_depend_on_one_another_count() -> None:
    pair = np.array([[1, 0.4], [0.4, 1]])
    apart = unspoken.Gaussian(np.kron(np.eye(3), pair), [1.0] * 6)
    assert scale(apart, 1.0, "bdp_gaussian") == pytest.approx(1.4)


def test_other_variances_are_refused_since_more_leaks() -> None:
    """The wide one moves by 10 rho for each step of the narrow one."""
    uneven = np.array([[1.0, 3.0], [3.0, 100.0]])
    assert moved(uneven, 0, ()) == pytest.approx(4.0)  # 1 + rho is 1.3
    for covariance, weights in ((uneven, [1, 1]), (np.eye(2), [1, 2]), (np.eye(2), [1, 0])):
        problem = NoiseProblem(unspoken.Gaussian(covariance, [1, 1]), weights, 1.0)
        with pytest.raises(NotKnown, match="one variance"):
            METHODS["bdp_gaussian"](problem)
    strong = np.full((4, 4), 0.6) + 0.4 * np.eye(4)
    with pytest.raises(NotKnown, match="too strong"):
        scale(unspoken.Gaussian(strong, [1.0] * 4), 1.0, "bdp_gaussian")
    with pytest.raises(NotKnown, match="needs a Gaussian"):
        calibrate(unspoken.Joint([[1, 1], [1, 1]]), limit=1.0, method="bdp_gaussian")


def test_the_authors_bound_for_chains() -> None:
    """epsilon + 4 log(largest / smallest transition)."""
    chain = unspoken.Chain([0.5, 0.5], [[0.6, 0.4], [0.5, 0.5]], 40)
    wanted = 1 / (3.0 - 4 * math.log(0.6 / 0.4))
    assert scale(chain, 3.0, "bdp_markov") == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(NotKnown, match="are charged"):
        scale(chain, 1.6, "bdp_markov")
    with pytest.raises(NotKnown, match="are charged"):
        scale(unspoken.Chain([0.5, 0.5], [[1.0, 0.0], [0.5, 0.5]], 3), 50.0, "bdp_markov")
    with pytest.raises(NotKnown, match="needs a Chain"):
        calibrate(unspoken.Joint([[1, 1], [1, 1]]), limit=1.0, method="bdp_markov")


def test_nobody_learns_more_of_drawn_chains() -> None:
    rng = np.random.default_rng(21308)
    for _ in range(20 * EFFORT):
        steps = [rng.dirichlet(np.full(2, 20.0), 2) for _ in range(3)]
        chain = unspoken.Chain(rng.dirichlet([1, 1]), steps)
        gamma = max(step.max() for step in steps) / min(step.min() for step in steps)
        limit = 4 * math.log(gamma) + float(rng.uniform(0.1, 2.0))
        found = scale(chain, limit, "bdp_markov")
        assert unspoken.worst(chain, unspoken.Laplace(found)).bound.value <= limit
