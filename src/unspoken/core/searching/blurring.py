"""Laws of sums on a lattice, seen through noise with two exponential tails.

On the lattice points r the blurred law is g(r) = sum_s p(s) e^(-rate |r - s|), up to a factor that
cancels in ratios. Between two support points the ratio of two such functions is monotone, beyond
the outermost it is constant: the lattice between the ends has all that a largest ratio can be.
Everything is a sum of positive terms; nothing is subtracted.
"""

from __future__ import annotations

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import OutOfRange

__all__ = ["blurred"]

# Running sums grow by e^REACH at most before they are scaled again.
REACH = 300.0
# Blurred laws of total mass 1 have all their digits above this.
LEAST = 1e-250


def blurred(laws: Array, rate: float) -> Array:
    """g along the last axis; ``rate`` is of one step. Rows are laws of mass 1, or zeros."""
    onward = _arriving(laws, rate)
    back = _arriving(laws[..., ::-1], rate)[..., ::-1]
    onward[..., :-1] += back[..., 1:] * np.exp(-rate)
    if onward.min(where=laws.any(-1, keepdims=True), initial=1.0) < LEAST:
        raise OutOfRange
    return onward


def _arriving(laws: Array, rate: float) -> Array:
    """F_k = p_k + e^-rate F_{k-1}, by running sums of p_k e^(rate k) over stretches of k."""
    length = laws.shape[-1]
    if rate > REACH:  # from further off than one step arrives less than LEAST
        arrived = laws.copy()
        arrived[..., 1:] += laws[..., :-1] * np.exp(-rate)
        return arrived
    width = length if rate * length <= REACH else max(1, int(REACH / rate))
    way = np.exp(rate * np.arange(width))
    arrived = np.empty(laws.shape)
    for first in range(0, length, width):
        part = laws[..., first : first + width]
        stretch = arrived[..., first : first + width]
        np.multiply(part, way[: part.shape[-1]], out=stretch)
        if first:
            stretch[..., 0] += arrived[..., first - 1] * np.exp(-rate)
        np.cumsum(stretch, axis=-1, out=stretch)
        stretch /= way[: part.shape[-1]]
    return arrived
