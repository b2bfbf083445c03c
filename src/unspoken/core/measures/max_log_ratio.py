"""The largest log-likelihood ratio between secrets: PDP, DDP separation, inferential."""

from __future__ import annotations

from unspoken.core.measures.measure import Measure
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.posteriors import Posteriors, by_two_lifts

__all__ = ["MAX_LOG_RATIO"]


def _range(after: Posteriors) -> Array:
    """max_{a,b} log P(y|a) / P(y|b): lifts differ from likelihoods by a factor that cancels."""
    log_ratio: Array = after.log_lift.max(-1) - after.log_lift.min(-1)
    return log_ratio


MAX_LOG_RATIO = Measure("max-log-ratio", _range, "sup", moves=by_two_lifts, reads="pairs")
