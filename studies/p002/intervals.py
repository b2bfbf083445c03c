"""Means over users and draws of noise, with 95 % intervals: both are drawn again (bootstrap)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unspoken.core.numerics.arrays import Array

__all__ = ["Mean", "mean_of"]

TIMES, SEED = 1000, 20160221


class Mean(NamedTuple):
    """A mean, and the ends of its interval."""

    value: float
    low: float
    high: float

    def __format__(self, digits: str) -> str:
        half = (self.high - self.low) / 2
        return f"{self.value:{digits or '.2f'}} ± {half:{digits or '.2f'}}"


def mean_of(table: Array) -> Mean:
    """A row a user, a column a draw that all users share; users without a number left out."""
    kept = table[~np.isnan(table).any(1)]
    users, draws = kept.shape
    rng = np.random.default_rng(SEED)
    of_users = rng.multinomial(users, np.full(users, 1 / users), TIMES) / users
    of_draws = rng.multinomial(draws, np.full(draws, 1 / draws), TIMES) / draws
    again = ((of_users @ kept) * of_draws).sum(1)
    low, high = np.quantile(again, [0.025, 0.975])
    return Mean(float(kept.mean()), float(low), float(high))
