"""Rows as they are sent: whole in a file that nobody else can open, with length and digest.

A stream that breaks off between two messages reads like one that has ended; so everything is
written before anything is sent, and whoever receives can count.
"""

from __future__ import annotations

import base64
import hashlib
import json
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.workflows.serve import ReleasedCells

__all__ = ["FORMATS", "Sent"]

PIECE = 1 << 20
SPOOLED = 8 << 20  # bytes that are not worth a file
Rows: TypeAlias = pa.Table


def _arrow(rows: Rows, file: IO[bytes]) -> None:
    with pa.ipc.new_stream(file, rows.schema) as stream:
        stream.write_table(rows)


def _parquet(rows: Rows, file: IO[bytes]) -> None:
    pq.write_table(rows, file)


def _lines(rows: Rows, file: IO[bytes]) -> None:
    """First what goes with the rows, then each on a line of its own."""
    said = (rows.schema.metadata or {}).get(b"unspoken", b"{}")
    file.write(b'{"unspoken": ' + said + b"}\n")
    for batch in rows.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            file.write(json.dumps(row, default=str).encode() + b"\n")


FORMATS: Mapping[str, tuple[str, Callable[[Rows, IO[bytes]], None]]] = {
    "arrow": ("application/vnd.apache.arrow.stream", _arrow),
    "parquet": ("application/vnd.apache.parquet", _parquet),
    "jsonl": ("application/jsonl", _lines),
}


@dataclass(frozen=True)
class Sent:
    """A body, and the headers by which it is known to be whole."""

    file: IO[bytes]
    headers: Mapping[str, str]

    @classmethod
    def of(cls, cells: ReleasedCells, form: str) -> Sent:
        said = json.dumps(cells.as_json(), allow_nan=False).encode()
        rows = cells.rows.replace_schema_metadata({"unspoken": said})
        media, write = FORMATS[form]
        file: Any = tempfile.SpooledTemporaryFile(SPOOLED)  # noqa: SIM115 - closed once it is sent
        write(rows, file)
        size = file.tell()
        file.seek(0)
        digest = hashlib.sha256()
        while piece := file.read(PIECE):
            digest.update(piece)
        file.seek(0)
        named = base64.b64encode(digest.digest()).decode()
        headers = {
            "content-type": media,
            "content-length": str(size),
            "repr-digest": f"sha-256=:{named}:",
            "unspoken-rows": str(rows.num_rows),
            "unspoken-charged": str(len(cells.charged)),
        }
        sent = cls(file, headers)
        weakref.finalize(sent, file.close)  # whoever asked may be gone before anything is sent
        return sent

    def pieces(self) -> Iterator[bytes]:
        while piece := self.file.read(PIECE):
            yield piece
