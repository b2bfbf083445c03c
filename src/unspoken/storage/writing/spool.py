"""Epochs that are written as they are read, into one hidden file, until all of them are charged.

Rows that are sorted by epoch are read once: labels, fingerprint, coins and file come of the same
pass. Which epochs there are, and what they were, is known at its end, and they are charged
together. So each is written behind the one before, as the whole Parquet file that it will be, and
is copied to its place once it is charged.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import pyarrow as pa

from unspoken.storage.rows.outputs import Output
from unspoken.storage.rows.reading import Reading
from unspoken.storage.writing.manifest import Written
from unspoken.storage.writing.publishing import write_rows
from unspoken.tables.files import writing

__all__ = ["Spool"]

CHUNK = 1 << 20  # bytes copied at once


@dataclass(frozen=True)
class Spool:
    """``there``: {epoch: where in the file it begins, how many bytes it has, what was written}."""

    file: BinaryIO
    there: dict[str, tuple[int, int, Written]] = field(default_factory=dict)

    def add(
        self, epoch: str, reading: Reading, batches: Iterator[pa.RecordBatch], output: Output
    ) -> None:
        """Write the rows of one more."""
        with writing(output.release):
            start = self.file.seek(0, io.SEEK_END)
        written = write_rows(reading, batches, output, self.file)
        self.there[epoch] = start, self.file.tell() - start, written

    def copied(self, epoch: str, output: Output, file: BinaryIO) -> Written:
        """Write it to where it is to be."""
        start, left, written = self.there[epoch]
        with writing(output.release):
            self.file.seek(start)
            while left:
                chunk = self.file.read(min(left, CHUNK))
                file.write(chunk)
                left -= len(chunk)
        return written
