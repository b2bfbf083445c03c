"""One file of a release and its manifest: whole, or not there."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import pyarrow.parquet as pq

from unspoken.errors import InputError
from unspoken.ledger import Release
from unspoken.numerics.coins import MasterKey
from unspoken.numerics.files import Partial, moved, writing
from unspoken.releasing import manifest
from unspoken.releasing.coining import shown
from unspoken.releasing.custody import MARK
from unspoken.releasing.manifest import Written
from unspoken.releasing.outputs import Output
from unspoken.releasing.pieces import regrouped
from unspoken.releasing.reading import Part, Reading
from unspoken.releasing.witness import Witness

__all__ = ["publish", "write_rows"]

GROUP = 122_880  # rows of a row group: the bytes of a release must not depend on how it was read


def write_rows(
    reading: Reading,
    parts: Iterator[Part],
    master: MasterKey,
    event: Release,
    output: Output,
    file: BinaryIO,
) -> Written:
    """Write what an event shows of these rows, which are those that it read."""
    rows, witness = 0, Witness(reading, master)
    batches = shown(reading, witness.watch(parts), master, event.mechanism)
    first = next(batches, None)
    if first is None:
        raise changed(reading)
    with writing(output.release):
        with pq.ParquetWriter(file, first.schema, store_schema=False) as writer:
            writer.add_key_value_metadata(MARK)
            # Row groups of one size, whatever batches come.
            for group in regrouped(itertools.chain([first], batches), GROUP):
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
        if witness.readings() != event.readings:
            raise changed(reading)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    columns = {field.name: str(field.type) for field in first.schema}
    return Written(output.release.name, rows, digest, columns)


def publish(
    output: Output, data: Partial, paper: Partial, written: Written, described: Mapping[str, Any]
) -> None:
    """Let both appear: the manifest under the digest of the release, then that, then its name."""
    first = manifest.by_digest(output.manifest, written.sha256)
    with writing(output.manifest):
        paper.file.write(manifest.text(described).encode())
        paper.publish(first)
    with writing(output.release):
        data.publish()
    with writing(output.manifest):
        moved(first, output.manifest)


def changed(reading: Reading) -> InputError:
    """That two readings of the source differ."""
    return InputError(
        f"{reading.project.source.name}: changed while it was read; nothing was released. "
        "The charge stands; release again when nobody writes to the table"
    )
