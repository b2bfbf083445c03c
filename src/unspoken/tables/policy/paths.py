"""The files a project names: relative to the project file, each for one purpose only."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from unspoken.tables.engines.many_files import is_many, listed
from unspoken.tables.policy.complaints import Complaint
from unspoken.tables.policy.locate import KeyPath
from unspoken.tables.policy.schema import OutputTable, ProjectTable

__all__ = [
    "KEPT",
    "TABLES",
    "absolute",
    "complaints",
    "database",
    "in_catalog",
    "is_file",
    "is_table",
    "outputs",
]

# Endings of a file that is a table; without a database, `table` is such a file.
_PACKED = tuple(kind + packed for kind in (".csv", ".tsv") for packed in ("", ".gz", ".zst"))
TABLES = (".parquet", ".pq", *_PACKED)
# A table of a catalog, in as many words as that has levels.
NAMED = re.compile(r"\w+(\.\w+){0,3}")
# What is written, and the endings by which programs know it.
ENDINGS = {"release": (".parquet",), "manifest": (".json",), "report": (".html", ".htm")}
# What else is written beside a file, by what it is for; {} is its name.
BESIDE = {
    "key": ("{}.head", ".{}.head.partial", ".{}.partial"),
    "file": (".{}.partial",),
    "ledger": ("{}-journal", "{}-wal", "{}-shm", "{}.first", ".{}.partial"),
    "release": (".{}.partial",),
    "manifest": (".{}.partial",),
    "report": (".{}.partial",),
}
# The folder beside the project file for what is counted of its table.
KEPT = ".unspoken"
DATABASES = (".duckdb", ".db", ".ddb")
READ: frozenset[KeyPath] = frozenset({("source", "table"), ("source", "preferences")})
# What may be a folder, with a file for each epoch.
FOLDERS: frozenset[KeyPath] = frozenset({("output", "release"), ("output", "manifest")})

# Where a ledger is that is in no file.
SERVER = re.compile(r"postgresql(\+\w+)?://\S+")

Files = Mapping[KeyPath, Path]  # by the key that names it
Itself = Callable[[Path], str]

# 32 bytes written out, in hexadecimal or base64, or a key as key files have it.
_KEY = re.compile(r"\s*((0x)?[0-9a-f]{64}|[\w+/-]{43}=|[\w-]{43}|-----BEGIN.*)\s*", re.I | re.S)


def absolute(base: Path, name: str) -> Path:
    """The file of this name; ``~`` is the home folder."""
    return Path(os.path.abspath(base / os.path.expanduser(name)))


def outputs(tables: ProjectTable) -> dict[str, str]:
    """What is written, by what it is for. Where epochs are a function of keys, a folder of them is
    usual; the manifests are in one beside it, so that all in the other are tables.
    """
    given: dict[str, str] = dict(tables.output)
    said = tables.output.model_fields_set
    if "release" not in said and tables.epoch.of is not None:
        given["release"] = "released"
    if "manifest" not in said and not Path(given["release"]).suffix:
        given["manifest"] = f"{given['release'].rstrip('/')}-manifests"
    return given


def database(tables: ProjectTable) -> str | None:
    """The address of the ledger, if it is in a database and in no file."""
    named = tables.secret.ledger
    return named if SERVER.fullmatch(named) else None


def is_file(tables: ProjectTable) -> bool:
    """Whether the table is a file of its own, not a table in a database or a query."""
    source = tables.source
    return source.table is not None and source.database is None and not in_catalog(tables)


def in_catalog(tables: ProjectTable) -> bool:
    """Whether the table is one of Spark's catalog: a name, such as days or building.days, where a
    file has an ending or a folder on its way.
    """
    source, name = tables.source, tables.source.table or ""
    alone = source.engine == "spark" and source.database is None
    return alone and NAMED.fullmatch(name) is not None and not name.lower().endswith(TABLES)


def is_table(path: Path) -> bool:
    """Whether this names a table, not a project: by its ending, or a folder of tables alone."""
    alone = path != Path() and path.is_dir() and not (path / "unspoken.toml").exists()
    named = path.name.lower().endswith((*TABLES, *DATABASES))
    return named or (alone and bool(listed(path, TABLES)))


def complaints(tables: ProjectTable, project: Path) -> Iterator[Complaint]:
    """What is wrong with the names of files; whether they exist is asked later."""
    named = _named(tables)
    sound = {path: name for path, name in named.items() if not _unsound(path, name)}
    for path, name in named.items():
        if path not in sound:
            yield Complaint(path, _unsound(path, name))
    files = {path: absolute(project.parent, name) for path, name in sound.items()}
    itself = _looked_up()
    yield from _among_parts(sound, project)
    yield from _kept(files, itself(project.parent / KEPT), itself)
    yield from _handed_on(files, itself)
    yield from _shared(files, project, itself)
    yield from _endings(tables, project)


def _named(tables: ProjectTable) -> dict[KeyPath, str]:
    source = tables.source
    read = {
        "table": source.table if is_file(tables) else None,
        "database": source.database,
        "preferences": source.preferences,
    }
    given: dict[KeyPath, str | None] = {("source", key): name for key, name in read.items()}
    given |= {("secret", key): name for key, name in tables.secret}
    if database(tables) is not None:
        given["secret", "ledger"] = f"{tables.secret.key}.ledger"  # what is kept beside it
    given |= {("output", key): name for key, name in outputs(tables).items()}
    given["belief", "file"] = tables.belief.file
    return {path: name for path, name in given.items() if name is not None}


def _unsound(path: KeyPath, name: str) -> str:
    """Why this cannot be the name of a file; empty if it can. Never shows the name itself."""
    if path == ("secret", "key") and _KEY.fullmatch(name):
        return (
            "looks like a key, where the name of the key's file belongs. Take the key out of here, "
            'do not use it, and write key = "unspoken.key".'
        )
    if not name.strip():
        return "is empty. Write the name of a file."
    if any(ord(mark) < 32 or ord(mark) == 127 for mark in name):
        return "holds a control character. Write another name."
    if "://" in name:
        return (
            "is an address, and only local files are read. Copy it first, such as with "
            "duckdb -c \"COPY (FROM 's3://...') TO 'table.parquet'\"."
        )
    slash = path not in FOLDERS and name.endswith(("/", os.sep))
    if path not in READ and (slash or name.rstrip("/") in {"", ".", "..", "~"}):
        return "is a folder. Write the name of a file."
    return ""


def _endings(tables: ProjectTable, project: Path) -> Iterator[Complaint]:
    table = tables.source.table
    if is_file(tables) and table and not _read_as_table(project, table):
        text = "is no table: a file ends in .parquet or .csv (.gz). For a table of a DuckDB file, "
        yield Complaint(("source", "table"), f'{text}write database = "FILE.duckdb" beside it.')
    if table is not None and not table.strip() and not is_file(tables):
        yield Complaint(("source", "table"), "is empty. Write the name of a table.")
    named = outputs(tables)
    folder = not Path(named["release"]).suffix
    folders = folder and tables.epoch.of is not None
    for output, name in named.items():
        if folder and output == "manifest" and "manifest" not in tables.output.model_fields_set:
            continue  # it goes by the name of the release
        usual, text = OutputTable.model_fields[output].default, ""
        if folders and output == "manifest" and Path(name).suffix:
            text, usual = "is one file, and release a folder: name another folder,", "manifests"
        elif not name.lower().endswith(ENDINGS[output]):
            text = f"must end in {ENDINGS[output][0]}, which is what is written."
            if output == "release" and not Path(name).suffix:
                text = "must end in .parquet: a folder is for epochs that are a function of keys."
        if folders and ("output", output) in FOLDERS and not Path(name).suffix:
            continue
        if text and name.strip():
            yield Complaint(("output", output), f'{text} Write, for example, {output} = "{usual}"')


def _read_as_table(project: Path, table: str) -> bool:
    """Whether it can be one: what is in a folder, of a pattern or in a database is said later."""
    known = table.lower().endswith((*TABLES, *DATABASES))
    return known or is_many(absolute(project.parent, table))


def _among_parts(named: dict[KeyPath, str], project: Path) -> Iterator[Complaint]:
    """What is written is never a part of what is read: the next run would read it."""
    for key in READ & named.keys():
        parts = absolute(project.parent, named[key])
        if not is_many(parts):
            continue
        pattern = f"{parts}{os.sep}*" if parts.is_dir() else str(parts)
        for path, name in named.items():
            file = name if Path(name).suffix else f"{name}/1.parquet"
            written = path[0] == "output" and file.lower().endswith(TABLES)
            if written and fnmatch(str(absolute(project.parent, file)), pattern):
                text = f"would be a part of {'.'.join(map(str, key))} when that is read again. "
                yield Complaint(path, f"{text}Write it into another folder.")


def _kept(files: Files, folder: str, itself: Itself) -> Iterator[Complaint]:
    """Whoever empties the folder of what can be counted again would lose what cannot be."""
    for path, file in files.items():
        if path[0] in ("secret", "output") and f"{itself(file)}{os.sep}".startswith(
            f"{folder}{os.sep}"
        ):
            text = f"is in {KEPT}, which is for counts of the table and may be removed."
            yield Complaint(path, f"{text} Name a file elsewhere.")


def _handed_on(files: Files, itself: Itself) -> Iterator[Complaint]:
    """A folder that is handed on has nothing else in it."""
    for output in FOLDERS & files.keys():
        folder = itself(files[output])
        for path, file in files.items():
            if itself(file).startswith(f"{folder}{os.sep}"):
                text = f"is in {_said(output)}, which is handed on. Name a file elsewhere."
                yield Complaint(path, text)


def _shared(files: Files, project: Path, itself: Itself) -> Iterator[Complaint]:
    """Two purposes, one file: one would destroy or give away the other."""
    taken = {itself(project): "the project file"}
    for path, file in files.items():
        for beside in _beside(path, file):
            taken.setdefault(itself(beside), f"one that is kept beside {_said(path)}")
    for path, file in files.items():
        if itself(file) in taken:
            text = f"is the same file as {taken[itself(file)]}. Write another name."
            yield Complaint(path, text)
        taken.setdefault(itself(file), _said(path))


def _beside(path: KeyPath, file: Path) -> Iterator[Path]:
    """What is written next to a file: by us, by SQLite."""
    if path[0] in ("secret", "output", "belief"):
        for pattern in BESIDE[str(path[1])]:
            yield file.with_name(pattern.format(file.name))


def _said(path: KeyPath) -> str:
    return ".".join(map(str, path))


def _looked_up() -> Itself:
    """The file itself, in one letter case: what some systems take for the same, none may need.

    Most files are in one folder: where that really is, is asked once in a check.
    """
    folder = cache(os.path.realpath)

    @cache
    def itself(file: Path) -> str:
        above, name = os.path.split(file)
        linked = os.path.islink(file)
        return (os.path.realpath(file) if linked else os.path.join(folder(above), name)).casefold()

    return itself
