"""The type in which a column's values are compared: numbers as doubles, dates as YYYY-MM-DD.

Dates and times that fall into bins count as the microseconds since 1970; otherwise as written.
Integers of up to 64 bits, reals, text and truth values are compared as they are (integers as
doubles with the edges of bins); what is none of these is brought into one of them by DuckDB.
"""

from __future__ import annotations

import pyarrow as pa

from unspoken.tables.column import Cell
from unspoken.tables.engines.arrow import plain
from unspoken.tables.engines.column_info import ZONED, kind_of
from unspoken.tables.engines.protocol import Table
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression, identifier

__all__ = ["cast_of", "held"]

LAST = 2**63 - 1
WIDE = ("HUGEINT", "UHUGEINT")  # compared as they are written
MOMENTS = ("TIMESTAMP", ZONED)  # Arrow holds their microseconds
NANOSECONDS = "TIMESTAMP_NS"
# epoch_us would round to the nearest: into the next bin, what is just before it.
# Division cuts off towards 0; nothing is taken from nanoseconds, which may be the least there are.
FLOORED = "(epoch_ns({0}) // 1000 - CAST(epoch_ns({0}) % 1000 < 0 AS BIGINT))"


def cast_of(name: str, type_name: str, binned: bool) -> Expression | None:
    """What brings a column of this DuckDB type into the type it is compared in; None: it is."""
    wide, kind = type_name in WIDE, kind_of(type_name)
    if binned and type_name in MOMENTS:
        return None
    if kind in ("date", "time") and binned:
        x, late = identifier(name), "'2000-01-01'"  # infinity has no microseconds, and an order
        ends = f"CASE WHEN {x} > {late} THEN {LAST} ELSE -{LAST} END"
        micros = FLOORED.format(x) if type_name == NANOSECONDS else f"epoch_us({x})"
        return Expression(f"coalesce({micros}, {ends})", "BIGINT", (name,))
    if type_name.startswith("DECIMAL") or (wide and binned):
        to = "DOUBLE"
    elif kind in ("date", "time", "clock") or wide:
        to = "VARCHAR"
    else:
        return None
    return Expression(f"CAST({identifier(name)} AS {to})", to, (name,))


def held(table: Table, name: str, most: int, where: str, row: RowSQL) -> list[Cell]:
    """The different values of a column, sorted; any ``most`` of them where there are more."""
    column = table.values(name, most, where)
    cast = cast_of(name, table.columns[name], binned=False)
    if cast is not None:
        batch = pa.RecordBatch.from_arrays([column], [name])
        column = row.over(batch, {name: cast}, {name: where})[name]
    values: list[Cell] = plain(column).to_pylist()
    whole = kind_of(table.columns[name]) == "integer"
    return sorted({int(value) if whole else value for value in values})
