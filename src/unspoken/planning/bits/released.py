"""The most released records: max sum w_i p_i subject to sum_i I_i(p_i) <= T, 0 <= p_i <= cap_i.

I_i (eq. 21) is convex in p_i, so the problem is convex, and at a price lambda per nat of leakage
every attribute answers for itself: w_i = lambda I_i'(p_i), cut off at 0 and at its cap. What the
answers leak together falls as lambda rises; the price sought is the one at which it is T.

    outer loop  Newton's method on log lambda, kept inside a bracket
    inner loop  Newton's method in eps for all attributes at once, started where the derivative of
                the last answers says they will be
    certificate for any lambda and any p^, since F_i = w_i p - lambda I_i(p) is concave,
                OPT <= lambda T + sum_i max_p F_i(p), and max F_i is bounded from F_i(p^), F_i'(p^)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import ERROR, Curves, Jet
from unspoken.planning.bits.solution import Solution

# Beyond it e^-eps is next to denormal: 1 - p <= 1e-299, as good as certain release.
CERTAIN = 690.0
# Limits and caps so small that products with them underflow are taken as 0: rounded down.
NOTHING = 1e-270
# So are weights this small beside the largest.
DUST = 1e-100
# How close w_i / lambda and I_i' have to come: relative to what is above I_i'(0), and to rounding.
CLOSE, ROUNDING = 1e-10, 4e-16
# The bracket on log lambda is narrow enough: what is left is cut by interpolation (error squared).
NARROW = 1e-6
# How far log lambda is lowered at once while nothing is known below.
STRIDE = 3.0
# Sums and products of floats known to a few units in the last place are known to this.
FEW_ULPS = 2e-15


@dataclass(frozen=True)
class Demand:
    """What every attribute answers to one price, and what that leaks."""

    log_price: float
    epsilon: Array
    leakage: float
    moves: Array  # -d epsilon / d log price
    response: float  # -d leakage / d log price
    inner: Codes  # the attributes strictly between 0 and their cap
    part: Curves  # their curves

    def predict(self, log_price: float) -> Array:
        """The answers to a price near by, to first order."""
        return self.epsilon + self.moves * (self.log_price - log_price)


@dataclass(frozen=True)
class Rivals:
    """The attributes among which the limit is to be divided: weight > 0, cap > 0, some leakage."""

    curves: Curves
    weights: Array
    caps: Array

    @cached_property
    def at_cap(self) -> Jet:
        """The end of every curve."""
        return self.curves.jet(self.caps)

    def highest(self) -> Demand:
        """The lowest price at which everybody answers 0: the largest w_i / I_i'(0)."""
        price = float(np.max(self.weights / self.curves.slope_at_zero))
        nobody = np.arange(0)
        zero = np.zeros(self.curves.n)
        part = self.curves.take(nobody)
        return Demand(math.log(price), zero, 0.0, zero, 0.0, nobody, part)

    def answer(self, log_price: float, near: Demand) -> Demand:
        """w_i = lambda I_i'(p_i) for everybody, cut off at 0 and at the cap."""
        target = self.weights * math.exp(-log_price)
        full = target >= self.at_cap.slope
        inner = np.flatnonzero((target > self.curves.slope_at_zero) & ~full)
        part = near.part if np.array_equal(inner, near.inner) else self.curves.take(inner)
        epsilon, leakage = np.where(full, self.caps, 0.0), np.where(full, self.at_cap.leakage, 0.0)
        moves = np.zeros(self.curves.n)
        guess = near.predict(log_price)[inner]
        epsilon[inner], jet = _meet(part, target[inner], guess, self.caps[inner])
        leakage[inner] = jet.leakage
        # I'(p) = w / lambda: dp / d log lambda = -I' / I'', and d eps = e^eps dp.
        speed = jet.slope / jet.curvature
        moves[inner] = speed * np.exp(epsilon[inner])
        response = float(np.sum(jet.slope * speed))
        return Demand(log_price, epsilon, float(np.sum(leakage)), moves, response, inner, part)


def maximise_released(curves: Curves, weights: Array, caps: Array, limit: float) -> Solution:
    """The optimum with its certificate; see Solution for what the numbers promise.

    weights >= 0 are per unit of p_i, caps >= 0 are in eps (inf: none), limit >= 0 in nats. What
    leaks nothing gets its cap; what else has weight 0 gets 0.
    """
    free = curves.curvature_at_zero == 0.0
    epsilon = np.where(free | (weights > 0.0), caps, 0.0)
    total = curves.total(epsilon)
    if total <= limit and limit >= NOTHING:
        gained = _gain(weights, epsilon)
        return Solution(epsilon, gained, _up(gained), 0.0, total)
    open_ = ~free & (caps > NOTHING)
    heaviest = float(np.max(weights, where=open_, initial=0.0))
    competes = open_ & (weights > DUST * heaviest)
    epsilon = np.where(free, caps, 0.0)
    # What costs nothing, and what is too little to be told from nothing: counted in full.
    beside = free if limit == 0.0 else ~competes
    upper = _gain(weights[beside], caps[beside])
    price = total = 0.0
    if competes.any():
        scale = 2.0 ** math.frexp(heaviest)[1]  # a power of 2: no rounding
        rivals = Rivals(curves.take(competes), weights[competes] / scale, caps[competes])
        part = _divide(rivals, float(limit))
        epsilon[competes] = part.epsilon
        upper, price, total = upper + part.upper * scale, part.multiplier * scale, part.total
    return Solution(epsilon, _gain(weights, epsilon), _up(upper), price, total)


def certify(rivals: Rivals, price: float, epsilon: Array, limit: float) -> float:
    """No feasible point gains more: lambda T + sum_i max_p F_i(p), rounded up.

    F_i(p) = w_i p - lambda I_i(p) is concave with curvature at most -lambda I_i''(0), so it exceeds
    F_i(p^) by at most f d - lambda I_i''(0) d^2 / 2 within the room d that the box leaves p, where
    f is the slope F_i'(p^) towards it. Every float is taken on its unfavourable side.
    """
    weights, curves = rivals.weights, rivals.curves
    jet = curves.jet(epsilon)
    spent = price * math.fsum(jet.leakage.tolist()) * (1.0 - ERROR)
    slope = weights - price * jet.slope
    doubt = ERROR * (weights + price * jet.slope)
    bend = price * curves.curvature_at_zero * (1.0 - ERROR)
    # A cap above CERTAIN was cut down to it; what that leaves out is far below the last rounding.
    room = np.exp(-epsilon) * -np.expm1(epsilon - rivals.caps)
    up = _rise(slope + doubt, bend, room)
    down = _rise(doubt - slope, bend, -np.expm1(-epsilon))
    excess = math.fsum(np.maximum(up, down).tolist())
    return _up(_gain(weights, epsilon) + (price * limit - spent) + excess)


def _rise(slope: Array, bend: Array, room: Array) -> Array:
    """At least the largest slope d - bend d^2 / 2 over 0 <= d <= room."""
    slope = np.maximum(slope, 0.0)
    with np.errstate(over="ignore"):  # inf only means that the other one counts
        vertex = slope * (slope / (2.0 * bend))
    return np.asarray(np.minimum(slope * room, vertex) * (1.0 + FEW_ULPS))


def _divide(rivals: Rivals, limit: float) -> Solution:
    """The same for the attributes that compete for a limit too small for all their caps."""
    rivals = replace(rivals, caps=np.minimum(rivals.caps, CERTAIN))
    nobody = rivals.highest()
    # At lambda >= every w_i / I_i'(0) all F_i fall from p = 0 on: OPT <= lambda T, tight if small.
    price = math.exp(nobody.log_price) * (1.0 + 2.0 * ERROR)
    upper, gained = _up(price * limit), _gain(rivals.weights, rivals.caps)
    if limit < NOTHING:
        return Solution(nobody.epsilon, 0.0, upper, price, 0.0)
    total = rivals.curves.total(rivals.caps)
    if total <= limit:
        return Solution(rivals.caps, gained, _up(gained), 0.0, total)
    below, best, above = _price(rivals, limit / (1.0 + 2.0 * ERROR))
    epsilon = _fit(rivals.curves, limit, below.epsilon, best.epsilon, above.epsilon)
    price = math.exp(best.log_price)
    return Solution(
        epsilon,
        objective=_gain(rivals.weights, epsilon),
        upper=min(upper, _up(gained), certify(rivals, price, best.epsilon, limit)),
        multiplier=price,
        total=rivals.curves.total(epsilon),
    )


def _price(rivals: Rivals, limit: float) -> tuple[Demand, Demand, Demand]:
    """Answers to a price slightly too high, the best one known, and one slightly too low."""
    most = float(np.sum(rivals.at_cap.leakage))
    below, above = rivals.highest(), None
    start = math.log(float(np.sum(rivals.weights)) / most)
    now = rivals.answer(min(start, below.log_price - 1e-3), below)
    last = math.inf
    while True:
        below, above = (now, above) if now.leakage <= limit else (below, now)
        if above is None:
            lowest = middle = now.log_price - STRIDE
        elif _settled(below, above, limit):
            break
        else:
            lowest, middle = above.log_price, 0.5 * (below.log_price + above.log_price)
        guesses = _newton(now if now.response > 0.0 else below, limit, most)
        inside = [x for x in guesses if lowest < x < below.log_price]
        guess = next((x for x in inside if abs(x - now.log_price) < 0.5 * last), middle)
        last = abs(guess - now.log_price)
        now = rivals.answer(guess, now)
    share = (limit - below.leakage) / (above.leakage - below.leakage)
    guess = below.log_price + share * (above.log_price - below.log_price)
    return below, rivals.answer(guess, now), above


def _settled(below: Demand, above: Demand, limit: float) -> bool:
    """Whether interpolation between the two does the rest, or no price lies between them."""
    width = below.log_price - above.log_price
    middle = 0.5 * (below.log_price + above.log_price)
    if not above.log_price < middle < below.log_price:
        return True
    return width <= NARROW and above.leakage - below.leakage <= NARROW * limit


def _newton(now: Demand, limit: float, most: float) -> list[float]:
    """Where Newton's method in log price would go on, in the order to try.

    On log leakage while the limit is small and on log (most - leakage) where it is nearly all, both
    nearly straight; else on the leakage itself, straight where single attributes start or stop.
    Steps are a little too long, so that the root is soon caught between two answers.
    """
    if now.response <= 0.0:
        return []
    left = most - now.leakage
    steps = [(now.leakage - limit) / now.response]
    if limit < 0.5 * most:
        steps.insert(0, now.leakage * math.log(now.leakage / limit) / now.response)
    elif left > 0.0:
        steps.insert(0, left * math.log((most - limit) / left) / now.response)
    return [now.log_price + x * (1.0 + 1e-3) + math.copysign(1e-12, x) for x in steps]


def _fit(curves: Curves, limit: float, below: Array, best: Array, above: Array) -> Array:
    """The last point within the limit on the way below -> best -> above, all of them optimal."""
    start, end = (below, best) if curves.total(best) > limit else (best, above)
    low, high = 0.0, 1.0
    total_low, total_high = curves.total(start), curves.total(end)
    if total_high <= limit:
        return end
    for _ in range(60):
        if limit - total_low <= FEW_ULPS * limit:
            break
        share = low + (high - low) * (limit - total_low) / (total_high - total_low)
        if not low < share < high:
            share = 0.5 * (low + high)
            if not low < share < high:
                break
        total = curves.total(start + share * (end - start))
        if total <= limit:
            low, total_low = share, total
        else:
            high, total_high = share, total
    return start + low * (end - start)


def _meet(curves: Curves, target: Array, guess: Array, caps: Array) -> tuple[Array, Jet]:
    """eps with I_i'(eps_i) = target_i, strictly between I_i'(0) and I_i'(cap_i), and the jets."""
    rise = target - curves.slope_at_zero
    close = CLOSE * rise + ROUNDING * target
    # I' is convex in p, so I'(p) >= I'(0) + I''(0) p, and its root is at most this p.
    most = np.minimum(rise / curves.curvature_at_zero, 0.5)
    fresh = np.minimum(-np.log1p(-most), 0.5 * caps)
    epsilon = np.where((guess > 0.0) & (guess < caps), guess, fresh)
    low, high = np.zeros_like(caps), caps.copy()
    jet = curves.jet(epsilon)
    for _ in range(100):
        miss = target - jet.slope
        away = np.abs(miss) > close
        if not away.any():
            break
        low, high = np.where(miss > 0, epsilon, low), np.where(miss > 0, high, epsilon)
        with np.errstate(over="ignore"):  # a step to inf is no safe step
            new = epsilon + miss / jet.curvature * np.exp(epsilon)
        safe = (new > low) & (new < high)
        new = np.where(safe, new, np.minimum(0.5 * (low + high), 2.0 * low + 1.0))
        epsilon = np.where(away, new, epsilon)
        jet = curves.jet(epsilon)
    return epsilon, jet


def _gain(weights: Array, epsilon: Array) -> float:
    """sum w_i p_i to the nearest float."""
    return math.fsum((weights * -np.expm1(-epsilon)).tolist())


def _up(value: float) -> float:
    """A sum of few rounding errors, rounded up past them."""
    return value * (1.0 + FEW_ULPS)
