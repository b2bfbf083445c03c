"""I_inf (paper 004): how far the belief in some secret can grow."""

from __future__ import annotations

from unsaid.measures.measure import Measure
from unsaid.numerics.arrays import Array
from unsaid.types.posteriors import Posteriors

__all__ = ["MAX_INFORMATION"]


def _largest(after: Posteriors) -> Array:
    """max_s log P(s|y) / P(s)."""
    largest: Array = after.log_lift.max(-1)
    return largest


MAX_INFORMATION = Measure("max-information", _largest, "sup")
