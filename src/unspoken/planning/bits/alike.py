"""Equal weights and equal caps: near equal items, which branching item by item cannot tell apart.

Let K be the largest number of items that can be at the cap together. The search branches on where
the (K+1)-th largest eps lies: in a band [a, b], K items lie in [a, cap], one in [a, b], the others
in [0, b]. At a price lambda per nat every item has a best answer in each of the three intervals,
with gains H_i, M_i, L_i after paying, and no point of the band gains more than

    D(lambda) = lambda T + sum_i L_i + max [M_j - L_j + sum_{i in S} (H_i - L_i)]

over items j and sets S of K others: a convex function, whose least value is the band's bound. If b
is small the K items at the cap are what counts; if a is large, K + 1 items of at least a do not
fit. Little is left in between.

If all curves are concave, at most one item is strictly between 0 and the cap, and no search is
needed: the cheapest K others are at the cap, and each item in turn is tried as the one in between.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from unspoken.numerics.arrays import Array
from unspoken.planning.bits.envelope import bends, envelope, inverse
from unspoken.planning.bits.items import TIGHT, Certified, Items
from unspoken.planning.bits.relaxation import MEETS, SUMS, Responses, Rest, responses, rest

# Bands a search looks at cost about so many rounds each.
ROUNDS = 60
# By how much lambda is changed while its bracket is open, and how often it is changed in all.
STRIDE, STEPS = 2.0, 60
# A cut nearer than this share to an end of the band is put into its middle.
MARGIN = 0.05
# A band narrower than this share of its end is not cut any more.
NARROW = 1e-12


def closed_form(items: Items) -> Certified:
    """The optimum for concave curves."""
    slack = MEETS + 1.2e-16 * items.curves.n
    low, last = _fullest(items, items.limit * (1.0 - slack))
    high, _ = _fullest(items, items.limit * (1.0 + slack))
    slope = float(bends(items.curves, low).slope[last])
    price = float(items.weights[last]) / slope if slope > 0.0 else math.inf
    return Certified(items.kept(low), items.gain(high) * (1.0 + SUMS), price)


def _together(items: Items) -> tuple[Array, Array]:
    """The items' leakages at the cap, and what the cheapest 0, 1, 2, ... of them leak together."""
    full = items.curves.leakage(items.caps)
    return full, np.concatenate([[0.0], np.cumsum(np.sort(full))])


def _fullest(items: Items, limit: float) -> tuple[Array, int]:
    """As many items at the cap as fit, and the one that reaches most with what is left over."""
    full, together = _together(items)
    rank = np.argsort(full, kind="stable")
    count = int(np.searchsorted(together[1:], limit, "right"))
    if count == items.curves.n:
        return items.caps, int(rank[-1])
    among = np.isin(np.arange(items.curves.n), rank[:count])
    others = np.where(among, together[count + 1] - full, together[count])
    ends = items.ends
    between = inverse(items.curves, np.maximum(limit - others, 0.0), 0.0 * ends, ends, TIGHT * ends)
    between[limit < others] = 0.0
    last = int(np.argmax(between))
    epsilon = np.zeros(items.curves.n)
    epsilon[rank[rank != last][:count]] = items.caps[0]
    epsilon[last] = between[last]
    return epsilon, last


class Step(NamedTuple):
    """D at one lambda, its slope, and the point that the responses make; ``last`` is the item j."""

    at: float
    value: float
    slope: float
    epsilon: Array
    leakage: Array
    last: int


class Band:
    """The (K+1)-th largest eps lies in [low, high]."""

    def __init__(self, items: Items, count: int, low: float, high: float) -> None:
        self.items, self.count = items, count
        ends = items.ends
        self.reaches = ends >= low
        least, most = np.minimum(low, ends), np.minimum(high, ends)
        boxes = ((least, ends), (least, most), (np.zeros_like(ends), most))
        self.modes = [envelope(items.curves, *box) for box in boxes]
        self.rests: list[Rest | None] = [None, None, None]

    def _responses(self, mode: int, lam: float) -> Responses:
        items, env, price = self.items, self.modes[mode], 1.0 / lam
        near = self.rests[mode]
        if near is None:
            start = 0.5 * (env.lo + env.knee)[items.smooth.index]
        else:
            start = near.epsilon + near.moves * (price - near.price)
        self.rests[mode] = now = rest(items.smooth, env, price, start)
        return responses(items.smooth, env, items.weights, now)

    def step(self, lam: float) -> Step:
        """D(lambda), rounded up."""
        high, middle, low = (self._responses(mode, lam) for mode in range(3))
        up = np.where(self.reaches, high.value - low.value, -math.inf)
        between = np.where(self.reaches, middle.value - low.value, -math.inf)
        order = np.argsort(-up, kind="stable")
        first = float(np.sum(up[order[: self.count]]))
        # The best S for each j: the K best, or if j is among them the K+1 best without j.
        best = first + between
        best[order[: self.count]] += up[order[self.count]] - up[order[: self.count]]
        last = int(np.argmax(best))
        top = order[order != last][: self.count]
        epsilon, leakage = low.epsilon.copy(), low.leakage.copy()
        epsilon[top], leakage[top] = high.epsilon[top], high.leakage[top]
        epsilon[last], leakage[last] = middle.epsilon[last], middle.leakage[last]
        limit = self.items.limit
        value = lam * limit + float(np.sum(low.value)) + float(best[last])
        size = lam * (limit + float(np.sum(leakage))) + 4.0 * self.items.gain(self.items.ends)
        slope = limit - float(np.sum(leakage))
        return Step(lam, value + SUMS * size, slope, epsilon, leakage, last)

    def least(self, lam: float, enough: float, tight: float) -> tuple[float, Step | None]:
        """The least D, by its tangents, and the best step found that keeps the limit.

        Stops where D <= ``enough``, which settles the band, or is known to the share ``tight``.
        """
        lowest, falls, rises = math.inf, None, None
        for _ in range(STEPS):
            now = self.step(lam)
            lowest = min(lowest, now.value)
            falls, rises = (now, rises) if now.slope < 0.0 else (falls, now)
            if lowest <= enough or now.slope == 0.0:
                break
            if falls is None or rises is None:
                lam = lam * STRIDE if rises is None else lam / STRIDE
                continue
            offset = falls.value - falls.slope * falls.at - rises.value + rises.slope * rises.at
            lam = offset / (rises.slope - falls.slope)
            bound = falls.value + falls.slope * (lam - falls.at)
            if lowest - bound <= tight * lowest or not falls.at < lam < rises.at:
                break
        return lowest, rises


def ranked(items: Items, start: Certified, gap: float, nodes: int) -> Certified:
    """Branch on where the (K+1)-th largest eps lies, from what another search has found."""
    count = min(
        int(np.searchsorted(_together(items)[1][1:], items.limit, "right")), items.curves.n - 1
    )
    best, reached, settled = start.epsilon, items.gain(start.epsilon), 0.0
    open_ = [(-start.upper, 0.0, float(np.max(items.ends)), start.price or 1.0)]
    for _ in range(nodes):
        if not open_ or -open_[0][0] <= max(settled, reached / (1.0 - gap)):
            break
        minus_upper, low, high, lam = heappop(open_)
        band = Band(items, count, low, high)
        if band.reaches.sum() <= count:
            continue
        lowest, step = band.least(lam, reached, 0.1 * gap)
        cut = lam = 0.0
        if step is not None:
            point, lam = items.kept(_filled(items, step)), step.at
            cut = float(np.sort(point)[-1 - count])
            best, reached = max((best, reached), (point, items.gain(point)), key=lambda x: x[1])
        upper = min(-minus_upper, lowest)
        if upper > reached and high - low <= NARROW * high:
            settled = max(settled, upper)
        elif upper > reached:
            margin = MARGIN * (high - low)
            cut = cut if low + margin < cut < high - margin else 0.5 * (low + high)
            for part in ((low, cut), (cut, high)):
                heappush(open_, (-upper, *part, lam or start.price or 1.0))
    upper = max(settled, reached, -open_[0][0] if open_ else 0.0)
    return Certified(best, min(upper, start.upper), start.price)


def _filled(items: Items, step: Step) -> Array:
    """The point of a step, with the item between taking what is left of the limit."""
    end = float(items.ends[step.last])
    return items.filled(step.epsilon, step.leakage, step.last, 0.0, end)
