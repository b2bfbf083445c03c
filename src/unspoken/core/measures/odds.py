"""By what factor some answer can raise the odds of a secret (papers 000/001, as a worst case)."""

from __future__ import annotations

import numpy as np

from unspoken.core.measures.measure import Measure
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.posteriors import Posteriors, by_log_odds

__all__ = ["ODDS"]


def _worst_factor(after: Posteriors) -> Array:
    """The largest log factor on the odds of a secret event; 0 where nothing is secret."""
    factors = [after.log_odds_factor(event) for event in after.events()]
    nothing = np.zeros(after.log_lift.shape[:-1])
    worst: Array = np.max(factors or [nothing], axis=0)
    return worst


ODDS = Measure(
    "odds",
    _worst_factor,
    "sup",
    unit="odds",
    moves=by_log_odds,
    reads="events",
)
