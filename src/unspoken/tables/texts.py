"""The text of rows, all columns of text end to end, and the blocks of 16 bytes that it fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Words

__all__ = ["LONGEST_TEXT", "ONE_EMPTY", "TextBlocks", "Coded", "joined", "text_of", "too_long"]

Bytes = npt.NDArray[np.uint8]

LONGEST_TEXT = 1 << 16
SHORT = 64  # bytes: texts of few kinds that are filled up to the longest of them
# Made without pa.scalar and pa.array: those import pandas wherever it is installed.
ONE_EMPTY = pa.Array.from_buffers(
    pa.large_binary(), 1, [None, pa.py_buffer(bytes(16)), pa.py_buffer(b"")]
)
# The first r bytes of a block, for r = 0 .. 16.
FIRST_BYTES = np.tril(np.full((17, 16), 255, np.uint8), -1).view("V16").ravel()


class TextBlocks(Protocol):
    """The text of every row."""

    def levels(self, rows: slice) -> tuple[Codes | None, list[Words]]:
        """The blocks of text of some rows, longest rows first, and the order that took."""


class Coded(NamedTuple):
    """A column of text: of row i it is kinds[codes[i]], or kinds[i] where there are no codes."""

    kinds: pa.Array
    codes: Codes | None = None

    def each(self) -> pa.Array:
        """The text of each row."""
        if self.codes is None:
            return self.kinds
        places = pa.py_buffer(np.ascontiguousarray(self.codes, np.int64))
        return self.kinds.take(pa.Array.from_buffers(pa.int64(), len(self.codes), [None, places]))


class Text(NamedTuple):
    """Of row i, data[starts[i] : starts[i] + lengths[i]]."""

    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    data: Bytes

    def levels(self, rows: slice) -> tuple[Codes | None, list[Words]]:
        starts, lengths = self.starts[rows], self.lengths[rows]
        blocks = (lengths + 15) >> 4
        order, fewest, most = _longest_first(blocks)
        if order is not None:
            starts, lengths, blocks = starts[order], lengths[order], blocks[order]
        first, last = int(starts.min()), int((starts + lengths).max())
        data = np.zeros(last - first + 16, np.uint8)
        data[: last - first] = self.data[first:last]
        # Every 16 bytes of it, wherever they begin: fetched whole, then cut off at the row's end.
        windows = np.ndarray((len(data) - 15,), "V16", data, 0, (1,))
        starts = starts - first
        levels = []
        for j, count in enumerate(_held(blocks, most)):
            level = windows[starts[:count] + 16 * j].view(np.uint64)
            if j + 1 >= fewest:
                level &= FIRST_BYTES[np.minimum(lengths[:count] - 16 * j, 16)].view(np.uint64)
            levels.append(level.reshape(-1, 2))
        return order, levels


EMPTY = Text(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint8))


class _Even(NamedTuple):
    """Columns in which every text is as long as the first, and one of a few texts behind them.

    ``tails`` are filled up with zeros; ``lengths``: how long each of them is.
    """

    fronts: Sequence[Bytes]
    codes: Codes | None
    tails: Bytes
    lengths: npt.NDArray[np.int64]

    def levels(self, rows: slice) -> tuple[Codes | None, list[Words]]:
        fronts = [front[rows] for front in self.fronts]
        codes = None if self.codes is None else self.codes[rows]
        count = len(fronts[0] if codes is None else codes)
        kinds = (sum(front.shape[1] for front in fronts) + self.lengths + 15) >> 4
        blocks = np.repeat(kinds, count) if codes is None else kinds.take(codes)
        order, _, most = _longest_first(blocks)
        if order is not None and codes is not None:
            fronts, codes, blocks = [front[order] for front in fronts], codes[order], blocks[order]
        if not most:
            return None, []
        whole = self._whole(fronts, codes, count, 16 * most).view("V16").reshape(count, most)
        held = enumerate(_held(blocks, most))
        levels = (np.ascontiguousarray(whole[:count, j]) for j, count in held)
        return order, [level.view(np.uint64).reshape(-1, 2) for level in levels]

    def _whole(self, fronts: Sequence[Bytes], codes: Codes | None, rows: int, size: int) -> Bytes:
        """[row] -> its text, filled up with zeros."""
        if not fronts and codes is not None:
            filled = np.zeros((len(self.tails), size), np.uint8)
            filled[:, : self.tails.shape[1]] = self.tails[:, :size]
            return filled.view(f"V{size}").ravel().take(codes).view(np.uint8).reshape(rows, size)
        whole, first = np.zeros((rows, size), np.uint8), 0
        for front in fronts:
            _put(whole, first, front)
            first += front.shape[1]
        tail = min(self.tails.shape[1], size - first)
        if codes is not None and tail:
            kinds = np.ascontiguousarray(self.tails[:, :tail]).view(f"V{tail}").ravel()
            _put(whole, first, kinds.take(codes).view(np.uint8).reshape(rows, tail))
        return whole


def _put(whole: Bytes, first: int, part: Bytes) -> None:
    """Into each row, from this byte on: as one item, since byte by byte takes thrice as long."""
    rows, width = part.shape
    if width:
        item = f"V{width}"
        into = np.ndarray((rows,), item, whole, first, (whole.shape[1],))
        into[:] = np.ascontiguousarray(part).view(item).ravel()


def joined(columns: Sequence[Coded]) -> TextBlocks | None:
    """The text of every row; None where no column is text."""
    if not columns:
        return None
    even = _even(columns)
    if even is not None:
        return even
    text = text_of(columns[0].each())
    if len(columns) > 1:
        each = (column.each() for column in columns)
        text = text_of(pc.binary_join_element_wise(*each, ONE_EMPTY[0]))
    longest = int(text.lengths.max(initial=0))
    if longest > LONGEST_TEXT:
        raise too_long(longest)
    return text


def too_long(longest: int, where: str = "") -> InputError:
    """That no coin is tossed for a row of so many bytes of text."""
    return InputError(
        f"{where}a row: has {longest:,} bytes of text: at most {LONGEST_TEXT:,} are taken, of keys "
        "and a value; shorten them"
    )


def text_of(column: pa.Array) -> Text:
    """The text of each row of a column of large binaries, without NULL."""
    if not len(column):
        return EMPTY
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    held = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return Text(ends[:-1], np.diff(ends), held)


def _even(columns: Sequence[Coded]) -> _Even | None:
    """Where every row has as many bytes, before one of a few short texts maybe."""
    last = columns[-1]
    first, behind = (columns, EMPTY) if last.codes is None else (columns[:-1], text_of(last.kinds))
    fronts = [_all_as_long(text_of(column.kinds)) for column in first if column.codes is None]
    held = [front for front in fronts if front is not None]
    short, width = int(behind.lengths.max(initial=0)), sum(front.shape[1] for front in held)
    if len(held) < len(first) or short > SHORT or width > LONGEST_TEXT - SHORT:
        return None
    tails = np.zeros((len(behind.lengths), short), np.uint8)
    for tail, start, length in zip(tails, behind.starts, behind.lengths, strict=True):
        tail[:length] = behind.data[start : start + length]
    lengths = np.zeros(1, np.int64) if last.codes is None else behind.lengths
    return _Even(held, last.codes, tails, lengths)


def _all_as_long(text: Text) -> Bytes | None:
    """[row, byte], where every row has as many."""
    rows, width = len(text.lengths), int(text.lengths[0]) if len(text.lengths) else 0
    if not rows or (text.lengths != width).any():
        return None
    start = int(text.starts[0])
    return text.data[start : start + rows * width].reshape(rows, width)


def _longest_first(blocks: npt.NDArray[np.int64]) -> tuple[Codes | None, int, int]:
    """The order of rows by their blocks, None where all have as many; the fewest, and the most."""
    fewest, most = int(blocks.min()), int(blocks.max())
    if fewest == most:
        return None, fewest, most
    return np.argsort((most - blocks).astype(np.uint16), kind="stable"), fewest, most


def _held(blocks: npt.NDArray[np.int64], most: int) -> list[int]:
    """How many rows, longest first, have a block j."""
    held: list[int] = np.searchsorted(-blocks, -np.arange(most), side="left").tolist()
    return held
