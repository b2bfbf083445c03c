"""All pairs at once: the rows that have two codes are an entry of a matrix product.

With a row of ones and a row of 0 and 1 for each code of each attribute but its most frequent, O,

    O O^T        counts every two codes of these; the others are what is left,

so 200 attributes of two codes take the product of a 200 x n matrix with itself. Its entries are
whole numbers of at most as many rows as are taken at once, which a float of 32 bits holds exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes

__all__ = ["Grid"]

FEW = 6  # codes of an attribute that occur: of more, counting two by two is quicker
HELD = 32  # codes it may have at all: the table has a number for every two
AT_ONCE = 2**24  # numbers of O: 64 MB; and so fewer rows than 32 bits hold exactly
LEAST = 256  # rows at once


@dataclass(frozen=True)
class Grid:
    """``table[starts[i] + x, starts[j] + y]``: the rows in which i has code x, and j has y."""

    table: Array
    starts: Mapping[int, int]
    sizes: Mapping[int, int]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Grid:
        """Of the attributes of which few codes may occur."""
        held = {i: size for i, size in enumerate(sizes) if size <= HELD}
        ends = [0, *accumulate(held.values())]
        return cls(np.zeros((ends[-1], ends[-1])), dict(zip(held, ends, strict=False)), held)

    @property
    def singles(self) -> dict[int, Array]:
        """How often each attribute has each code: the diagonal, as it is and as it will be."""
        diagonal = np.einsum("ii->i", self.table)  # a view that can be written to
        return {i: diagonal[start : start + self.sizes[i]] for i, start in self.starts.items()}

    @property
    def pairs(self) -> dict[tuple[int, int], Array]:
        """The table of every two attributes: as it is, and as it will be."""
        parts = {i: slice(start, start + self.sizes[i]) for i, start in self.starts.items()}
        return {(i, j): self.table[parts[i], parts[j]] for i, j in combinations(parts, 2)}

    def add(self, codes: Sequence[Codes]) -> set[int]:
        """Count in some rows, given by the code of each attribute; which attributes it counted."""
        counts = {i: np.bincount(codes[i], minlength=size) for i, size in self.sizes.items()}
        counted = {i: codes[i] for i, rows in counts.items() if 0 < np.count_nonzero(rows) <= FEW}
        if not counted:
            return set()
        said, columns, spread = list[int](), list[tuple[int, int]](), list[Array]()
        for i in counted:
            most, there = int(counts[i].argmax()), list(map(int, np.flatnonzero(counts[i])))
            said += [self.starts[i] + x for x in there]
            first = 1 + len(columns)
            rest = [x for x in there if x != most]
            columns += [(i, x) for x in rest]
            # Its most frequent code: all rows, less those of its others.
            spread += [_way(first, len(rest), None if x == most else rest.index(x)) for x in there]
        ways = np.zeros((len(said), 1 + len(columns)))
        for row, way in zip(ways, spread, strict=True):
            row[: way.size] = way
        self.table[np.ix_(said, said)] += ways @ _products(counted, columns) @ ways.T
        return {*counted}


def _way(first: int, count: int, place: int | None) -> Array:
    """A code in rows of O: its own, or the row of ones less all others of the attribute."""
    way = np.zeros(first + count)
    if place is None:
        way[0], way[first:] = 1.0, -1.0
    else:
        way[first + place] = 1.0
    return way


def _products(codes: Mapping[int, Codes], columns: Sequence[tuple[int, int]]) -> Array:
    """O O^T."""
    rows = len(next(iter(codes.values())))
    step = max(LEAST, AT_ONCE // (1 + len(columns)))
    total = np.zeros((1 + len(columns), 1 + len(columns)))
    room = np.ones((1 + len(columns), min(step, rows)), np.float32)
    for first in range(0, rows, step):
        ones = room[:, : rows - first]
        for row, (i, x) in zip(ones[1:], columns, strict=True):
            row[:] = codes[i][first : first + step] == x
        total += ones @ ones.T
    return total
