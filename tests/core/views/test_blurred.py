"""A Gaussian and Laplace noise: delta from both sides, against quadrature and long arithmetic."""

from __future__ import annotations

import math
import sys
from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from tests.effort import examples
from tests.selection import slow_values
from unspoken.core.measures import MEASURES
from unspoken.core.views.blurred import TAIL, Shifted, tail

SCALES = st.floats(-2.5, 2.5).map(lambda x: 10.0**x)


def delta(shifted: Shifted, eps: float) -> tuple[float, float]:
    return shifted.mean(partial(MEASURES["delta"].f, eps=eps))


def long_tail(t: float, v: float, b: float) -> mpmath.mpf:
    """P(N(0, v) + Laplace(b) > t), digits to spare; also for t < 0."""
    if v == 0:
        far = mpmath.exp(-abs(t) / mpmath.mpf(b)) / 2
        return far if t >= 0 else 1 - far
    t, v, b = mpmath.mpf(t), mpmath.mpf(v), mpmath.mpf(b)
    sides = [
        mpmath.exp(v / (2 * b * b) - s * t / b) * mpmath.erfc((v / b - s * t) / mpmath.sqrt(2 * v))
        for s in (1, -1)
    ]
    return mpmath.erfc(t / mpmath.sqrt(2 * v)) / 2 + (sides[0] - sides[1]) / 4


def long_delta(d: float, v: float, b: float, eps: float) -> mpmath.mpf:
    """The largest P(S + d > t) - e^eps P(S > t): it rises, then falls. By thirds."""
    grown = mpmath.exp(mpmath.mpf(eps))

    def beyond(t: mpmath.mpf) -> mpmath.mpf:
        return long_tail(t - mpmath.mpf(d), v, b) - grown * long_tail(t, v, b)

    left, right = mpmath.mpf(d) / 2, mpmath.mpf(d) + 60 * (b + mpmath.sqrt(v))
    for _ in range(90):
        one, other = left + (right - left) / 3, right - (right - left) / 3
        left, right = (one, right) if beyond(one) < beyond(other) else (left, other)
    return max(beyond(left), mpmath.mpf(0))


@pytest.mark.parametrize(("v", "b"), [(0.75, 1.0), (0.01, 1.0), (4.0, 0.1), (0.0, 0.5)])
@pytest.mark.parametrize("t", [-3.0, -0.2, 0.0, 0.7, 5.0])
def test_the_tail_by_quadrature(t: float, v: float, b: float) -> None:
    if v == 0:
        truth = 1 - math.exp(t / b) / 2 if t < 0 else math.exp(-t / b) / 2
    else:
        law = norm(scale=math.sqrt(v))
        truth, _ = quad(
            lambda z: law.sf(t - z) * math.exp(-abs(z) / b) / (2 * b),
            -40 * b,
            40 * b,
            points=[0.0, t] if abs(t) < 40 * b else [0.0],
            epsabs=1e-13,
            limit=400,
        )
    assert tail(t, v, b) == pytest.approx(truth, rel=1e-9)


@examples(60)
@given(SCALES, SCALES, st.floats(-30.0, 30.0))
def test_the_tail_in_long_arithmetic(sigma: float, b: float, spreads: float) -> None:
    t = spreads * (sigma + b)
    with mpmath.workdps(80):
        assert abs(mpmath.mpf(tail(t, sigma**2, b)) / long_tail(t, sigma**2, b) - 1) < TAIL / 4


@pytest.mark.parametrize("eps", [0.0, *slow_values(0.5, 1.2)])
@pytest.mark.parametrize(("d", "v", "b"), [(1.5, 0.75, 1.0), (0.3, 2.0, 0.2), (2.0, 0.01, 1.0)])
def test_delta_by_quadrature(d: float, v: float, b: float, eps: float) -> None:
    """The integral of (g(r - d) - e^eps g(r))_+, g itself by quadrature over the Laplace noise."""
    law = norm(scale=math.sqrt(v))
    grid, width = np.linspace(-25, 25, 8001, retstep=True)
    noise = np.linspace(-25 * b, 25 * b, 4001)
    weights = np.exp(-abs(noise) / b)
    weights /= weights.sum()
    g = np.zeros_like(grid)
    for z, w in zip(noise, weights, strict=True):
        g += w * law.pdf(grid - z)
    shifted = np.interp(grid - d, grid, g, left=0.0)
    truth = float(np.maximum(shifted - math.exp(eps) * g, 0.0).sum() * width)
    low, high = delta(Shifted(d, v, b), eps)
    assert low == pytest.approx(truth, rel=1e-3, abs=1e-6)
    assert 0 <= high - low <= 1e-9


@pytest.mark.slow
@examples(30)
@given(SCALES, st.one_of(st.just(0.0), SCALES), SCALES, st.floats(0.0, 1.1))
def test_delta_in_long_arithmetic(d: float, sigma: float, b: float, share: float) -> None:
    if not 1e-2 < d / b < 200:
        return
    eps = share * d / b
    low, high = delta(Shifted(d, sigma**2, b), eps)
    with mpmath.workdps(60):
        truth = long_delta(d, sigma**2, b, eps)
    assert low <= truth + sys.float_info.min
    assert truth <= high + sys.float_info.min
    assert high - low <= 1e-9


def test_no_more_than_laplace_alone() -> None:
    """Without a blur it is Laplace's own, 1 - e^((eps - d/b) / 2); any blur takes from it."""
    for eps in (0.0, 0.5, 1.0):
        low, high = delta(Shifted(1.5, 0.0, 1.0), eps)
        bare = 1 - math.exp((eps - 1.5) / 2)
        assert low <= bare <= high
        assert high - low <= 1e-9
        before = bare
        for v in (0.01, 0.3, 4.0):
            low, high = delta(Shifted(1.5, v, 1.0), eps)
            assert high < before
            before = low
