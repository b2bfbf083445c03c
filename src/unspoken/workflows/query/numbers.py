"""What a row adds to an answer: a whole number for each cell of an attribute, or of several.

So the exact answer is a function of cells alone, and one record changes it by max - min at most,
whatever the table holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.core.numerics.arrays import Counts
from unspoken.core.types.domain import Value
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning.marks.labels import NONE, Labelling
from unspoken.workflows.query.attribute_cells import AttributeCells

__all__ = ["Number"]


@dataclass(frozen=True)
class Number:
    """``adds[cell]`` of the attribute ``names`` has; of several ``adds`` has their ``shape``, the
    last one's cells beside each other.
    """

    names: tuple[str, ...]
    adds: tuple[int, ...]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, names: Sequence[str], table: Counts) -> Number:
        """Without the attributes on which it does not depend, if it does on any."""
        for axis in reversed(range(table.ndim)):
            if table.ndim > 1 and (table == table.take([0], axis)).all():
                table = np.asarray(table.take(0, axis))
                names = [*names[:axis], *names[axis + 1 :]]
        return cls(tuple(names), tuple(table.ravel().tolist()), table.shape)

    @property
    def table(self) -> Counts:
        return np.array(self.adds, np.int64).reshape(self.shape)

    @property
    def reach(self) -> int:
        """How far one record moves the answer at most."""
        return max(self.adds) - min(self.adds)

    def terms(self, labellings: Mapping[str, Labelling]) -> tuple[dict[str, list[Value]], Counts]:
        """The labels of a belief, and what each adds, or each combination; those of a split cell
        add the same.
        """
        labels, places = dict[str, list[Value]](), list[list[int]]()
        for name, cells in zip(self.names, self.shape, strict=True):
            labelling = labellings[name]
            codes = labelling.code[: 2 * cells]
            cell = {code: mark // 2 for mark, code in enumerate(codes) if code != NONE}
            labels[name] = [labelling.names[code] for code in cell]
            places.append([*cell.values()])
        return labels, self.table[np.ix_(*places)]

    def sql(self, reads: Mapping[str, AttributeCells]) -> Expression:
        """What a row adds; NULL where it is in no cell."""

        def adding(names: Sequence[str], table: Any) -> int | str:
            if not names:
                return int(table)
            if not table.any():
                return 0
            return reads[names[0]].sql([adding(names[1:], part) for part in table])

        return Expression(str(adding(self.names, self.table)), "BIGINT", self.names)
