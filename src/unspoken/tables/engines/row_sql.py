"""SQL over one row, wherever the rows are: an embedded DuckDB evaluates it on Arrow batches.

So a predicate means the same in every engine, and can be evaluated inside a task of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import duckdb
import numpy as np
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.tables.engines.arrow import in_one, kept, texts
from unspoken.tables.engines.session import OURS, embedded
from unspoken.tables.engines.sql import Expression, identifier, name_in_sql, read_expression
from unspoken.tables.engines.syntax import (
    comparisons,
    nodes,
    one_line,
    parsed,
    reworded,
    turning_points,
)

__all__ = ["ROW", "RowSQL"]

# Under a name that no expression has a column for: `rows.x` is the field x of a column "rows".
ROW = f'"{OURS} rows"'
CASTS = "You might need to add explicit type casts"  # DuckDB, before it lists what there is


def _uncast(error: Exception, texts: Sequence[str]) -> str:
    """The error; where no function takes a text that is read, the way: keys that are days are."""
    said, found, _ = one_line(error).partition(CASTS)
    if not found or not texts:
        return one_line(error)
    name = name_in_sql(texts[0])
    return f"{said.rstrip('. ')}; {name} is text here, so CAST it, as in {name}::DATE"


class RowSQL:
    """Expressions over rows with these columns, {name: DuckDB type}; it reaches nothing else.

    Moments have the hours and days of ``timezone``.
    """

    def __init__(self, columns: Mapping[str, str], title: str, timezone: str = "UTC") -> None:
        self._columns, self._title = columns, title
        self._con = embedded(timezone)

    def read(
        self, text: str, where: str, *, condition: bool = False, steady: bool = False
    ) -> Expression:
        """Check the holder's SQL; a condition is true, false or NULL, what is ``steady`` calls only
        what may name an epoch.
        """
        columns = list(self._columns)
        sql, reads = read_expression(self._con, text, columns, self._title, where, steady=steady)
        # Over these columns alone: what it reads beside them, by whatever name, is an error here.
        row = ", ".join(
            f"CAST(NULL AS {self._columns[name]}) AS {identifier(name)}" for name in reads
        )
        query = f"SELECT {sql} AS x FROM (SELECT {row or '1'}) AS {ROW}"
        with reworded(where, partial(_uncast, texts=[n for n in reads if self._is_text(n)])):
            kind = str(self._con.execute(f"DESCRIBE {query}").fetchall()[0][1])
        if condition and kind not in ("BOOLEAN", '"NULL"', "NULL"):
            raise InputError(f"{where}: gives {kind}; a condition is true or false, such as x > 3")
        return Expression(sql, kind, reads)

    def _is_text(self, name: str) -> bool:
        return self._columns[name] == "VARCHAR"

    def compared(self, expression: Expression) -> list[tuple[str, str]]:
        """The columns that it compares with a text or whole number, and these."""
        tree = parsed(self._con, f"SELECT {expression.sql}", "")
        folded = {name.casefold(): name for name in self._columns}
        found = comparisons(nodes(tree))
        return [(folded[n.casefold()], text) for n, text in found if n.casefold() in folded]

    def turns(self, expression: Expression) -> list[float] | None:
        """Where a condition on one column of numbers may turn; None: maybe anywhere."""
        return turning_points(parsed(self._con, f"SELECT {expression.sql}", ""))

    def held(self, name: str, values: Sequence[object]) -> pa.RecordBatch:
        """A column of this name and its type with these values, NULL where the type has them not,
        and NULL.
        """
        there = np.array([True] * len(values) + [False])
        column = kept(texts([*map(str, values), ""]), there)
        rows = self._con.from_arrow(pa.RecordBatch.from_pydict({"x": column}))
        cast = f"TRY_CAST(x AS {self._columns[name]}) AS {identifier(name)}"
        return rows.project(cast).to_arrow_table().combine_chunks().to_batches()[0]

    def constant(self, sql: str, where: str) -> int:
        """A whole number that depends on no row: SQL of ours, not the holder's."""
        with reworded(where):
            row = self._con.execute(f"SELECT {sql}").fetchone() or (0,)
        return int(row[0])

    def over(
        self,
        batch: pa.RecordBatch,
        expressions: Mapping[str, Expression],
        places: Mapping[str, str] | None = None,
    ) -> dict[str, pa.Array]:
        """The value of each expression in each row. ``places``: whose SQL it is, for messages."""
        reads = sorted({name for expression in expressions.values() for name in expression.columns})
        rows = self._con.from_arrow(batch.select(reads or batch.schema.names[:1]))
        if [str(kind) for kind in rows.types] != [self._columns[name] for name in reads]:
            # What crossed Arrow as another type (a UUID as text) is again what was declared.
            casts = [
                f"CAST({identifier(name)} AS {self._columns[name]}) AS {identifier(name)}"
                for name in reads
            ]
            rows = rows.project(", ".join(casts) or "1")
        rows = rows.set_alias(ROW.strip('"'))
        values = [
            f"{expression.sql} AS {identifier(f'{OURS} {i}')}"
            for i, expression in enumerate(expressions.values())
        ]
        try:
            answered = rows.project(", ".join(values)).to_arrow_table()
        except (duckdb.Error, pa.ArrowException):
            for name, expression in expressions.items():  # each on its own, to tell whose it is
                with reworded((places or {}).get(name, name)):
                    rows.project(expression.sql).to_arrow_table()
            raise
        return dict(zip(expressions, map(in_one, answered.columns), strict=True))
