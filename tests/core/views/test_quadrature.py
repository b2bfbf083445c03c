"""Gauss's rule: its mean against an integral at 30 digits, and its error against its bound."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES
from unspoken.core.types.posteriors import Functional
from unspoken.core.views import NoisyView
from unspoken.core.views.quadrature import HEIGHT, Quadrature

MI = MEASURES["mutual-information"]


def told(law: np.ndarray, points: list[float], scale: float) -> Any:
    """The mutual information of class and answer; ``law[class, point]``."""
    with mpmath.workdps(30):
        k, total = 1 / mpmath.mpf(scale), mpmath.mpf(0)
        whole = mpmath.fsum(float(p) for p in law.ravel())
        table = [[mpmath.mpf(float(p)) / whole for p in row] for row in law]
        prior = [mpmath.fsum(row) for row in table]

        def density(r: Any) -> Any:
            rows = [
                mpmath.fsum(
                    p * mpmath.exp(-k * abs(r - s)) for p, s in zip(row, points, strict=True)
                )
                for row in table
            ]
            mass = mpmath.fsum(rows)
            terms = zip(rows, prior, strict=True)
            return (
                k / 2 * mpmath.fsum(row * mpmath.log(row / own / mass) for row, own in terms if own)
            )

        for u, v in itertools.pairwise(points):
            parts = max(2, math.ceil(float(v - u) / scale))
            total += mpmath.quad(density, mpmath.linspace(u, v, parts + 1))
        return total + (density(points[0]) + density(points[-1])) / k


def view_of(law: np.ndarray, points: list[float], scale: float) -> NoisyView:
    """Of somebody after "class", of which the answer's noise-free value "s" tells."""
    belief = unspoken.Joint(law, ["class", "s"], [range(len(law)), points])
    view = unspoken.view(belief, unspoken.Laplace(scale, {"s": 1.0}), unspoken.Adversary("class"))
    assert isinstance(view, NoisyView)
    return view


def law_of(seed: int, classes: int, points: int) -> np.ndarray:
    return (
        np.random.default_rng(seed).dirichlet(np.full(classes * points, 0.5)).reshape(classes, -1)
    )


@pytest.mark.parametrize("scale", [0.2, 0.7, 1e7])
@pytest.mark.parametrize("seed", range(2))
def test_the_integral_lies_between(seed: int, scale: float) -> None:
    points = [0.0, 1.0, 1.001, 4.0]
    law = law_of(seed, 2 + seed, len(points))
    bound = MI.of(view_of(law, points, scale))
    assert bound.why.endswith("by Gauss's rule")
    assert bound.low <= told(law, points, scale) <= bound.high
    assert bound.high - bound.low <= 1e-12 * bound.high


@pytest.mark.parametrize("rare", [1e-9, 1e-200])
def test_rare_and_impossible_classes(rare: float) -> None:
    law = np.array(
        [[0.6, 0.2, 0.0], [0.0, rare, rare], [0.0, 0.1, 0.1 - 2 * rare], [0.0, 0.0, 0.0]]
    )
    points = [0.0, 1.0, 2.0]
    bound = MI.of(view_of(law, points, 1.3))
    assert bound.low <= told(law, points, 1.3) <= bound.high
    assert bound.high - bound.low <= 1e-12 * bound.high


@pytest.mark.slow
@pytest.mark.parametrize("width", [0.01, 0.5, 2.0, 7.0])
@pytest.mark.parametrize("allowed", [1.0, 1e-3, 1e-6])
def test_the_error_is_no_larger_than_claimed(width: float, allowed: float) -> None:
    """Of rules with few points, where it is large enough to be seen."""
    for seed in range(2):
        points = [0.0, width, 1.7 * width]
        law = law_of(seed, 3, 3)
        rule = Quadrature.of(np.array(points), 1.0, allowed)
        assert rule is not None
        assert rule.apart <= allowed * (1 + 1e-9)
        view = view_of(law, points, 1.0)
        listed = view.source.listed([rule.bins])
        (((mean,),), _), (error,) = listed.means(Functional(MI.f)), rule.error(listed.lifts.prior)
        assert abs(mean - float(told(law, points, 1.0))) <= error + 1e-15


def test_the_density_stays_below_its_bound_on_the_ellipses() -> None:
    """What the error stands on: |g| <= p(Re r) C / 2 wherever |Im r| is at most HEIGHT."""
    rng = np.random.default_rng(5)
    rule = Quadrature.of(np.array([0.0, 1.0]), 1.0, 1e-3)
    assert rule is not None
    for _ in range(300):
        prior = rng.dirichlet(np.full(3, 0.4))
        a, b = rng.dirichlet(np.full(3, 0.3), size=2) / prior
        r = rng.uniform(-2, 2, 50) + 1j * rng.uniform(-HEIGHT, HEIGHT, 50)
        f = np.outer(np.exp(-r), a) + np.outer(np.exp(r), b)
        p = f @ prior
        density = np.abs(p * ((f / p[:, None]) * np.log(f / p[:, None]) @ prior)) / 2
        bound = rule.error(prior) / rule.apart / 2
        assert (density <= 2 * np.cosh(r.real) * bound * (1 + 1e-9)).all()


def test_too_many_points_are_left_to_nodes() -> None:
    assert Quadrature.of(np.array([0.0, 1.0]), 1e9, 1e-17) is None
    law = law_of(1, 2, 3)
    bound = MI.of(view_of(law, [0.0, 1.0, 2.0], 1e-9))
    revealed = law / np.outer(law.sum(1), law.sum(0))
    exactly = float((law * np.log(revealed)).sum())
    assert bound.high == pytest.approx(exactly, rel=1e-9)


@pytest.mark.parametrize("prior", [[0.25, 0.75], [1.0, 0.0]])
def test_nothing_told_is_nothing(prior: list[float]) -> None:
    bound = MI.of(view_of(np.outer(prior, [0.5, 0.5]), [0.0, 1.0], 2.0))
    assert bound.high <= 1e-30
