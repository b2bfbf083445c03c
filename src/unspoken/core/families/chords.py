"""The most that a sum of convex functions of a law can be, the law being between two."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unspoken.core.families.knapsack import fill
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.posteriors import Posteriors
from unspoken.core.views.view import Convex

__all__ = ["chords", "radius", "shares"]


def chords(law: Array, at_least: Array, at_most: Array) -> float:
    """The most that sum_y g_y(L_y) can be, g_y convex with these values at the ends of L_y in
    law[:, y], and sum_y L_y = 1: each g_y is at most its chord.
    """
    width = law[1] - law[0]
    slope = np.divide(at_most - at_least, width, out=np.zeros_like(width), where=width > 0)
    chosen = fill(law[:1], law[1:], slope, 1, 1.0)[0]
    return float((at_least + slope * (chosen - law[0])).sum())


def radius(laws: Sequence[Array], weights: Sequence[tuple[float, float]], q: Array) -> float:
    """max_P(A) sum_A P(A) max_L sum_y L(y) log (L(y) / q(y))."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = []
        for law in laws:
            ends = np.where(law > 0, law * np.log(law / q), 0.0)
            parts.append(chords(law, *ends) if np.isfinite(ends).all() else math.inf)
    if not all(map(math.isfinite, parts)):
        return math.inf
    low, high = np.array(weights).T
    return float((fill(low[None], high[None], np.array(parts), 1, 1.0)[0] * parts).sum())


def shares(f: Convex, law: Array, other: Array, turned: bool) -> Array:
    """What each answer adds to the mean of f for two classes of these laws: [y, function of f]."""
    pair = np.stack([other, law] if turned else [law, other], axis=-1)
    mass = pair.mean(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        lift = np.log(pair / mass[:, None])
    lift[mass == 0] = 0.0
    after = Posteriors(np.full((1, 1, 2), 0.5), lift[None], np.array([True, True]))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(f(after))
    values = values[0] if values.ndim == 3 else np.broadcast_to(values, (1, len(mass)))[0][:, None]
    of_each: Array = np.where(mass[:, None] > 0, values * mass[:, None], 0.0)
    return of_each
