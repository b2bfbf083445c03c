"""`unsaid init`: from a table to a commented project file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from unsaid.engines.duckdb import Table
from unsaid.errors import InputError
from unsaid.policy import Project, starter
from unsaid.releasing.files import atomically

__all__ = ["Started", "begin"]

GIVEN = {"table": "TABLE", "database": "--database", "keys": "--keys"}


@dataclass(frozen=True)
class Started:
    """What a new project file says, and whether columns were found that name a row."""

    project: Project
    named: bool


def begin(table: str, database: str | None, keys: str | None, project: Path) -> Started:
    """Write the project file for a table, and give what it says; a file that is there stays."""
    if project.exists():
        raise InputError(f"{project}: is there already; edit it, or name another with --project")
    if not project.parent.is_dir():
        raise InputError(f"{project}: there is no folder {project.parent}; make it first")
    named = [name.strip() for name in (keys or "").split(",") if name.strip()]
    with_home = str(Path(table).expanduser()) if database is None else table
    opened = Table.open(
        with_home,
        database=database,
        keys=named,
        title=table,
        at=lambda field: GIVEN.get(field, field),
    )
    text = starter(
        opened.describe(),
        with_home if database is not None else _from(project, with_home),
        database=None if database is None else _from(project, database),
        keys=named,
        rows=opened.count(),
    )
    written = Project.parse(text, project)
    with atomically(project) as partial:
        partial.write_text(text, "utf-8")
    return Started(written, named=set(written.source.keys) <= set(opened.columns))


def _from(project: Path, file: str) -> str:
    """The file as the project file names it, by the way from there; absolute stays absolute."""
    if os.path.isabs(file):
        return file
    return Path(os.path.relpath(file, project.parent)).as_posix()
