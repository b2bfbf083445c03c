"""`unspoken init`: from a table to a commented project file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from unspoken.core.errors import InputError
from unspoken.storage.prose import listed
from unspoken.tables.column import ColumnInfo
from unspoken.tables.engines.column_info import ZONED
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.files import atomically
from unspoken.tables.policy import Project, starter
from unspoken.tables.policy.guesses import is_time, slots
from unspoken.tables.policy.paths import KEPT

__all__ = ["Started", "begin", "columns_listed", "ignored"]

OFTEN = 3  # rows of a value of a key, on average, in which a column has one value not by chance
GIVEN = {"table": "TABLE", "database": "--database", "keys": "--keys"}


@dataclass(frozen=True)
class Started:
    """What a new project file says; ``doubt``: why its keys do not name each row, empty if they do.

    Keys that are given are not doubted: a table is opened by them, or refused. ``ignored``: the
    lines that git's list of files to leave alone had not yet.
    """

    project: Project
    doubt: str
    ignored: tuple[str, ...]


def begin(table: str, database: str | None, keys: str | None, project: Path) -> Started:
    """Write the project file for a table, and give what it says; a file that is there stays."""
    if project.exists():
        raise InputError(f"{project}: is there already; edit it, or name another with --project")
    if not project.parent.is_dir():
        raise InputError(f"{project}: there is no folder {project.parent}; make it first")
    named = [] if keys is None else columns_listed(keys)
    with_home = os.path.expanduser(table) if database is None else table
    look = partial(
        DuckTable.open,
        with_home,
        database=database,
        title=table,
        at=lambda field: GIVEN.get(field, field),
    )
    if named:
        look(keys=named).close()  # by which days are text: what to propose of them is asked below
    opened = look()
    columns = opened.describe()
    write = partial(
        starter,
        columns,
        with_home if database is not None else _from(project, with_home),
        database=None if database is None else _from(project, database),
        keys=named,
        rows=opened.count(),
        zoned=ZONED in opened.columns.values(),
    )
    text = write()
    guess = Project.parse(text, project).source.keys
    doubt = "" if named else _doubt(look, opened, guess)
    for slot in slots(columns, guess) if doubt else ():
        if not _doubt(look, opened, [*guess, slot]):
            write, doubt = partial(write, keys=[*guess, slot]), ""
            break
    text = _proposed(partial(write, doubt=doubt), opened, columns, project)
    with atomically(project) as file:
        file.write(text.encode())
    written = Project.parse(text, project)
    return Started(written, doubt, ignored(written))


def ignored(project: Project) -> tuple[str, ...]:
    """Key, ledger and what is kept of the table stay out of git: lines added to .gitignore.

    With what stands beside the two files under longer names, and what each is written under until
    it is whole; what is there already stays.
    """
    folder, files = project.path.parent, project.files
    kept = (files.key, files.ledger, files.belief)
    secret = [file.name for file in kept if file.parent == folder]
    lines = [f"/{start}{name}*" for name in secret for start in ("", ".")] + [f"/{KEPT}/"]
    listed = folder / ".gitignore"
    before = listed.read_bytes() if listed.exists() else b""
    missing = [line for line in lines if line.encode() not in map(bytes.strip, before.split(b"\n"))]
    if missing:
        head = b"" if before in (b"", before.rstrip(b"\n") + b"\n") else b"\n"
        with listed.open("ab") as end:
            end.write(head + "".join(f"{line}\n" for line in missing).encode())
    return tuple(missing)


def columns_listed(keys: str, option: str = "--keys") -> list[str]:
    """The columns that an option lists."""
    named = [name.strip() for name in keys.split(",") if name.strip()]
    if not named or len({name.casefold() for name in named}) < len(named):
        raise InputError(f'{option}: "{keys}" is no list of columns, each once, such as office,day')
    return named


def _doubt(look: Callable[..., DuckTable], opened: DuckTable, guess: Sequence[str]) -> str:
    """Why these keys do not name each row, by looking; empty if they do."""
    if not set(guess) <= set(opened.columns):
        return "no column looks like a key"
    try:
        look(keys=guess).close()
    except InputError:
        return f"several rows have the same {listed(guess)}"
    return ""


def _proposed(
    write: Callable[..., str], opened: DuckTable, columns: Sequence[ColumnInfo], project: Path
) -> str:
    """The text without attributes that a calendar has, as long as any attribute is left.

    Where some are left out there is room for others, of which a calendar may have some again.
    """
    text, follows = write(), dict[str, str]()
    while found := _following(opened, columns, Project.parse(text, project)):
        follows |= found
        fewer = write(follows=follows)
        if {*Project.parse(fewer, project).attributes}.isdisjoint(c.name for c in columns):
            break
        text = fewer
    return text


def _following(
    opened: DuckTable, columns: Sequence[ColumnInfo], written: Project
) -> dict[str, str]:
    """The attributes that have one value for each value of a key that says when, and which key."""
    rows, found = opened.count(), dict[str, str]()
    for key in (c.name for c in columns if c.name in written.source.keys and is_time(c)):
        values, _ = opened.groups([key], "keys")
        if values * OFTEN > rows:
            continue  # of one row each anything follows
        for name in written.attributes:
            if name not in found and opened.groups([key, name], "keys")[0] == values:
                found[name] = key
    return found


def _from(project: Path, file: str) -> str:
    """The file as the project file names it, by the way from there; absolute stays absolute."""
    if os.path.isabs(file):
        return file
    return Path(os.path.relpath(file, project.parent)).as_posix()
