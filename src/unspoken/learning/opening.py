"""The table of a project: the one place where an engine is chosen."""

from __future__ import annotations

from functools import partial

from unspoken.engines.duckdb import DuckTable
from unspoken.engines.protocol import Table
from unspoken.policy import Project

__all__ = ["table_of"]


def table_of(project: Project) -> Table:
    """Open the table that a project names; a message about it begins with the key's place."""
    source = project.source
    return DuckTable.open(
        source.table,
        database=source.database,
        sql=source.sql,
        keys=source.keys,
        preferences=source.preferences,
        folder=project.path.parent,
        title=source.name,
        timezone=source.timezone,
        at=partial(project.at, "source"),
    )
