"""What killed runs left: beside the files of a project, hidden files with rows that never
appeared; beside the project, what was unpacked of an archive, the key among it. It goes whenever a
release begins, whether it then has anything to write or is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from unspoken.core.errors import InputError
from unspoken.storage.custody.first_readings import FirstReadings
from unspoken.storage.custody.unpacking import remove_unpacked
from unspoken.tables.files import swept
from unspoken.tables.policy import Project
from unspoken.tables.policy.declared import Files

__all__ = ["remove_leftovers"]

PARTIAL = re.compile(r"\.(.+)\.partial")  # as `partial_of` calls it


def remove_leftovers(project: Project) -> None:
    """Remove half-written outputs: of everybody, of each application, and of all their draws; and
    a half-written report, belief and first readings, and what was unpacked of an archive.

    What another run is writing now stays, and so does what is no file of ours.
    """
    remove_unpacked(project.path.absolute().parent)
    for path in chain(_kept(project.files), *map(_outputs, _files_of_all(project))):
        with suppress(InputError, OSError):
            swept(path)


def _kept(files: Files) -> list[Path]:
    """What is written beside the outputs, once for all applications."""
    first_readings = _unfinished(FirstReadings.of(files.ledger).folder)
    return [files.report, files.belief, *first_readings]


def _outputs(files: Files) -> Iterator[Path]:
    for output in (files.release, files.manifest):
        yield from _partials(output, files.by_epoch)


def _files_of_all(project: Project) -> Iterator[Files]:
    yield project.files
    for name in project.applications:
        with suppress(InputError):  # no file can be called by its name
            yield project.serving(name).files


def _partials(output: Path, by_epoch: bool) -> Iterator[Path]:
    """What half a file lies there of: of this output and of those of other draws."""
    head, dot, tail = output.name.partition(".")
    of_draw = re.compile(f"{re.escape(head)}(-draw-[1-9][0-9]*)?{re.escape(dot + tail)}")
    if by_epoch:
        folders = [path for path in _listed(output.parent) if of_draw.fullmatch(path.name)]
        yield from (path for folder in folders for path in _unfinished(folder))
    else:
        yield from (path for path in _unfinished(output.parent) if of_draw.fullmatch(path.name))


def _unfinished(folder: Path) -> list[Path]:
    """The files in a folder of which half lies there, by the names that they would have."""
    found = (PARTIAL.fullmatch(path.name) for path in _listed(folder))
    return [folder / each[1] for each in found if each is not None]


def _listed(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(folder.iterdir())
    return []
