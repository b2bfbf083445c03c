"""Two-way counts of many coded columns: how many rows have each two values, by matrix products.

A column of k values is k columns of zeros and ones; a product of two such blocks has all counts of
their pairs of columns. Products of floats are exact here: no count of a piece reaches 2^24.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from unspoken.core.numerics.arrays import Array

__all__ = ["SmallCodes", "blocks_of", "two_way_counts"]

SmallCodes = npt.NDArray[np.uint8]

ROWS = 8192  # in one product
LEVELS = 2048  # values of all columns of a block


def blocks_of(sizes: Sequence[int], levels: int = LEVELS) -> Iterator[range]:
    """Neighbouring columns, of at most so many values together, or one column alone."""
    first, held = 0, 0
    for column, size in enumerate(sizes):
        if held + size > levels and column > first:
            yield range(first, column)
            first, held = column, 0
        held += size
    if sizes:
        yield range(first, len(sizes))


def two_way_counts(
    first: Sequence[SmallCodes],
    first_sizes: Sequence[int],
    second: Sequence[SmallCodes],
    second_sizes: Sequence[int],
) -> Array:
    """[value of a first column, value of a second column]: the rows that have both. The values of
    a column stand together, in the order of its codes, and columns in theirs.
    """
    counts = np.zeros((sum(first_sizes), sum(second_sizes)))
    rows = len(first[0])
    for begin in range(0, rows, ROWS):
        piece = slice(begin, begin + ROWS)
        left = _indicators([codes[piece] for codes in first], first_sizes)
        right = left
        if second is not first:
            right = _indicators([codes[piece] for codes in second], second_sizes)
        counts += left.T @ right
    return counts


def _indicators(codes: Sequence[SmallCodes], sizes: Sequence[int]) -> npt.NDArray[np.float32]:
    """[row, value]: 1 where the row has the value."""
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    made = np.zeros((len(codes[0]), sum(sizes)), np.float32)
    rows = np.arange(len(made))
    for column, begin in zip(codes, begins, strict=True):
        made[rows, begin + column.astype(np.intp)] = 1.0
    return made
