"""The tables of an audit, opened and read into Arrow: whoever made them, with whatever columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa

from unspoken.tables.engines.arrow import in_one
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan

__all__ = ["opened", "read", "texts_of"]


def opened(
    path: str | Path,
    keys: Sequence[str],
    where: str,
    texts: Collection[str] = (),
    checked: bool = True,
) -> DuckTable:
    """``where``: the option that names it, of which errors speak."""
    return DuckTable.open(
        path, keys=keys, title=str(path), at=lambda _: where, checked=checked, texts=texts
    )


def texts_of(original: DuckTable) -> list[str]:
    """What is text in it. Once a word is withheld the rest may look like numbers or truth values,
    which are written otherwise: 1.50 is no 1.5, and no "no".
    """
    texts = {name for name, kind in original.columns.items() if kind == "VARCHAR"}
    other = {name for name, kind in original.given.items() if not _is_text(kind)}  # dates as text
    return [*texts - other]


def _is_text(kind: pa.DataType) -> bool:
    return any(
        is_kind(kind)
        for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    )


def read(table: DuckTable, columns: Sequence[str], ordered: bool = False) -> pa.Table:
    """Keys first, then these columns, in one piece."""
    names = dict.fromkeys([*table.keys, *columns])
    rows = pa.Table.from_batches(table.batches(Scan([*names], ordered))).combine_chunks()
    return pa.table({name: _flat(in_one(rows[name])) for name in rows.column_names})


def _flat(column: pa.Array) -> pa.Array:
    """Lists and records in words; a column that is blank throughout, of no type, as text."""
    if pa.types.is_null(column.type):
        return column.cast(pa.string())
    if not pa.types.is_nested(column.type):
        return column
    words = (None if value is None else str(value) for value in column.to_pylist())
    return pa.array(words, pa.string())
