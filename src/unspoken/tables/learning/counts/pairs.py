"""How often two values occur together, for every two attributes: all that a tree is learned from.

One pass over the table and a number for each two codes: memory does not grow with the rows, nor
with how many combinations of all attributes there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import Array, Codes, Counts
from unspoken.tables.learning.counts.grid import Grid

__all__ = ["PAIRS", "PairCounts"]

PAIRS = 2**24  # cells of the tables of all pairs together: 128 MB


@dataclass(frozen=True)
class PairCounts:
    """``single[i][x]``: the rows in which attribute i has code x; ``pair[i, j][x, y]``, i < j: in
    which i has x and j has y. Whole numbers, and floats hold them up to 2^53.
    """

    single: tuple[Array, ...]
    pair: Mapping[tuple[int, int], Array]
    grid: Grid | None = None  # that holds some of these

    @classmethod
    def none(cls, names: Sequence[str], sizes: Sequence[int]) -> PairCounts:
        """No rows yet of attributes with so many codes each."""
        shapes = {(i, j): (sizes[i], sizes[j]) for i, j in combinations(range(len(sizes)), 2)}
        cells = sum(rows * columns for rows, columns in shapes.values())
        if cells > PAIRS:
            listed = ", ".join(f"{name} {size}" for name, size in zip(names, sizes, strict=True))
            raise TooLarge(
                f"learn: the tables of all pairs have {cells:,} cells, more than {PAIRS:,} "
                f"({listed}); give the largest fewer bins or values, or take an attribute out"
            )
        grid = Grid.of(sizes)
        tables = {pair: np.zeros(shape) for pair, shape in shapes.items()} | grid.pairs
        single = dict(enumerate(map(np.zeros, sizes))) | grid.singles
        return cls(tuple(single.values()), tables, grid)

    @classmethod
    def of(cls, tables: Mapping[tuple[int, int], Array], count: int) -> PairCounts:
        """Those of so many attributes, with these tables of every two."""
        single = [
            next(table.sum(1 - pair.index(i)) for pair, table in tables.items() if i in pair)
            for i in range(count)
        ]
        return cls(tuple(single), tables)

    @property
    def rows(self) -> int:
        return round(float(self.single[0].sum()))

    def add(self, codes: Sequence[Codes], counts: Array | Counts | None = None) -> None:
        """Count in some rows, given by the code of each attribute; ``counts``: each so often."""
        at_once = set[int]()
        if self.grid is not None and counts is None:
            at_once = self.grid.add(codes)
        for i, (single, column) in enumerate(zip(self.single, codes, strict=True)):
            if i not in at_once:
                single += np.bincount(column, counts, single.size)
        for (i, j), table in self.pair.items():
            if i in at_once and j in at_once:
                continue
            both = codes[i] * table.shape[1] + codes[j]
            table += np.bincount(both, counts, table.size).reshape(table.shape)

    def renamed(self, codes: Sequence[Sequence[int]], sizes: Sequence[int]) -> PairCounts:
        """Under other codes: ``codes[i][x]`` is the new one of x; no row has one below 0."""
        ways = []
        for old, size in zip(codes, sizes, strict=True):
            way = np.zeros((len(old), size))
            named = [x for x, code in enumerate(old) if code >= 0]
            way[named, [code for code in old if code >= 0]] = 1.0
            ways.append(way)
        return PairCounts(
            tuple(single @ way for single, way in zip(self.single, ways, strict=True)),
            {(i, j): ways[i].T @ table @ ways[j] for (i, j), table in self.pair.items()},
        )
