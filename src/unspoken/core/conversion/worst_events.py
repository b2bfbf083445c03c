"""How much of a leak crosses from one variable to the next: a linear-fractional program, solved.

Z is what leaks, by at most a factor e^L between any two of its values; X speaks of Z by P(z | x),
say p for one value of X and q for another. Then X leaks, through Z, at most

    LFP(p, q; L) = max over 1 <= h <= e^L of log <p, h> / <q, h>
                 = max over events A of log (1 + p(A) (e^L - 1)) / (1 + q(A) (e^L - 1)),

since the best h takes its two extreme values only. The best A holds the z with the largest p/q: a
prefix after sorting; and p > q on all of it, so p(A) - q(A) is a sum of positive terms and

    LFP = log(1 + g E / (1 + q(A) E)),    g = p(A) - q(A),    E = e^L - 1

never subtracts nearly equal things. Which events can be best for *some* L does not depend on L:
those with no other event of smaller q(A) and larger g. They are found once, and used at every step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import UNIT, sum_up, up

__all__ = ["WorstEvents", "worst_event"]

FAR = 700.0  # beyond it e^L leaves the range of floats
CELLS = 2**21  # how many numbers are sorted at a time


@dataclass(frozen=True)
class WorstEvents:
    """The events that are worst for some L, as (q(A), p(A) - q(A)), both rising.

    ``error`` bounds the relative error of every p(z) and q(z): those that are computed, or were
    rounded when they were written down, cost log-ratios 2 error (1 - e^-L) at most.
    """

    base: Array
    gain: Array
    error: float
    outcomes: int

    @classmethod
    def of(cls, rows: Array, error: float = 0.0) -> WorstEvents:
        """Over all ordered pairs of rows of a matrix P(z | x)."""
        best = [_prefixes(p, q) for p, q in _pairs(rows)]
        base, gain = _undominated(*(np.concatenate(part) for part in zip(*best, strict=True)))
        outcomes = rows.shape[1]
        return cls(base, gain, error + UNIT * (outcomes + 6), outcomes)

    def leak(self, given: float) -> float:
        """max LFP(p, q; L) for L = ``given``, rounded up; 0 where no two rows differ."""
        if self.gain.size == 0 or given == 0.0:
            return 0.0
        if given <= FAR:
            grown = math.expm1(given)
            nats = math.log1p(float((self.gain * grown / (1.0 + self.base * grown)).max()))
        else:
            nats = self._far(given)
        slack = 2.0 * self.error * -math.expm1(-given)
        return min(up(nats, 2.0 * self.outcomes + 12.0) + slack, given)

    def _far(self, given: float) -> float:
        """The same where e^L is no float: log(1 + g / (e^-L + q(A))), or L + log g if q(A) = 0."""
        never = self.base == 0.0
        nats = 0.0
        if never.any():
            nats = float(np.logaddexp(0.0, given + np.log(self.gain[never].max())))
        if not never.all():
            ratio = self.gain[~never] / (math.exp(-given) + self.base[~never])
            nats = max(nats, math.log1p(float(ratio.max())))
        return nats

    def fixed_point(self, epsilon: float) -> float:
        """The least a with a >= leak(a) + epsilon: what leaks after ever more steps. inf: no such.

        For one event: with s = 1 - e^-eps and c = 1 - g - (1 - q) s, a = eps + log(1 + z) where
        q z^2 + c z - g s = 0. An event's own leak(a) - a never rises, so the largest a of any event
        serves them all. What is returned is checked: it bounds the leak of every number of steps.
        """
        if epsilon == 0.0 or math.isinf(epsilon):
            return epsilon
        s, q, g = -math.expm1(-epsilon), self.base, self.gain
        c = 1.0 - g - (1.0 - q) * s
        root = np.sqrt(c * c + 4.0 * q * g * s)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = np.where(
                c > 0, 2.0 * g * s / (c + root), np.where(q > 0, (root - c) / (2 * q), np.inf)
            )
        top = epsilon + math.log1p(float(z.max(initial=0.0)))
        wider = UNIT
        while sum_up(self.leak(top), epsilon) > top:
            top, wider = top * (1.0 + wider), 2.0 * wider
        return top


def worst_event(p: Array, q: Array, given: float) -> float:
    """LFP(p, q; L) for one pair of laws."""
    base, gain = _undominated(*_prefixes(p[None], q[None]))
    return WorstEvents(base, gain, UNIT * (p.size + 6), p.size).leak(given)


def _pairs(rows: Array) -> Iterator[tuple[Array, Array]]:
    """Every row with every row, a block at a time."""
    count, outcomes = rows.shape
    block = max(1, CELLS // (count * outcomes))
    for start in range(0, count, block):
        p, q = np.broadcast_arrays(rows[start : start + block, None], rows[None])
        yield p.reshape(-1, outcomes), q.reshape(-1, outcomes)


def _prefixes(p: Array, q: Array) -> tuple[Array, Array]:
    """(q(A), p(A) - q(A)) for every prefix A of every pair, as far as p > q goes."""
    gain = np.maximum(p - q, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(np.where(gain > 0, -gain / q, np.inf), axis=1, kind="stable")
    gain, q = np.take_along_axis(gain, order, 1), np.take_along_axis(q, order, 1)
    positive = gain > 0
    return np.cumsum(q, axis=1)[positive], np.cumsum(gain, axis=1)[positive]


def _undominated(base: Array, gain: Array) -> tuple[Array, Array]:
    """The points to which no other has a smaller base and a larger gain."""
    order = np.lexsort((-gain, base))
    base, gain = base[order], gain[order]
    best = np.maximum.accumulate(gain)
    keep = np.diff(best, prepend=0.0) > 0
    return base[keep], gain[keep]
