"""Some rows of a table: those for which a condition on their keys is true, or all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from unspoken.engines.arrow import boolean, missing, numbers
from unspoken.engines.protocol import BATCH, Among, Table
from unspoken.engines.row_sql import RowSQL
from unspoken.engines.sql import Expression
from unspoken.errors import InputError

__all__ = ["Selected"]


@dataclass(frozen=True)
class Selected:
    """The rows of ``table`` for which ``condition`` is ``true``; NULL is not true.

    ``where`` begins a message about the condition. What columns hold is said of all rows.
    """

    table: Table
    condition: str
    true: bool
    where: str

    @property
    def title(self) -> str:
        return self.table.title

    @property
    def keys(self) -> tuple[str, ...]:
        return self.table.keys

    @property
    def given(self) -> Mapping[str, pa.DataType]:
        return self.table.given

    @property
    def columns(self) -> Mapping[str, str]:
        return self.table.columns

    @property
    def timezone(self) -> str:
        return self.table.timezone

    @property
    def files(self) -> Sequence[Path]:
        return self.table.files

    def values(self, name: str, most: int, where: str) -> pa.Array:
        return self.table.values(name, most, where)

    def check(self, where: str) -> None:
        self.table.check(where)

    def groups(self, names: Sequence[str], where: str) -> tuple[int, int]:
        return self.table.groups(names, where)

    def tally(
        self, names: Sequence[str], condition: Expression, where: str
    ) -> Sequence[tuple[int, int, int]]:
        return self.table.tally(names, condition, where)

    def batches(
        self,
        names: Sequence[str],
        ordered: bool = True,
        rows: int = BATCH,
        places: Mapping[str, str] | None = None,
        among: Among | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The same columns of those rows."""
        row = RowSQL(self.table.columns, self.table.title, self.table.timezone)
        condition = row.read(self.condition, self.where, condition=True, steady=True)
        others = sorted(set(condition.columns) - set(self.table.keys))
        if others or not condition.columns:
            reads = f"reads {others[0]}" if others else "reads no key"
            raise InputError(f"{self.where}: {reads}; write a condition on keys alone")
        asked, none = list(dict.fromkeys([*names, *condition.columns])), True
        for batch in self.table.batches(asked, ordered, rows, places, among):
            held = row.over(batch, {"is": condition}, {"is": self.where})["is"]
            kept = (numbers(held) * ~missing(held) > 0) == self.true
            if kept.any():
                none = False
                yield batch.select(list(names)).filter(boolean(kept))
        if none:
            found = (
                "true in no row, so nothing can be learned"
                if self.true
                else ("true in every row, so nothing is left to release")
            )
            raise InputError(f"{self.where}: is {found}")
