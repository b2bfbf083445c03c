"""Rows of columns that hold few values: which combinations there are, and which each row has.

What is a function of the row is then worked out for those, and looked up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unspoken.core.numerics.arrays import Codes
from unspoken.tables.columns import missing, number_type, values

__all__ = ["Combined", "combined"]

MOST = 1 << 10  # combinations
WORTH = 8  # rows of each

Short = npt.NDArray[np.int16]


class Combined(NamedTuple):
    """``kinds``: what the values of each column may be, NULL last; ``codes``: [row] -> which
    combination of these it has.
    """

    kinds: list[pa.Array]
    codes: Short

    @property
    def columns(self) -> list[pa.Array]:
        """Every combination there may be."""
        sizes = [len(kind) for kind in self.kinds]
        places = np.unravel_index(np.arange(math.prod(sizes)), sizes)
        return [_taken(kind, place) for kind, place in zip(self.kinds, places, strict=True)]


def combined(columns: Sequence[pa.Array]) -> Combined | None:
    """None: there may be too many. A dictionary is few values, and so are truth values."""
    kinds = [kind for column in columns if (kind := _kinds(column)) is not None]
    sizes = [len(kind) for kind in kinds]
    few = min(MOST, len(columns[0]) // WORTH)
    if len(sizes) < len(columns) or math.prod(sizes) > few:
        return None
    codes = np.zeros(len(columns[0]), np.int16)  # up to MOST
    for column, size in zip(columns, sizes, strict=True):
        codes *= np.int16(size)
        codes += _codes(column, size)
    return Combined(kinds, codes)


def _kinds(column: pa.Array) -> pa.Array | None:
    """What its values may be, NULL last."""
    if isinstance(column, pa.ChunkedArray):
        return None
    if pa.types.is_boolean(column.type):
        return _flags()
    if not pa.types.is_dictionary(column.type) or column.dictionary.null_count:
        return None
    kinds = column.dictionary
    return None if len(kinds) >= MOST else pa.concat_arrays([kinds, pa.nulls(1, kinds.type)])


def _flags() -> pa.Array:
    """False, true, NULL."""
    held = [pa.py_buffer(b"\3"), pa.py_buffer(b"\2")]
    return pa.Array.from_buffers(pa.bool_(), 3, held)


def _codes(column: pa.Array, size: int) -> Short:
    """[row] -> place among its kinds."""
    flags = pa.types.is_boolean(column.type)
    places = column.cast(pa.uint8()) if flags else column.indices
    codes: Short = values(places, number_type(places.type)).astype(np.int16)
    if column.null_count:
        codes[missing(column)] = size - 1
    return codes


def _taken(kinds: pa.Array, places: Codes) -> pa.Array:
    held = pa.py_buffer(np.ascontiguousarray(places, np.int64))
    return kinds.take(pa.Array.from_buffers(pa.int64(), len(places), [None, held]))
