"""I_inf (paper 004): how far the belief in some secret can grow, or move either way."""

from __future__ import annotations

import numpy as np

from unspoken.core.measures.measure import Measure
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.posteriors import Posteriors, by_two_lifts

__all__ = ["MAX_INFORMATION", "MAX_INFORMATION_TWO_SIDED"]


def _largest(after: Posteriors) -> Array:
    """max_s log P(s|y) / P(s)."""
    largest: Array = after.log_lift.max(-1)
    return largest


def _furthest(after: Posteriors) -> Array:
    """max_s |log P(s|y) / P(s)|: a belief that grows or falls; infinite where s is ruled out."""
    furthest: Array = np.maximum(after.log_lift.max(-1), -after.log_lift.min(-1))
    return furthest


MAX_INFORMATION = Measure("max-information", _largest, "sup", moves=by_two_lifts)
MAX_INFORMATION_TWO_SIDED = Measure(
    "max-information-two-sided", _furthest, "sup", moves=by_two_lifts
)
