"""Noisy answers: largest values and means against integrals over the answers themselves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES
from unspoken.core.views import NoisyView

VALUES = np.array([0.0, 1.0, 3.0])
BITS = np.array([0.0, 1.0])


def question(seed: int, scale: float) -> tuple[np.ndarray, NoisyView]:
    """About A in {0, 1, 3}, from A + 2 B + noise."""
    table = np.random.default_rng(seed).dirichlet(np.full(6, 0.6)).reshape(3, 2)
    belief = unspoken.Joint(table, names="AB", values=[VALUES.tolist(), BITS.tolist()])
    mechanism = unspoken.Laplace(scale, {"A": 1.0, "B": 2.0})
    view = unspoken.view(belief, mechanism, unspoken.Adversary("A"))
    assert isinstance(view, NoisyView)
    return table, view


def densities(table: np.ndarray, scale: float, r: np.ndarray) -> np.ndarray:
    """P(r | A = a), a row for each a."""
    law = table / table.sum(1, keepdims=True)
    rows = np.zeros((3, len(r)))
    for (a, x), (b, y) in itertools.product(enumerate(VALUES), enumerate(BITS)):
        rows[a] += law[a, b] * np.exp(-np.abs(r - x - 2 * y) / scale) / (2 * scale)
    return rows


def integral(scale: float, f) -> float:
    """By Gauss-Legendre between the kinks of the density, and far enough beyond."""
    x, w = np.polynomial.legendre.leggauss(60)
    ends = np.unique([*range(6), *(-scale * np.array([1, 3, 7, 15, 40]))])
    ends = np.unique([*ends, *(5 + scale * np.array([1, 3, 7, 15, 40]))])
    total = 0.0
    for low, high in itertools.pairwise(np.repeat(ends, 1).tolist()):
        for left, right in itertools.pairwise(np.linspace(low, high, 9).tolist()):
            half = (right - left) / 2
            total += half * float(w @ f(left + half * (x + 1)))
    return total


@pytest.mark.parametrize("scale", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("seed", range(4))
def test_mutual_information(seed: int, scale: float) -> None:
    table, view = question(seed, scale)
    prior = table.sum(1)

    def added(r: np.ndarray) -> np.ndarray:
        rows = densities(table, scale, r)
        mass = prior @ rows
        terms: np.ndarray = (prior[:, None] * rows * np.log(rows / mass)).sum(0)
        return terms

    bound = MEASURES["mutual-information"].of(view)
    truth = integral(scale, added)
    assert bound.low - 1e-9 <= truth <= bound.high + 1e-9
    assert bound.low < bound.high
    assert bound.high - bound.low <= 1e-8 * bound.high


@pytest.mark.parametrize("scale", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("nodes", [16, 64, 256])
def test_few_nodes_and_their_cells_hold_the_truth_between_them(
    nodes: int, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gauss's rule, which has all digits, is for divergences that say so alone."""
    monkeypatch.setattr("unspoken.core.views.noisy.NODES", nodes)
    _, view = question(1, scale)
    measure = MEASURES["mutual-information"]
    truth = measure.of(view)
    held = view.mean(measure.f)
    assert held.low < truth.low
    assert truth.high < held.high


@pytest.mark.parametrize("eps", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_delta(seed: int, eps: float) -> None:
    """max over pairs of the integral of (g_a - e^eps g_b)_+."""
    table, view = question(seed, 1.5)
    r = np.linspace(-40, 45, 170_001)
    rows = densities(table, 1.5, r) * (r[1] - r[0])
    beyond = [
        float(np.maximum(rows[a] - math.exp(eps) * rows[b], 0.0).sum())
        for a, b in itertools.permutations(range(3), 2)
    ]
    bound = MEASURES["delta"].of(view, eps=eps)
    assert bound.value == pytest.approx(max(beyond), abs=1e-4)
    assert bound.low <= bound.high <= bound.low + 1e-8


@pytest.mark.parametrize("scale", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["max-log-ratio", "max-information", "relative-entropy"])
def test_largest_values_are_at_the_points(seed: int, scale: float, name: str) -> None:
    """No answer of a fine grid tells more, and the answers 0, 1, 2, 3, 5 tell as much."""
    table, view = question(seed, scale)
    prior = table.sum(1)
    grid = np.unique([*np.linspace(-5, 10, 3001), 0, 1, 2, 3, 5])
    rows = densities(table, scale, grid)
    lifts = np.log(rows / (prior @ rows))
    largest = {
        "max-log-ratio": (lifts.max(0) - lifts.min(0)).max(),
        "max-information": lifts.max(),
        "relative-entropy": (prior[:, None] * np.exp(lifts) * lifts).sum(0).max(),
    }[name]
    bound = MEASURES[name].of(view)
    assert bound.exact
    assert bound.value == pytest.approx(float(largest), rel=1e-10)


@pytest.mark.parametrize("alpha", [0.2, 0.7])
def test_whole_answers_are_listed(alpha: float) -> None:
    """Geometric noise: every measure by a sum over the whole numbers."""
    table = np.random.default_rng(9).dirichlet(np.full(6, 0.6)).reshape(3, 2)
    belief = unspoken.Joint(table, names="AB", values=[[0, 1, 3], [0, 1]])
    mechanism = unspoken.Geometric(alpha, {"A": 1, "B": 2})
    view = unspoken.view(belief, mechanism, unspoken.Adversary("A"))
    whole = np.arange(-300, 306)
    law, prior = table / table.sum(1, keepdims=True), table.sum(1)
    rows = np.zeros((3, len(whole)))
    for (a, x), (b, y) in itertools.product(enumerate(VALUES), enumerate(BITS)):
        mass = (1 - alpha) / (1 + alpha) * alpha ** np.abs(whole - x - 2 * y)
        rows[a] += law[a, b] * mass
    lifts = np.log(rows / (prior @ rows))
    told = float((prior[:, None] * rows * lifts).sum())
    assert MEASURES["mutual-information"].of(view).value == pytest.approx(told, rel=1e-10)
    ratio = float((lifts.max(0) - lifts.min(0)).max())
    assert MEASURES["max-log-ratio"].of(view).value == pytest.approx(ratio, rel=1e-10)
    guessed = math.log(float(rows.max(0).sum()))
    assert MEASURES["maximal-leakage"].of(view).value == pytest.approx(guessed, rel=1e-10)


def test_more_functions_than_there_is_room_for_end() -> None:
    """Delta compares 100 x 100 values: no node more fits, and the ends stay where they are."""
    belief = unspoken.Joint(np.full(100, 0.01))
    bound = unspoken.leakage(belief, unspoken.Laplace(9.0), unspoken.Adversary("x0"), "delta")
    truth = -math.expm1(-99 / 18)  # two values 99 apart: 1 - e^(-d / 2b)
    assert bound.low <= truth <= bound.high
