"""Stochastic matrices P(next | this): turned round, and where they settle."""

from __future__ import annotations

import numpy as np

from unspoken.core.numerics.arrays import Array, Mask

__all__ = ["reversed_kernel", "stationary"]


def reversed_kernel(law: Array, kernel: Array) -> Array:
    """P(x_before | x_after), a row for each possible value after; ``law`` is that of x_before."""
    joint = (law[:, None] * kernel).T
    after = joint.sum(axis=1, keepdims=True)
    rows: Array = joint[after[:, 0] > 0] / after[after[:, 0] > 0]
    return rows


def stationary(kernel: Array) -> Array | None:
    """The one law the chain keeps; None where it falls apart and keeps many.

    States are taken out one by one (Grassmann, Taksar and Heyman): sums and products of positive
    numbers only, so that the rarest state's probability has all its digits too.
    """
    stays = _recurrent(kernel)
    if stays is None:
        return None
    rest = kernel[np.ix_(stays, stays)].copy()
    size = len(rest)
    for k in range(size - 1, 0, -1):
        rest[:k, k] /= rest[k, :k].sum()
        rest[:k, :k] += np.outer(rest[:k, k], rest[k, :k])
    mass = np.ones(size)
    for k in range(1, size):
        mass[k] = mass[:k] @ rest[:k, k]
    law = np.zeros(len(kernel))
    law[stays] = mass / mass.sum()
    return law


def _recurrent(kernel: Array) -> Mask | None:
    """The states to which the chain always comes back; None where that depends on the start."""
    reach = np.where(kernel > 0, 1.0, np.eye(len(kernel)))
    for _ in range(len(kernel).bit_length()):
        reach = np.minimum(reach @ reach, 1.0)
    stays: Mask = np.all(reach <= reach.T, axis=1)
    return stays if np.all(reach[np.ix_(stays, stays)] > 0) else None
