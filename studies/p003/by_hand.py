"""Paper 003's edges, summed without the library. Variables take the values 0, 1, ..."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from studies.by_hand import laws
from unspoken.core.numerics.arrays import Array

__all__ = ["correlation", "drawn", "edges", "regression"]


def drawn(count: int, shape: tuple[int, ...], seed: int) -> list[Array]:
    return list(laws(count, shape, seed))


def edges(law: Array, values: Sequence[float], scale: float) -> Array:
    """Eq. 9 as rebuilt, for two variables, x_0 after: all pairs a > b, both signs of the answer."""
    rows = law / law.sum(1, keepdims=True)
    reach = np.asarray(values) / scale
    found = []
    for a, b in itertools.combinations(range(len(rows)), 2):
        for sign in (1, -1):
            up, down = rows[b] @ np.exp(sign * reach), rows[a] @ np.exp(sign * reach)
            found.append(sign * float(np.log(up / down)))
    return np.array(found)


def correlation(law: Array, values: Sequence[float]) -> float:
    """Pearson's, of x_0 = 0, 1, ... with x_1 of these values."""
    own, other = np.arange(len(law), dtype=float), np.asarray(values)
    own, other = own - own @ law.sum(1), other - law.sum(0) @ other
    spread = np.sqrt((own**2 @ law.sum(1)) * (law.sum(0) @ other**2))
    return float(own @ law @ other / spread)


def regression(covariance: Array, target: int, known: Sequence[int]) -> float:
    """By how much the mean of the whole sum moves with x_target, the known ones held."""
    given = [target, *known]
    slopes = np.linalg.solve(covariance[np.ix_(given, given)], covariance[given])
    unknown = [j for j in range(len(covariance)) if j not in given]
    return 1.0 + float(slopes[0, unknown].sum())
