"""What all rows of one unit tell together of its habit H: a person's, say, over many days.

Of the T rows of a unit n are secret; a row is withheld with probability b1 if it is secret, and
with b0 if it is not. Who counts the blanks N sees

    N ~ Bin(n, b1) + Bin(T - n, b0)    given n, so of H = f(n), "at least c of them", I(H; N)

exactly. Who reads whole answers learns more, but not without end. Where no answer multiplies the
odds of a secret by more than a cap, P(y | not secret) >= P(y | secret) / cap, so

    P(. | not secret) = P(. | secret) / cap + (1 - 1 / cap) R    with R a law of answers:

an answer can be drawn from a blank that comes always (secret) or with 1 / cap (not): blanks with
b1 = 1, b0 = 1 / cap tell no less of anything, by data processing.

Sums over rows bound a habit too, but not each sum bounds each habit:

    H = f(X_1 .. X_T)                  min(H(H), sum_t I(X_t; Y_t))
    rows independent given H           min(H(H), sum_t I(H; Y_t))
    rows a chain given H               min(H(H), sum_t I(H, X_{t-1}; Y_t))

The second sum is false for the first habit ("at least c times": .811 > .623 bit) and for the third
(.311 > 0). All of it takes answers to be independent of one another given which rows are secret.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.numbers import number, whole
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import STATED

__all__ = ["Blanks", "guessed", "told_apart"]

MOST = 10**6  # rows of one unit
OFF = 1e-9  # relative: what rounding does to the law of the blanks of so many rows, and more


@dataclass(frozen=True)
class Blanks:
    """How often a row is withheld that is ``secret``, and any ``other``: b1 and b0."""

    secret: float
    other: float

    def __post_init__(self) -> None:
        for name, chance in (("secret", self.secret), ("other", self.other)):
            if not 0 <= number(chance) <= 1:
                raise InputError(f"blanks.{name}: {chance} is no probability")

    @classmethod
    def released(cls, p: float) -> Blanks:
        """Of a cell that is never shown if it is secret, and with p if not."""
        return cls(1.0, 1.0 - p)

    def law(self, rows: int, secret: int) -> Array:
        """P(N = 0 .. T) where so many of T rows are secret."""
        if not 0 <= secret <= rows <= MOST:
            raise TooLarge(f"{secret:,} secret rows of {rows:,}: of {MOST:,} rows at most")
        law: Array = np.convolve(
            _binomial(secret, self.secret), _binomial(rows - secret, self.other)
        )
        return law


def guessed(blanks: Blanks, prior: Sequence[float], habit: Sequence[Hashable]) -> Bound:
    """How often the best guess at H is right, by who counts blanks and holds the ``prior``."""
    right = float(_joint(blanks, prior, habit).max(0).sum())
    why = f"the best guess for each number of blanks of {len(prior) - 1:,} rows"
    return Bound(right * (1 - OFF), min(1.0, right * (1 + OFF)), "probability", STATED, why)


def told_apart(blanks: Blanks, rows: int, secret: int, odds_cap: float) -> Bound:
    """How often the best test is right on a unit with so many secret rows or with none, as likely.

    From below: who counts ``blanks`` of one attribute, and knows nothing of which rows are secret.
    From above: who knows which ones they would be, and reads all answers, none of which multiplies
    odds by more than the cap: these rows are all blank in 1 of cap^secret units without any.
    """
    rows, secret = whole("rows", rows, "rows"), whole("secret", secret, "rows")
    apart = np.abs(blanks.law(rows, secret) - blanks.law(rows, 0)).sum() / 2
    low = (1 + float(apart) * (1 - OFF)) / 2
    high = 1 - math.exp(-secret * math.log(odds_cap)) / 2
    why = f"counting blanks of {rows:,} rows; all answers, within the cap, of {secret:,} known ones"
    return Bound(min(low, high), min(1.0, high * (1 + OFF)), "probability", STATED, why)


def _joint(blanks: Blanks, prior: Sequence[float], habit: Sequence[Hashable]) -> Array:
    """P(H = h, N = b), a row for each habit."""
    rows, weights = len(prior) - 1, np.asarray(prior, float)
    if len(habit) != len(prior) or rows < 1 or not np.isclose(weights.sum(), 1):
        raise InputError("habit: give a probability, and the habit, of each n = 0 .. rows")
    kinds = {kind: place for place, kind in enumerate(dict.fromkeys(habit))}
    joint = np.zeros((len(kinds), rows + 1))
    for secret, weight in enumerate(weights.tolist()):
        if weight:
            joint[kinds[habit[secret]]] += weight * blanks.law(rows, secret)
    return joint


def _binomial(count: int, chance: float) -> Array:
    """The law of how many of ``count`` come, each with this ``chance``."""
    law: Array = np.zeros(count + 1)
    if chance in (0.0, 1.0) or not count:
        law[count if chance == 1.0 else 0] = 1.0
        return law
    logs = np.array([math.lgamma(k + 1) for k in range(count + 1)])
    come = np.arange(count + 1)
    ways = logs[-1] - logs - logs[::-1]
    law = np.exp(ways + come * math.log(chance) + come[::-1] * math.log1p(-chance))
    law /= law.sum()
    return law
