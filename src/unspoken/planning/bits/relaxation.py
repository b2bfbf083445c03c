"""The relaxation of many items that share a limit: every curve replaced by its concave envelope.

With the envelopes of planning/bits/envelope.py

    max sum_i w_i u_i   subject to   sum_i I_i(eps_i) <= T,   lo_i <= eps_i <= hi_i

is concave and has one price t, in nats per unit of utility. At that price item i goes to hi_i if
its chord costs less than t, and else rests where I_i' = w_i t on its curve part. At most one
item is left on its chord, strictly between the knee and hi. And with lambda = 1 / t,

    D(lambda) = lambda T + sum_i max over [lo_i, hi_i] of (w_i u - lambda I_i)

is an upper bound for every lambda, whether or not the search for the price has converged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import ERROR, Jet
from unspoken.planning.bits.envelope import ROUNDS, Envelope, rise
from unspoken.planning.bits.objective_curves import ObjectiveCurves

__all__ = ["MEETS", "SUMS", "Relaxed", "Rest", "Smooth", "bound", "relax", "rest"]

# Resting places are found to this share of the interval, then one Newton step better; the bound
# allows for what they miss.
REST = 1e-8
# What a slope may be off by.
ROUNDING = 4e-16
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
    curves: ObjectiveCurves
    weights: Array

    @classmethod
    def of(cls, curves: ObjectiveCurves, weights: Array) -> Smooth:
        index = curves.starts_convex
        return cls(index, curves.take(index), weights[index])

    def take(self, index: Codes) -> Smooth:
        """Some of them; all are as they are."""
        if len(index) == len(self.index):
            return self
        return Smooth(self.index[index], self.curves.take(index), self.weights[index])

    def soonest(self, wanted: Array) -> Array:
        """About where dI/du = wanted, if that is near 0, else less; above 0 by what slopes are off.

        I' is convex in p, so it is I'(0) + I''(0) p at least; and less than 8 times that to p = .5.
        """
        curves = self.curves.curves
        above = np.maximum(wanted - curves.slope_at_zero, 0.0) + ROUNDING / REST * wanted
        with np.errstate(over="ignore"):
            return np.asarray(-np.log1p(-np.minimum(above / curves.curvature_at_zero, 0.5)))


@dataclass(frozen=True)
class Rest:
    """The smooth items on their curve parts at one price."""

    price: float
    epsilon: Array
    jet: Jet
    moves: Array  # d epsilon / d price
    total: float
    grows: float  # d total / d price

    def at(self, price: float) -> Array:
        """Where they are at a price near by, to first order."""
        return self.epsilon + self.moves * (price - self.price)


@dataclass(frozen=True)
class Chords:
    """The chords, cheapest first. before[k] is the leakage of the first k of them together."""

    order: Codes
    price: Array
    before: Array


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


def rest(smooth: Smooth, env: Envelope, price: float, near: Rest | None = None) -> Rest:
    """The smooth items at I'(eps) = w t, as far as [lo, knee] allows, searched from where they are
    at a price near by.
    """
    lo, knee, at_lo, at_knee, slope_lo, slope_knee, bend_lo, bend_knee = (
        each[smooth.index] for k, each in enumerate(env) if k not in (2, 5)
    )
    wanted = smooth.weights * price
    last = wanted >= slope_knee
    epsilon = np.where(last, knee, lo)
    jet = Jet(
        np.where(last, at_knee, at_lo),
        np.where(last, slope_knee, slope_lo),
        np.where(last, bend_knee, bend_lo),
    )
    inside = np.flatnonzero((wanted > slope_lo) & ~last)
    moves, grows = np.zeros_like(lo), 0.0
    if len(inside):
        part = smooth.take(inside)

        def over(here: Jet, _: Array, items: Codes) -> tuple[Array, Array]:
            return here.slope - wanted[inside[items]], here.curvature

        ends = lo[inside], knee[inside]
        first = part.soonest(wanted[inside])
        at = first if near is None else near.at(price)[inside]
        width = REST * np.minimum(ends[1], first)
        found = rise(part.curves, over, *ends, np.clip(at, *ends), width)
        epsilon[inside], here = found, part.curves.jet(found)
        for each, there in zip(jet, here, strict=True):
            each[inside] = there
        bends = here.curvature > 0.0
        speed = np.divide(part.weights, here.curvature, out=np.zeros_like(found), where=bends)
        moves[inside] = speed / part.curves.rate(found)
        grows = float(np.sum(here.slope * speed))
    return Rest(price, epsilon, jet, moves, float(np.sum(jet.leakage)), grows)


def chords(smooth: Smooth, env: Envelope, weights: Array) -> Chords:
    """Every chord that gains something."""
    of = smooth.curves.of
    gain = weights * (of(env.hi) - of(env.knee))
    jump = np.maximum(env.at_hi - env.at_knee, 0.0)
    there = np.flatnonzero(gain > 0.0)
    price = jump[there] / gain[there]
    rank = np.argsort(price, kind="stable")
    order = there[rank]
    return Chords(order, price[rank], np.concatenate([[0.0], np.cumsum(jump[order])]))


def relax(
    smooth: Smooth, env: Envelope, weights: Array, limit: float, near: Rest | None = None
) -> tuple[Relaxed, Rest | None] | None:
    """The relaxation, searched from a similar one's prices; None where every lo_i is too much.

    The point spends at most limit (1 - MEETS) where the search has converged.
    """
    base = float(np.sum(env.at_lo)) - float(np.sum(env.at_lo[smooth.index]))
    least = float(np.sum(env.at_lo[smooth.index]))
    most = float(np.sum(env.at_knee[smooth.index]))
    if base + least > limit * (1.0 + MEETS):
        return None
    aim = limit * (1.0 - MEETS) - base
    by = chords(smooth, env, weights)
    if most + by.before[-1] <= aim:
        upper = float(weights @ smooth.curves.of(env.hi))
        return Relaxed(math.inf, env.hi, env.at_hi, None, None, upper * (1.0 + SUMS)), near
    now = rest(smooth, env, _mean(smooth, env, weights) if near is None else near.price, near)
    low, high, missed = 0.0, math.inf, math.inf
    for _ in range(ROUNDS):
        first, past = (
            by.before[np.searchsorted(by.price, now.price, side)] for side in ("left", "right")
        )
        left = aim - now.total
        idle = first == 0.0 and now.total <= least  # below this price nothing changes
        last, missed = missed, max(first - left, left - past)
        if missed <= CLOSE * limit or (left < first and idle):
            break
        low, high = (low, now.price) if left < first else (now.price, high)
        price = _next_price(by, now, aim, least, most)
        if not low < price < high or missed > 0.5 * last:
            price = _between(low, high)
        if abs(price - now.price) <= SAME * price:
            break
        now = rest(smooth, env, price, now)
    return _settle(smooth, env, weights, limit, by, now, aim - now.total), now


def _mean(smooth: Smooth, env: Envelope, weights: Array) -> float:
    """What a unit of utility costs on the whole way."""
    return float(np.sum(env.at_hi)) / float(weights @ smooth.curves.of(env.hi))


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
    if not now.grows > 0.0:
        return math.copysign(math.inf, missing)
    left = most - now.total
    if 0.0 < missing < left < 0.5 * most:  # what is left falls about exponentially
        missing = left * math.log(left / (left - missing))
    return now.price + missing / now.grows


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
    epsilon[smooth.index], leakage[smooth.index] = now.epsilon, now.jet.leakage
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
    ready = (np.abs(now.jet.slope - wanted) <= NEAR * wanted) & ~np.isin(smooth.index, taken)
    at = np.flatnonzero(ready)
    with np.errstate(over="ignore"):  # of next to no weight: it moves the price least
        bend = np.abs(now.jet.curvature[at]) / smooth.weights[at]
    return int(smooth.index[at[np.argmin(bend)]]) if len(at) else None


def bound(smooth: Smooth, env: Envelope, weights: Array, limit: float, now: Rest) -> float:
    """D(lambda), rounded up; I is rounded down.

    w u - lambda I is convex where I is concave, so largest at an end there. On [lo, knee] it is
    concave, so below its tangent at any point; and from the knee to hi it is below its chord.
    """
    of, price, less = smooth.curves.of, 1.0 / now.price, (1.0 - ERROR) / now.price
    ends = (weights * of(end) - less * at for end, at in ((env.lo, env.at_lo), (env.hi, env.at_hi)))
    value = np.maximum(*ends)
    lo, knee, here = of(env.lo[smooth.index]), of(env.knee[smooth.index]), of(now.epsilon)
    turn = smooth.weights - price * now.jet.slope
    doubt = ERROR * smooth.weights * knee
    above = np.maximum(turn * (knee - here), turn * (lo - here)) + doubt
    rests = smooth.weights * here - less * now.jet.leakage + above
    value[smooth.index] = np.maximum(value[smooth.index], rests)
    spent = limit / now.price
    return float(spent + np.sum(value) + SUMS * (spent + np.sum(np.abs(value))))
