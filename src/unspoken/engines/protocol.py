"""What a table answers, whatever engine it lives in. A new engine is one file with such a class."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from unspoken.engines.sql import Expression, column_of
from unspoken.errors import InputError

__all__ = ["BATCH", "Among", "Table", "named"]

BATCH = 122_880  # rows: DuckDB's own row group, so its batches are handed on as they are read


@dataclass(frozen=True)
class Among:
    """The rows in which an expression over keys, as text, is one of these."""

    expression: Expression
    texts: Collection[str]


class Table(Protocol):
    """Rows that ``keys`` name. ``columns``: {name: DuckDB's name of its type}, in which SQL reads

    them. A key is BIGINT, VARCHAR or TIMESTAMP, with a time zone or without, whatever it was: that
    is ``given``, and how it is released. ``files``: what it is read from, so never written over.
    ``timezone``: whose hours and days moments have.
    """

    @property
    def title(self) -> str: ...
    @property
    def keys(self) -> tuple[str, ...]: ...
    @property
    def given(self) -> Mapping[str, pa.DataType]: ...
    @property
    def columns(self) -> Mapping[str, str]: ...
    @property
    def timezone(self) -> str: ...
    @property
    def files(self) -> Sequence[Path]: ...

    def only(self, condition: Expression, true: bool) -> Table:
        """The rows for which a condition is ``true``, NULL is not true; or all others."""

    def count(self) -> int:
        """How many rows there are."""

    def values(self, name: str, most: int, where: str) -> pa.Array:
        """The different values of a column, NULL aside; any ``most`` of them where there are more.

        ``where`` begins a message.
        """

    def check(self, where: str) -> None:
        """Refuse keys that do not name each row; ``where`` begins the message."""

    def groups(self, names: Sequence[str], where: str) -> tuple[int, int]:
        """How many groups of rows have the same in these columns, and the rows of the largest."""

    def tally(
        self, names: Sequence[str], condition: Expression, where: str
    ) -> Sequence[tuple[int, int, int]]:
        """Groups with the same in these columns: rows, in how many of them a condition is true, and
        of how many groups this is so.
        """

    def batches(
        self,
        names: Sequence[str],
        ordered: bool = True,
        rows: int = BATCH,
        places: Mapping[str, str] | None = None,
        among: Among | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Stream these columns, sorted by key if ``ordered``: integers, or text by its bytes.

        Memory does not grow with the table. ``places``: {name: place} begin messages. ``among``:
        these rows alone, sorted by that first.
        """


def named(table: Table, name: str, where: str) -> str:
    """The name again; an InputError with the nearest if no column has it.

    Letter case counts, as it does in coins and in what is released under this name.
    """
    place = f"{where}, column of {table.title}"
    nearest = column_of(name, table.columns, place)
    if nearest != name:
        raise InputError(f'{place}: there is no "{name}". Did you mean "{nearest}"?')
    return name
