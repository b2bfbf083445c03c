"""The labels of an attribute: its cells, apart where both sensitive and free rows occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from unspoken.core.numerics.arrays import Codes
from unspoken.tables.learning.marks.cells import CellRule, noted
from unspoken.tables.learning.marks.marking import Marker, shown

__all__ = ["NONE", "Labeller", "Labelling", "Read"]

NONE = -1  # the code of a value that has no label


@dataclass(frozen=True)
class Labelling:
    """``names`` in the order of the cells, those that are ``sensitive``, and how they are found:

    ``code[mark]`` is the label of a mark, NONE if it has none. ``split``: the labels whose cell has
    both sensitive and free rows. Plain data, like its cells.
    """

    cells: CellRule
    names: tuple[str, ...]
    sensitive: tuple[str, ...]
    split: tuple[int, ...]
    code: tuple[int, ...]

    @classmethod
    def of(cls, cells: CellRule, counts: Mapping[int, int]) -> Labelling:
        """The labels that occur, and declared ones that do not yet.

        A declared cell without rows is sensitive if any of its attribute's may be. A free row in a
        cell that was sensitive throughout goes with it; a sensitive row where all were free has no
        label, since the label of its cell may be released.
        """
        names: list[str] = []
        sensitive: list[str] = []
        split: list[int] = []
        code: list[int] = []
        for cell, name in enumerate(cells.names):
            free, hidden = counts.get(2 * cell, 0), counts.get(2 * cell + 1, 0)
            if free and hidden:
                both = [len(names), len(names) + 1]
                split += both
                code += both
                names += [name, noted(name, "sensitive", {*cells.names, *names})]
                sensitive.append(names[-1])
            elif hidden or (not free and cells.can_hide(cell)):
                code += [len(names)] * 2
                names.append(name)
                sensitive.append(name)
            else:
                code += [len(names), NONE]
                names.append(name)
        code += [NONE] * (cells.marks - len(code))
        return cls(cells, tuple(names), tuple(sensitive), tuple(split), tuple(code))

    def codes(self, marks: Codes) -> Codes:
        """[row] -> label, of the marks of some rows."""
        return np.array(self.code).take(marks)


class Read(NamedTuple):
    """What some rows say of an attribute: [row] -> label, and what of it a release may show."""

    codes: Codes
    shown: pa.Array


class Labeller:
    """Finds the labels of rows with these columns, {name: DuckDB type}, in any engine's batches.

    A value of a kind that was not there when the labels were learned has code NONE: withhold it.
    """

    def __init__(
        self,
        labellings: Sequence[Labelling],
        columns: Mapping[str, str],
        places: Mapping[str, str] | None = None,
        timezone: str = "UTC",
    ) -> None:
        self._labellings = labellings
        cells = [labelling.cells for labelling in labellings]
        self._asked = cells, columns, places or {}, timezone

    @property
    def _marker(self) -> Marker:
        return Marker.here(*self._asked)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return self._marker.reads

    def codes(self, batch: pa.RecordBatch) -> dict[str, Codes]:
        """{attribute: [row] -> label}."""
        return {name: cells.codes for name, cells in self.read(batch).items()}

    def read(self, batch: pa.RecordBatch) -> dict[str, Read]:
        """{attribute: what its cells say}."""
        marks = self._marker.marks(batch)
        return {
            labelling.cells.name: Read(
                labelling.codes(mark),
                shown(labelling.cells, mark, batch.column(labelling.cells.name)),
            )
            for labelling, mark in zip(self._labellings, marks, strict=True)
        }
