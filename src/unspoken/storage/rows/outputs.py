"""Where the rows of a release are written: one file, or a folder with a file for each epoch.

    released/2026-01.parquet      released-manifests/2026-01.json      what its first release read
    released/2026-01.2.parquet    released-manifests/2026-01.2.json    rows that came late

An epoch is whatever the holder's SQL calls it. Letters and digits of ASCII, _ and - stay, all else
is written as the bytes of UTF-8, %2E for a dot; so no name leads out of the folder, none is hidden,
and no two epochs have one file: those that differ in letter case alone are refused, since some file
systems take them for one.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from unspoken.tables.files import PRIVATE, unfinished, writing
from unspoken.tables.policy import Project
from unspoken.tables.policy.declared import Files

__all__ = ["Output", "draws_of", "folders", "lying", "output_of", "refuse_alike"]

OTHERS = re.compile(r"[^A-Za-z0-9_-]|^_")  # what begins with _ is left out by what reads folders
TAKEN = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]", re.I)  # by Windows, whatever the ending
LONGEST = 120  # characters of a name: 255 bytes are usual, and a file is written under longer ones


class Output(NamedTuple):
    """A release and its manifest."""

    release: Path
    manifest: Path


def output_of(files: Files, epoch: str, part: int = 1) -> Output:
    """The files of a part of an epoch."""
    stem = _quoted(epoch) + (f".{part}" if part > 1 else "")
    return Output(files.release / f"{stem}.parquet", files.manifest / f"{stem}.json")


def lying(files: Files, epochs: Iterable[str] | None = None) -> list[Output]:
    """The files that there may be of what was released before; of a folder those of these
    ``epochs``, which are found by their names: None: all.
    """
    if not files.by_epoch:
        return [Output(files.release, files.manifest)]
    stems = {*_stems(files.release, ".parquet", epochs), *_stems(files.manifest, ".json", epochs)}
    return [
        Output(files.release / f"{stem}.parquet", files.manifest / f"{stem}.json")
        for stem in sorted(stems)
    ]


def _stems(folder: Path, ending: str, epochs: Iterable[str] | None) -> Iterator[str]:
    """Of the files there, without their ending."""
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    if epochs is not None:
        names = [name for epoch in epochs for name in _beginning(names, f"{_quoted(epoch)}.")]
    for name in names:
        if name.endswith(ending) and not name.startswith("."):
            yield name.removesuffix(ending)


def _beginning(names: Sequence[str], word: str) -> Iterator[str]:
    """Those of sorted names that begin so, without a look at others."""
    return takewhile(lambda name: name.startswith(word), names[bisect_left(names, word) :])


def draws_of(files: Files) -> list[Files]:
    """These files of the first draw, and those of each other that lie there."""
    found = set[int]()
    for path in (files.release, files.manifest):
        head, dot, tail = path.name.partition(".")
        of_draw = re.compile(f"{re.escape(head)}-draw-([1-9][0-9]*){re.escape(dot + tail)}")
        beside = path.parent.glob(f"{glob.escape(head)}-draw-*")
        found |= {int(named[1]) for each in beside if (named := of_draw.fullmatch(each.name))}
    return [files, *map(files.drawn, sorted(found - {1}))]


def refuse_alike(project: Project, epochs: Iterable[str]) -> None:
    """Two epochs never share a file."""
    taken = dict[str, str]()
    for epoch in epochs:
        stem = _quoted(epoch).casefold()
        if taken.setdefault(stem, epoch) != epoch:
            raise project.error(
                "epoch", "of", text=f'names one epoch "{taken[stem]}" and another "{epoch}", whose '
                "files would be one where letter case does not count; write lower(...)",
            )  # fmt: skip


@contextmanager
def folders(files: Files) -> Iterator[BinaryIO]:
    """The two folders, ours alone meanwhile; gone again if nothing was written into them.

    Gives a hidden file in the first, for its owner alone, that goes at the end.
    """
    made = [path for path in (files.release, files.manifest) if not path.exists()]
    try:
        for path in made:
            with writing(path):
                path.mkdir()
        # Nobody else writes to either, and both can be written to: else nothing is paid.
        with (
            unfinished(files.release / "all", PRIVATE) as hidden,
            unfinished(files.manifest / "all"),
        ):
            yield hidden.file
    finally:
        for path in made:
            with suppress(OSError):
                path.rmdir()


def _quoted(epoch: str) -> str:
    quoted = OTHERS.sub(_as_bytes, epoch) or "%"
    if TAKEN.fullmatch(quoted):
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}"
    if len(quoted) > LONGEST:
        digest = hashlib.sha256(epoch.encode()).hexdigest()[:32]
        quoted = f"{quoted[: LONGEST // 2]}%-{digest}"  # %- stands in no shorter name
    return quoted


def _as_bytes(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))
