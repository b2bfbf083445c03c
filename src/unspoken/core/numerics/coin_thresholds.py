"""The threshold that a cell's coin is compared with, and the interface of whatever tosses coins.

A coin is uniform on 0 .. 2^64 - 1. A cell is released if its coin is below the threshold of its
attribute:

    coin < floor(2^64 (1 - e^-eps)):   never more often than p = 1 - e^-eps, by less than 2^-64 less
"""

from __future__ import annotations

import math
from functools import cache
from typing import Protocol

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Mask, Words

__all__ = ["ALWAYS", "CoinSource", "released", "threshold"]

ALWAYS = 1 << 64  # the threshold above every coin
PLACES = 192  # binary places e^eps is first worked out to; doubled if they do not decide


class CoinSource(Protocol):
    """The coins of some records. Mechanisms compare them with thresholds; storage tosses them."""

    def of_attribute(self, name: str) -> Words:
        """One coin for each record's cell of this attribute."""

    def of_record(self, digest: str) -> Words:
        """One coin for each record, by the digest of the table that it is compared with."""


def released(coins: Words, below: int) -> Mask:
    """Which cells are released, of those that may be."""
    if not 0 <= below <= ALWAYS:
        raise InputError(f"threshold {below}: must be from 0 to 2^64")
    # p = 1 apart: 2^64 is no 64-bit number, and a coin of 2^64 - 1 is released too.
    return np.ones(len(coins), np.bool_) if below == ALWAYS else coins < np.uint64(below)


@cache
def threshold(epsilon: float) -> int:
    """floor(2^64 (1 - e^-eps)), exactly: eps is the rational number the float is.

    Infinity gives 2^64, always; no other epsilon does.
    """
    if not epsilon >= 0:
        raise InputError(f"epsilon {epsilon}: must be 0 or more")
    if epsilon > 45.0:  # e^-45 < 2^-64
        return ALWAYS if math.isinf(epsilon) else ALWAYS - 1
    if epsilon < 2.0**-64:  # 1 - e^-eps < eps
        return 0
    places = PLACES
    while True:  # ends: e^-eps of a rational eps > 0 is irrational, so 2^64 e^-eps is no integer
        low, high = _exponential(epsilon, places)
        # 2^64 - 2^64 e^-eps, rounded down; 2^64 e^-eps is rounded up, from both sides of e^eps.
        least, most = (ALWAYS + (-(ALWAYS << places) // end) for end in (low, high))
        if least == most:
            return least
        places *= 2


def _exponential(epsilon: float, places: int) -> tuple[int, int]:
    """Integers around 2^places e^eps: the series, every term rounded down, and up."""
    top, bottom = epsilon.as_integer_ratio()
    low = high = down = up = 1 << places
    n = 0
    while up > 1 or n * bottom < 2 * top:
        n += 1
        down = down * top // (bottom * n)
        up = -(-up * top // (bottom * n))
        low, high = low + down, high + up
    # From n >= 2 eps on, every term is at most half the one before: the rest is at most the last.
    return low, high + up
