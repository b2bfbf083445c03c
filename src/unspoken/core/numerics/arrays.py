"""The array types that all packages share."""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

__all__ = [
    "CELLS",
    "Array",
    "Codes",
    "Counts",
    "Floats",
    "Integers",
    "Mask",
    "Words",
    "most_of_few",
    "sums_in",
]

Array = npt.NDArray[np.float64]
# Of 8 bytes each, or, where that is near enough, of 4.
Floats = npt.NDArray[np.floating]
Codes = npt.NDArray[np.intp]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
# Whole numbers of any size.
Integers = npt.NDArray[np.object_]

# Cells of a table up to which it is listed: about 64 MB an array.
CELLS = 2**23

BIT, BITS = np.uint64(1), np.iinfo(np.uint64).max

# Numbers added up one after the other.
SOME = 32

# Up to so many numbers along an axis NumPy compares whole arrays faster than it goes along it.
FEW = 16


def most_of_few(table: Array) -> Array:
    """The largest along the last axis, which is mostly short."""
    if not 0 < table.shape[-1] <= FEW:
        most: Array = table.max(-1, initial=-np.inf)
        return most
    return reduce(np.maximum, (table[..., k] for k in range(table.shape[-1])))


def least_positive(table: Array) -> float:
    """The least number > 0 of those >= 0 in a table; 1 where there is none.

    Such floats are ordered as their bits are, and one less than the bits of 0 is the largest.
    """
    before: Words = np.ascontiguousarray(table).view(np.uint64) - BIT
    least: Words = before.min(keepdims=True, initial=BITS) + BIT
    return least.view(np.float64).item() or 1.0


def sums_in(bins: Codes, numbers: Array, count: int) -> tuple[Array, int]:
    """The sum of the numbers in each of these bins, and how many additions are behind any of them.

    A few at a time, then a few of those sums: a long sum would be off by its length in units.
    """
    order = np.argsort(bins, kind="stable")
    bins, numbers, behind = bins[order], numbers[order], 0
    while len(bins) and (size := int(np.bincount(bins).max())) > 1:
        first = np.flatnonzero(np.concatenate([[True], bins[1:] != bins[:-1]]))
        place = np.arange(len(bins)) - np.repeat(first, np.diff(np.append(first, len(bins))))
        new = np.concatenate([[True], (bins[1:] != bins[:-1]) | (place[1:] % SOME == 0)])
        numbers = np.bincount(np.cumsum(new) - 1, numbers).astype(np.float64)
        bins, behind = bins[new], behind + min(size, SOME)
    total = np.zeros(count)
    total[bins] = numbers
    return total, behind
