"""The folder in which an archive is unpacked, the master key among it: it does not stay."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unspoken.tables.engines.spill import Spill, remove_left_behind
from unspoken.tables.files import writing

__all__ = ["remove_unpacked", "unpacking_folder"]

PREFIX = ".restore-"


@contextmanager
def unpacking_folder(home: Path) -> Iterator[Path]:
    """A new folder in this one, for its owner only, gone at the end."""
    with writing(home):
        stage = Spill.made(home, PREFIX)
    try:
        yield Path(stage.folder)
    finally:
        stage.remove()


def remove_unpacked(folder: Path) -> None:
    """Remove what processes that were killed unpacked to put it into this folder: it is in the
    folder or, where that was not there yet, in one above it.
    """
    for home in (folder, *folder.parents):
        remove_left_behind(home, PREFIX)
