"""The tables of an attached DuckDB file; a view there is read as the query that it is."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import duckdb

from unspoken.core.errors import InputError, unknown
from unspoken.tables.engines.sql import identifier, read_query

__all__ = ["BASE", "is_database", "table_of_base", "tables_of_base"]

BASE = "base"  # the catalog under which a database is attached

_NAME = r'(?:"(?:[^"]|"")*"|[^\s".,()]+)'
# How DuckDB writes a view down; what follows is its query.
CREATED = re.compile(
    rf"CREATE\s+VIEW\s+{_NAME}(?:\.{_NAME})*\s*(?:\(\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\))?\s+AS\s+",
    re.IGNORECASE,
)


def is_database(path: Path) -> bool:
    """Whether this is a DuckDB file: the mark stands behind a checksum of 8 bytes."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False


def tables_of_base(con: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, str]]:
    """{name: (schema, table)} of the tables and views of the database; of main by name alone."""
    return {
        table if schema == "main" else f"{schema}.{table}": (schema, table)
        for schema, table, _ in _tables(con)
    }


def table_of_base(con: duckdb.DuckDBPyConnection, name: str, called: str, where: str) -> str:
    """What stands behind FROM for a table or view of the database; ``called``: by messages."""
    rows = _tables(con)
    known = {f"{schema}.{table}": (schema, table) for schema, table, _ in rows}
    known |= tables_of_base(con)
    if name not in known:
        raise unknown(f"{where}, table of {called}", name, sorted(known))
    views = _Views(con, {(schema, table): sql for schema, table, sql in rows}, called)
    views.check(known[name][1], where, ())
    return ".".join(map(identifier, (BASE, *known[name])))


def _tables(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str, str]]:
    """Schema and name of each table and view, and how a view was made."""
    return con.execute(
        "SELECT schema_name, table_name, '' FROM duckdb_tables() WHERE database_name = ?"
        " UNION ALL"
        " SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = ?"
        " AND NOT internal ORDER BY ALL",
        [BASE, BASE],
    ).fetchall()


class _Views:
    """The views of a database, checked like a query of the holder's: they can hide a clock.

    So can columns that a table makes of others whenever it is read.
    """

    def __init__(
        self, con: duckdb.DuckDBPyConnection, made: dict[tuple[str, str], str], called: str
    ) -> None:
        self._con, self._called = con, called
        self._columns = con.execute(
            "SELECT table_name, column_name, generation_expression FROM duckdb_columns()"
            " WHERE database_name = ? AND is_generated ORDER BY ALL",
            [BASE],
        ).fetchall()
        self._made: dict[str, list[str]] = {}
        for (_, table), sql in made.items():
            self._made.setdefault(table.casefold(), []).append(sql)

    def check(self, name: str, where: str, within: Collection[str]) -> None:
        """Refuse the views and tables of this name, in any schema, that read or call what a query
        may not.
        """
        for table, column, made_of in self._columns:
            if table.casefold() == name.casefold():
                place = f"{where}, column {column} of {table} in {self._called}"
                read_query(self._con, f"SELECT {made_of}", place)
        for sql in filter(None, self._made[name.casefold()]):
            place = f"{where}, view {name} of {self._called}"
            head = CREATED.match(sql)
            if head is None:
                raise InputError(f"{place}: cannot be read; make it a table, or name its tables")
            for *_, table in read_query(self._con, sql[head.end() :], place):
                if table.casefold() not in self._made:
                    raise InputError(
                        f"{place}: reads {table}, which is no table of the database; copy it there"
                    )
                if table.casefold() not in within:
                    self.check(table, where, (*within, name.casefold()))
