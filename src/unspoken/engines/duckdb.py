"""A table to read with DuckDB: Parquet, CSV, a table of a DuckDB file, or SQL over those.

It knows no privacy. It knows that keys must name rows, that every error is one line with its place,
and that a table larger than memory is read as a stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from unspoken.engines.columns import column_info, kind_of
from unspoken.engines.keys import check_keys
from unspoken.engines.opening import OWN, Opened, opened
from unspoken.engines.source import Place, Source
from unspoken.engines.sql import Expression, column_of, identifier, read_expression
from unspoken.errors import InputError
from unspoken.types.column import ColumnInfo, Kind

__all__ = ["Table"]

# Under a name that no expression has a column for: `rows.x` is the field x of a column "rows".
ROWS = f'{OWN}.rows AS "{OWN} rows"'
BATCH = 122_880  # rows: DuckDB's own row group, so batches are handed on as they are read
MEMORY = "1GB"  # beyond it a sort spills to disk


@dataclass(frozen=True)
class Table:
    """``title`` is what the holder calls it; ``keys`` name its rows; ``columns``: {name: type}.

    Types are DuckDB's. A date among the keys is read as text, YYYY-MM-DD.
    """

    title: str
    keys: tuple[str, ...]
    columns: Mapping[str, str]
    _home: Opened = field(repr=False, compare=False)
    _place: str = field(repr=False, compare=False)  # what a message about the rows begins with

    @classmethod
    def open(
        cls,
        table: str | Path | None = None,
        *,
        database: str | Path | None = None,
        sql: str | None = None,
        keys: Sequence[str] = (),
        preferences: str | Path | None = None,
        folder: Path = Path(),
        title: str = "",
        at: Place = "source.{}".format,
        memory: str = MEMORY,
    ) -> Table:
        """Open ``table`` (a file, or a table of ``database``) or ``sql``.

        Paths are from ``folder``. ``preferences``: a file with one row for each value of the keys
        it shares with the table; its columns stand beside those of the table, NULL where it has no
        row. Without ``keys`` nothing is asked of the rows but that there are some. ``at`` gives the
        place that a message about one of these parameters begins with.
        """
        if (table is None) == (sql is None):
            raise InputError(f"{at('table')}: give either table or sql")
        named = title or (str(table) if table is not None else "the query")
        source = Source(table, database, sql, tuple(keys), preferences, named, at)
        with opened(folder, memory, source.place) as opening:
            own, columns = source.views(opening)
            found = cls(named, own, columns, opening, source.place)
            check_keys(opening, ROWS, own, named, at("keys"))
        return found

    def count(self) -> int:
        """How many rows there are."""
        return int(self._one(f"SELECT count(*) FROM {ROWS}", self.title)[0])

    @property
    def files(self) -> list[Path]:
        """The files that it is read from."""
        return [file.path for file in self._home.files]

    def column(self, name: str, where: str) -> str:
        """A column as SQL; an unknown one is an InputError that names the nearest.

        Letter case counts, as it does in coins and in what is released under this name.
        """
        place = f"{where}, column of {self.title}"
        found = column_of(name, self.columns, place)
        if found != name:
            raise InputError(f'{place}: there is no "{name}". Did you mean "{found}"?')
        return identifier(name)

    def kind(self, name: str) -> Kind:
        """What a column holds."""
        return kind_of(self.columns[name])

    def expression(self, text: str, where: str, *, condition: bool = False) -> Expression:
        """Check the holder's SQL expression over one row; a condition is true, false or NULL."""
        sql, reads = read_expression(self._home.con, text, list(self.columns), self.title, where)
        # Over these columns alone: what it reads beside them, by whatever name, is an error here.
        listed = ", ".join(map(identifier, sorted(reads))) or "1"
        query = f'SELECT {sql} AS x FROM (SELECT {listed} FROM {ROWS}) AS "{OWN} rows"'
        kind = str(self._one(f"DESCRIBE {query}", where)[1])
        if condition and kind not in ("BOOLEAN", '"NULL"', "NULL"):
            raise InputError(f"{where}: gives {kind}; a condition is true or false, such as x > 3")
        return Expression(sql, kind, reads)

    def rows(
        self,
        select: Mapping[str, str],
        order_by: Sequence[str] | None = None,
        places: Mapping[str, str] | None = None,
        batch_rows: int = BATCH,
    ) -> pa.RecordBatchReader:
        """Stream ``select``, {name: SQL over the row}, in the order of these columns (the keys).

        Memory does not grow with the table. ``places``: {name: place}, to tell whose SQL failed.
        Streams are independent of one another; text is never dictionary-encoded.
        """
        order = ", ".join(self.column(name, "order_by") for name in self._order(order_by))
        query = _select(select) + (f" ORDER BY {order}" if order else "")
        explain = partial(self._explain, select, places or {})
        cursor = self._home.con.cursor()
        try:
            reader = cursor.sql(query).to_arrow_reader(batch_rows)
        except (duckdb.Error, OSError) as error:
            raise explain(error) from error
        named = zip(reader.schema, select, strict=True)
        schema = pa.schema([field.with_name(name) for field, name in named])
        # A generator on the consumer's side, so that its errors arrive as what they are.
        batches = _renamed(cursor, reader, schema, explain)
        return pa.RecordBatchReader.from_batches(schema, batches)

    def groups(
        self, select: Mapping[str, str], places: Mapping[str, str] | None = None
    ) -> pa.Table:
        """How often each combination of ``select`` occurs: its columns, and the count last."""
        query = _select(select, "count(*) AS c") + " GROUP BY ALL ORDER BY ALL"
        try:
            found = self._home.con.cursor().sql(query).to_arrow_table()
        except (duckdb.Error, OSError) as error:
            raise self._explain(select, places or {}, error) from error
        return found.rename_columns([*select, "count"])

    def values(self, sql: str, most: int, where: str) -> list[Any]:
        """The first ``most`` different values of an expression, sorted; NULL is none."""
        inside = f"SELECT DISTINCT {sql} AS x FROM {ROWS}"
        query = f"SELECT x FROM ({inside}) WHERE x IS NOT NULL ORDER BY x LIMIT {most}"
        with self._home.told(where):
            return [row[0] for row in self._home.con.cursor().execute(query).fetchall()]

    def check_finite(self, places: Mapping[str, str]) -> None:
        """Refuse NaN and infinity in these columns, {column: place}, by name."""
        real = [name for name in places if self.columns[name] in ("FLOAT", "DOUBLE")]
        counts = ", ".join(f"count(*) FILTER (NOT isfinite({identifier(name)}))" for name in real)
        found = self._one(f"SELECT {counts} FROM {ROWS}", self.title) if real else ()
        for name, count in zip(real, found, strict=True):
            if count:
                raise InputError(
                    f"{places[name]}: {count:,} value{'s are' if count > 1 else ' is'} NaN or "
                    f"infinite in column {name}; make them NULL, with [source] sql, or correct them"
                )

    def describe(self) -> list[ColumnInfo]:
        """Every column as a starter for a project file wants to know it.

        Every column is scanned three times: a copy, so that text is parsed once.
        """
        copy = identifier(f"{OWN} copy")
        with self._home.told(self._place):
            self._home.con.execute(f"CREATE OR REPLACE TEMP TABLE {copy} AS SELECT * FROM {ROWS}")
        found = [
            column_info(self._home, copy, name, kind_of(self.columns[name]))
            for name in self.columns
        ]
        self._home.con.execute(f"DROP TABLE {copy}")
        return found

    def close(self) -> None:
        """Close the files. A stream that is still open ends with an error."""
        self._home.close()

    def _order(self, order_by: Sequence[str] | None) -> Sequence[str]:
        return self.keys if order_by is None else order_by

    def _one(self, query: str, where: str) -> tuple[Any, ...]:
        with self._home.told(where):
            row = self._home.con.cursor().execute(query).fetchone()
        return row or ()

    def _explain(
        self, select: Mapping[str, str], places: Mapping[str, str], error: Exception
    ) -> InputError:
        """The error as one line that says whose SQL it was: each is tried on its own."""
        for name, sql in select.items():
            with self._home.told(places.get(name, name)):
                self._home.con.cursor().execute(f"SELECT count({sql}) FROM {ROWS}").fetchone()
        try:
            with self._home.told(self._place):
                raise error
        except InputError as line:
            return line


def _select(select: Mapping[str, str], *more: str) -> str:
    """A SELECT whose own names hide no column: an expression may name any column of the row."""
    columns = [f"{sql} AS {identifier(f'unspoken {i}')}" for i, sql in enumerate(select.values())]
    return f"SELECT {', '.join([*columns, *more])} FROM {ROWS}"


def _renamed(
    cursor: duckdb.DuckDBPyConnection, reader: Any, schema: Any, explain: Any
) -> Iterator[Any]:
    try:
        for batch in reader:
            yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        raise explain(error) from error
    finally:
        cursor.close()
