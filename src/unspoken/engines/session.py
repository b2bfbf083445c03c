"""The DuckDB that all our SQL runs in: the same settings everywhere, in every cursor of it."""

from __future__ import annotations

import duckdb

from unspoken.engines.sql import literal

__all__ = ["MEMORY", "OURS", "session"]

OURS = "unspoken"  # our own schema, and how our own names begin

MEMORY = "1GB"  # beyond it a sort spills to disk
SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def session(timezone: str, **more: str) -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory with our settings, and ``more`` of them as SQL has them.

    Hours and days are those of ``timezone``, wherever it is evaluated.

    Global, since a cursor would not inherit those of a session; and itself a cursor, which draws no
    progress bar: nobody asked for one, and a notebook may lack what draws it.
    """
    con = duckdb.connect(":memory:").cursor()
    zone = {"TimeZone": literal(timezone)}
    for setting, value in (SETTINGS | zone | more).items():
        con.execute(f"SET GLOBAL {setting} = {value}")
    return con
