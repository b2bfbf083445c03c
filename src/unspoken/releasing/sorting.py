"""Sorting before the charge: what fails for want of room has then cost nothing."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Collection, Iterator

from unspoken.errors import InputError
from unspoken.numerics.coins import BATCH
from unspoken.releasing.coarse import up
from unspoken.releasing.reading import Part, Reading

__all__ = ["begun"]

SPILLED = 1.5  # times the bytes that are read: above every table that was measured, 0.6 and less
GIGA = 1e9


def begun(reading: Reading, size: int, among: Collection[str] | None = None) -> Iterator[Part]:
    """The source in the order of its keys: with the first part there, all rows are sorted.

    ``size``: how many bytes are read; ``among``: of these epochs alone, one after
    the other. What does not fit into memory lies in TMPDIR meanwhile.
    """
    folder, needed = tempfile.gettempdir(), SPILLED * size
    free = shutil.disk_usage(folder).free
    parts = reading.parts(BATCH, among=among)
    try:
        first = list(itertools.islice(parts, 1))
    except InputError as error:
        if free >= needed:
            raise
        raise InputError(
            f"TMPDIR ({folder}): is full: {free / GIGA:.1f} GB were free, and sorting "
            f"{reading.project.source.name} takes up to {max(0.1, up(needed / GIGA)):g} GB there. "
            "Set TMPDIR to a folder with that much, or [source] memory higher; nothing was charged"
        ) from error
    return itertools.chain(first, parts)
