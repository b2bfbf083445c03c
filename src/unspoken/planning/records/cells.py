"""The cells of a program: the combinations of labels a record can have, and what each may show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms import RecordCoin
from unspoken.core.numerics.arrays import Array, Codes, Counts, Integers, Mask
from unspoken.core.types.domain import Domain
from unspoken.planning.records.earlier import Earlier

__all__ = ["Cells", "Pairs", "patterns_within", "whole_numbers"]

# An answer is one 64-bit number.
LARGEST = 2**62


@dataclass(frozen=True)
class Cells:
    """``codes``: the labels of each cell [cell, attribute]. ``sensitive``: per attribute, which
    labels are never shown [label]. ``reads``: bit mask of the attributes that anybody reads.
    ``laws``: how likely each cell is in each context, up to a factor of the context, as whole
    numbers, so that rows can be compared exactly. ``probability``: over all contexts. ``earlier``:
    what is out of each cell.
    """

    domain: Domain
    codes: Codes
    sensitive: tuple[Mask, ...]
    reads: int
    laws: tuple[Integers, ...]
    probability: Array
    earlier: Earlier

    @classmethod
    def of(
        cls,
        domain: Domain,
        tables: Sequence[Array],
        shares: Sequence[float],
        sensitive: Sequence[Mask],
        reads: int,
        whole: bool = False,
    ) -> Cells:
        """Those that some context holds possible, or the ``whole`` domain; contexts have shares."""
        there = np.full(domain.sizes, whole)
        for table in tables:
            there |= table > 0
        laws = [table[there] for table in tables]  # few of many cells, where there are many
        mixed = sum(
            share / math.fsum(shares) * (law / table.sum())
            for share, law, table in zip(shares, laws, tables, strict=True)
        )
        codes = np.stack(np.nonzero(there), axis=1)
        return cls(
            domain,
            codes,
            tuple(sensitive),
            reads,
            tuple(map(whole_numbers, laws)),
            np.asarray(mixed),
            Earlier.nothing(len(codes)),
        )

    def extending(self, coin: RecordCoin) -> Cells:
        """Each with all that this coin may have shown of it."""
        earlier = Earlier.of(coin, self.domain, self.codes)
        record = earlier.record
        return replace(
            self,
            codes=self.codes[record],
            laws=tuple(law[record] * earlier.weights for law in self.laws),
            probability=self.probability[record] * earlier.rates,
            earlier=earlier,
        )

    def __len__(self) -> int:
        return len(self.codes)

    def weighed(self, numbers: Integers) -> Integers:
        """Numbers of records [cell], times how likely what is out of them is."""
        weighed: Integers = numbers * self.earlier.weights
        return weighed

    @cached_property
    def out(self) -> Counts:
        """What is out of a cell, a bit mask."""
        return self.earlier.out

    @cached_property
    def hidden(self) -> Mask:
        """Which labels of a cell are sensitive [cell, attribute]."""
        labels = zip(self.sensitive, self.codes.T, strict=True)
        return np.stack([never[codes] for never, codes in labels], axis=1)

    @cached_property
    def free(self) -> Counts:
        """What a cell may show: a bit mask of what is out, or read and not sensitive."""
        bits = np.int64(1) << np.arange(self.codes.shape[1], dtype=np.int64)
        free: Counts = (~self.hidden) @ bits & self.reads | self.out
        return free

    @cached_property
    def radix(self) -> Counts:
        """Weights by which the labels of a cell, 0 being withheld, become one number."""
        sizes = [size + 1 for size in self.domain.sizes]
        if math.prod(sizes) > LARGEST:
            raise TooLarge(
                f"plan: {math.prod(sizes):.3g} answers of {len(sizes)} attributes, more than "
                "are counted; merge labels, or read fewer attributes"
            )
        return np.cumprod([1, *sizes[:-1]], dtype=np.int64)

    def secret(self, axis: int, labels: Codes) -> Codes:
        """Which secret a cell has [cell]: 0 for none, else one more than the place of its label."""
        place = np.zeros(self.domain.sizes[axis], dtype=np.intp)
        place[labels] = np.arange(1, len(labels) + 1)
        return place[self.codes[:, axis]]

    def labels(self, mask: int) -> Counts:
        """The labels of each cell on some attributes, as a number [cell]."""
        kept = np.array([mask >> i & 1 for i in range(len(self.radix))], dtype=np.int64)
        labels: Counts = self.codes @ (kept * self.radix)
        return labels

    def named(self, cell: int, pattern: int) -> dict[str, object]:
        """The labels that a cell shows in a pattern, by name."""
        return {
            name: self.domain.values[i][self.codes[cell, i]]
            for i, name in enumerate(self.domain.names)
            if pattern >> i & 1
        }


@dataclass(frozen=True)
class Pairs:
    """A cell and a pattern it may show, ordered by cell; the first of each cell shows nothing, or
    what is out. They are the unknowns of a program: W(pattern | cell).
    """

    cell: Codes
    pattern: Counts

    @classmethod
    def of(cls, cells: Cells, masks: Counts | None = None) -> Pairs:
        """All subsets of what is free; with ``masks`` only what is free of each of these."""
        may = np.stack([cells.free, cells.out], axis=1)
        kinds, kind = np.unique(may, axis=0, return_inverse=True)
        found, patterns = [], []
        for k, (free, out) in enumerate(kinds.tolist()):
            subsets = patterns_within(free & ~out) if masks is None else np.append(masks & free, 0)
            subsets = np.unique(subsets | out)
            of = np.flatnonzero(kind.ravel() == k)
            found.append(np.repeat(of, len(subsets)))
            patterns.append(np.tile(subsets, len(of)))
        cell = np.concatenate(found)
        order = np.argsort(cell, kind="stable")
        return cls(cell[order], np.concatenate(patterns)[order])

    @classmethod
    def merged(cls, cell: Codes, pattern: Counts) -> tuple[Pairs, Codes, Codes]:
        """Each once, from pairs in any order; in which order they are then, and where in it the
        places of each begin.
        """
        order = np.lexsort((pattern, cell))
        cell, pattern = cell[order], pattern[order]
        new = np.append(True, (cell[1:] != cell[:-1]) | (pattern[1:] != pattern[:-1]))
        return cls(cell[new], pattern[new]), order, np.flatnonzero(new)

    @staticmethod
    def count(cells: Cells) -> int:
        """How many there are: sum over the cells of 2^|free|."""
        return sum(2 ** free.bit_count() for free in (cells.free & ~cells.out).tolist())

    def __len__(self) -> int:
        return len(self.cell)

    @cached_property
    def shown(self) -> Counts:
        """How many labels each pair shows."""
        return np.bitwise_count(self.pattern).astype(np.int64)

    @cached_property
    def first(self) -> Codes:
        """The first pair of each cell, which shows nothing that is not out."""
        return np.flatnonzero(self.rest)

    @cached_property
    def rest(self) -> Mask:
        """Which pairs these are: they have what the others leave."""
        return np.append(True, self.cell[1:] != self.cell[:-1])[: len(self.cell)]

    def only(self, kept: Mask) -> Pairs:
        return Pairs(self.cell[kept], self.pattern[kept])


def patterns_within(free: int) -> Counts:
    """All subsets of a bit mask, smallest number first."""
    bits = [1 << i for i in range(free.bit_length()) if free >> i & 1]
    subsets = np.zeros(1, dtype=np.int64)
    for bit in bits:
        subsets = np.concatenate([subsets, subsets | bit])
    return subsets


def whole_numbers(masses: Array) -> Integers:
    """Numbers >= 0 as whole ones, all times the same factor: nothing is rounded."""
    mantissas, exponents = np.frexp(masses)
    significant = (mantissas * 2.0**53).astype(np.int64)
    shifts = exponents - exponents[masses > 0].min(initial=0 if not masses.any() else 2**20)
    numbers = [
        m << s if m else 0 for m, s in zip(significant.tolist(), shifts.tolist(), strict=True)
    ]
    common = math.gcd(*numbers) or 1
    result = np.zeros(len(masses), dtype=object)
    result[:] = [number // common for number in numbers]
    return result
