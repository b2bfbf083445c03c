"""A keyed fingerprint of rows, whatever their order: has the source changed since it was read?"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import pyarrow as pa

from unspoken.core.errors import InputError, unknown
from unspoken.core.numerics.arrays import Words
from unspoken.storage.coins import BATCH
from unspoken.storage.combinations import Combined, combined
from unspoken.storage.prf import Derives, block_cipher, drawn
from unspoken.storage.records import RecordKeys, encode_rows

__all__ = ["FINGERPRINT", "KeyNumbers", "RowFingerprint"]

FINGERPRINT = "unspoken-rows-1"
BESIDE = "unspoken-rows-2"
HALF = np.uint64(32)


class KeyNumbers:
    """A pseudo-random number for the key of each row, of 128 bits: worked out once, it stands for
    the key in as many fingerprints of the same rows as there are. ``columns``: what keys are
    called, in the order in which they are encoded.
    """

    def __init__(self, master: Derives, label: str, columns: Sequence[str]) -> None:
        self._encrypt = block_cipher(master.derive(BESIDE, "keys", label, *columns))
        self._shown = block_cipher(master.derive(BESIDE, "shown", label, *columns))

    def numbers(self, keys: RecordKeys) -> Words:
        """For fingerprints alone: it is never kept."""
        numbers = np.empty((len(keys), 2), np.uint64)
        for some, places in drawn(self._encrypt, keys):
            numbers[places] = some
        return numbers

    def kept(self, numbers: Words) -> Words:
        """64 bits for each of these numbers, which tell nothing of them."""
        shown: Words = self._shown(numbers)[:, 0].copy()
        return shown


class RowFingerprint:
    """Rows are added batch by batch; the same rows in any order give the same digits.

    The fingerprint is an HMAC of how many rows there are and of the sum, modulo 2^128, of a
    pseudo-random number for each of them: rows may repeat, none may be missing or differ. Without
    the key it tells whether two sources are equal, and nothing else (the sum alone would show
    that the same row was added to two of them). ``label`` says what the rows are of, say a table
    and an epoch; fingerprints under different labels have nothing in common.

    A row's number is the MAC of its columns. Where the ``keys`` of rows stand beside them, it is

        AES(MAC(columns) xor number of the key),

    which is as hard to tell from random: two rows agree before the last AES only where two
    independent pseudo-random numbers of 128 bits do, or where the rows are the same.
    """

    def __init__(self, master: Derives, label: str, columns: Sequence[str]) -> None:
        if len(set(columns)) != len(columns) or not columns:
            raise InputError(f"fingerprint.columns {list(columns)}: name each once, at least one")
        self.columns = tuple(sorted(columns))  # their order in the source is no matter either
        self.rows = 0
        self._sum = 0
        self._last = master.derive(FINGERPRINT, "last", label, *self.columns)
        self._encrypt = block_cipher(master.derive(FINGERPRINT, "row", label, *self.columns))
        self._beside = block_cipher(master.derive(BESIDE, "row", label, *self.columns))
        self._known: dict[tuple[object, ...], Words] = {}

    def anew(self) -> RowFingerprint:
        """The same of no rows yet, for this thread: keys, and what was worked out, serve both."""
        other = copy(self)
        other.rows = other._sum = 0
        return other

    def add(self, batch: pa.RecordBatch, keys: Words | None = None) -> None:
        """Count in the rows of a record batch (or table); columns not named do not count."""
        names = batch.schema.names
        for name in self.columns:
            if name not in names:
                raise unknown("fingerprint.columns", name, names)
        for first in range(0, batch.num_rows, BATCH):
            beside = None if keys is None else keys[first : first + BATCH]
            self.count(self._drawn(batch.slice(first, BATCH), beside))

    def numbers(self, batch: pa.RecordBatch, keys: Words | None = None) -> Words:
        """What is added up: 128 bits for each of these rows, the low word first, in their order."""
        numbers = np.empty((batch.num_rows, 2), np.uint64)
        for first in range(0, batch.num_rows, BATCH):
            rows = slice(first, first + BATCH)
            beside = None if keys is None else keys[rows]
            numbers[rows] = self._drawn(batch.slice(first, BATCH), beside)
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

    def _drawn(self, part: pa.RecordBatch, keys: Words | None) -> Words:
        """The numbers of some rows, in their order."""
        columns = [part.column(name) for name in self.columns]
        few = combined(columns)
        numbers = self._of(columns) if few is None else self._of_few(few).take(few.codes, axis=0)
        if keys is None:
            return numbers
        np.bitwise_xor(numbers, keys, out=numbers)
        return self._beside(numbers)

    def _of_few(self, few: Combined) -> Words:
        """The MAC of each combination; those of the last batch are kept, for another of the very
        same bytes.
        """
        asked = tuple(
            (
                str(kind.type),
                len(kind),
                kind.offset,
                *(held and bytes(held) for held in kind.buffers()),
            )
            for kind in few.kinds
        )
        found = self._known.get(asked)
        if found is None:
            found = self._of(few.columns)
            self._known.clear()
            self._known[asked] = found
        return found

    def _of(self, columns: Sequence[pa.Array]) -> Words:
        """The MAC of each row of columns."""
        numbers = np.empty((len(columns[0]), 2), np.uint64)
        for some, places in drawn(self._encrypt, encode_rows(self.columns, columns)):
            numbers[places] = some
        return numbers

    def hexdigest(self) -> str:
        """32 hexadecimal digits, of all that was added so far."""
        state = self.rows.to_bytes(8, "little") + self._sum.to_bytes(16, "little")
        return self._last.code(state)[:16].hex()


def _total(numbers: Words) -> int:
    """The sum of numbers of 128 bits (low word, high word), as a Python integer.

    Words add up modulo 2^64, which is 2^128 for the high ones. Of the low ones the upper halves are
    added up apart: what is left of their sum is the lower halves', and less than 2^64.
    """
    low, high = numbers[:, 0], numbers[:, 1]
    upper = int((low >> HALF).sum())
    lower = (int(low.sum()) - (upper << 32)) % (1 << 64)
    return lower + (upper << 32) + (int(high.sum()) << 64)
