"""The DuckDB that all our SQL runs in: the same settings everywhere, in every cursor of it."""

from __future__ import annotations

import os
import re
from functools import cache

import duckdb

from unspoken.tables.engines.interrupting import interruptible
from unspoken.tables.engines.sql import literal

__all__ = ["MEMORY", "OURS", "bytes_of", "embedded", "session"]

OURS = "unspoken"  # our own schema, and how our own names begin

MEMORY = "1GB"  # beyond it a sort spills to disk
SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([MGT]i?B)", re.IGNORECASE)
UNITS = {"MB": 1e6, "GB": 1e9, "TB": 1e12, "MIB": 2.0**20, "GIB": 2.0**30, "TIB": 2.0**40}
SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # With the time zone, all that functions of a TIMESTAMP WITH TIME ZONE depend on.
    "Calendar": "'gregorian'",
    "python_enable_replacements": "false",
    # It would hand out the text of a CSV file in place of CAST(day AS VARCHAR), '2018-1-5' for
    # '2018-01-05', wherever nothing else is asked of the column: another key, and another coin.
    "disabled_optimizers": "'type_pushdown'",
}


def session(timezone: str, **more: str) -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory with our settings, and ``more`` of them as SQL has them.

    Hours and days are those of ``timezone``, wherever it is evaluated.

    Global, since a cursor would not inherit those of a session; and itself a cursor, which draws no
    progress bar: nobody asked for one, and a notebook may lack what draws it.
    """
    con = interruptible(duckdb.connect(":memory:").cursor())
    zone = {"TimeZone": literal(timezone)}
    for setting, value in (SETTINGS | zone | more).items():
        con.execute(f"SET GLOBAL {setting} = {value}")
    return con


def embedded(timezone: str = "UTC") -> duckdb.DuckDBPyConnection:
    """A cursor of a DuckDB that reaches nothing: it has no tables, files or free settings.

    A process makes it once: that takes far longer than what is parsed or evaluated there.
    """
    return _embedded(os.getpid(), timezone).cursor()


@cache
def _embedded(_process: int, timezone: str) -> duckdb.DuckDBPyConnection:
    con = session(timezone, threads="1", temp_directory="''", enable_external_access="false")
    con.execute("SET GLOBAL lock_configuration = true")
    return con


def bytes_of(memory: str) -> float:
    """What "1.5GB" is; of what is no size 0."""
    size = SIZE.fullmatch(memory.strip())
    return 0.0 if size is None else float(size[1]) * UNITS[size[2].upper()]
