"""Clopper and Pearson's ends, beside SciPy's quantiles and the tails they stand for."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import beta

from unspoken.core.numerics.binomial import lower_end, upper_end


@pytest.mark.parametrize("total", [1, 2, 7, 300, 10_000, 10**7])
@pytest.mark.parametrize("chance", [0.05, 1e-4, 1e-9])
def test_as_scipy_has_it_and_on_the_safe_side(total: int, chance: float) -> None:
    shares = [0, 1, 2, total // 1000, total // 10, total // 3, total // 2, total - 1, total]
    k = np.unique(np.clip(shares, 0, total))
    low, up = lower_end(k, total, chance), upper_end(k, total, chance)
    inner, full = k[k > 0], k[k < total]
    expected = beta.ppf(chance, inner, total - inner + 1)
    np.testing.assert_allclose(low[k > 0], expected, rtol=1e-10 + 1e-13 * total)
    assert (low[k > 0] <= expected * (1 + 1e-12)).all()
    expected = beta.isf(chance, full + 1, total - full)
    np.testing.assert_allclose(up[k < total], expected, rtol=1e-10 + 1e-13 * total)
    assert (up[k < total] >= expected * (1 - 1e-12)).all()
    assert (low[k == 0] == 0).all()
    assert (up[k == total] == 1).all()


@pytest.mark.parametrize(("k", "total"), [(0, 9), (3, 20), (19, 20), (40, 90)])
def test_tails_in_exact_arithmetic(k: int, total: int) -> None:
    """At the upper end so few are as unlikely as was asked for, and no likelier."""
    p = Fraction(float(upper_end(np.array(k), total, 0.01)))
    tail = sum(comb(total, i) * p**i * (1 - p) ** (total - i) for i in range(k + 1))
    assert Fraction(0.01) * Fraction(999, 1000) < tail <= Fraction(0.01)


def test_many_counts_at_once() -> None:
    """Equal counts are solved once, whatever their shape; none above the total is looked for."""
    counts = np.array([[3, 3], [9, 12]])
    up = upper_end(counts, 9, 0.01)
    assert up.shape == (2, 2)
    assert up[0, 0] == up[0, 1] < 1 == up[1, 0] == up[1, 1]
