"""The one kernel that tells rows apart: Arrow columns in, marks out, the same in every engine.

The mark of a value is 2 x its cell + whether it is sensitive, so that counting the combinations of
marks of all attributes counts everything that is learned.

    bins        cell = edges - #{edge : x < edge};  NaN is above every edge
    values      the place among them
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.numerics.arrays import Codes
from unspoken.tables.engines.arrow import coded, missing, numbers, plain, texts
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.learning.marks.casts import cast_of
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.learning.marks.of_value import FEW, OfValue, pieces

__all__ = ["Marker", "shown"]


KEPT = 8  # markers of a thread


class _Here(threading.local):
    def __init__(self) -> None:
        self.markers: dict[tuple[object, ...], Marker] = {}


_HERE = _Here()


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
        self._alone = {n for n, free in self._free.items() if {*free.columns} <= {n}}
        self._of_values = [self._of_value(attribute) for attribute in cells]

    @classmethod
    def here(
        cls,
        cells: Sequence[CellRule],
        columns: Mapping[str, str],
        places: Mapping[str, str],
        timezone: str,
    ) -> Marker:
        """The one of this thread, if there is one: what it found of values serves more rows."""
        asked = os.getpid(), *cells, *columns.items(), *places.items(), timezone
        if asked not in _HERE.markers:
            while len(_HERE.markers) >= KEPT:
                _HERE.markers.pop(next(iter(_HERE.markers)))
            _HERE.markers[asked] = cls(cells, columns, places, timezone)
        return _HERE.markers[asked]

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it needs."""
        predicates = (name for attribute in self._free.values() for name in attribute.columns)
        return tuple(dict.fromkeys([*(attribute.name for attribute in self._cells), *predicates]))

    def marks(self, batch: pa.RecordBatch) -> list[Codes]:
        """[attribute][row] -> mark."""
        each = zip(self._cells, self._of_values, strict=True)
        known = [of.marks(batch.column(cells.name)) for cells, of in each]
        left = {c.name for c, marks in zip(self._cells, known, strict=True) if marks is None}
        return self._marks(batch, self._cells, known, {*self._free} - (self._alone - left))

    def _of_value(self, cells: CellRule) -> OfValue:
        """What its value decides: its mark, or its cell alone if its predicate reads more."""
        alone, name = self._alone & {cells.name}, cells.name

        def ask(values: pa.Array) -> Codes:
            batch = pa.RecordBatch.from_arrays([values], [name])
            return self._marks(batch, [cells], [None], alone)[0]

        points = [float(x) for x in cells.edges or cells.values if isinstance(x, int | float)]
        turns = self._row.turns(cells.sensitive) if alone and cells.sensitive else []
        return OfValue(ask, None if turns is None else [*points, *turns])

    def _marks(
        self,
        batch: pa.RecordBatch,
        cells: Sequence[CellRule],
        known: Sequence[Codes | None],
        free: Collection[str],
    ) -> list[Codes]:
        """Marks that are ``known``, and others; SQL is asked once of all that are ``free``, too."""
        each = list(zip(cells, known, strict=True))
        casts = [c.name for c, marks in each if marks is None and c.name in self._casts]
        asked = {f"cast {name}": self._casts[name] for name in casts}
        asked |= {f"free {name}": self._free[name] for name in free}
        places = {f"{what} {n}": p for n, p in self._places.items() for what in ("cast", "free")}
        said = self._row.over(batch, asked, places) if asked else {}
        found = []
        for rule, marks in each:
            column = batch.column(rule.name)
            if marks is None:
                marks = 2 * _cell(rule, plain(said.get(f"cast {rule.name}", column)))
                marks[missing(column)] = 2 * rule.absent
            if rule.name in free:
                hidden = numbers(said[f"free {rule.name}"]) == 0
                marks += hidden & ~missing(column) if rule.missing == "public" else hidden
            found.append(marks)
        return found


def shown(cells: CellRule, marks: Codes, column: pa.Array) -> pa.Array:
    """[row] -> what may be shown: the name of the cell where bins make it, else the value.

    The cell's name, not the label's: a label is split when another row makes it so. Names are a
    dictionary, since there are few.
    """
    if cells.edges is None:
        return plain(column)
    last = len(cells.names) - 1  # what is in no cell is never shown
    cell = np.minimum(np.arange(cells.marks, dtype=np.int32) >> 1, last)
    return coded(cell.take(marks), texts(cells.names), missing(column))


def _cell(cells: CellRule, column: pa.Array) -> Codes:
    """[row] -> cell, of values that are not missing."""
    if cells.edges is not None:
        moments = pa.types.is_timestamp(column.type)
        x = numbers(column.view(pa.int64()) if moments else column)
        return pieces(x, np.asarray(cells.edges))
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        known = texts([str(value) for value in cells.values]).cast(column.type)
        places = pc.index_in(column, known)
        return np.where(missing(places), cells.strange, numbers(places)).astype(np.intp)
    return _place(numbers(column), cells.values, cells.strange)


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
