"""The one kernel that tells rows apart: Arrow columns in, marks out, the same in every engine.

The mark of a value is 2 x its cell + whether it is sensitive, so that counting the combinations of
marks of all attributes counts everything that is learned.

    bins        cell = edges - #{edge : x < edge};  NaN is above every edge
    values      the place among them
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.engines.arrow import boolean, missing, numbers, plain, texts
from unspoken.engines.row_sql import RowSQL
from unspoken.learning.cells import CellRule
from unspoken.learning.columns import cast_of
from unspoken.numerics.arrays import Codes

__all__ = ["Marker", "shown"]

FEW = 16  # edges or values that are compared one by one: branches cost a search more


class Marker:
    """Marks the values of rows with these columns, {name: DuckDB type}, by ``cells``.

    ``places``: {attribute: place}, with which a message about its predicate begins.
    """

    def __init__(
        self,
        cells: Sequence[CellRule],
        columns: Mapping[str, str],
        places: Mapping[str, str],
        timezone: str = "UTC",
    ) -> None:
        self._cells, self._places = cells, places
        self._row = RowSQL(columns, "the table", timezone)
        binned = {attribute.name: attribute.edges is not None for attribute in cells}
        self._casts = {
            name: cast
            for name, bins in binned.items()
            if (cast := cast_of(name, columns[name], bins))
        }
        # Free is what is known not to be sensitive: NULL is not known.
        self._free = {
            attribute.name: replace(predicate, sql=f"({predicate.sql} IS FALSE)")
            for attribute in cells
            if (predicate := attribute.sensitive) is not None
        }

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it needs."""
        predicates = (name for attribute in self._free.values() for name in attribute.columns)
        return tuple(dict.fromkeys([*(attribute.name for attribute in self._cells), *predicates]))

    def marks(self, batch: pa.RecordBatch) -> list[Codes]:
        """[attribute][row] -> mark."""
        casts = {f"cast {name}": attribute for name, attribute in self._casts.items()}
        frees = {f"free {name}": attribute for name, attribute in self._free.items()}
        places = {f"{what} {n}": p for n, p in self._places.items() for what in ("cast", "free")}
        answered = self._row.over(batch, casts | frees, places) if casts or frees else {}
        return [
            self._marks(
                attribute,
                batch.column(attribute.name),
                answered.get(f"cast {attribute.name}"),
                answered.get(f"free {attribute.name}"),
            )
            for attribute in self._cells
        ]

    def _marks(
        self, cells: CellRule, column: pa.Array, cast: pa.Array | None, free: pa.Array | None
    ) -> Codes:
        absent = missing(column)
        marks = 2 * _cell(cells, plain(column if cast is None else cast))
        if column.null_count:
            marks[absent] = 2 * cells.absent
        if free is not None:
            hidden = numbers(free) == 0
            if cells.missing == "public":
                hidden &= ~absent
            marks += hidden
        return marks


def shown(cells: CellRule, marks: Codes, column: pa.Array) -> pa.Array:
    """[row] -> what may be shown: the name of the cell where bins make it, else the value.

    The cell's name, not the label's: a label is split when another row makes it so.
    """
    if cells.edges is None:
        return plain(column)
    last = len(cells.names) - 1  # what is in no cell is never shown
    places = pa.py_buffer(np.minimum(marks // 2, last).astype(np.int64))
    named = texts(cells.names).take(pa.Array.from_buffers(pa.int64(), len(marks), [None, places]))
    return pc.if_else(boolean(missing(column)), pa.scalar(None, pa.string()), named)


def _cell(cells: CellRule, column: pa.Array) -> Codes:
    """[row] -> cell, of values that are not missing."""
    if cells.edges is not None:
        return _bin(numbers(column), np.asarray(cells.edges))
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        known = texts([str(value) for value in cells.values]).cast(column.type)
        places = pc.index_in(column, known)
        return np.where(missing(places), cells.strange, numbers(places)).astype(np.intp)
    return _place(numbers(column), cells.values, cells.strange)


def _bin(values: npt.NDArray[Any], edges: npt.NDArray[Any]) -> Codes:
    """Doubles between doubles, or whole microseconds between those."""
    x = values.astype(edges.dtype, copy=False)
    if len(edges) > FEW:
        return np.searchsorted(edges, x, side="right")
    cell = np.full(len(x), len(edges), dtype=np.int8)
    for edge in edges:
        cell -= x < edge
    return cell.astype(np.intp)


def _place(x: npt.NDArray[Any], values: Sequence[Any], strange: int) -> Codes:
    """The place of each number among the values: ``strange`` for those that are none."""
    x = x.astype(np.float64) if x.dtype.kind == "f" else x
    cell = np.full(len(x), strange, dtype=np.intp)
    if len(values) <= FEW:
        for place, value in enumerate(values):
            cell[x == value] = place
        return cell
    low, high = (-math.inf, math.inf) if x.dtype.kind == "f" else _range(x.dtype)
    fitting = [place for place, value in enumerate(values) if low <= value <= high]
    order = sorted(fitting, key=lambda place: values[place])
    if not order:
        return cell
    ranked = np.array([values[place] for place in order], dtype=x.dtype)
    rank = np.minimum(np.searchsorted(ranked, x), len(order) - 1)
    return np.where(ranked[rank] == x, np.array(order)[rank], strange)


def _range(kind: np.dtype[Any]) -> tuple[int, int]:
    held = np.iinfo(kind)
    return held.min, held.max
