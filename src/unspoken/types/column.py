"""What is known of a table's column before anything is decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Cell", "ColumnInfo", "Grouping", "Kind"]

Kind = Literal["integer", "number", "text", "date", "time", "clock", "boolean", "other"]
Cell = str | int | float | bool


@dataclass(frozen=True)
class Grouping:
    """Fewer values for a column: ``sql`` over it, ``by`` what, how many ``groups`` that gives.

    ``quantiles``: where it makes numbers of a text that writes them, those of these.
    """

    sql: str
    by: str
    groups: int
    quantiles: tuple[float, ...] = ()


@dataclass(frozen=True)
class ColumnInfo:
    """One column: its kind, how many different values it has (missing ones aside), how many miss.

    ``quantiles`` are those of an integer or number column at even shares, the least value first and
    the largest last; ``values`` are all its values, sorted, where they are few (dates as text).
    Either may be empty: then nobody counted. ``nan``: how many are NaN, which is no value, nor one
    of the different ones; ``infinite``: how many are that. ``grouping``: where there are too many
    values to list; ``frequent``: of such whole numbers another one, for those that stand for words.
    ``middle``: of days and moments the one in the middle, as text; ``daily``: whether all moments
    are midnights, and so days.
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
    middle: str = ""
    daily: bool = False

    @property
    def amounts(self) -> bool:
        """Whether it is text that writes numbers."""
        return self.grouping is not None and bool(self.grouping.quantiles)
