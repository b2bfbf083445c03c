"""Which columns of a table can be attributes as they are, and why the others cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unspoken.tables.column import ColumnInfo, Grouping
from unspoken.tables.policy.column_checks import MOST_VALUES
from unspoken.tables.policy.guesses import grouped_by, is_named, named_by, runs_on
from unspoken.tables.policy.identities import identity_of
from unspoken.tables.round_edges import round_edges

__all__ = ["BY_SQL", "MOST_COMBINATIONS", "bin_edges", "groupings", "left_out", "unlike_columns"]

NUMERIC = ("integer", "number")
MOST_COMBINATIONS = 2**16  # of values, of all attributes: more are slow to plan, and rarely seen
FEW_NUMBERS = 8  # whole numbers of no more different values are listed, others get bins
BY_SQL = "by source.sql"
ROOM = "To add it, take another attribute out."


def left_out(
    columns: Sequence[ColumnInfo],
    keys: Sequence[str],
    most: int = MOST_COMBINATIONS,
    rows: int = 0,
    follows: Mapping[str, str] | None = None,
    how: str = BY_SQL,
) -> dict[ColumnInfo, str]:
    """For each column beside the keys, why it is no attribute as it is; empty if it can be one;
    ``how`` it may be made another one.
    """
    others, known = [c for c in dict.fromkeys(columns) if c.name not in keys], follows or {}
    calendar = "one value for each {}, as in a calendar. If it is of none, take it in."
    reasons = {c: calendar.format(known[c.name]) for c in others if c.name in known}
    rest = [c for c in others if c not in reasons]
    return reasons | _reasons(rest, unlike_columns(columns, keys), rows, most, how)


def groupings(reasons: Mapping[ColumnInfo, str], how: str = BY_SQL) -> dict[ColumnInfo, Grouping]:
    """Of the columns that are left out for having too many values, how they may have fewer."""
    many = (c for c, why in reasons.items() if why == _too_many(c, how))
    return {c: grouping for c in many if (grouping := grouped_by(c)) is not None}


def bin_edges(column: ColumnInfo) -> list[float]:
    """The edges of bins of numbers; whole numbers of few different values, none of them
    rare, are listed instead."""
    whole = column.kind == "integer"
    listed = not column.values or len(column.values) == column.distinct
    if column.kind not in NUMERIC or is_named(column):
        return []
    if whole and listed and column.distinct <= FEW_NUMBERS:
        return []
    if column.distinct <= MOST_VALUES and runs_on(column):
        return []
    return round_edges(column.quantiles, whole, column.rare_edges)


def unlike_columns(columns: Sequence[ColumnInfo], keys: Sequence[str]) -> list[ColumnInfo]:
    """The columns whose names SQL tells apart: of those alike, a key or else the first."""
    first: dict[str, ColumnInfo] = {}
    for column in sorted(columns, key=lambda column: column.name not in keys):
        first.setdefault(column.name.casefold(), column)
    return list(first.values())


def _reasons(
    columns: Sequence[ColumnInfo], unlike: Sequence[ColumnInfo], rows: int, most: int, how: str
) -> dict[ColumnInfo, str]:
    """For each column, why it is left out; empty if it is not. Those of few values come first."""
    reasons = {column: _against(column, unlike, rows, how) for column in columns}
    combinations = 1
    for column in sorted((c for c in columns if not reasons[c]), key=_labels):
        combinations *= _labels(column)
        if combinations > most:
            reasons[column] = f"with it over {most:,} combinations of values. {ROOM}"
    return reasons


def _labels(column: ColumnInfo) -> int:
    """How many values are told apart: with a missing one, and one that `sensitive` splits."""
    edges = bin_edges(column)
    return (len(edges) + 1 if edges else column.distinct) + bool(column.missing) + 1


def _against(column: ColumnInfo, among: Sequence[ColumnInfo], rows: int, how: str) -> str:
    """Why a column cannot be an attribute as it is; empty if it can."""
    if column not in among:
        return f"another column has its name, but for letter case. Rename it {how}."
    if not column.name.strip():
        return f"it has no name. Name it {how}."
    if column.kind == "other":
        return f"neither numbers, text, dates nor true or false. Convert it {how}."
    if column.distinct + bool(column.missing) <= 1:
        return "one value in every row tells nothing."
    if identity := identity_of(column):
        return f"it looks like {identity}, which say whose row it is."
    if column.infinite:
        return f"some of its values are infinite. Correct them {how}."
    if named_by(column, rows):
        return named_by(column, rows)
    return _too_many(column, how) if column.distinct > MOST_VALUES and not bin_edges(column) else ""


def _too_many(column: ColumnInfo, how: str) -> str:
    way = "Write bins." if column.kind in NUMERIC else f"Group them {how}."
    return f"{column.distinct:,} different values are too many. {way}"
