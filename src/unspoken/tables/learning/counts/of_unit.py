"""Contexts made of the other rows of a row's unit: the one before it, and its habit.

The row before is the unit's preceding one in the order of keys. A habit is the share of the unit's
*other* rows in which an attribute is sensitive, (h_u - s) / (T_u - 1), in classes with declared
edges. Both may move when another row changes: at most 2 rows of the table that is counted for the
row before, all rows of the unit for a habit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from unspoken.core.numerics.arrays import Codes, Counts
from unspoken.tables.engines.arrow import numbers, plain

__all__ = ["NONE", "Habit", "OfUnit", "Previous", "UnitNumbers"]

NONE = "none"  # the value of a row whose unit has no such row


@dataclass
class UnitNumbers:
    """Numbers the units that ``keys`` name, as they come."""

    keys: Sequence[str]
    known: dict[tuple[object, ...], int] = field(default_factory=dict)

    def of(self, batch: pa.RecordBatch) -> Codes:
        """[row] -> its unit."""
        columns = [plain(batch.column(key)).dictionary_encode() for key in self.keys]
        combined = np.zeros(len(batch), np.int64)
        for column in columns:
            combined = combined * len(column.dictionary) + numbers(column.indices)
        _, first, places = np.unique(combined, return_index=True, return_inverse=True)
        named = zip(
            *(column.dictionary.take(column.indices.take(pa.array(first))) for column in columns),
            strict=True,
        )
        units = [tuple(part.as_py() for part in name) for name in named]
        codes = np.array([self.known.setdefault(unit, len(self.known)) for unit in units], np.intp)
        return codes[places]


class OfUnit:
    """A context of one attribute, the ``place``-th, of so many ``values``."""

    ordered = False  # whether rows have to come in the order of keys

    def __init__(self, place: int, values: int) -> None:
        self.place, self.values = place, values

    def codes(self, units: Codes, marks: Codes) -> Codes:
        """[row] -> value, given unit and mark of each row of a batch."""
        raise NotImplementedError


class Previous(OfUnit):
    """The mark of the row before; the last value: there is none."""

    ordered = True

    def __init__(self, place: int, marks: int) -> None:
        super().__init__(place, marks + 1)
        self._last = np.zeros(0, np.intp)

    def codes(self, units: Codes, marks: Codes) -> Codes:
        new = int(units.max(initial=-1)) + 1 - len(self._last)
        self._last = np.append(self._last, np.full(max(0, new), self.values - 1, np.intp))
        order = np.argsort(units, kind="stable")
        here, marked = units[order], marks[order]
        starts = np.append(True, here[1:] != here[:-1])
        before = np.where(starts, self._last[here], np.roll(marked, 1))
        self._last[here] = marked  # of several rows of one unit the last one stays
        codes = np.empty(len(units), np.intp)
        codes[order] = before
        return codes


class Habit(OfUnit):
    """The class of the share of the other rows; the last value: there are none."""

    def __init__(self, place: int, edges: Sequence[float]) -> None:
        super().__init__(place, len(edges) + 2)
        self._edges = np.array(edges)
        self._rows: Counts = np.zeros(0, np.int64)
        self._hidden: Counts = np.zeros(0, np.int64)

    def add(self, units: Codes, marks: Codes) -> None:
        """Count in some rows; all have to be, before any is asked about."""
        size = max(len(self._rows), int(units.max(initial=-1)) + 1)
        self._rows = _longer(self._rows, size) + np.bincount(units, minlength=size)
        hidden = np.bincount(units[marks % 2 == 1], minlength=size)
        self._hidden = _longer(self._hidden, size) + hidden

    def codes(self, units: Codes, marks: Codes) -> Codes:
        others = self._rows[units] - 1
        share = (self._hidden[units] - marks % 2) / np.maximum(others, 1)
        codes = np.searchsorted(self._edges, share, side="right")
        return np.where(others > 0, codes, self.values - 1)


def _longer(counts: Counts, size: int) -> Counts:
    return np.append(counts, np.zeros(size - len(counts), np.int64))
