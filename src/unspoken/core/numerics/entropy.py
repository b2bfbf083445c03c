"""Entropy, and the convex function every relative entropy here is made of: (1+x) log(1+x) - x.

With P = Q (1+x) and h(x) for it the relative entropy of P to Q is sum Q h(x) as soon as both have
mass 1, and every term is >= 0: nothing cancels between terms, so weak dependence (x near 0) keeps
all its digits.
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.numerics.arrays import Array

# Below this |x| the closed form loses digits (its two parts nearly cancel); the series does not.
NEAR = 0.25
# 1/(2k+1), k = 1..10, of atanh(y) = y + y^3/3 + y^5/5 + ...: enough, |y| <= 1/7 and 7^-22 < 1e-18.
ODD = tuple(1.0 / (2 * k + 1) for k in range(1, 11))


def entropy(law: Array) -> float:
    """Of a law, in nats."""
    return max(0.0, -math.fsum(p * math.log(p) for p in law.tolist() if p > 0))


def h(x: Array) -> Array:
    """(1+x) log(1+x) - x, exact to a few units in the last place.

    h(-1) = 1; an x just below -1 (by rounding) counts as -1.
    """
    x = np.maximum(x, -1.0)
    with np.errstate(divide="ignore"):  # log 0 at x = -1, which h_given settles
        logarithm = np.log1p(x)
    return h_given(x, 1.0 + x, logarithm)


def h_given(x: Array, grown: Array, logarithm: Array) -> Array:
    """h(x) from `grown` = 1+x and `logarithm` = log(1+x), which a caller may know better than x."""
    with np.errstate(invalid="ignore"):  # 0 * -inf at x = -1
        far = grown * logarithm - x
    far = np.where(grown > 0.0, far, 1.0)
    near = np.abs(x) < NEAR
    return np.where(near, _series(np.where(near, x, 0.0)), far) if near.any() else far


def _series(x: Array) -> Array:
    """h near 0: log(1+x) = 2 atanh y, y = x/(2+x), so h = 2 [y^2 + (1+y)(y^3/3 + ...)] / (1-y)."""
    y = x / (2.0 + x)
    square = y * y
    tail = np.full_like(y, ODD[-1])
    for coefficient in reversed(ODD[:-1]):
        tail *= square
        tail += coefficient
    return 2.0 * square * (1.0 + (1.0 + y) * y * tail) / (1.0 - y)
