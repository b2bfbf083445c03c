"""Rows by each key, and by what a key says of time: contexts that nobody has declared.

Counts of a table as it is, for the holder alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from unspoken.engines.of_keys import OfKeys
from unspoken.engines.protocol import Scan, Table
from unspoken.engines.row_sql import RowSQL
from unspoken.engines.sql import identifier
from unspoken.learning.counts.contexts import Contexts, Given
from unspoken.learning.counts.counting import Combinations
from unspoken.learning.counts.rows import count
from unspoken.learning.learned import CELLS, Learned
from unspoken.policy import Project

__all__ = ["by_key"]

VALUES = 2**12  # a key of more, such as a moment, is no group that has much in common
FIRST = 1000  # rows by which it is seen whether a text is a time
TIMES = {"weekday": "dayname({})", "month": "monthname({})", "hour": "CAST(hour({}) AS VARCHAR)"}


def by_key(project: Project, table: Table, learned: Learned, least: int) -> dict[str, Given]:
    """{what of a key: what rows say given its values}, of values that ``least`` rows have.

    In one pass. Left out is what has one value, more than VALUES, or is a context already.
    """
    labels = [learned.labelling[name] for name in project.attributes]
    joint = Combinations([labelling.cells.marks for labelling in labels])
    named = {
        what: OfKeys.read(sql, table, "a context", what, "it says nothing")
        for what, sql in _functions(table)
    }
    counted = Contexts(named, joint, VALUES, dropping=True)
    count(project, [labelling.cells for labelling in labels], table, joint.add, counted)
    room = CELLS // math.prod(len(labelling.names) for labelling in labels)
    declared = [sorted(given.rows.values()) for given in learned.contexts.values()]
    found = {}
    for what, within in counted.held().items():
        frequent = within.frequent(least, room)
        if len(within.values) > 1 and frequent.values:
            given = Given.of(
                what, frequent, dict(zip(project.attributes, labels, strict=True)), CELLS
            )
            if sorted(given.rows.values()) not in declared:
                found[what] = given
    return found


def _functions(table: Table) -> Iterator[tuple[str, str]]:
    """Each key, and weekday, month and hour of what is a time."""
    row = RowSQL(table.columns, table.title, table.timezone)
    first = next(iter(table.batches(Scan(list(table.keys), ordered=False, rows=FIRST))), None)
    for key in table.keys:
        column = identifier(key)
        yield key, column
        moment = _moment(table, key)
        if first is not None and moment and _all(row, first, f"{moment} IS NOT NULL"):
            for what, sql in TIMES.items():
                yield f"{what} of {key}", f"coalesce({sql.format(moment)}, '')"


def _moment(table: Table, key: str) -> str:
    """A key as a time, in SQL; NULL where it is none. Numbers are not taken for times."""
    kind, column = table.columns[key], identifier(key)
    if kind == "VARCHAR":
        return f"TRY_CAST({column} AS TIMESTAMP)"
    return column if kind.startswith("TIMESTAMP") else ""


def _all(row: RowSQL, batch: pa.RecordBatch, sql: str) -> bool:
    asked = {"x": row.read(sql, "keys")}
    return bool(pc.all(row.over(batch, asked)["x"]).as_py())
