"""The density of a Gaussian plus Laplace noise, against quadrature at 40 digits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from unspoken.core.errors import InputError
from unspoken.core.numerics.gauss_laplace import erfcx, log_density, log_ratio

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "pdp-ip.json"
RATIOS = [
    vector
    for vector in json.loads(VECTORS.read_text("utf-8"))["vectors"]
    if vector["kind"] == "gaussian_density_ratio"
]


def by_quadrature(t: float, variance: float, scale: float) -> mpmath.mpf:
    """log of the convolution integral, centred where its integrand is largest."""
    v, b = mpmath.mpf(variance), mpmath.mpf(scale)
    sd = mpmath.sqrt(v)

    def log_integrand(s: mpmath.mpf) -> mpmath.mpf:
        return -(s * s) / (2 * v) - abs(t - s) / b

    peaks = [mpmath.mpf(t), v / b if t > v / b else -v / b if t < -v / b else mpmath.mpf(t)]
    top = max(log_integrand(s) for s in peaks)
    marks = sorted({m + k * sd for m in peaks for k in (-40, -12, -6, -3, -1, 0, 1, 3, 6, 12, 40)})
    marks = sorted({*marks, *(mpmath.mpf(t) + k * b for k in (-30, -5, -1, 0, 1, 5, 30))})
    area = mpmath.quad(lambda s: mpmath.exp(log_integrand(s) - top), marks)
    return top + mpmath.log(area / (2 * b * sd * mpmath.sqrt(2 * mpmath.pi)))


@examples(15)
@given(
    st.floats(-30, 30),
    st.floats(-6, 4).map(math.exp),
    st.floats(-3, 3).map(math.exp),
)
def test_the_closed_form_is_the_convolution(t: float, variance: float, scale: float) -> None:
    with mpmath.workdps(40):
        expected = float(by_quadrature(t, variance, scale))
    assert log_density(t, variance, scale) == pytest.approx(expected, rel=1e-12, abs=1e-13)


@given(st.floats(0, 1e6))
def test_erfcx_keeps_its_digits(z: float) -> None:
    with mpmath.workdps(40):
        # Beyond 30 the asymptotic series to the tenth term is exact; mpmath's erfc underflows.
        x = mpmath.mpf(z)
        exact = mpmath.exp(x * x) * mpmath.erfc(x) if z < 30 else _series(x)
        assert erfcx(z) == pytest.approx(float(exact), rel=5e-15)


def _series(x: mpmath.mpf) -> mpmath.mpf:
    terms = ((-1) ** k * mpmath.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(10))
    return mpmath.fsum(terms) / (x * mpmath.sqrt(mpmath.pi))


@pytest.mark.parametrize("vector", RATIOS, ids=[v["name"] for v in RATIOS])
def test_vectors(vector: dict[str, Any]) -> None:
    c, a, b, v, lam, r = (float(vector["input"][k]) for k in ("c", "a", "b", "v", "lam", "r"))
    output = vector["output"]
    got = log_ratio(r, c * a, c * b, v, lam)
    assert got == pytest.approx(output["log_ratio"], rel=1e-13, abs=1e-15)
    assert abs(c) * abs(a - b) / lam == pytest.approx(output["limit"], rel=1e-14)


@given(
    st.floats(-1e3, 1e3),
    st.floats(-3, 3),
    st.floats(-4, 4).map(math.exp),
    st.floats(-3, 3).map(math.exp),
)
def test_the_ratio_stays_below_its_limit(r: float, d: float, v: float, scale: float) -> None:
    limit = abs(d) / scale
    rounding = 1e-15 * (abs(r) + abs(d)) / scale + 1e-13
    assert abs(log_ratio(r, d, 0.0, v, scale)) <= limit + rounding
    far = 20 * (v / scale + math.sqrt(v) + scale + abs(d))
    got = log_ratio(math.copysign(far, d), d, 0.0, v, scale)
    assert got == pytest.approx(limit, rel=1e-6, abs=1e-14 + 2e-15 * far / scale)


def test_without_a_gaussian_it_is_laplace() -> None:
    assert log_density(-3.0, 0.0, 2.0) == -1.5 - math.log(4.0)
    assert log_density(-3.0, 1e-300, 2.0) == pytest.approx(-1.5 - math.log(4.0), rel=1e-15)


@pytest.mark.parametrize(
    ("t", "v", "b"), [(0, -1, 1), (0, 1, 0), (math.nan, 1, 1), (0, 1, math.inf)]
)
def test_bad_numbers_are_refused(t: float, v: float, b: float) -> None:
    with pytest.raises(InputError, match="must be finite"):
        log_density(t, v, b)
