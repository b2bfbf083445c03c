"""What an application asks for: cells, by attribute, condition on keys, and epoch.

The condition is one on public columns, of which a dozen functions are enough. What can make a text
of any length of a few letters, or a row of any size, is left out: whoever asks is not the holder,
and shares its memory. It is evaluated where no file is reached, on keys alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from unspoken.core.errors import InputError, unknown
from unspoken.storage.rows.reading import EPOCHS, Epochs, too_many
from unspoken.tables.engines.protocol import Scan, Shape, Table
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.session import embedded
from unspoken.tables.engines.sql import Expression
from unspoken.tables.engines.syntax import calls, nodes, parsed
from unspoken.tables.policy import Project

__all__ = ["Keys", "Request", "refuse_growing"]

LONGEST = 4_096  # characters of a condition, or of a query
# These make long texts of short ones, and of a few of them one that no machine has room for.
GROWING = {
    "concat", "concat_ws", "format", "lpad", "printf", "regexp_replace", "repeat", "replace",
    "rpad", "||",
}  # fmt: skip


@dataclass(frozen=True)
class Request:
    """``attributes``: none named: all that the application reads; ``where``: SQL over keys;
    ``epochs``: none named: all that have such rows. ``before``: only what it was given before, for
    which nothing is ever charged. ``draw``: by which coins; 2 is charged beside the first.
    """

    attributes: tuple[str, ...] = ()
    where: str | None = None
    epochs: tuple[str, ...] = ()
    before: bool = False
    draw: int = 1

    def columns(self, served: Project) -> tuple[str, ...]:
        """The attributes that are asked for, each of which is read."""
        for name in self.attributes:
            if name not in served.reads:
                raise unknown("attributes", name, served.reads)
        return tuple(dict.fromkeys(self.attributes)) or served.reads


@dataclass(frozen=True)
class Keys:
    """The columns that are public, and what may be asked of them."""

    project: Project
    shape: Shape

    @property
    def _row(self) -> RowSQL:
        """Over the keys: of other columns whoever asks does not learn that there are any."""
        keys = {name: self.shape.columns[name] for name in self.shape.keys}
        return RowSQL(keys, "the keys", self.shape.timezone)

    def condition(self, text: str | None) -> Expression | None:
        """The condition, once it is one on keys alone; None: there is none."""
        if text is None:
            return None
        if not text.strip():
            raise InputError("where: is empty; leave it out to ask for all rows")
        refuse_growing(text, f"SELECT {text}", "where")
        asked = self._row.read(text, "where", condition=True, steady=True)
        if not asked.columns:
            known = ", ".join(self.shape.keys)
            raise InputError(f"where: reads no key; keys are public, and there are: {known}")
        return asked

    def held(self, rows: pa.Table, condition: Expression | None) -> pa.Table:
        """The rows of a release for which it is true."""
        if condition is None or not rows.num_rows:
            return rows
        batches = rows.select(list(self.shape.keys)).combine_chunks().to_batches()
        return rows.filter(pa.chunked_array([self._true(condition, each) for each in batches]))

    def _true(self, condition: Expression, batch: pa.RecordBatch) -> pa.Array:
        return self._row.over(batch, {"where": condition})["where"].cast(pa.bool_())

    def within(self, rows: pa.Table, epochs: tuple[str, ...]) -> pa.Table:
        """The rows of a release that are of these epochs."""
        if self.project.epoch.of is None or not rows.num_rows:
            return rows
        naming, kept = Epochs.of(self.project, self.shape), list[pa.Table]()
        for batch in rows.select(list(self.shape.keys)).combine_chunks().to_batches():
            for epoch, places in naming.rows(batch)[0].items():
                if epoch in epochs:
                    kept.append(rows if places is None else rows.take(pa.array(places)))
        return pa.concat_tables(kept) if kept else rows.slice(0, 0)

    def counted(
        self, table: Table, condition: Expression | None, epochs: tuple[str, ...]
    ) -> dict[str, int]:
        """How many rows of the source it is true for, by epoch: keys alone are read."""
        naming, counts = Epochs.of(self.project, table), dict[str, int]()
        for each in table.batches(Scan(list(table.keys), ordered=False)):
            batch = each if condition is None else each.filter(self._true(condition, each))
            if not batch.num_rows:
                continue
            for epoch, places in naming.rows(batch)[0].items():
                count = batch.num_rows if places is None else len(places)
                counts[epoch] = counts.get(epoch, 0) + count
            if len(counts) > EPOCHS:
                raise too_many(self.project)
        return {e: counts[e] for e in sorted(counts) if not epochs or e in epochs}


def refuse_growing(text: str, query: str, where: str) -> None:
    """Refuse a text that is too long, or calls what may make something too long, or makes values
    of several, of which one may have any size. ``query``: the SELECT that it is, or is part of.
    """
    if len(text) > LONGEST:
        raise InputError(f"{where}: has {len(text):,} characters, and at most {LONGEST:,} are read")
    parts = list(nodes(parsed(embedded(), query, where)))
    names = {call["function_name"].lower() for call in calls(parts)}
    types = [part for part in parts if part.get("class") == "TYPE"]
    if any(below.get("class") == "TYPE" for part in types for below in part["children"]):
        # such as INT[1000]
        raise InputError(f"{where}: takes values of several parts; compare one with one")
    for name in sorted(names & GROWING):
        raise InputError(
            f"{where}: calls {name}, which may make a text of any length; leave it out"
        )
