"""The table of a project: the one place where an engine is chosen."""

from __future__ import annotations

from functools import partial

from unspoken.engines.duckdb import DuckTable
from unspoken.engines.handed_in import Streams, arrow_table
from unspoken.policy import Project

__all__ = ["table_of"]


def table_of(project: Project, frame: Streams | None = None, checked: bool = True) -> DuckTable:
    """Open the table that a project names; a message about it begins with the key's place.

    ``frame``: its rows, in place of those of the file. ``checked``: whether keys name the rows.
    """
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
        title=source.name,
        timezone=source.timezone,
        memory=source.memory,
        threads=source.threads,
        nan_missing=source.nan_missing,
        at=partial(project.at, "source"),
        checked=checked,
    )
