"""The table of a project: the one place where an engine is chosen."""

from __future__ import annotations

from functools import partial

from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.handed_in import ArrowStream, arrow_table
from unspoken.tables.engines.protocol import Table
from unspoken.tables.policy import Project

__all__ = ["duckdb_table", "table_of"]


def table_of(project: Project, frame: ArrowStream | None = None, checked: bool = True) -> Table:
    """Open the table that a project names; a message about it begins with the key's place.

    ``frame``: its rows, in place of those of the file. ``checked``: whether keys name the rows.
    """
    if project.source.engine == "duckdb":
        return duckdb_table(project, frame, checked)
    from unspoken.tables.engines.spark import SparkTable, session

    source, at = project.source, partial(project.at, "source")
    where = at("table" if source.sql is None else "sql")
    spark = session(at("engine"), source.memory, source.threads)
    if frame is None and source.catalog:
        table = SparkTable.named(
            source.table or "", spark, source.keys, where, at("keys"), source.timezone,
            source.nan_missing,
        )  # fmt: skip
    else:
        plain = frame is None and source.preferences is None and source.file is not None
        read = duckdb_table(project, frame, checked=False)
        folder = project.path.parent if plain else None
        table = SparkTable.of(read, spark, where, folder, source.nan_missing)
    if checked:
        table.check(at("keys"))
    return table


def duckdb_table(
    project: Project, frame: ArrowStream | None = None, checked: bool = True
) -> DuckTable:
    """The same as DuckDB reads it."""
    source = project.source
    if frame is not None and source.sql is not None:
        raise project.error(
            "source", "sql", text="chooses the rows, and a frame brings its own. Name a table "
            "here, and do in the frame what the query does.",
        )  # fmt: skip
    return DuckTable.open(
        source.table if frame is None else arrow_table(frame, "table"),
        database=source.database if frame is None else None,
        sql=source.sql,
        keys=source.keys,
        preferences=source.preferences,
        folder=project.path.parent,
        title=source.name if frame is None else f"the {type(frame).__name__}",
        timezone=source.timezone,
        memory=source.memory,
        threads=source.threads,
        nan_missing=source.nan_missing,
        at=partial(project.at, "source"),
        checked=checked,
    )
