"""How often each combination of marks occurs, batch by batch.

A combination is one number, its marks the digits in mixed radix. Few combinations are a table of
counts; of many only those that occur are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.engines.arrow import numbers
from unspoken.numerics.arrays import Array, Codes, Counts

__all__ = ["MOST", "Combinations", "shares"]

MOST = 2**60  # combinations of marks that a number can hold
TABLE = 2**18  # of so many there is a table of counts: 2 MB, in the cache of a core
KEPT = 2**20  # counts of single batches that are kept before they are added up


class Combinations:
    """Counts the rows of attributes with so many marks each."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._table: Counts | None = None
        if math.prod(sizes) <= TABLE:
            self._table = np.zeros(math.prod(sizes), dtype=np.int64)
        self._parts: list[tuple[Counts, Counts]] = []

    def add(self, marks: Sequence[Codes]) -> None:
        """Count in some rows, given by the mark of each attribute."""
        number = marks[0]
        for size, mark in zip(self._sizes[1:], marks[1:], strict=True):
            number = number * size + mark
        if self._table is not None:
            self._table += np.bincount(number, minlength=len(self._table))
            return
        whole = pa.Array.from_buffers(pa.int64(), len(number), [None, pa.py_buffer(number)])
        occurring = pc.value_counts(whole)
        self._parts.append((numbers(occurring.field(0)), numbers(occurring.field(1))))
        if sum(len(part) for part, _ in self._parts) > KEPT:
            self._parts = [self._added()]

    def held(self) -> tuple[list[Codes], Counts]:
        """The marks of each attribute in every combination that occurs, and how often it does."""
        combination, counts = self._added()
        marks: list[Codes] = []
        for size in reversed(self._sizes):
            combination, mark = np.divmod(combination, size)
            marks.insert(0, mark)
        return marks, counts

    def _added(self) -> tuple[Counts, Counts]:
        if self._table is not None:
            combination = np.flatnonzero(self._table)
            return combination, self._table[combination]
        combination, where = np.unique(
            np.concatenate([part for part, _ in self._parts]), return_inverse=True
        )
        counts = np.zeros(len(combination), dtype=np.int64)
        np.add.at(counts, where, np.concatenate([part for _, part in self._parts]))
        return combination, counts


def shares(counts: Array) -> Array:
    """What a belief is made of: counts of rows as they are, of noisy ones the shares."""
    return counts if bool((counts % 1 == 0).all()) else counts / counts.sum()
