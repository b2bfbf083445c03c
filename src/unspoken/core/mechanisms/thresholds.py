"""From a record and its coin to the pattern it is shown in, for many records at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Counts, Words

__all__ = ["Thresholds"]

SPARE = 2  # bits of a coin that are not used: weights are out of 2^62
AT_ONCE = 2**15  # rows worked on together
DENSE = 2**22  # records up to which each has a place in a list of its own
RADIX = 2**62  # what positions are numbered up to at once


@dataclass(frozen=True, eq=False)
class Numbering:
    """Some of the names: their labels' positions as one number, beside the part found so far."""

    axes: slice
    sizes: Counts
    listed: Counts  # rising; a part found is its position here

    def found(self, parts: Counts, columns: Sequence[Counts]) -> Counts:
        """The part that each row is of, or -1; of parts that are -1 too."""
        keys = parts.copy()
        for size, column in zip(self.sizes.tolist(), columns[self.axes], strict=True):
            keys *= size
            keys += column
        at = np.minimum(np.searchsorted(self.listed, keys), len(self.listed) - 1)
        return np.where((self.listed[at] == keys) & (parts >= 0), at, -1)


@dataclass(frozen=True, eq=False)
class Thresholds:
    """``first[r]``: where record r's sums of weights begin, the last entry being of no record.

    ``sums`` rise within a record and end with 2^62, above every coin; ``shown`` are the masks.
    """

    sizes: Counts
    numberings: tuple[Numbering, ...]
    dense: npt.NDArray[np.int32] | None
    first: Counts
    sums: Words
    shown: Counts

    @classmethod
    def of(
        cls, sizes: tuple[int, ...], codes: Counts, starts: Counts, masks: Counts, weights: Counts
    ) -> Thresholds:
        records, counts = len(codes), np.diff(starts)
        first = np.append(starts[:-1] + np.arange(records), len(masks) + records)
        entry = np.arange(len(masks)) + np.repeat(np.arange(records), counts)
        shown = np.zeros(len(masks) + records + 1, dtype=np.int64)
        shown[entry] = masks
        sums = np.full(len(shown), 1 << 62, dtype=np.uint64)
        total = np.cumsum(weights.astype(np.uint64))  # modulo 2^64, as is what is taken off
        before = np.concatenate([[np.uint64(0)], total])[starts[:-1]]
        sums[entry] = total - np.repeat(before, counts)
        radices = np.array(sizes, dtype=np.int64)
        numberings = _numberings(sizes, codes)
        dense = None
        if math.prod(sizes) <= DENSE:
            dense = np.full(math.prod(sizes), -1, dtype=np.int32)
            dense[codes @ _radices(radices)] = np.arange(records)
        return cls(radices, numberings, dense, first, sums, shown)

    def masks(self, codes: Codes | Counts, coins: Words) -> Counts:
        """What is shown of each row."""
        rows = np.asarray(codes)
        fits = rows.ndim == 2 and rows.shape == (len(coins), len(self.sizes))
        if not fits or rows.dtype.kind not in "iu" or np.asarray(coins).dtype != np.uint64:
            raise InputError(
                f"suppression.patterns: give {len(self.sizes)} positions a row, and one 64-bit coin"
            )
        found = np.empty(len(rows), dtype=np.int64)
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            found[part] = self._walk(self.record(rows[part]), coins[part] >> np.uint64(SPARE))
        return found

    def record(self, codes: Codes | Counts) -> Counts:
        """Which record listed each row is, or -1: the last place, which is of none."""
        unknown = np.zeros(len(codes), dtype=bool)
        columns = []
        for size, column in zip(self.sizes.tolist(), codes.T, strict=True):
            # Of 64 bits without a sign, what is negative is beyond every size.
            column_codes = np.ascontiguousarray(column, dtype=np.int64)
            unknown |= column_codes.view(np.uint64) >= np.uint64(size)
            columns.append(column_codes)
        place = np.zeros(len(codes), dtype=np.int64)
        if self.dense is not None:
            for size, column_codes in zip(self.sizes.tolist(), columns, strict=True):
                place *= size
                place += column_codes
            place[unknown] = 0
            place = self.dense[place].astype(np.int64)
        else:
            for numbering in self.numberings:
                place = numbering.found(place, columns)
        place[unknown] = -1
        return place

    def _walk(self, record: Counts, coins: Words) -> Counts:
        """The first sum above the coin."""
        at = self.first[record]
        beyond = np.flatnonzero(coins >= self.sums[at])
        while beyond.size:
            at[beyond] += 1
            beyond = beyond[coins[beyond] >= self.sums[at[beyond]]]
        masks: Counts = self.shown[at]
        return masks


def _radices(sizes: Counts) -> Counts:
    """The last name runs fastest."""
    return np.append(np.cumprod(sizes[:0:-1])[::-1], 1).astype(np.int64)


def _numberings(sizes: tuple[int, ...], codes: Counts) -> tuple[Numbering, ...]:
    """As many names at a time as have numbers; the parts of the last are the records."""
    made: list[Numbering] = []
    parts, low = np.zeros(len(codes), dtype=np.int64), 0
    while low < len(sizes):
        high = low + 1
        while high < len(sizes) and math.prod(sizes[low : high + 1]) * (len(codes) + 1) < RADIX:
            high += 1
        radices = np.array(sizes[low:high], dtype=np.int64)
        keys = parts * int(radices.prod()) + codes[:, low:high] @ _radices(radices)
        listed, parts = np.unique(keys, return_inverse=True)
        made.append(Numbering(slice(low, high), radices, np.append(listed, RADIX)))
        low = high
    return tuple(made)
