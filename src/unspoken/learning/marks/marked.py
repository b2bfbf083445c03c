"""Marks of rows, wherever the rows are: work that an engine does on each batch by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from unspoken.engines.arrow import missing, numbers
from unspoken.learning.marks.cells import CellRule
from unspoken.learning.marks.marking import Marker
from unspoken.numerics.arrays import Codes

__all__ = ["REAL", "Marked", "infinite", "infinite_in", "marks_in"]

REAL = ("FLOAT", "DOUBLE")  # the types that have NaN and infinity
MARK = "unspoken mark {}"
INFINITE = b"unspoken infinite"


@dataclass(frozen=True)
class Marked:
    """Columns of rows in; out the marks of each attribute, and beside them the columns ``kept``.

    How many values are NaN or infinite stands with each batch: they are no values.
    """

    cells: tuple[CellRule, ...]
    columns: Mapping[str, str]
    places: Mapping[str, str]
    timezone: str
    kept: tuple[str, ...] = ()

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            marker = Marker.here(self.cells, self.columns, self.places, self.timezone)
            columns = {name: batch.column(name) for name in self.kept}
            for i, marks in enumerate(marker.marks(batch)):
                held = pa.py_buffer(marks.astype(np.int32))
                columns[MARK.format(i)] = pa.Array.from_buffers(
                    pa.int32(), len(marks), [None, held]
                )
            strange = infinite(batch, [cells.name for cells in self.cells], self.columns)
            marked = pa.RecordBatch.from_pydict(columns)
            yield marked.replace_schema_metadata({INFINITE: json.dumps(strange).encode()})


def infinite(
    batch: pa.RecordBatch, names: Iterable[str], columns: Mapping[str, str]
) -> dict[str, int]:
    """How many values of each of these columns are NaN or infinite."""
    found = {}
    for name in names:
        if columns[name] in REAL:
            column = batch.column(name)
            strange = ~np.isfinite(numbers(column))
            found[name] = int((strange & ~missing(column)).sum()) if strange.any() else 0
    return found


def marks_in(batch: pa.RecordBatch, count: int) -> list[Codes]:
    """[attribute][row] -> mark, of so many attributes."""
    return [numbers(batch.column(MARK.format(i))) for i in range(count)]


def infinite_in(batch: pa.RecordBatch) -> dict[str, int]:
    """How many values of each column were NaN or infinite."""
    held: dict[str, int] = json.loads(batch.schema.metadata[INFINITE])
    return held
