"""Arrow columns and arrays of NumPy; pa.array, pa.scalar and to_numpy would import pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.numerics.arrays import Mask
from unspoken.tables.columns import number_type

__all__ = [
    "array",
    "as_given",
    "boolean",
    "coded",
    "flags",
    "in_one",
    "kept",
    "missing",
    "numbers",
    "plain",
    "texts",
]


def plain(column: pa.Array) -> pa.Array:
    """The column in one piece, with its values themselves: no dictionary, no views of text."""
    if isinstance(column, pa.ChunkedArray):
        pieces = [plain(piece) for piece in column.chunks]
        return pa.concat_arrays(pieces) if pieces else in_one(column)
    if pa.types.is_dictionary(column.type):
        return plain(column.dictionary).take(column.indices)
    return column.cast(pa.string()) if pa.types.is_string_view(column.type) else column


def in_one(column: pa.ChunkedArray) -> pa.Array:
    """In one piece; of none PyArrow would make one by `pa.array`, which imports pandas."""
    return column.combine_chunks() if column.num_chunks else pa.nulls(0, column.type)


def numbers(column: pa.Array) -> npt.NDArray[Any]:
    """Integers, reals or truth values as an array; anything at all where one is missing."""
    held = column.buffers()[1]
    if held is None:
        return np.zeros(len(column))
    if pa.types.is_boolean(column.type):
        bits = np.unpackbits(np.frombuffer(held, np.uint8), bitorder="little")
        return bits[column.offset : column.offset + len(column)]
    return np.frombuffer(held, number_type(column.type))[column.offset :][: len(column)]


def missing(column: pa.Array) -> Mask:
    """Which rows are NULL."""
    if not column.null_count:
        return np.zeros(len(column), dtype=bool)
    return numbers(column.is_null()).view(bool)


def array(kind: pa.DataType, values: npt.NDArray[Any]) -> pa.Array:
    """An Arrow array of this type, of values that lie in memory as it has them."""
    held = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kind, len(values), [None, held])


def boolean(mask: Mask) -> pa.Array:
    """A Boolean Arrow array."""
    bits = pa.py_buffer(np.packbits(mask, bitorder="little").tobytes())
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits])


def flags(mask: Mask) -> pa.DictionaryArray:
    """The same truth values as a dictionary, of which a row takes a byte as it does in NumPy."""
    kind, two = pa.dictionary(pa.int8(), pa.bool_()), boolean(np.array([False, True]))
    held = pa.py_buffer(np.ascontiguousarray(mask))
    return pa.DictionaryArray.from_buffers(kind, len(mask), [None, held], two)


def texts(values: Sequence[str]) -> pa.Array:
    """A text Arrow array."""
    data = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, data)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(data))]
    return pa.Array.from_buffers(pa.string(), len(data), buffers)


def coded(codes: npt.NDArray[Any], values: pa.Array, absent: Mask) -> pa.DictionaryArray:
    """A dictionary of these values, NULL where one is ``absent``; its code is 0 then."""
    few, present = len(values) <= 1 << 7, ~absent
    held = codes.astype(np.int8 if few else np.int32)
    np.multiply(held, present, out=held)  # np.where would branch, and guess wrong for many rows
    valid = None if present.all() else boolean(present).buffers()[1]
    kind = pa.dictionary(pa.int8() if few else pa.int32(), values.type)
    return pa.DictionaryArray.from_buffers(kind, len(held), [valid, pa.py_buffer(held)], values)


def kept(column: pa.Array, where: Mask) -> pa.Array:
    """The column with NULL everywhere else, and nothing of what was there."""
    if not pa.types.is_dictionary(column.type):
        return pc.if_else(boolean(where), column, pa.nulls(1, column.type)[0])
    absent = ~where | missing(column)
    return coded(numbers(column.indices), column.dictionary, absent)


def as_given(key: pa.Array, kind: pa.DataType) -> pa.Array:
    """A key in the type that the table has; Arrow reads a time of day as part of a moment only."""
    if not pa.types.is_time(kind):
        return key.cast(kind)
    moment = pc.binary_join_element_wise(pa.scalar("1970-01-01"), key, pa.scalar(" "))
    return moment.cast(pa.timestamp("us")).cast(kind)
