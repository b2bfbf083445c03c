"""What a single bit does to the odds of secrets, and how often it may be released for that.

Seen alone, M_i multiplies the odds of an event E about another variable, with
a_E = P(X_i = 1 | E), by

    withheld    (1 - a_E p) / (1 - a_notE p)
    released    a_E / a_notE, whatever p is

(theory 3.1; the papers' f1 and f2 for E = [X_j = 0]). The events are those of
planning/joint_law.py: one sensitive value of X_j, or any of them. Of its own secrets "withheld"
raises the odds of any of them most, by e^eps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Mask

__all__ = ["BitOdds", "Overheard", "overheard"]

# Bits i, one for each event E about another variable, with P(X_i, E) and P(X_i, not E).
Overheard = tuple[Codes, Array, Array]


@dataclass(frozen=True)
class BitOdds:
    """The bits that say something of events about other variables."""

    varies: Mask  # (n,)  whether the bit is not constant
    bit: Codes  # (m,)  bit i, for each event it says something of ...
    inside: Array  # (m, 2)  ... P(X_i | E) ...
    outside: Array  # (m, 2)  ... and P(X_i | not E)

    @classmethod
    def of(cls, varies: Mask, some: Sequence[Overheard]) -> BitOdds:
        bit, *laws = (np.concatenate(parts) for parts in zip(*some, strict=True))
        priors = [law.sum(1) for law in laws]
        matters = varies[bit] & (priors[0] > 0) & (priors[1] > 0)
        sides = [law[matters] / p[matters, None] for law, p in zip(laws, priors, strict=True)]
        return cls(varies, bit[matters], *sides)

    def alone(self, epsilon: Array) -> float:
        """The most any one bit, seen alone, multiplies the odds of anything."""
        p, kept = -np.expm1(-epsilon)[self.bit], np.exp(-epsilon)[self.bit]
        withheld = [law[:, 0] + kept * law[:, 1] for law in (self.inside, self.outside)]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            itself = np.exp(epsilon[self.varies])
            f_1 = withheld[0] / withheld[1]
            f_2 = np.where(p > 0, self.inside[:, 1] / self.outside[:, 1], 1.0)
        return float(np.nanmax(np.concatenate([[1.0], itself, f_1, f_2])))

    def caps(self, odds_cap: float) -> Array:
        """The largest eps at which bit i alone raises nobody's odds beyond K.

        Withheld: e^eps <= K about itself, and p <= (K - 1) / (K a_notE - a_E) about others.
        Released: a_E / a_notE <= K, or else p = 0.
        """
        if math.isinf(odds_cap):
            return np.full(len(self.varies), math.inf)
        caps = np.where(self.varies, math.log(odds_cap), math.inf)
        a, b = self.inside[:, 1], self.outside[:, 1]
        room = odds_cap * b - a
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(room > odds_cap - 1, (odds_cap - 1) / room, 1.0)
            p = np.where(a <= odds_cap * b * (1 + 1e-15), p, 0.0)
            np.minimum.at(caps, self.bit, -np.log1p(-p) * (1 - 1e-15))
        return caps


def overheard(bit: int, law: Array, events: Array) -> Overheard:
    """What one bit says of events, given as rows over the values of V_j, from P(X_i, V_j)."""
    return np.full(len(events), bit), events @ law.T, (1.0 - events) @ law.T
