"""Nodes and cells of noisy answers are what integrals of the noise say they are."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.noise import Noise, through

POINTS = np.array([0.0, 1.0, 3.0, 4.0])


def joint(seed: int, points: int = 4) -> np.ndarray:
    """P(x, s), with a sum that is impossible for one x."""
    table = np.random.default_rng(seed).dirichlet(np.full(3 * points, 0.6)).reshape(3, points)
    table[0, 1] = 0.0
    return table / table.sum()


def bare(table: np.ndarray) -> Likelihood:
    return Likelihood(table, np.zeros(1), np.zeros((*table.shape, 1)), in_logs=False)


def seen(law: Likelihood) -> np.ndarray:
    """P(x, y)."""
    excess = np.exp(law.excess) if law.in_logs else law.excess
    table: np.ndarray = law.prior[..., None] * np.exp(law.log_common) + excess
    return table


def laplace_cell(low: float, high: float, at: float, rate: float) -> float:
    """P(low < at + Laplace(1 / rate) < high)."""
    if high <= at:
        return laplace_cell(-high, -low, -at, rate)
    if low < at:
        return laplace_cell(low, at, at, rate) + laplace_cell(at, high, at, rate)
    return -math.exp(-rate * (low - at)) * math.expm1(-rate * (high - low)) / 2


@pytest.mark.parametrize("rate", [0.01, 0.7, 3.0, 400.0])
def test_cells_are_probabilities(rate: float) -> None:
    table, nodes = joint(1), np.array([0.0, 1.0, 1.5, 3.0, 4.0])
    told = seen(through(bare(table), [POINTS], [Noise(rate).at_most(nodes)]))
    ends = [-math.inf, *nodes, math.inf]
    for cell in range(len(nodes) + 1):
        spread = [laplace_cell(ends[cell], ends[cell + 1], at, rate) for at in POINTS]
        assert told[:, cell] == pytest.approx(table @ spread, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("rate", [0.01, 0.7, 3.0])
def test_nodes_have_all_the_mass(rate: float) -> None:
    """All of it, and at a node the ratios of e^-k|r - s| are those of the answer there."""
    table = joint(2)
    told = seen(through(bare(table), [POINTS], [Noise(rate).at_least(POINTS)]))
    assert told.sum() == pytest.approx(1.0, rel=1e-13)
    assert told.sum(1) == pytest.approx(table.sum(1), rel=1e-13)
    for node, at in enumerate(POINTS):
        near = np.exp(-rate * np.abs(at - POINTS))
        ratio = (table @ near) / table.sum(1)
        posterior = told[:, node] / table.sum(1)
        assert posterior / posterior[0] == pytest.approx(ratio / ratio[0], rel=1e-12)


@pytest.mark.parametrize("rate", [0.05, 0.7, 3.0])
def test_weights_of_nodes_by_quadrature(rate: float) -> None:
    """Between u < v an answer r is u with weight sinh k(v - r) / sinh k(v - u), else v."""
    weight = np.full(len(POINTS), 0.0)
    weight[[0, -1]] = 0.5  # the half-lines: e^-k(r - u) k / 2, integrated
    for i, (u, v) in enumerate(itertools.pairwise(POINTS.tolist())):
        share, _ = quad(lambda d, w: math.sinh(rate * d) / math.sinh(rate * w), 0, v - u, (v - u,))
        weight[[i, i + 1]] += rate / 2 * share
    assert Noise(rate).at_least(POINTS).weight == pytest.approx(weight, rel=1e-9)


@pytest.mark.parametrize("rate", [0.02, 0.5, 2.0])
def test_geometric_nodes_are_the_answers(rate: float) -> None:
    """Mass (1 - a) / (1 + a) a^|r - s| on whole numbers, a = e^-rate; the ends: all beyond."""
    table, noise = joint(3), Noise(rate, whole=True)
    nodes = noise.nodes(POINTS)
    assert nodes.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    told = seen(through(bare(table), [POINTS], [noise.at_least(nodes)]))
    a = math.exp(-rate)
    for node in range(5):
        mass = (1 - a) / (1 + a) * a ** np.abs(node - POINTS)
        if node in (0, 4):
            mass = mass / (1 - a)  # all answers beyond have the same ratios
        assert told[:, node] == pytest.approx(table @ mass, rel=1e-12)


def test_only_whole_answers_close_by_are_listed() -> None:
    whole, real = Noise(1.0, whole=True), Noise(1.0)
    assert whole.lists(np.arange(4.0))
    assert not whole.lists(np.array([0.0, 1.0, 3.0]))
    assert not real.lists(np.arange(4.0))
    assert real.nodes(POINTS) is POINTS
    assert whole.at_most(np.arange(4.0)).low.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_finer_nodes_keep_the_old_ones() -> None:
    finer = Noise(1.0).finer(POINTS, np.array([1, 4, 2]))
    assert finer.tolist() == [0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
    assert Noise(1.0, whole=True).finer(POINTS, np.array([1, 4, 1])).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("rate", [0.3, 150.0])
def test_two_answers_and_a_shown_value(rate: float) -> None:
    """The outcomes of what is shown besides come first, those of the last answer run fastest."""
    rng = np.random.default_rng(5)
    table = rng.dirichlet(np.ones(12)).reshape(2, 2, 3)  # x, s_1, s_2
    shown = rng.dirichlet(np.ones(2), size=(2, 2, 3))
    law = Likelihood(table, np.full(2, -np.inf), table[..., None] * shown, in_logs=False)
    first, second = np.array([0.0, 2.0]), np.array([-1.0, 0.0, 1.0])
    bins = [Noise(rate).at_most(first), Noise(1.0).at_most(second)]
    told = seen(through(law, [first, second], bins)).reshape(2, 2, 3, 4)
    ends = [-math.inf, *first, math.inf], [-math.inf, *second, math.inf]
    for i in range(3):
        one = np.array([laplace_cell(ends[0][i], ends[0][i + 1], at, rate) for at in first])
        for j in range(4):
            other = np.array([laplace_cell(ends[1][j], ends[1][j + 1], at, 1.0) for at in second])
            truth = np.einsum("xsty,s,t->xy", table[..., None] * shown, one, other)
            assert told[:, :, i, j] == pytest.approx(truth, rel=1e-11, abs=1e-300)


def test_a_narrow_noise_far_away_is_added_up_in_logs() -> None:
    """Points 10 apart at rate 100: e^-1000 is no float, its logarithm is."""
    points, table = np.array([0.0, 10.0]), np.array([[0.4, 0.1], [0.0, 0.5]])
    law = through(bare(table), [points], [Noise(100.0).at_least(points)])
    assert law.in_logs
    assert law.excess[1, 0] == pytest.approx(math.log(0.5) - 1000.0, rel=1e-12)
    assert law.excess[0, 0] == pytest.approx(math.log(0.4), rel=1e-12)


@pytest.mark.parametrize("whole", [False, True])
def test_samples_have_the_spread(whole: bool) -> None:
    drawn = Noise(0.5, whole).sample(np.random.default_rng(2), 40_000)
    a = math.exp(-0.5)
    variance = 2 * a / (1 - a) ** 2 if whole else 8.0
    assert drawn.mean() == pytest.approx(0.0, abs=0.06)
    assert drawn.var() == pytest.approx(variance, rel=0.06)
