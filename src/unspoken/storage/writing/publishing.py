"""One file of a release and its manifest: whole, or not there."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.core.errors import InputError
from unspoken.storage.custody.custody import MARK
from unspoken.storage.rows.kernel import delivered
from unspoken.storage.rows.outputs import Output
from unspoken.storage.rows.pieces import regrouped
from unspoken.storage.rows.reading import Reading
from unspoken.storage.writing import manifest
from unspoken.storage.writing.manifest import Written
from unspoken.tables.files import Partial, moved, writing

__all__ = ["changed", "laid_out", "publish", "write_rows"]

GROUP = 122_880  # rows of a row group: the bytes of a release must not depend on how it was read


def write_rows(
    reading: Reading, batches: Iterator[pa.RecordBatch], output: Output, file: BinaryIO
) -> Written:
    """Write what is released of these rows, at the end of the file."""
    rows, given = 0, map(delivered, batches)
    first = next(given, None)
    if first is None:
        raise changed(reading, output)
    with writing(output.release):
        after = _After(file)
        with pq.ParquetWriter(
            after, first.schema, store_schema=False, **laid_out(first.schema, reading.table.keys)
        ) as writer:
            writer.add_key_value_metadata(MARK)
            # Row groups of one size, whatever batches come.
            for group in regrouped(itertools.chain([first], given), GROUP):
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
    columns = {field.name: str(_plain(field.type)) for field in first.schema}
    return Written(output.release.name, rows, after.digest.hexdigest(), columns)


def laid_out(schema: pa.Schema, keys: Sequence[str]) -> dict[str, Any]:
    """How Parquet lays out these columns.

    Keys come in order, so of those that are whole numbers the steps are written, which take a
    fraction of the bytes, and of the time. One that names its row by itself is never repeated, so
    there is no dictionary of it. Of labels every group has about all: the least and the largest
    would only take time.
    """
    steps = [key for key in keys if _whole(schema.field(key).type)]
    apart = {*steps, *(keys if len(keys) == 1 else ())}
    return {
        "use_dictionary": [name for name in schema.names if name not in apart],
        "column_encoding": dict.fromkeys(steps, "DELTA_BINARY_PACKED"),
        "write_statistics": [*keys],
    }


def _whole(kind: pa.DataType) -> bool:
    """Whether it is written as whole numbers of 32 or 64 bits."""
    return bool(pa.types.is_integer(kind) or pa.types.is_temporal(kind))


class _After:
    """A file as if it began here, since Parquet says where its pieces are; and the ``digest`` of
    what is written, which is never read again.
    """

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._start = file, file.tell()
        self.digest = hashlib.sha256()

    def tell(self) -> int:
        return self._file.tell() - self._start

    def write(self, held: bytes) -> int:
        self.digest.update(held)
        return self._file.write(held)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """It is not ours."""


def _plain(kind: pa.DataType) -> pa.DataType:
    """Of the values of a column, as whoever reads the file has them."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def publish(
    output: Output, data: Partial, paper: Partial, written: Written, described: Mapping[str, Any]
) -> None:
    """Let both appear: the manifest under the digest of the release, then that, then its name."""
    data.open_as(paper)
    first = manifest.by_digest(output.manifest, written.sha256)
    with writing(output.manifest):
        paper.file.write(manifest.text(described).encode())
        paper.publish(first)
    with writing(output.release):
        data.publish()
    with writing(output.manifest):
        moved(first, output.manifest)


def changed(reading: Reading, output: Output) -> InputError:
    """That two readings of the source differ in what would be written here."""
    return InputError(
        f"{reading.project.source.name}: changed while it was read, so {output.release.name} was "
        "not written. What was charged stays so; release again when nobody writes to the table"
    )
