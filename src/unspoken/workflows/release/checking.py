"""A project looked over before anything is learned: its file, and with its table if that is there.

Everything that is wrong is found at once, where a command that needs the project names the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from unspoken.core.errors import UnspokenError
from unspoken.storage.rows.reading import Epochs
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.learning import contexts_of, duckdb_table
from unspoken.tables.policy import Project, column_faults, faults, project_file
from unspoken.tables.policy.presence import to_read

__all__ = ["Checked", "check"]

CATALOG = "a table of a catalog, which Spark alone reads, is not looked at"


@dataclass(frozen=True)
class Checked:
    """``faults``: a line each, those of the file in its order. ``table``: was it looked at too?
    ``unread``: else why not, in a line each; none where the file itself is no project.
    """

    path: Path
    faults: tuple[UnspokenError, ...]
    table: bool
    unread: tuple[str, ...] = ()


def check(path: str | Path) -> Checked:
    """What is wrong with a project file; no table is needed; a file that is there is looked at."""
    file = project_file(path)
    project, wrong = faults(path)
    if project is None:
        return Checked(file, tuple(wrong), False)
    if project.source.catalog:
        return Checked(file, tuple(wrong), False, (CATALOG,))
    if unread := tuple(str(each) for each in project.place.errors(to_read(project))):
        return Checked(file, tuple(wrong), False, unread)
    return Checked(file, (*wrong, *_with_table(project)), True)


def _with_table(project: Project) -> Iterator[UnspokenError]:
    """What does not fit the table: its keys, columns, and the SQL over them."""
    try:
        table = duckdb_table(project)
    except UnspokenError as error:
        yield from _without_keys(project, error)
        return
    yield from column_faults(project, table.describe())
    yield from _sql(project, table)
    for look in (Epochs.of, contexts_of):
        try:
            look(project, table)
        except UnspokenError as error:
            yield error


def _without_keys(project: Project, refused: UnspokenError) -> Iterator[UnspokenError]:
    """Keys that name no rows stop everything; the columns can be looked at nevertheless."""
    source = replace(project.source, keys=(), preferences=None)
    try:
        table = duckdb_table(replace(project, source=source))
    except UnspokenError:
        yield refused
        return
    found = column_faults(project, table.describe())
    where, _, _ = refused.place.partition(", column of ")
    if not any(fault.place == where for fault in found):
        yield refused
    yield from found
    if project.source.preferences is None:
        yield from _sql(project, table)


def _sql(project: Project, table: DuckTable) -> Iterator[UnspokenError]:
    """What `sensitive` reads, and whether it is a condition."""
    row = RowSQL(table.columns, table.title, table.timezone)
    for attribute in project.attributes.values():
        if attribute.sensitive is not None:
            where = project.at("attribute", attribute.name, "sensitive")
            try:
                row.read(attribute.sensitive, where, condition=True)
            except UnspokenError as error:
                yield error
