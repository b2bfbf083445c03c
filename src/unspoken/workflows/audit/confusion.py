"""What an event tells, by counting: how often it came where the secret was true, and elsewhere.

Each end is Clopper and Pearson's (core/numerics/binomial.py), the chance to miss split evenly among
the ends that a number needs. Coins of rows are independent, so rows are trials, also of one table,
whose rows have different chances: the tails of their sum are no heavier than those of the binomial
law of the same mean (Hoeffding, 1956).

With a = P(event | secret), b = P(event | not secret), the shares of the secret before being t:

    factor        log a / b                                      each answer's factor on odds
    information   t KL(a || q) + (1 - t) KL(b || q)              q = t a + (1 - t) b
    guess         log max(t a + (1-t)(1-b), ...) / max(t, 1-t)   the guess that the event says
    delta         a - e^eps b

The information of two rates in a box is largest in one of the two corners furthest from a = b, and
least in the corner nearest to it, or 0 where the box meets it: it is convex, and 0 on a = b.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from unspoken.core.errors import unknown
from unspoken.core.numerics.arrays import Array, Counts
from unspoken.core.numerics.binomial import lower_end, upper_end

__all__ = ["SCALES", "Confusion", "Interval", "Scale", "scale_named"]


@dataclass(frozen=True)
class Interval:
    """A number as counted, and between which ends the truth is; of several events, arrays."""

    value: Array
    low: Array
    high: Array

    def at(self, place: int) -> tuple[float, float, float]:
        """Value, low and high of one event."""
        return tuple(float(ends[place]) for ends in (self.value, self.low, self.high))  # type: ignore[return-value]


@dataclass(frozen=True)
class Confusion:
    """Of events, one beside the other: ``hits`` of so many trials with the secret, and of others.

    ``prior``: how likely the secret is before anything is seen; ``epsilon``: that of delta.
    """

    hits: Counts
    secrets: int
    false: Counts
    others: int
    prior: float
    epsilon: float = 0.0

    def rates(self, chance: float) -> tuple[Interval, Interval]:
        """a and b; both intervals hold but with this chance."""
        return _rate(self.hits, self.secrets, chance / 4), _rate(
            self.false, self.others, chance / 4
        )


Scale = Callable[[Confusion, float], Interval]


def factor(counted: Confusion, chance: float) -> Interval:
    """By how much the event multiplies odds, in nats; what never came has none."""
    a, b = counted.rates(chance)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(a.value) - np.log(b.value)
        low = np.log(a.low) - np.log(b.high)
        high = np.log(a.high) - np.log(b.low)
    return Interval(np.where(np.isnan(value), 0.0, value), low, high)


def information(counted: Confusion, chance: float) -> Interval:
    """What knowing whether the event came tells of the secret on average, in nats."""
    a, b = counted.rates(chance)
    t = counted.prior
    corners = _mean_divergence(a.high, b.low, t), _mean_divergence(a.low, b.high, t)
    apart = np.where(
        a.low > b.high, _mean_divergence(a.low, b.high, t), _mean_divergence(a.high, b.low, t)
    )
    meets = (a.low <= b.high) & (b.low <= a.high)
    return Interval(
        _mean_divergence(a.value, b.value, t), np.where(meets, 0.0, apart), np.maximum(*corners)
    )


def guess(counted: Confusion, chance: float) -> Interval:
    """How much oftener than before a guess is right that says what the event says, in nats."""
    a, b = counted.rates(chance)
    t = counted.prior
    before = max(t, 1 - t)

    def gain(a: Array, b: Array) -> Array:
        right = t * a + (1 - t) * (1 - b)
        return np.log(np.maximum(right, before) / before)

    return Interval(gain(a.value, b.value), gain(a.low, b.high), gain(a.high, b.low))


def delta(counted: Confusion, chance: float) -> Interval:
    """a - e^eps b, no less than 0."""
    a, b = counted.rates(chance)
    grown = math.exp(counted.epsilon)

    def over(a: Array, b: Array) -> Array:
        return np.maximum(a - grown * b, 0.0)

    return Interval(over(a.value, b.value), over(a.low, b.high), over(a.high, b.low))


# By which scale an event is compared with a measure's bound.
SCALES: Mapping[str, Scale] = {
    "odds": factor,
    "max-log-ratio": factor,
    "mutual-information": information,
    "bayes-leakage": guess,
    "delta": delta,
}


def scale_named(measure: str) -> Scale:
    """The scale of this measure."""
    if measure not in SCALES:
        raise unknown("audit.measure", measure, SCALES)
    return SCALES[measure]


def _rate(hits: Counts, of: int, chance: float) -> Interval:
    if not of:
        return Interval(np.zeros(len(hits)), np.zeros(len(hits)), np.ones(len(hits)))
    return Interval(hits / of, lower_end(hits, of, chance), upper_end(hits, of, chance))


def _mean_divergence(a: Array, b: Array, t: float) -> Array:
    q = t * a + (1 - t) * b
    return t * _divergence(a, q) + (1 - t) * _divergence(b, q)


def _divergence(p: Array, q: Array) -> Array:
    """KL of two coins: p log p/q + (1 - p) log (1 - p)/(1 - q)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(p > 0, p * np.log(p / q), 0.0)
        tails = np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0)
    leaked: Array = np.maximum(heads + tails, 0.0)
    return leaked
