"""How far a noisy answer is off, against the laws of sums and maxima."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import unspoken
from unspoken.noise.calibration import accuracy


@given(st.floats(1e-3, 1e3), st.integers(1, 60), st.floats(1e-2, 1e2))
def test_against_the_gamma_law(x: float, q: int, scale: float) -> None:
    told = accuracy(scale, alpha=x * scale, dimension=q)
    assert told == pytest.approx(stats.gamma.sf(x, q), rel=1e-9, abs=1e-300)
    largest = accuracy(scale, alpha=x * scale, dimension=q, norm="linf")
    assert largest == pytest.approx(-math.expm1(q * math.log1p(-math.exp(-x))), rel=1e-12)


@given(st.floats(1e-12, 0.999), st.integers(1, 60), st.sampled_from(["l1", "linf"]))
def test_inverses_are_on_the_safe_side(beta: float, q: int, norm: str) -> None:
    alpha = accuracy(1.0, beta=beta, dimension=q, norm=norm)
    assert accuracy(1.0, alpha=alpha, dimension=q, norm=norm) <= beta * (1 + 1e-14)
    assert accuracy(1.0, alpha=alpha * (1 - 1e-9), dimension=q, norm=norm) > beta * (1 - 1e-12)


def exact(x: mpmath.mpf, q: int, norm: str) -> mpmath.mpf:
    if norm == "linf":
        return 1 - (1 - mpmath.exp(-x)) ** q
    return mpmath.exp(-x) * mpmath.fsum(x**k / mpmath.factorial(k) for k in range(q))


@given(
    st.floats(1e-3, 900.0),
    st.floats(1e-3, 1e3),
    st.integers(1, 40),
    st.sampled_from(["l1", "linf"]),
)
def test_to_the_last_digit(x: float, scale: float, q: int, norm: str) -> None:
    """Alpha and beta up, scale down, against 500 digits; and hardly off."""
    with mpmath.workdps(500):
        alpha = x * scale
        beta = accuracy(scale, alpha=alpha, dimension=q, norm=norm)
        truth = exact(mpmath.mpf(alpha) / mpmath.mpf(scale), q, norm)
        assert truth <= beta <= truth * (1 + mpmath.mpf("1e-11")) + mpmath.mpf("1e-320")
        if not 1e-300 < beta < 1:
            return
        far = accuracy(scale, beta=beta, dimension=q, norm=norm)
        assert exact(mpmath.mpf(far) / mpmath.mpf(scale), q, norm) <= beta
        least = accuracy(None, alpha=alpha, beta=beta, dimension=q, norm=norm)
        assert exact(mpmath.mpf(alpha) / mpmath.mpf(least), q, norm) <= beta


def test_what_is_hardly_ever_so_far_off_is_not_never() -> None:
    assert accuracy(1.0, alpha=1000.0) == math.ulp(0.0)
    assert accuracy(1.0, alpha=1000.0, dimension=7) == math.ulp(0.0)
    assert accuracy(1.0, beta=0.5) > math.log(2)
    many = accuracy(1.0, alpha=760.0, dimension=10**20, norm="linf")
    assert many == pytest.approx(float(mpmath.mpf(10) ** 20 * mpmath.exp(-760)), rel=1e-9)
    assert accuracy(1e-300, alpha=1e300) == 0.0  # x is beyond floats


def test_very_many_numbers() -> None:
    with pytest.raises(unspoken.UnspokenError, match="errors are too many to add up"):
        accuracy(1.0, alpha=2.0, dimension=10**20)
    assert accuracy(1.0, alpha=9e4, dimension=10**5) == 1.0
    assert accuracy(1.0, alpha=2.0, dimension=10**20, norm="linf") == 1.0


def test_one_number() -> None:
    assert accuracy(2.0, alpha=6.0) == pytest.approx(math.exp(-3))
    assert accuracy(2.0, beta=0.05) == pytest.approx(2 * math.log(20))
    assert accuracy(None, alpha=6.0, beta=0.05) == pytest.approx(6 / math.log(20))
    assert accuracy(2.0, beta=1.0) == 0.0
    assert accuracy(1.0, alpha=800.0, dimension=3) == pytest.approx(stats.gamma.sf(800.0, 3))


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("two of", {"scale": 1.0}),
        ("two of", {"scale": 1.0, "alpha": 1.0, "beta": 0.1}),
        ("scale", {"scale": 0.0, "alpha": 1.0}),
        ("alpha", {"scale": 1.0, "alpha": -1.0}),
        ("beta", {"scale": 1.0, "beta": 0.0}),
        ("dimension", {"scale": 1.0, "beta": 0.1, "dimension": 0}),
        ("l1", {"scale": 1.0, "beta": 0.1, "norm": "l2"}),
    ],
)
def test_refusals(words: str, options: dict) -> None:
    with pytest.raises(unspoken.UnspokenError, match=words):
        accuracy(**options)
