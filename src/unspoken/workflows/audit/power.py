"""How many trials it takes until an attack that gets so far is found to beat a bound.

An event comes in h of n secrets, and f of m others: binomial numbers with rates a and b. Its lower
end L(h, f) rises with h and falls with f, so with h0 and f0 such that

    P(h < h0) <= beta / 4,    P(f > f0) <= beta / 4,    L(h0, f0) > bound

it beats the bound but with the chance beta; the other half of which is for n and m, which are
binomial numbers of the trials themselves.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.binomial import lower_end, upper_end
from unspoken.workflows.audit.confusion import Confusion, scale_named
from unspoken.workflows.audit.judging import ClaimedBound, Verdict

__all__ = ["MISSED", "fewest", "is_found"]

MISSED = 1e-4  # beta
UNSURE = 1e-4  # that a rate, counted once, is beyond what is taken for it
NEAR = 1.05  # how close to the fewest


def fewest(verdict: Verdict, most: int, chance: float, missed: float = MISSED) -> int | None:
    """The fewest trials by which the event of the best attack beats the bound but for ``missed``;
    None: more than ``most``. ``chance``: of an interval to miss.
    """
    best = verdict.best
    if best is None or not is_found(verdict.claim, best.counted, most, chance, missed):
        return None
    low, high = 8, most
    while high > NEAR * low:
        middle = math.isqrt(low * high)
        found = is_found(verdict.claim, best.counted, middle, chance, missed)
        low, high = (low, middle) if found else (middle, high)
    return high


def is_found(
    claim: ClaimedBound, once: Confusion, trials: int, chance: float, missed: float
) -> bool:
    """Whether it would be, of so many trials. ``once``: the event as it was counted once; its rates
    are taken for no better than they are surely.
    """
    if claim.bound is None:
        return False
    a = float(lower_end(once.hits, once.secrets, UNSURE)[0])
    b = float(upper_end(once.false, once.others, UNSURE)[0])
    judged, part = trials // 2, missed / 4
    share = once.secrets / (once.secrets + once.others)
    secrets = _at_least(judged, share, part)
    others = _at_least(judged, 1 - share, part)
    if not secrets or not others:
        return False
    hits, false = _at_least(secrets, a, part), others - _at_least(others, 1 - b, part)
    counted = replace(
        once, hits=np.array([hits]), secrets=secrets, false=np.array([false]), others=others
    )
    return bool(scale_named(claim.measure)(counted, chance).low[0] > claim.bound)


def _at_least(total: int, rate: float, chance: float) -> int:
    """The largest k with P(Binomial(total, rate) < k) <= chance."""
    if rate >= 1.0:
        return total
    below = np.cumsum(_law(total, rate))
    return int(np.searchsorted(below, chance, side="right"))


def _law(total: int, rate: float) -> Array:
    """P(k) for k = 0, 1, ..., by products of their quotients, from the likeliest on."""
    k = np.arange(1, total + 1)
    with np.errstate(divide="ignore"):
        steps = np.log(total + 1.0 - k) - np.log(k) + math.log(rate or 1e-300) - math.log1p(-rate)
    log = np.concatenate([[0.0], np.cumsum(steps)])
    law: Array = np.exp(log - log.max())
    law /= law.sum()
    return law
