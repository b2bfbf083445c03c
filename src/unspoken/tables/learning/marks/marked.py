"""Marks of rows, wherever the rows are: work that an engine does on each batch by itself."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from unspoken.core.numerics.arrays import Codes, Counts
from unspoken.tables.engines.arrow import array, missing, numbers
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.learning.marks.marking import Marker

__all__ = ["REAL", "Marked", "counts_in", "infinite", "infinite_in", "marks_in"]

REAL = ("FLOAT", "DOUBLE")  # the types that have NaN and infinity
MARK, COUNT = "unspoken mark {}", "unspoken count"
INFINITE = b"unspoken infinite"
FEW = 2**16  # combinations of marks, of which every batch has a table


@dataclass(frozen=True)
class Marked:
    """Columns of rows in; out the marks of each attribute, and beside them the columns ``kept``.

    Where none is, and few combinations of marks are possible, those that a batch has come in place
    of its rows, with their counts. How many values are NaN or infinite stands with each batch: they
    are no values.
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
            marks = marker.marks(batch)
            sizes = [cells.marks for cells in self.cells]
            if not self.kept and math.prod(sizes) <= FEW:
                marks, counts = _alike(marks, sizes)
                columns[COUNT] = array(pa.int64(), counts)
            for i, each in enumerate(marks):
                columns[MARK.format(i)] = array(pa.int32(), each.astype(np.int32))
            strange = infinite(batch, [cells.name for cells in self.cells], self.columns)
            marked = pa.RecordBatch.from_pydict(columns)
            yield marked.replace_schema_metadata({INFINITE: json.dumps(strange).encode()})


def _alike(marks: Sequence[Codes], sizes: Sequence[int]) -> tuple[list[Codes], Counts]:
    """The combinations of marks that some row has, and how many have each."""
    number = np.zeros(len(marks[0]), np.int32)
    for each, size in zip(marks, sizes, strict=True):
        number *= size
        number += each
    counts = np.bincount(number)
    occurring = np.flatnonzero(counts)
    return list(np.unravel_index(occurring, sizes)), counts[occurring]


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
    """[attribute][row] -> mark, of so many attributes; or of each combination that some row has."""
    return [numbers(batch.column(MARK.format(i))) for i in range(count)]


def counts_in(batch: pa.RecordBatch) -> Counts | None:
    """How many rows have each of these combinations of marks; None: these are rows."""
    return numbers(batch.column(COUNT)) if COUNT in batch.schema.names else None


def infinite_in(batch: pa.RecordBatch) -> dict[str, int]:
    """How many values of each column were NaN or infinite."""
    held: dict[str, int] = json.loads(batch.schema.metadata[INFINITE])
    return held
