"""Tables that are handed in as objects: of pandas, polars, DuckDB or Arrow, all by one protocol."""

from __future__ import annotations

import re
from typing import Protocol

import pyarrow as pa

from unspoken.core.errors import InputError, shown
from unspoken.core.types.kinds import is_frame
from unspoken.tables.engines.arrow import plain

__all__ = ["ArrowStream", "arrow_table"]

INDEX = re.compile(r"__index_level_\d+__")  # of a pandas index without a name: the numbers of rows


class ArrowStream(Protocol):
    """Any table of the Arrow world: pyarrow, polars, pandas, DuckDB relations."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def arrow_table(table: ArrowStream, where: str) -> pa.Table:
    """The table with plain columns: no dictionaries, no views of text; one line if it is none."""
    if not hasattr(table, "__arrow_c_stream__"):
        lazy = ", so .collect() it" if hasattr(table, "collect") else ""
        raise InputError(
            f"{where}: {type(table).__name__} is no table{lazy}; give one of pandas, polars or "
            "Arrow, or the path of a Parquet or CSV file"
        )
    if hasattr(table, "to_frame") and not is_frame(table):
        raise InputError(f"{where}: a {type(table).__name__} is one column; .to_frame() is a table")
    try:
        whole = pa.RecordBatchReader.from_stream(table).read_all()
        kept = [k for k, name in enumerate(whole.column_names) if not INDEX.fullmatch(name)]
        names = [whole.column_names[k] for k in kept]
        return pa.Table.from_arrays([_plain(whole.column(k)) for k in kept], names=names)
    except Exception as error:  # whatever the library that made the table may raise
        said = " ".join(map(str, error.args)) or type(error).__name__
        way = "one type that Arrow has" if "uplicate column" not in said else "a name of its own"
        raise InputError(
            f"{where}: this {type(table).__name__} cannot be read as Arrow ({shown(said, 160)}); "
            f"give every column {way}"
        ) from error


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """In the pieces that it has: what is plain already is not copied."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(pa.chunked_array([c.storage for c in column.chunks], kind.storage_type))
    if pa.types.is_timestamp(kind) and kind.unit in ("s", "ms"):  # as Parquet and DuckDB have it
        return _plain(column.cast(pa.timestamp("us", kind.tz)))
    return pa.chunked_array([plain(piece) for piece in column.chunks or [column.combine_chunks()]])
