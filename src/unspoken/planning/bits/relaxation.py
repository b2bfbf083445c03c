"""The relaxation of many items that share a limit: every curve replaced by its concave envelope.

With the envelopes of planning/bits/envelope.py

    max sum_i w_i eps_i   subject to   sum_i I_i(eps_i) <= T,   lo_i <= eps_i <= hi_i

is concave and has one price t, in nats per unit of utility. At that price item i goes to hi_i if
its chord costs less than t, and else rests where I_i'(eps) = w_i t on its curve part. At most one
item is left on its chord, strictly between the knee and hi. And with lambda = 1 / t,

    D(lambda) = lambda T + sum_i max over [lo_i, hi_i] of (w_i e - lambda I_i(e))

is an upper bound for every lambda, whether or not the search for the price has converged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unspoken.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import ERROR, Curves
from unspoken.planning.bits.envelope import ROUNDS, Bends, Envelope, bends, rise

__all__ = ["MEETS", "SUMS", "Relaxed", "Rest", "Smooth", "responses", "bound", "relax", "rest"]

# Resting places are found to this share of the interval, then one Newton step better; the bound
# allows for what they miss.
REST = 1e-8
# A price is found when its answers miss the limit by no more than this share. The bound is then off
# by the square, and of the point one item is moved to meet the limit.
CLOSE = 1e-10
# A sum of leakages meets the limit to this relative accuracy.
MEETS = 2.0 * ERROR
# A marginal nat this near to the price costs the price.
NEAR = 1e-9
# Prices this near to one another are the same: no search tells them apart.
SAME = 1e-15
# What sums of floats lose, relative to the sum of their sizes.
SUMS = 1e-14


@dataclass(frozen=True)
class Smooth:
    """The items whose curve starts convex: only these ever rest between lo and a knee."""

    index: Codes
    curves: Curves
    weights: Array

    @classmethod
    def of(cls, curves: Curves, weights: Array) -> Smooth:
        """Those with d2I/deps2 = I'' - I' > 0 at eps = 0; concave there means concave for ever."""
        index = np.flatnonzero(curves.curvature_at_zero > curves.slope_at_zero)
        return cls(index, curves.take(index), weights[index])


@dataclass(frozen=True)
class Rest:
    """The smooth items on their curve parts at one price."""

    price: float
    epsilon: Array
    bends: Bends
    moves: Array  # d epsilon / d price
    total: float
    grows: float  # d total / d price


@dataclass(frozen=True)
class Chords:
    """The chords, cheapest first. before[k] is the leakage of the first k of them together."""

    order: Codes
    price: Array
    before: Array


class Responses(NamedTuple):
    """Each item's best answer to a price: what it gains at most after paying for its leakage."""

    value: Array
    epsilon: Array
    leakage: Array


@dataclass(frozen=True)
class Relaxed:
    """The relaxation's answer.

    epsilon, leakage   the point, the item left on its chord standing at its knee
    partial            that item; None if there is none, and then the point is optimal as it is
    last               the item to take up what rounding leaves of the limit: the partial one, else
                       the smooth one that moves most; None where everything stands at an end
    upper              D(1 / price), rounded up
    """

    price: float
    epsilon: Array
    leakage: Array
    partial: int | None
    last: int | None
    upper: float


def rest(smooth: Smooth, env: Envelope, price: float, at: Array) -> Rest:
    """The smooth items at I'(eps) = w t, as far as [lo, knee] allows, searched from ``at``."""
    lo, knee = env.lo[smooth.index], env.knee[smooth.index]
    wanted = smooth.weights * price

    def over(here: Bends, _: Array, items: Codes) -> tuple[Array, Array]:
        return here.slope - wanted[items], here.bend

    if len(at):
        at = rise(smooth.curves, over, lo, knee, np.clip(at, lo, knee), REST * knee)
    here = bends(smooth.curves, at)
    inside = (at > lo) & (at < knee) & (here.bend > 0.0)
    moves = np.divide(smooth.weights, here.bend, out=np.zeros_like(at), where=inside)
    grows = float(np.sum(here.slope * moves))
    return Rest(price, at, here, moves, float(np.sum(here.leakage)), grows)


def chords(env: Envelope, weights: Array) -> Chords:
    """Every chord that gains something."""
    gain = weights * (env.hi - env.knee)
    jump = np.maximum(env.at_hi - env.at_knee, 0.0)
    there = np.flatnonzero(gain > 0.0)
    price = jump[there] / gain[there]
    rank = np.argsort(price, kind="stable")
    order = there[rank]
    return Chords(order, price[rank], np.concatenate([[0.0], np.cumsum(jump[order])]))


def relax(
    smooth: Smooth, env: Envelope, weights: Array, limit: float, near: Rest
) -> tuple[Relaxed, Rest] | None:
    """The relaxation, searched from a similar one's prices; None where every lo_i is too much.

    The point spends at most limit (1 - MEETS) where the search has converged.
    """
    base = float(np.sum(env.at_lo)) - float(np.sum(env.at_lo[smooth.index]))
    least = float(np.sum(env.at_lo[smooth.index]))
    most = float(np.sum(env.at_knee[smooth.index]))
    if base + least > limit * (1.0 + MEETS):
        return None
    aim = limit * (1.0 - MEETS) - base
    by = chords(env, weights)
    if most + by.before[-1] <= aim:
        upper = float(weights @ env.hi)
        return Relaxed(math.inf, env.hi, env.at_hi, None, None, upper * (1.0 + SUMS)), near
    now, price, low, high, missed = near, near.price, 0.0, math.inf, math.inf
    for _ in range(ROUNDS):
        now = rest(smooth, env, price, now.epsilon + now.moves * (price - now.price))
        first, past = (
            by.before[np.searchsorted(by.price, price, side)] for side in ("left", "right")
        )
        left = aim - now.total
        idle = first == 0.0 and now.total <= least  # below this price nothing changes
        last, missed = missed, max(first - left, left - past)
        if missed <= CLOSE * limit or (left < first and idle):
            break
        low, high = (low, price) if left < first else (price, high)
        price = _next_price(by, now, aim, least, most)
        if not low < price < high or missed > 0.5 * last:
            price = _between(low, high)
        if abs(price - now.price) <= SAME * price:
            break
    return _settle(smooth, env, weights, limit, by, now, aim - now.total), now


def _between(low: float, high: float) -> float:
    """A price well inside the bracket."""
    if high == math.inf:
        return 2.0 * low
    return 0.5 * high if low == 0.0 else math.sqrt(low) * math.sqrt(high)


def _next_price(by: Chords, now: Rest, aim: float, least: float, most: float) -> float:
    """The price at which all would use up ``aim`` were the smooth items' total linear in it."""
    curve = np.clip(now.total + now.grows * (by.price - now.price), least, most)
    whole = int(np.searchsorted(curve + by.before[1:], aim, "right"))
    if whole < len(by.price) and curve[whole] + by.before[whole] <= aim:
        return float(by.price[whole])
    missing = aim - float(by.before[whole]) - now.total
    return now.price + missing / now.grows if now.grows > 0.0 else math.copysign(math.inf, missing)


def _settle(
    smooth: Smooth,
    env: Envelope,
    weights: Array,
    limit: float,
    by: Chords,
    now: Rest,
    left: float,
) -> Relaxed:
    """The point at the price found, and the bound."""
    first = int(np.searchsorted(by.price, now.price * (1.0 - SAME), "left"))
    past = int(np.searchsorted(by.price, now.price * (1.0 + SAME), "right"))
    whole = min(max(int(np.searchsorted(by.before[1:], left, "right")), first), past)
    epsilon, leakage = env.lo.copy(), env.at_lo.copy()
    epsilon[smooth.index], leakage[smooth.index] = now.epsilon, now.bends.leakage
    taken = by.order[:whole]
    epsilon[taken], leakage[taken] = env.hi[taken], env.at_hi[taken]
    partial = int(by.order[whole]) if whole < past else None
    upper = bound(smooth, env, weights, limit, now)
    last = _readiest(smooth, now, taken) if partial is None else partial
    return Relaxed(now.price, epsilon, leakage, partial, last, upper)


def _readiest(smooth: Smooth, now: Rest, taken: Codes) -> int | None:
    """The smooth item, not at its end, whose marginal nat costs the price and moves it most.

    It may stand at lo or at its knee: if a curve is nearly a line one float of price is between.
    """
    wanted = smooth.weights * now.price
    ready = (np.abs(now.bends.slope - wanted) <= NEAR * wanted) & ~np.isin(smooth.index, taken)
    bend = np.where(ready, np.abs(now.bends.bend) / smooth.weights, math.inf)
    return int(smooth.index[np.argmin(bend)]) if ready.any() else None


def responses(smooth: Smooth, env: Envelope, weights: Array, now: Rest) -> Responses:
    """Where w e - lambda I(e) is largest for each item, and at most how large; I is rounded down.

    It is convex where I is concave, so largest at an end there. On [lo, knee] it is concave, so
    below its tangent at any point; and from the knee to hi it is below its chord.
    """
    price, less = 1.0 / now.price, (1.0 - ERROR) / now.price
    start, end = weights * env.lo - less * env.at_lo, weights * env.hi - less * env.at_hi
    up = end > start
    value, epsilon = np.maximum(start, end), np.where(up, env.hi, env.lo)
    leakage = np.where(up, env.at_hi, env.at_lo)
    lo, knee, w = env.lo[smooth.index], env.knee[smooth.index], smooth.weights
    turn = w - price * now.bends.slope
    above = np.maximum(turn * (knee - now.epsilon), turn * (lo - now.epsilon)) + ERROR * w * knee
    rests = w * now.epsilon - less * now.bends.leakage + above
    resting = rests > value[smooth.index]
    there = smooth.index[resting]
    value[there], epsilon[there] = rests[resting], now.epsilon[resting]
    leakage[there] = now.bends.leakage[resting]
    return Responses(value, epsilon, leakage)


def bound(smooth: Smooth, env: Envelope, weights: Array, limit: float, now: Rest) -> float:
    """D(lambda), rounded up."""
    value, spent = responses(smooth, env, weights, now).value, limit / now.price
    return float(spent + np.sum(value) + SUMS * (spent + np.sum(np.abs(value))))
