"""What is known of a table's column before anything is decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FEW_ROWS", "Cell", "ColumnInfo", "Grouping", "Kind"]

FEW_ROWS = 5  # a value of fewer rows may be one person's: it is neither written nor printed

Kind = Literal["integer", "number", "text", "date", "time", "clock", "boolean", "other"]
Cell = str | int | float | bool


@dataclass(frozen=True)
class Grouping:
    """Fewer values for a column: ``sql`` over it, ``by`` what, how many ``groups`` that gives.

    ``quantiles``: where it makes numbers of a text that writes them, those of these;
    ``rare_edges``: as of a column.
    """

    sql: str
    by: str
    groups: int
    quantiles: tuple[float, ...] = ()
    rare_edges: frozenset[float] = frozenset()


@dataclass(frozen=True)
class ColumnInfo:
    """One column: its kind, how many different values it has (missing ones aside), how many miss.

    ``quantiles`` are those of an integer or number column at even shares, the least value first and
    the largest last; ``values``, where there are few different ones, are those of FEW_ROWS rows or
    more, sorted (dates as text).
    Either may be empty: then nobody counted. ``nan``: how many are NaN, which is no value, nor one
    of the different ones; ``infinite``: how many are that. ``grouping``: where there are too many
    values to list; ``frequent``: of such whole numbers another one, for those that stand for words.
    ``months``: of days and moments those of the first, the one in the middle and the last, as text;
    ``daily``: whether all moments are midnights, and so days. ``looks_like``: which identifiers of
    persons the values look like, in the plural; empty if they do not. ``rare_edges``: round numbers
    that fewer than FEW_ROWS rows have, so that no bin may begin there.
    """

    name: str
    kind: Kind
    distinct: int
    missing: int
    quantiles: tuple[float, ...] = ()
    values: tuple[Cell, ...] = ()
    nan: int = 0
    grouping: Grouping | None = None
    infinite: int = 0
    frequent: Grouping | None = None
    months: tuple[str, ...] = ()
    daily: bool = False
    looks_like: str = ""
    rare_edges: frozenset[float] = frozenset()

    @property
    def amounts(self) -> bool:
        """Whether it is text that writes numbers."""
        return self.grouping is not None and bool(self.grouping.quantiles)
