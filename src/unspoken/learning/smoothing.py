"""A table of counts and a stated prior, as probabilities.

    P(x) = (count(x) + m prod_i q_i(x_i)) / (n + m),    q_i(l) = (count_i(l) + 1/k_i) / (n + 1)

n rows, m more of them in which the attributes are independent, and one row spread evenly over the
k_i labels of each. So no label that can occur has probability 0, and a combination that no row
shows is unlikely, not certain not to be.
"""

from __future__ import annotations

import numpy as np

from unspoken.numerics.arrays import Array, Mask

__all__ = ["marginal", "smoothed"]


def smoothed(counts: Array, prior_rows: float, impossible: Mask) -> Array:
    """The belief above, from counts of all combinations; the prior has nothing ``impossible``."""
    rows = counts.sum()
    prior = np.ones(())
    for axis, labels in enumerate(counts.shape):
        shares = (marginal(counts, axis) + 1 / labels) / (rows + 1)
        prior = np.multiply.outer(prior, shares)
    prior = np.where(impossible, 0.0, prior)
    table: Array = (counts + prior_rows * (prior / prior.sum())) / (rows + prior_rows)
    return table


def marginal(counts: Array, axis: int) -> Array:
    """The counts of one attribute."""
    others = tuple(other for other in range(counts.ndim) if other != axis)
    summed: Array = counts.sum(axis=others)
    return summed
