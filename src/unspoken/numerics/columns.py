"""Columns of a table as words of 64 bits and text: what each kind of value counts as."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.errors import InputError
from unspoken.numerics.arrays import Mask, Words

__all__ = [
    "INTEGER",
    "Column",
    "Text",
    "in_one_piece",
    "joined",
    "key_column",
    "marks",
    "value_column",
]

INTEGER, TEXT, NUMBER, FLAG, MISSING, OTHER, MOMENT = "itfbnom"
LONGEST_TEXT = 1 << 16
# Made without pa.scalar and pa.array: those import pandas wherever it is installed.
NO_TEXT = pa.Array.from_buffers(
    pa.large_binary(), 1, [None, pa.py_buffer(bytes(16)), pa.py_buffer(b"")]
)[0]


class Column(NamedTuple):
    """One column: its kind, a word for every row, and the text behind it as an Arrow array.

    The word of a number is its value, of a moment its microseconds since 1970, of text its length.
    """

    kind: str
    words: Words
    text: pa.Array | None = None


class Text(NamedTuple):
    """The text of every row: of row i, data[starts[i] : starts[i] + lengths[i]]."""

    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]


def key_column(name: str, column: npt.NDArray[np.integer] | pa.Array) -> Column:
    """A column of record keys: integers, text or moments, none missing."""
    if isinstance(column, np.ndarray):
        return _key_numbers(name, column)
    whole = in_one_piece(column)
    if whole.null_count:
        raise InputError(f"{name} has {whole.null_count:,} missing values: a key has none")
    read = value_column(name, whole)
    if read.kind not in (INTEGER, TEXT, MOMENT):
        raise InputError(f"{name} is {whole.type}: a key is an integer, a text or a timestamp")
    return read


def _key_numbers(name: str, column: npt.NDArray[np.integer]) -> Column:
    if column.dtype.kind not in "iu" or column.ndim != 1:
        raise InputError(f"{name} is {column.dtype}: a key is an integer, a text or a timestamp")
    if column.dtype == np.uint64 and column.max(initial=0) >> 63:
        raise InputError(f"{name} holds integers from 2^63 on: make them text")
    return Column(INTEGER, np.ascontiguousarray(column, np.int64).view(np.uint64))


def value_column(name: str, column: pa.Array) -> Column:
    """An Arrow column in one piece of any kind, missing values counting as 0 or no text."""
    for belongs, kind, read in KINDS:
        if belongs(column.type):
            try:
                return read(kind, column)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                # Arrow's own message may hold a value, which may be a protected one.
                raise InputError(f"{name} ({column.type}) does not fit: make it text") from None
    raise InputError(f"{name} is {column.type}, neither numbers nor text: make it text")


def in_one_piece(column: pa.Array) -> pa.Array:
    """The same column in one piece, and without a dictionary."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def marks(columns: list[pa.Array]) -> Column:
    """Which of up to 64 columns miss their value, a bit each: missing is not 0, and not ""."""
    words = np.zeros(len(columns[0]), np.uint64)
    for i, column in enumerate(columns):
        if column.null_count:
            words |= _missing(column).astype(np.uint64) << np.uint64(i)
    return Column(MISSING, words)


def joined(columns: list[Column]) -> Text | None:
    """The text of every row, all columns of text end to end; None where no column is text."""
    texts = [column.text for column in columns if column.text is not None]
    if not texts:
        return None
    text = _text(texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, NO_TEXT))
    longest = int(text.lengths.max(initial=0))
    if longest > LONGEST_TEXT:
        raise InputError(f"a row has {longest:,} bytes of text: at most {LONGEST_TEXT:,} are taken")
    return text


def _text(column: pa.Array) -> Text:
    if not len(column):
        return Text(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint8))
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    held = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return Text(ends[:-1], np.diff(ends), held)


def _whole(kind: str, column: pa.Array) -> Column:
    return Column(kind, _words(column, _values(column.cast(pa.int64()), np.int64)))


def _moment(kind: str, column: pa.Array) -> Column:
    """Microseconds since 1970 (in UTC, where there is a time zone); finer ones do not fit."""
    micros = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
    return Column(kind, _words(column, _values(micros, np.int64)))


def _real(kind: str, column: pa.Array) -> Column:
    """-0.0 is 0.0, and there is one NaN."""
    values = _values(column.cast(pa.float64()), np.float64)
    with np.errstate(invalid="ignore"):  # below a NULL lie any bits, a signalling NaN among them
        plain = np.where(np.isnan(values), np.nan, values + 0.0)
    return Column(kind, _words(column, plain))


def _written(kind: str, column: pa.Array) -> Column:
    text = column.cast(pa.large_string()).cast(pa.large_binary())
    if text.null_count:
        text = pc.fill_null(text, NO_TEXT)
    return Column(kind, _text(text).lengths.view(np.uint64), text)


def _values(column: pa.Array, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The numbers of an Arrow array; anything at all where one is missing."""
    if not len(column):
        return np.zeros(0, dtype)
    held = np.frombuffer(column.buffers()[1], dtype)
    return held[column.offset : column.offset + len(column)]


def _words(column: pa.Array, values: npt.NDArray[Any]) -> Words:
    """Numbers of 8 bytes as words, 0 where one is missing."""
    words = values.view(np.uint64)
    return np.where(_missing(column), np.uint64(0), words) if column.null_count else words


def _missing(column: pa.Array) -> Mask:
    return _values(column.is_null().cast(pa.uint8()), np.bool_)


# The first that fits: what belongs, its letter, how it is read. Dates, times of day and decimals
# count as they are written.
Read = Callable[[str, pa.Array], Column]
KINDS: tuple[tuple[Callable[[pa.DataType], bool], str, Read], ...] = (
    (pa.types.is_integer, INTEGER, _whole),
    (pa.types.is_boolean, FLAG, _whole),
    (pa.types.is_floating, NUMBER, _real),
    (pa.types.is_string, TEXT, _written),
    (pa.types.is_large_string, TEXT, _written),
    (pa.types.is_string_view, TEXT, _written),
    (pa.types.is_timestamp, MOMENT, _moment),
    (pa.types.is_temporal, OTHER, _written),
    (pa.types.is_decimal, OTHER, _written),
)
