"""One table in many files: a pattern such as parts/*.parquet, a folder, partitions key=value.

They are listed once, when the table is opened; no other file can be read from then on. Names that
begin with . or _ are what programs write for themselves, and are no parts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from unspoken.core.errors import InputError

__all__ = ["is_many", "listed", "partitions"]

MAGIC = re.compile(r"[*?\[]")
ANY_DEPTH = "**"
PARTITION = re.compile(r"([^=]+)=.*")


def is_many(path: Path) -> bool:
    """Whether this is a folder, or a pattern that is not itself the name of something."""
    return path.is_dir() or (MAGIC.search(str(path)) is not None and not os.path.lexists(path))


def listed(path: Path, endings: tuple[str, ...]) -> list[Path]:
    """The files with one of these endings in a folder, or of a pattern, sorted."""
    steps = list(path.parts)
    fixed = next((k for k, step in enumerate(steps) if MAGIC.search(step)), len(steps))
    top, rest = Path(*steps[:fixed]), steps[fixed:]
    if path.is_dir() or rest[-1] == ANY_DEPTH:
        top, rest = (path, [ANY_DEPTH, "*"]) if path.is_dir() else (top, [*rest, "*"])
    found = {file for file in _matching(top, rest) if file.name.lower().endswith(endings)}
    return sorted(found)


def _matching(folder: Path, steps: Sequence[str]) -> Iterator[Path]:
    """The files below a folder by what each step of their way is like.

    Folders that a link leads to are entered by a step of their own only, so that none is without
    end.
    """
    if not folder.is_dir():
        return
    step, *rest = steps
    if step == ANY_DEPTH:
        yield from _matching(folder, rest)
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            below = folder / entry.name
            if entry.name.startswith((".", "_")) and not step.startswith(entry.name[0]):
                continue
            if step == ANY_DEPTH:
                if entry.is_dir(follow_symlinks=False):
                    yield from _matching(below, steps)
            elif fnmatchcase(entry.name, step):
                if rest and below.is_dir():  # False of a link to itself, where entry.is_dir raises
                    yield from _matching(below, rest)
                elif not rest and below.is_file():
                    yield below


def partitions(folder: Path, files: Sequence[Path], where: str) -> tuple[str, ...]:
    """The columns that the folders on the way to each file name, as key=value; none: ()."""
    names = [_keys(os.path.relpath(file, folder)) for file in files]
    for file, keys in zip(files, names, strict=True):
        if keys != names[0]:
            said = "/".join(f"{key}=..." for key in keys) or "none"
            others = "/".join(f"{key}=..." for key in names[0]) or "none"
            raise InputError(
                f"{where}: {os.path.relpath(file, folder)} is in the partition {said}, other parts "
                f"in {others}; give parts of one kind"
            )
    return names[0]


def _keys(way: str) -> tuple[str, ...]:
    steps = Path(way).parts[:-1]
    return tuple(found[1] for step in steps if (found := PARTITION.fullmatch(step)))
