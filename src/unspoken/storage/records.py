"""Rows as strings of 128-bit blocks: one injective encoding, whatever the columns.

A row of k columns is a head of 64-bit little-endian words, then its text:

    k and the kind of every column, a byte each | the word of every column | its text, end to end

Kinds are filled up with zeros to whole words, head and text to whole blocks. The head tells how
long the row is, so no row is the beginning of another: that is what makes a CBC-MAC of rows of any
length a pseudo-random function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Words
from unspoken.tables.columns import INTEGER, Column, in_one_piece, key_column, marks, value_column
from unspoken.tables.texts import joined

__all__ = ["Chunk", "RecordKeys", "encode_keys", "encode_rows"]

CHUNK = 32_768
MOST_COLUMNS = 255
# glibc returns freed memory to the system beyond twice the largest block it has seen freed, and
# every batch would ask for it anew, page by page: coins for text take twice as long. Having seen
# this block, of which no page is ever touched, it keeps what a batch needs.
np.empty(24 << 20, np.uint8)


class Chunk(NamedTuple):
    """Up to CHUNK rows, those with more text first; ``order``: which they are (None: as they came).

    ``levels``: block 0 of all rows, block 1, ... each an array of shape (rows that have it, 2), and
    these rows are the first so many. The first ones, of shape (1, 2), are one for all rows.
    """

    rows: slice
    levels: Sequence[Words]
    order: Codes | None


@dataclass(frozen=True, repr=False)
class RecordKeys:
    """Encoded rows, to be drawn for as often as needed (once for every attribute, say)."""

    kinds: str
    count: int
    chunks: tuple[Chunk, ...]

    @property
    def one_block(self) -> bool:
        """Whether every row is one block by its shape: a single column of integers."""
        return self.kinds == INTEGER

    def __len__(self) -> int:
        return self.count


def encode_keys(columns: Sequence[npt.NDArray[np.integer] | pa.Array]) -> RecordKeys:
    """The keys of a batch of records: columns of integers (NumPy or Arrow) or text (Arrow).

    The type is part of the key: 5 and "5" are two keys, 5.0 is refused, and two spellings of one
    letter in Unicode are two keys.
    """
    return _encoded(
        [key_column(f"key column {i}", column) for i, column in enumerate(columns, start=1)]
    )


def encode_rows(names: Sequence[str], columns: Sequence[pa.Array]) -> RecordKeys:
    """Rows of any columns, missing values included (the names are for messages only)."""
    whole = [in_one_piece(column) for column in columns]
    read = [value_column(name, column) for name, column in zip(names, whole, strict=True)]
    return _encoded([*(marks(whole[i : i + 64]) for i in range(0, len(whole), 64)), *read])


def _encoded(columns: list[Column]) -> RecordKeys:
    if not 0 < len(columns) <= MOST_COLUMNS:
        raise InputError(f"{len(columns)} columns to encode: there must be 1 to {MOST_COLUMNS}")
    counts = {len(column.words) for column in columns}
    if len(counts) > 1:
        raise InputError(f"columns of different lengths: {sorted(counts)} rows")
    kinds, count = "".join(column.kind for column in columns), counts.pop()
    cuts = [slice(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    texts = [column.text for column in columns if column.text is not None]
    text, written = joined(texts), _kind_words(kinds)
    chunks = []
    for rows in cuts:
        order, levels = (None, []) if text is None else text.levels(rows)
        head = [*written, *(_words(column.words, rows, order) for column in columns)]
        chunks.append(Chunk(rows, [*_blocks(head, rows.stop - rows.start), *levels], order))
    return RecordKeys(kinds, count, tuple(chunks))


def _words(words: Words, rows: slice, order: Codes | None) -> np.uint64 | Words:
    """Those of a chunk; one for all rows where it is the same by the shape of the column."""
    if words.strides == (0,) and len(words):
        return np.uint64(words[0])
    found: Words = words[rows][... if order is None else order]
    return found


def _blocks(head: Sequence[np.uint64 | Words], rows: int) -> Iterator[Words]:
    """The head in pairs of words, each of which is one for all rows or one each."""
    same, words = True, [*head, np.uint64(0)]  # the last fills up the last block
    for first, second in zip(words[:-1:2], words[1::2], strict=True):
        same &= isinstance(first, np.uint64) and isinstance(second, np.uint64)
        block = np.empty((1 if same else rows, 2), np.uint64)
        block[:, 0], block[:, 1] = first, second
        yield block


def _kind_words(kinds: str) -> list[np.uint64]:
    written = bytes([len(kinds)]) + kinds.encode("ascii")
    return list(np.frombuffer(written.ljust(-(-len(written) // 8) * 8, b"\0"), np.uint64))
