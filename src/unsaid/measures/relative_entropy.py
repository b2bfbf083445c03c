"""KL(posterior || prior): its mean is mutual information, its largest value relative entropy."""

from __future__ import annotations

import numpy as np

from unsaid.measures.measure import Measure
from unsaid.numerics.arrays import Array
from unsaid.numerics.entropy import h_given
from unsaid.types.posteriors import Posteriors

__all__ = ["MUTUAL_INFORMATION", "RELATIVE_ENTROPY"]


def _divergence(after: Posteriors) -> Array:
    """sum_s P(s) h(x_s), x = lift - 1, h(x) = (1+x) log(1+x) - x: every term >= 0, none cancels."""
    told = h_given(np.expm1(after.log_lift), after.lift, after.log_lift)
    divergence: Array = (after.prior * told).sum(-1)
    return divergence


MUTUAL_INFORMATION = Measure("mutual-information", _divergence, "mean")
RELATIVE_ENTROPY = Measure("relative-entropy", _divergence, "sup")
