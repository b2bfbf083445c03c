"""What leaves the holder: p of three decimal places, and nothing finer."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.mechanisms.one_sided import release_probability
from unspoken.core.numerics.coin_thresholds import ALWAYS, threshold
from unspoken.storage.coarse import coarse, probability, up


def test_a_coin_never_falls_more_often_than_p_says() -> None:
    """p is k/1000 as written; the threshold of its eps is at most k/1000 of all coins, just so."""
    for k in range(1000):
        (eps,) = coarse({"x": math.nextafter(-math.log1p(-k / 1000), math.inf) + 1e-12}).values()
        assert probability(release_probability(eps)) == k / 1000
        assert ALWAYS * k - 2**14 * 1000 <= threshold(eps) * 1000 <= ALWAYS * k
        assert coarse({"x": eps}) == {"x": eps}


@given(st.floats(0, 50))
def test_p_is_rounded_down_by_less_than_a_thousandth(eps: float) -> None:
    (less,) = coarse({"x": eps}).values()
    assert less <= eps
    assert release_probability(eps) - 0.001 - 1e-15 < probability(release_probability(less)) < 1


def test_one_stays_one() -> None:
    assert coarse({"x": math.inf, "y": 800.0}) == {"x": math.inf, "y": coarse({"": 7.0})[""]}
    assert probability(release_probability(math.inf)) == 1
    assert probability(release_probability(coarse({"y": 800.0})["y"])) == 0.999


@pytest.mark.parametrize(
    ("x", "shown"),
    [(0.0, 0.0), (3.91, 4.0), (4.0, 4.0), (4 + 1e-13, 4.0), (4.01, 4.1), (0.1231, 0.13),
     (15_752.0, 16_000.0), (math.inf, math.inf), (0.3, 0.3), (99.9, 100.0)],
)  # fmt: skip
def test_leakages_are_rounded_up(x: float, shown: float) -> None:
    assert up(x) == shown
