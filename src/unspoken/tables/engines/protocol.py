"""What a table answers, whatever engine it lives in. A new engine is one file with such a class."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.tables.engines.sql import Expression, column_of

__all__ = [
    "BATCH",
    "Among",
    "ContributionBound",
    "Scan",
    "Shape",
    "Shaped",
    "Table",
    "Tally",
    "Work",
    "named",
]

BATCH = 122_880  # rows: DuckDB's own row group, so its batches are handed on as they are read

# Rows of a group, in how many of them a condition is true, and of how many groups this is so.
Tally = Sequence[tuple[int, int, int]]

# Rows in, rows out, batch by batch; of one schema, and pickled where an engine has many machines.
Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Among:
    """The rows in which an expression over keys, as text, is one of these; None: all rows.

    Sorted rows are sorted by that text first.
    """

    expression: Expression
    texts: Collection[str] | None = None


@dataclass(frozen=True)
class Scan:
    """What is read of a table: the columns ``names``, sorted by key if ``ordered`` (integers, or
    text by its bytes), at most so many ``rows`` at once. ``places``: {name: place} begin messages.
    ``among``: these rows alone.
    """

    names: Sequence[str]
    ordered: bool = True
    rows: int = BATCH
    places: Mapping[str, str] = field(default_factory=dict)
    among: Among | None = None


@dataclass(frozen=True)
class ContributionBound:
    """At most so many ``rows`` of those that have the same in ``unit``: which ones, a hash of the
    ``secret`` and the keys decides, and so nothing that rows hold.
    """

    unit: Sequence[str]
    rows: int
    secret: str = field(repr=False)


class Shaped(Protocol):
    """What is known of a table without its rows."""

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


@dataclass(frozen=True)
class Shape:
    """The same as plain data, for work that is done elsewhere."""

    title: str
    keys: tuple[str, ...]
    given: Mapping[str, pa.DataType]
    columns: Mapping[str, str]
    timezone: str

    @classmethod
    def of(cls, table: Shaped) -> Shape:
        columns = dict(table.columns)
        return cls(table.title, tuple(table.keys), dict(table.given), columns, table.timezone)


class Table(Shaped, Protocol):
    """Rows that ``keys`` name. ``columns``: {name: DuckDB's name of its type}, in which SQL reads
    them. A key is BIGINT, VARCHAR or TIMESTAMP, with a time zone or without, whatever it was: that
    is ``given``, and how it is released. ``files``: what it is read from, so never written over.
    ``timezone``: whose hours and days moments have. ``away``: whether work is done in other
    processes, so that it is pickled.
    """

    @property
    def files(self) -> Sequence[Path]: ...
    @property
    def away(self) -> bool: ...

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
        """How many groups of rows have the same in these columns, and the rows of the largest; of
        no rows 0 and 0.
        """

    def tallies(
        self, names: Sequence[str], conditions: Mapping[str, Expression]
    ) -> Sequence[Tally]:
        """Groups with the same in these columns, for each of the ``conditions`` {what a message
        about it begins with: condition}.
        """

    def totals(
        self,
        numbers: Sequence[Expression],
        groups: Sequence[Expression],
        where: str,
        chosen: ContributionBound | None = None,
    ) -> pa.Table:
        """Groups of rows with the same in ``groups``, sorted: columns g0, g1, ..., and the sum of
        each whole number, n0, n1, ... No group: one row. Only of ``chosen`` rows; None: of all.
        """

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """Stream what is read. Memory does not grow with the table."""

    def through(self, work: Work, scan: Scan) -> Iterator[pa.RecordBatch]:
        """What ``work`` makes of `batches`, in their order, wherever the rows are: of each part of
        them alone, so that it remembers nothing from one batch to the next, and maybe more than
        once, of which one counts.
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
