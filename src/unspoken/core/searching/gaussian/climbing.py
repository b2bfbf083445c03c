"""Adversaries of a Gaussian belief that leak much: whoever nobody one step away exceeds.

Sweeping a variable into T = K + i, or out of it, turns

    W = [[-Sigma_TT^-1,  Sigma_TT^-1 Sigma_TU],  [its transpose,  Sigma_UU given x_T]]

by a rank-one update, and c of every neighbour is at hand:  with y = W (0, w_U),

    c = w_i + y_i,    and with k moved to the other side    c - (W_ik / W_kk) (y_k + [k in T] w_k).
"""

from __future__ import annotations

from time import monotonic

import numpy as np

from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.searching.gaussian.problem import GaussianProblem

__all__ = ["climbed"]

# A step must gain this share, or it may be one of rounding.
GAIN = 1e-11


def climbed(
    problem: GaussianProblem, target: int, all_known: bool, ends: float
) -> tuple[float, Mask]:
    """The largest |c| reached by moving one variable at a time, and who is known there.

    It starts from the adversary who knows nothing else, or from the one who knows all, and stops
    where no step gains, or at the time ``ends``.
    """
    inside, weights = np.full(problem.n, all_known), problem.weights
    swept = -problem.precision if all_known else _sweep(problem.covariance, target, 1.0)
    inside[target] = True
    while True:
        y = np.einsum("ij,j->i", swept, np.where(inside, 0.0, weights))  # too small for threads
        c = weights[target] + y[target]
        moved = c - swept[target] / np.diag(swept) * (y + np.where(inside, weights, 0.0))
        moved[target] = 0.0
        k = int(np.abs(moved).argmax())
        if abs(moved[k]) <= abs(c) * (1 + GAIN) or monotonic() > ends:
            inside[target] = False
            return abs(float(c)), inside
        swept = _sweep(swept, k, -1.0 if inside[k] else 1.0)
        inside[k] = not inside[k]


def _sweep(swept: Array, k: int, side: float) -> Array:
    """In (side 1) or out (side -1)."""
    row, pivot = swept[k], swept[k, k]
    made: Array = swept - np.outer(row / pivot, row)
    made[k] = made[:, k] = side * row / pivot
    made[k, k] = -1 / pivot
    return made
