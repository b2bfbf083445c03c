"""Sorting before anything is paid: what fails for want of room has then cost nothing."""

from __future__ import annotations

import itertools
import math
import shutil
import tempfile
from collections.abc import Iterator

import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.storage.coins import BATCH
from unspoken.storage.rows.reading import Looking, Reading
from unspoken.tables.engines.protocol import Among, Scan

__all__ = ["begun"]

SPILLED = 1.5  # times the bytes that are read: above every table that was measured, 0.6 and less
GIGA = 1e9


def begun(reading: Reading, work: Looking, among: Among | None = None) -> Iterator[pa.RecordBatch]:
    """What is made of the source in the order of its keys: with the first batch there, all rows are
    sorted. ``among``: these epochs alone, one after the other. What does not fit into memory lies
    in TMPDIR meanwhile.
    """
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    try:
        batches = reading.through(work, BATCH, among=among)
        first = list(itertools.islice(batches, 1))
    except InputError as error:
        needed = SPILLED * _size(reading)
        tenths = math.ceil(10 * needed / GIGA) / 10
        if free >= needed:
            raise
        raise InputError(
            f"TMPDIR ({folder}): is full: {free / GIGA:.1f} GB were free, and sorting "
            f"{reading.project.source.name} takes up to {tenths:g} GB there. "
            "Set TMPDIR to a folder with that much, or [source] memory higher; the release was not "
            "charged"
        ) from error
    return itertools.chain(first, batches)


def _size(reading: Reading) -> float:
    """About how many bytes are sorted."""
    some = next(iter(reading.table.batches(Scan(reading.rules.needs, False))), None)
    if some is None or not some.num_rows:
        return 0.0
    return float(some.nbytes / some.num_rows * reading.table.count())
