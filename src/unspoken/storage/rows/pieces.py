"""Tables in pieces of one size, as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

__all__ = ["regrouped"]


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
