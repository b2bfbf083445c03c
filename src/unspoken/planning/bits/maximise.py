"""The most of what is counted, u = p or eps: max sum w_i u_i, sum_i I_i <= T, 0 <= eps_i <= cap_i.

Two objectives of the papers (eq. 21 being the limit), one solver. Of p every I_i is a convex
function, so a price does it. Of eps, the problem as printed, it is unbounded as soon as one
attribute without a cap may be released always, I_i(inf) <= T; otherwise a knapsack: I_i is concave
in eps at least from some point on, so a nat is best spent on one item.

    objective_curves.py  the curves by p or by eps
    relaxation.py        every curve replaced by its concave envelope (of p: itself): one price, an
                         upper bound, and a point with at most one item off its curve
    branching.py         branch and bound on that item's interval; of p there is none

Whatever the search has reached, its answer is the best point found and a bound that no point beats.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.planning.bits import branching
from unspoken.planning.bits.curves import ERROR, Curves
from unspoken.planning.bits.items import Certified, Items, farthest
from unspoken.planning.bits.objective_curves import ObjectiveCurves
from unspoken.planning.bits.relaxation import SUMS
from unspoken.planning.bits.solution import Solution
from unspoken.planning.problem import Objective

__all__ = ["maximise", "unbounded_witness"]

# Limits and caps so small that products with them underflow are taken as 0.
NOTHING = 1e-270
# So are weights this small beside the largest.
DUST = 1e-100


def unbounded_witness(curves: Curves, weights: Array, caps: Array, limit: float) -> int | None:
    """The attribute that makes sum w eps infinite: no cap, some weight, and I_i(inf) <= limit.

    The cheapest such attribute, its leakage rounded up; None if there is none.
    """
    always = curves.leakage(np.full(curves.n, math.inf)) * (1.0 + 2.0 * ERROR)
    fits = (weights > 0.0) & np.isinf(caps) & (always <= limit)
    return int(np.argmin(np.where(fits, always, math.inf))) if fits.any() else None


def maximise(
    objective: Objective,
    curves: Curves,
    weights: Array,
    caps: Array,
    limit: float,
    gap: float = 1e-9,
    nodes: int | None = None,
) -> Solution:
    """A point that keeps the limit and a bound no point beats, at most the share ``gap`` apart.

    weights >= 0 are per unit of p_i or eps_i, caps >= 0 of eps (inf: none), limit >= 0 in nats.
    After ``nodes`` branchings the certificate reached so far is returned. What leaks nothing gets
    its cap; what else has weight 0 gets 0. Unbounded: objective and upper are inf, eps is inf at
    the witness and 0 elsewhere, and total is what the witness leaks.
    """
    by, free = ObjectiveCurves(curves, objective), curves.curvature_at_zero == 0.0
    if objective == "epsilon":
        witness = unbounded_witness(curves, weights, caps, limit)
        if witness is not None:
            epsilon = np.where(np.arange(curves.n) == witness, math.inf, 0.0)
            return Solution(epsilon, math.inf, math.inf, 0.0, curves.total(epsilon))
    epsilon = np.where(free | (weights > 0.0), caps, 0.0)
    total = curves.total(epsilon)
    if total <= limit and limit >= NOTHING:
        gained = by.gain(weights, epsilon)
        return Solution(epsilon, gained, gained * (1.0 + SUMS), 0.0, total)
    heaviest = float(np.max(weights, where=~free & (caps > NOTHING), initial=0.0))
    competes = ~free & (caps > NOTHING) & (weights > DUST * heaviest)
    epsilon, price = np.where(free, caps, 0.0), 0.0
    # What is too little to be told from nothing: counted as if the limit were for it alone.
    most = np.where(free, caps, farthest(curves, caps, limit))
    upper = by.gain(np.where(competes, 0.0, weights), most)
    if competes.any():
        scale = 2.0 ** math.frexp(heaviest)[1]  # a power of 2: no rounding
        shared = weights[competes] / scale, by.within(caps[competes])
        part = _divide(by.take(np.flatnonzero(competes)), *shared, limit, gap, nodes)
        epsilon[competes] = part.epsilon
        upper, price = upper + part.upper * scale, part.price * scale
    gained, total = by.gain(weights, epsilon), curves.total(epsilon)
    return Solution(epsilon, gained, max(upper, gained) * (1.0 + SUMS), price, total)


def _divide(
    by: ObjectiveCurves, weights: Array, caps: Array, limit: float, gap: float, nodes: int | None
) -> Certified:
    """The same for the attributes that share a limit too small for all their caps."""
    if limit < NOTHING:
        price = _first_nat(by, weights, caps, limit)
        return Certified(np.zeros(by.n), price * limit if limit > 0.0 else 0.0, price)
    items = Items.of(by, weights, caps, limit)
    cuts = items.affordable(branching.ROUNDS) if nodes is None else nodes
    best = branching.search(items, gap, cuts)
    return best if items.bounded else replace(best, upper=math.inf)


def _first_nat(by: ObjectiveCurves, weights: Array, caps: Array, limit: float) -> float:
    """What a nat buys at most up to a limit: I'(0) p <= I(p), and u / p never falls."""
    most = farthest(by.curves, caps, limit)
    p, u = -np.expm1(-most), by.of(most)
    each = np.divide(u, p, out=np.ones_like(u), where=p > 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        return float(np.max(weights * each / by.curves.slope_at_zero))
