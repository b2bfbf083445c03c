"""Whether the files that a project reads are there, and the folders it writes to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from unspoken.tables.engines.many_files import is_many, listed
from unspoken.tables.policy.complaints import Complaint, nearest, quoted
from unspoken.tables.policy.paths import TABLES
from unspoken.tables.policy.project import Project

__all__ = ["check_files", "to_read", "to_write"]

WRITTEN = {
    ("secret", "key"): "key",
    ("secret", "ledger"): "ledger",
    ("output", "release"): "release",
    ("output", "manifest"): "manifest",
    ("output", "report"): "report",
}


def check_files(project: Project) -> None:
    """Raise an InputError for the first file to read, or folder to write to, that is not there."""
    project.place.refuse([*to_read(project), *to_write(project)])


def to_read(project: Project) -> Iterator[Complaint]:
    """The files it reads are there."""
    source = project.source
    named = {"table": source.file, "database": source.database, "preferences": source.preferences}
    for key, file in named.items():
        if file is not None and is_many(file) and key != "database":
            if not listed(file, TABLES):
                yield Complaint(("source", key), "has no .parquet or .csv file. Correct the name.")
        elif file is not None and os.path.isdir(file):
            yield Complaint(("source", key), "is a folder. Write the name of a file.")
        elif file is not None and not os.path.exists(file):
            text = f"there is no file {quoted(file.name)} in its folder. {_nearby(file)}".rstrip()
            yield Complaint(("source", key), text)


def _nearby(file: Path) -> str:
    """A file beside it that may be meant; the content of folders is not listed."""
    try:
        beside = os.listdir(file.parent)
    except OSError:
        return "There is no such folder."
    near = nearest(file.name, beside)
    return near if near.startswith("Did you mean") else "Correct the name; it is relative to here."


def to_write(project: Project) -> Iterator[Complaint]:
    """The folders it writes to are there."""
    for path, name in WRITTEN.items():
        file: Path = getattr(project.files, name)
        folder = project.files.by_epoch and name in ("release", "manifest")
        if folder and os.path.isfile(file):
            yield Complaint(path, "is a file. Write the name of a folder, there or not yet.")
        elif os.path.isdir(file) and not folder:
            yield Complaint(path, "is a folder. Write the name of a file.")
        elif not os.path.isdir(file.parent):
            yield Complaint(path, "is in a folder that does not exist. Make it, or write another.")
