"""Files that appear whole or not at all, in pieces of one size."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from unsaid.errors import InputError

__all__ = ["atomically", "regrouped"]


@contextlib.contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Write to the path given; it becomes ``path`` at the end, unless something was raised.

    Written, flushed to the disk, renamed, and the folder flushed: after a crash there is the old
    file or the new one, and never a part.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        _flush(partial)
        os.replace(partial, path)
        _flush(path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def regrouped(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.Table]:
    """The same rows in tables of ``size`` rows, whatever batches they come in."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        while sum(part.num_rows for part in held) >= size:
            table = pa.Table.from_batches(held)
            yield table.slice(0, size).combine_chunks()
            held = table.slice(size).to_batches()
    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
