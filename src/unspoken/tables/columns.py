"""Columns of a table as words of 64 bits and text: what each kind of value counts as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Mask, Words
from unspoken.tables.texts import ONE_EMPTY, Coded, text_of

__all__ = [
    "INTEGER",
    "Column",
    "in_one_piece",
    "key_column",
    "marks",
    "missing",
    "number_type",
    "value_column",
    "values",
]

INTEGER, TEXT, NUMBER, FLAG, MISSING, OTHER, MOMENT = "itfbnom"
NUMBER_TYPES: Mapping[pa.DataType, type[np.generic]] = {
    pa.bool_(): np.bool_,
    pa.int8(): np.int8,
    pa.int16(): np.int16,
    pa.int32(): np.int32,
    pa.int64(): np.int64,
    pa.uint8(): np.uint8,
    pa.uint16(): np.uint16,
    pa.uint32(): np.uint32,
    pa.uint64(): np.uint64,
    pa.float16(): np.float16,
    pa.float32(): np.float32,
    pa.float64(): np.float64,
}
FEW_TEXTS = 256  # different ones, of a dictionary that is kept


class Column(NamedTuple):
    """One column: its kind, a word for every row, and the text behind it, if it is text.

    The word of a number is its value, of a moment its microseconds since 1970, of text its length.
    """

    kind: str
    words: Words
    text: Coded | None = None


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
    if pa.types.is_dictionary(column.type):
        return _coded(column)
    for belongs, kind, read in KINDS:
        if belongs(column.type):
            try:
                return read(kind, column)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                # Arrow's own message may hold a value, which may be a protected one.
                raise InputError(f"{name} ({column.type}) does not fit: make it text") from None
    raise InputError(f"{name} is {column.type}, neither numbers nor text: make it text")


def in_one_piece(column: pa.Array) -> pa.Array:
    """The same column in one piece, and without a dictionary but for one of few texts."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if not pa.types.is_dictionary(column.type):
        return column
    held = column.dictionary
    few = pa.types.is_string(held.type) and 0 < len(held) <= FEW_TEXTS and not held.null_count
    return column if few else column.dictionary_decode()


def marks(columns: list[pa.Array]) -> Column:
    """Which of up to 64 columns miss their value, a bit each: missing is not 0, and not ""."""
    if not any(column.null_count for column in columns):
        return Column(MISSING, np.broadcast_to(np.uint64(0), len(columns[0])))
    words = np.zeros(len(columns[0]), np.uint64)
    for i, column in enumerate(columns):
        if column.null_count:
            words |= missing(column).astype(np.uint64) << np.uint64(i)
    return Column(MISSING, words)


def _coded(column: pa.DictionaryArray) -> Column:
    """Few texts, each in many rows; one more for where it is missing."""
    kinds = column.dictionary.cast(pa.large_string()).cast(pa.large_binary())
    codes = values(column.indices, number_type(column.indices.type)).astype(np.intp)
    if column.null_count:
        codes[missing(column)] = len(kinds)
        kinds = pa.concat_arrays([kinds, ONE_EMPTY])
    return Column(TEXT, _lengths(kinds).take(codes), Coded(kinds, codes))


def _lengths(text: pa.Array) -> Words:
    """As words: one, seen from every row, where all are the same."""
    words = text_of(text).lengths.view(np.uint64)
    same = len(words) and (words == words[0]).all()
    return np.broadcast_to(words[0], len(words)) if same else words


def _whole(kind: str, column: pa.Array) -> Column:
    return Column(kind, _words(column, values(column.cast(pa.int64()), np.int64)))


def _moment(kind: str, column: pa.Array) -> Column:
    """Microseconds since 1970 (in UTC, where there is a time zone); finer ones do not fit."""
    micros = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
    return Column(kind, _words(column, values(micros, np.int64)))


def _real(kind: str, column: pa.Array) -> Column:
    """-0.0 is 0.0, and there is one NaN."""
    held = values(column.cast(pa.float64()), np.float64)
    with np.errstate(invalid="ignore"):  # below a NULL lie any bits, a signalling NaN among them
        plain = np.where(np.isnan(held), np.nan, held + 0.0)
    return Column(kind, _words(column, plain))


def _written(kind: str, column: pa.Array) -> Column:
    text = column.cast(pa.large_string()).cast(pa.large_binary())
    if text.null_count:
        text = pc.fill_null(text, ONE_EMPTY[0])
    return Column(kind, _lengths(text), Coded(text))


def number_type(kind: pa.DataType) -> np.dtype[Any]:
    """NumPy's type for an Arrow type of whole numbers, reals or truth values.

    ``to_pandas_dtype`` of PyArrow knows it, too, but before PyArrow 26 only where pandas is
    installed, which it then imports.
    """
    return np.dtype(NUMBER_TYPES[kind])


def values(column: pa.Array, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The numbers of an Arrow array; anything at all where one is missing."""
    if not len(column):
        return np.zeros(0, dtype)
    held = np.frombuffer(column.buffers()[1], dtype)
    return held[column.offset : column.offset + len(column)]


def _words(column: pa.Array, values: npt.NDArray[Any]) -> Words:
    """Numbers of 8 bytes as words, 0 where one is missing."""
    words = values.view(np.uint64)
    return np.where(missing(column), np.uint64(0), words) if column.null_count else words


def missing(column: pa.Array) -> Mask:
    """Which rows are NULL."""
    return values(column.is_null().cast(pa.uint8()), np.bool_)


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
