"""A keyed fingerprint of rows, whatever their order: has the source changed since it was read?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from unspoken.errors import InputError, unknown
from unspoken.numerics.arrays import Codes, Words
from unspoken.numerics.coins import BATCH
from unspoken.numerics.prf import Derives, block_cipher, chain
from unspoken.numerics.records import encode_rows

__all__ = ["FINGERPRINT", "RowFingerprint"]

FINGERPRINT = "unspoken-rows-1"
HALF, LOW = np.uint64(32), np.uint64(0xFFFF_FFFF)


class RowFingerprint:
    """Rows are added batch by batch; the same rows in any order give the same digits.

    The fingerprint is an HMAC of how many rows there are and of the sum, modulo 2^128, of a
    pseudo-random number for each of them: rows may repeat, none may be missing or differ. Without
    the key it tells whether two sources are equal, and nothing else (the sum alone would show
    that the same row was added to two of them). ``label`` says what the rows are of, say a table
    and an epoch; fingerprints under different labels have nothing in common.
    """

    def __init__(self, master: Derives, label: str, columns: Sequence[str]) -> None:
        if len(set(columns)) != len(columns) or not columns:
            raise InputError(f"fingerprint.columns {list(columns)}: name each once, at least one")
        self.columns = tuple(sorted(columns))  # their order in the source is no matter either
        self.rows = 0
        self._sum = 0
        self._last = master.derive(FINGERPRINT, "last", label, *self.columns)
        self._encrypt = block_cipher(master.derive(FINGERPRINT, "row", label, *self.columns))

    def add(self, batch: pa.RecordBatch) -> None:
        """Count in the rows of a record batch (or table); columns not named do not count."""
        names = batch.schema.names
        for name in self.columns:
            if name not in names:
                raise unknown("fingerprint.columns", name, names)
        for first in range(0, batch.num_rows, BATCH):
            for numbers, _ in self._drawn(batch.slice(first, BATCH)):
                self.count(numbers)

    def numbers(self, batch: pa.RecordBatch) -> Words:
        """What is added up: 128 bits for each of these rows, the low word first, in their order."""
        numbers = np.empty((batch.num_rows, 2), np.uint64)
        for first in range(0, batch.num_rows, BATCH):
            for drawn, places in self._drawn(batch.slice(first, BATCH)):
                numbers[first:][places] = drawn
        return numbers

    def count(self, numbers: Words) -> None:
        """Count in rows by their numbers."""
        self.include(len(numbers), _total(numbers))

    @property
    def total(self) -> int:
        """The sum of the numbers of all rows that were added."""
        return self._sum

    def include(self, rows: int, total: int) -> None:
        """Count in so many rows by the sum of their numbers, wherever they were added up."""
        self._sum = (self._sum + total) % (1 << 128)
        self.rows += rows

    def _drawn(self, part: pa.RecordBatch) -> Iterator[tuple[Words, slice | Codes]]:
        """The numbers of some rows, and which they are."""
        rows = encode_rows(self.columns, [part.column(name) for name in self.columns])
        for chunk in rows.chunks:
            order = chunk.order
            places = chunk.rows if order is None else order + chunk.rows.start
            yield chain(self._encrypt, chunk), places

    def hexdigest(self) -> str:
        """32 hexadecimal digits, of all that was added so far."""
        state = self.rows.to_bytes(8, "little") + self._sum.to_bytes(16, "little")
        return self._last.code(state)[:16].hex()


def _total(numbers: Words) -> int:
    """The sum of numbers of 128 bits (low word, high word), as a Python integer."""
    low, high = numbers[:, 0], numbers[:, 1]
    halves = int((low & LOW).sum()) + (int((low >> HALF).sum()) << 32)
    return halves + (int(high.sum()) << 64)  # high words wrap at 2^64, which is 2^128 here
