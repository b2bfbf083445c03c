"""KL(posterior || prior): its mean is mutual information, its largest value relative entropy."""

from __future__ import annotations

import numpy as np

from unspoken.measures.measure import Measure
from unspoken.numerics.arrays import Array
from unspoken.numerics.entropy import h_given
from unspoken.types.posteriors import Posteriors

__all__ = ["MUTUAL_INFORMATION", "RELATIVE_ENTROPY"]

# Where the belief moves by less in all, the plain formula loses digits.
LITTLE = 0.1


def _divergence(after: Posteriors) -> Array:
    """sum_s P(s) h(x_s), x = lift - 1, h(x) = (1+x) log(1+x) - x: every term >= 0, none cancels.

    Computed so, h is off by about 1e-16 |x|. With t = sum_s P(s) |x_s| the sum is >= t^2 / 2
    (Pinsker), so that is 2e-16 / t of it at most: next to nothing unless t is small.
    """
    x = np.expm1(after.log_lift)
    terms = x + 1.0
    terms *= after.log_lift
    terms -= x
    np.copyto(terms, 1.0, where=x == -1.0)  # 0 log 0 = 0
    divergence: Array = np.einsum("...s,...s->...", after.prior, terms)
    little = np.einsum("...s,...s->...", after.prior, np.abs(x, out=x)) < LITTLE
    if little.any():
        log_lift = after.log_lift[little]
        prior = np.broadcast_to(after.prior, after.log_lift.shape)[little]
        exact = h_given(np.expm1(log_lift), np.exp(log_lift), log_lift)
        divergence[little] = (prior * exact).sum(-1)
    return divergence


MUTUAL_INFORMATION = Measure("mutual-information", _divergence, "mean", reads="divergence")
RELATIVE_ENTROPY = Measure("relative-entropy", _divergence, "sup")
