"""KL(posterior || prior): its mean is mutual information, its largest value relative entropy."""

from __future__ import annotations

import numpy as np

from unspoken.core.measures.measure import Measure
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.entropy import h_given
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.posteriors import Off, Posteriors

__all__ = ["MUTUAL_INFORMATION", "RELATIVE_ENTROPY"]

# Where the belief moves by less in all, the plain formula loses digits.
LITTLE = 0.1
# The roundings of sum_s P(s) h(x_s) itself, relative to it.
OWN = 160.0


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


def _moves(value: Array, off: Off, after: Posteriors) -> Array:
    """h'(x) = log(1+x), so with log lifts off by r, D = sum_s P(s) h(x_s) is by
        r sum_s P(s) (1 + x_s) |log(1 + x_s)| + r^2 <= r (D + sqrt(2 D)) + r^2    (Pinsker).

    Its own operations leave OWN u, which is 100 where t >= LITTLE (above, with D <= 20 D^(1/2)),
    and one for each class.
    """
    size = np.maximum(value, 0.0)
    moved: Array = off.lifts * (size + np.sqrt(2.0 * size) + off.lifts)
    moved += (off.shares + (OWN + after.prior.shape[-1]) * UNIT) * size
    return moved


MUTUAL_INFORMATION = Measure(
    "mutual-information", _divergence, "mean", moves=_moves, reads="divergence"
)
RELATIVE_ENTROPY = Measure("relative-entropy", _divergence, "sup", moves=_moves)
