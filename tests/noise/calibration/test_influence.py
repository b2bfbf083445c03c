"""Influence matrices: the authors' figures, the definition, and twice the noise that is needed."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import unspoken
from tests.effort import EFFORT
from unspoken.core.errors import NotKnown
from unspoken.noise.calibration import METHODS, calibrate
from unspoken.noise.calibration.problem import NoiseProblem


def scale(chain: unspoken.Chain, limit: float = 1.0, weights: list[float] | None = None) -> float:
    return METHODS["influence"](NoiseProblem(chain, weights, limit))


def two_states(q: float, p: float, length: int) -> unspoken.Chain:
    """In its stationary law."""
    law = np.array([1 - p, q]) / (1 - p + q)
    return unspoken.Chain(law, [[1 - q, q], [1 - p, p]], length)


@pytest.mark.parametrize("length", [100, 500])
def test_figures_of_others(length: int) -> None:
    """GK16 of the Pufferfish code (Song, Wang and Chaudhuri), 12 digits."""
    for q, p, wanted in ((0.5, 0.6, 2.63560885162), (0.4, 0.7, 13.5848639868)):
        assert scale(two_states(q, p, length)) == pytest.approx(wanted, rel=1e-11)
    alone = unspoken.Chain([0.1, 0.9], [[0.1, 0.9], [0.1, 0.9]], length)
    assert scale(alone) == pytest.approx(2.0, rel=1e-11)
    with pytest.raises(NotKnown, match="so much influence"):
        scale(two_states(0.3, 0.8, length))


def brute(chain: unspoken.Chain, weights: list[float]) -> float:
    """2 max_i sum_j Phi_ij D_j from the joint table; inf where the powers do not add up."""
    names = chain.domain.names
    table, n = chain.marginal(names), len(names)
    gamma = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        if abs(i - j) != 1:
            continue
        laws = np.moveaxis(table, (i, j), (0, 1)).reshape(*table.shape[i : i + 1], -1)
        laws = laws.reshape(table.shape[i], table.shape[j], -1)
        law = laws / laws.sum(0)
        gamma[i, j] = (np.log(law).max(1) - np.log(law).min(1)).max() / 2
    if max(abs(np.linalg.eigvals(gamma))) >= 1:
        return math.inf
    moves = [abs(w) * np.ptp(chain.domain.numbers(v)) for w, v in zip(weights, names, strict=True)]
    return float(2 * (np.linalg.inv(np.eye(n) - gamma) @ moves).max())


def drawn(rng: np.random.Generator) -> unspoken.Chain:
    """Of different steps, most of them weak."""
    sizes = rng.integers(2, 4, size=int(rng.integers(2, 6)))
    spread = float(rng.choice([3.0, 30.0, 300.0]))
    steps = [rng.dirichlet(np.full(b, spread), size=a) for a, b in itertools.pairwise(sizes)]
    return unspoken.Chain(rng.dirichlet(np.full(sizes[0], 5.0)), steps)


@pytest.mark.stress
def test_the_definition() -> None:
    rng, answered = np.random.default_rng(5), 0
    for _ in range(60 * EFFORT):
        chain = drawn(rng)
        weights = rng.uniform(-1, 2, len(chain.domain.names)).round(2).tolist()
        wanted = brute(chain, weights)
        if math.isinf(wanted):
            with pytest.raises(NotKnown):
                scale(chain, 1.0, weights)
            continue
        answered += 1
        assert scale(chain, 0.5, weights) == pytest.approx(2 * wanted, rel=1e-9)
    assert answered > 20


@pytest.mark.stress
def test_twice_what_branches_need_or_more_and_enough_for_everybody() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20 * EFFORT):
        chain = drawn(rng)
        try:
            own = scale(chain)
        except NotKnown:
            continue
        assert own >= 2 * METHODS["branches"](NoiseProblem(chain, None, 1.0)) * (1 - 1e-9)
        assert unspoken.worst(chain, unspoken.Laplace(own)).bound.value <= 1.0


def test_zeros_and_other_beliefs_are_refused() -> None:
    with pytest.raises(NotKnown, match="so much influence"):
        scale(unspoken.Chain([0.5, 0.5], [[1.0, 0.0], [0.5, 0.5]], 3))
    with pytest.raises(NotKnown, match="needs a Chain"):
        calibrate(unspoken.Joint([[1, 1], [1, 1]]), limit=1.0, method="influence")
    assert scale(unspoken.Chain([1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]], 2)) == pytest.approx(2.0)
