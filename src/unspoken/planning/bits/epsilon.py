"""The largest privacy parameters: max sum w_i eps_i, sum_i I_i(eps_i) <= T, 0 <= eps_i <= cap_i.

The problem of the papers as printed. It is unbounded as soon as one attribute without a cap may be
released always, I_i(inf) <= T. Otherwise it is a knapsack: I_i is concave in eps at least from some
point on, so utility as a function of leakage is convex there and a nat is best spent on one item.

    relaxation.py  every curve replaced by its concave envelope: one price, an upper bound, and a
                   point with at most one item off its curve
    branching.py   branch and bound on that item's interval

Whatever the search has reached, its answer is the best point found and a bound that no point beats.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from unspoken.numerics.arrays import Array
from unspoken.planning.bits import branching
from unspoken.planning.bits.curves import ERROR, Curves
from unspoken.planning.bits.items import Certified, Items, farthest
from unspoken.planning.bits.relaxation import SUMS
from unspoken.planning.bits.solution import Solution

__all__ = ["maximise_epsilon", "unbounded_witness"]

# Limits and caps so small that products with them underflow are taken as 0.
NOTHING = 1e-270


def unbounded_witness(curves: Curves, weights: Array, caps: Array, limit: float) -> int | None:
    """The attribute that makes the maximum infinite: no cap, some weight, and I_i(inf) <= limit.

    The cheapest such attribute, its leakage rounded up; None if there is none.
    """
    always = curves.leakage(np.full(curves.n, math.inf)) * (1.0 + 2.0 * ERROR)
    fits = (weights > 0.0) & np.isinf(caps) & (always <= limit)
    return int(np.argmin(np.where(fits, always, math.inf))) if fits.any() else None


def maximise_epsilon(
    curves: Curves,
    weights: Array,
    caps: Array,
    limit: float,
    gap: float = 1e-9,
    nodes: int | None = None,
) -> Solution:
    """A point that keeps the limit and a bound no point beats, at most the share ``gap`` apart.

    weights >= 0 are per unit of eps_i, caps >= 0 (inf: none), limit >= 0 in nats. After ``nodes``
    branchings the certificate reached so far is returned. What leaks nothing gets its cap; what
    else has weight 0 gets 0. Unbounded: objective and upper are inf, eps is inf at the witness and
    0 elsewhere, and total is what the witness leaks.
    """
    free = curves.curvature_at_zero == 0.0
    witness = unbounded_witness(curves, weights, caps, limit)
    if witness is not None:
        epsilon = np.where(np.arange(curves.n) == witness, math.inf, 0.0)
        return Solution(epsilon, math.inf, math.inf, 0.0, curves.total(epsilon))
    epsilon = np.where(free | (weights > 0.0), caps, 0.0)
    total = curves.total(epsilon)
    if total <= limit:
        gained = _gain(weights, epsilon)
        return Solution(epsilon, gained, gained * (1.0 + SUMS), 0.0, total)
    competes = ~free & (weights > 0.0) & (caps > NOTHING)
    epsilon = np.where(free, caps, 0.0)
    beside = ~competes & (weights > 0.0)  # nothing is risked by counting these in full
    upper, price = _gain(weights[beside], caps[beside] if limit > 0.0 else epsilon[beside]), 0.0
    if competes.any():
        scale = 2.0 ** math.frexp(float(np.max(weights[competes])))[1]  # a power of 2: no rounding
        shared = curves.take(np.flatnonzero(competes)), weights[competes] / scale, caps[competes]
        part = _divide(*shared, limit, gap, nodes)
        epsilon[competes] = part.epsilon
        upper, price = upper + part.upper * scale, part.price * scale
    gained, total = _gain(weights, epsilon), curves.total(epsilon)
    return Solution(epsilon, gained, max(upper, gained) * (1.0 + SUMS), price, total)


def _divide(
    curves: Curves, weights: Array, caps: Array, limit: float, gap: float, nodes: int | None
) -> Certified:
    """The same for the attributes that share a limit too small for all their caps."""
    if limit < NOTHING:
        most = farthest(curves, caps, NOTHING) if limit > 0.0 else np.zeros(curves.n)
        with np.errstate(divide="ignore", over="ignore"):
            price = float(np.max(weights / curves.slope_at_zero))
        return Certified(np.zeros(curves.n), _gain(weights, most), price)
    items = Items.of(curves, weights, caps, limit)
    cuts = items.affordable(branching.ROUNDS) if nodes is None else nodes
    best = branching.search(items, gap, cuts)
    return best if items.bounded else replace(best, upper=math.inf)


def _gain(weights: Array, epsilon: Array) -> float:
    """sum w_i eps_i; a weight of 0 gains nothing, even from eps = inf."""
    with np.errstate(invalid="ignore"):
        return math.fsum(np.where(weights > 0.0, weights * epsilon, 0.0).tolist())
