"""Triangular roots in the longest floats the machine has, where double ones would lose digits.

On most machines these have 64 bits instead of 53; where they are doubles everything is right too,
only wider. NumPy's own linear algebra is for doubles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["LONG_UNIT", "Long", "cholesky", "inverse", "square", "triangular"]

Long = npt.NDArray[np.longdouble]
LONG_UNIT = float(np.finfo(np.longdouble).eps)


def cholesky(table: Long) -> Long:
    """The triangular L with L L' = table; NaN where it is not positive definite."""
    lower = np.zeros_like(table)
    for j in range(len(table)):
        left = table[j:, j] - lower[j:, :j] @ lower[j, :j]
        lower[j:, j] = left / np.sqrt(left[0])
    return lower


def triangular(root: Long, order: Sequence[int]) -> Long:
    """The triangular L with L L' = R R' for the rows R of a root in this order.

    By Householder's reflections, which cost no digits (R R' would).
    """
    table = root[list(order)].copy()
    for j in range(min(table.shape) - 1):
        mirror = table[j, j:].copy()
        mirror[0] += np.copysign(np.sqrt(mirror @ mirror), mirror[0])
        size = mirror @ mirror
        if size:
            table[j:, j:] -= np.multiply.outer(table[j:, j:] @ mirror, mirror) * (2 / size)
            table[j, j + 1 :] = 0
    signs: Long = np.where(np.diag(table) < 0, -1, 1).astype(np.longdouble)
    return table * signs


def inverse(lower: Long) -> Long:
    """Of a triangular L, row after row."""
    rows = np.zeros_like(lower)
    for i in range(len(lower)):
        unit = np.zeros(len(lower), dtype=np.longdouble)
        unit[i] = 1
        rows[i] = (unit - lower[i, :i] @ rows[:i]) / lower[i, i]
    return rows


def square(root: Long) -> Long:
    """R R'."""
    found: Long = root @ root.T
    return found
