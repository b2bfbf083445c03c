"""The same for one mechanism, written out: M[x_1, ..., x_n, r] = Pr(output r | data x).

Neighbours differ in the *value* of one variable (Hamming distance). Papers that count rows of a
histogram make replacing one record two steps (one leaves, one comes); a mechanism that is e0-DP
for adding or removing a record is then only 2 e0-DP here, and all numbers of this package double.
"""

from __future__ import annotations

from itertools import permutations
from numbers import Integral

import numpy as np
import numpy.typing as npt

from unspoken.core.conversion.information import share
from unspoken.core.errors import InputError, TooLarge, quoted
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import up
from unspoken.core.numerics.tables import as_laws
from unspoken.core.types.bound import Bound

__all__ = ["bound_from_mechanism", "mechanism_distances"]

COMPARISONS = 2**28  # pairs of data times outputs


def mechanism_distances(matrix: npt.ArrayLike) -> Array:
    """D[k] = max log M(x, r) / M(y, r) over data x, y that differ in at most k values; D[0] = 0.

    D[1] is the mechanism's epsilon; D[k] what it can leak about one of k variables however they
    depend on one another (Theorem 1): the largest over all beliefs in which blocks have k.
    """
    table = _table(matrix)
    cells, outputs = table[..., 0].size, table.shape[-1]
    if cells * cells * outputs > COMPARISONS:
        raise TooLarge(f"mechanism: {cells:,} data, {outputs:,} outputs; too many pairs to compare")
    codes = np.stack(np.unravel_index(np.arange(cells), table.shape[:-1]), axis=1)
    flat = table.reshape(cells, outputs)
    furthest = np.zeros(codes.shape[1] + 1)
    for code, row in zip(codes, flat, strict=True):
        differ = (codes != code).sum(axis=1)
        np.maximum.at(furthest, differ, _log_ratios(row, flat).max(axis=1))
    furthest[0] = 0.0
    return np.array([up(float(nats), 8) for nats in np.maximum.accumulate(furthest)])


def bound_from_mechanism(matrix: npt.ArrayLike, target: int, *, sigma: float) -> Bound:
    """What `bound_from_dp` says of every mechanism, exactly for this one: equation 33.

    The largest, over every belief whose other variables move by at most sigma in total variation
    when the target's value does, of

        [(1-s) M(r|a,z) + s M(r|a,z')] / [(1-s) M(r|b,z) + s M(r|b,z'')],   any r, a, b, z, z', z''
    """
    table, sigma = _table(matrix), share(sigma)
    if not (isinstance(target, Integral) and 0 <= target < table.ndim - 1):
        raise InputError(f"target: {quoted(target)} must be one of the axes 0 to {table.ndim - 2}")
    rows = np.moveaxis(table, target, 0).reshape(table.shape[target], -1, table.shape[-1])
    worst = max(_mixed(a, b, sigma) for a, b in permutations(rows, 2))
    why = f"this mechanism, and every belief that depends by at most {sigma:g}; some reach it"
    return Bound(0.0, up(worst, 16), why=why)


def _mixed(a: Array, b: Array, sigma: float) -> float:
    """The largest log-ratio for one pair of values; rows z, columns r."""
    most, least = a.max(axis=0), b.min(axis=0)
    excess = (1.0 - sigma) * (a - b) + sigma * (most - least)
    below = (1.0 - sigma) * b + sigma * least
    return float(_log1p_ratio(excess, below).max())


def _log_ratios(x: Array, y: Array) -> Array:
    return _log1p_ratio(x - y, np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)))


def _log1p_ratio(excess: Array, below: Array) -> Array:
    """log(1 + excess / below): infinite where the output is impossible below, 0 where for both."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.log(excess + below) - np.log(below)
        nats = np.where(excess > below, far, np.log1p(excess / below))
    return np.where((below == 0) & (excess == 0), 0.0, nats)


def _table(matrix: npt.ArrayLike) -> Array:
    table = as_laws(matrix, "mechanism", axes=None)
    if table.ndim < 2 or min(table.shape[:-1]) < 2:
        raise InputError(
            f"mechanism: shape {table.shape}; give M[x_1, ..., x_n, r], every x with two values"
        )
    return table
