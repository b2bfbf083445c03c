"""What must hold between a project file and the columns of its table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unspoken.core.errors import InputError, in_rows
from unspoken.tables.column import ColumnInfo, Kind
from unspoken.tables.policy.bin_edges import kind_of_edge
from unspoken.tables.policy.complaints import Complaint, nearest, quoted
from unspoken.tables.policy.declared import Attribute
from unspoken.tables.policy.locate import KeyPath
from unspoken.tables.policy.project import Project

__all__ = ["KEY_KINDS", "KINDS", "MOST_EXACT", "MOST_VALUES", "check_columns", "column_faults"]

MOST_VALUES = 20  # different values that an attribute may have without bins or a list of values
MOST_EXACT = 200  # different values that can be released as they are: each is counted
KEY_KINDS = ("integer", "text", "date", "time", "clock")

# What a column holds, for people.
KINDS: Mapping[Kind, str] = {
    "integer": "whole numbers",
    "number": "numbers",
    "text": "text",
    "date": "dates",
    "time": "dates with times",
    "clock": "times of day",
    "boolean": "true or false",
    "other": "neither numbers, text, dates nor true or false",
}
# The kinds of columns whose values can be written in the list of values as this type.
LISTED: dict[type, tuple[str, ...]] = {
    str: ("text", "date", "time", "clock"),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
}

NUMBERED = "If none names a row, number them in [source] sql: row_number() OVER () AS row."


def check_columns(project: Project, columns: Sequence[ColumnInfo]) -> None:
    """Raise an InputError for the first key or attribute that the table cannot serve."""
    for error in column_faults(project, columns):
        raise error


def column_faults(project: Project, columns: Sequence[ColumnInfo]) -> list[InputError]:
    """Everything that the table cannot serve, in the order of the file."""
    known = {column.name: column for column in columns}
    return project.place.errors([*_keys(project, known), *_attributes(project, known)])


def _stranger(project: Project, name: str, known: Mapping[str, ColumnInfo]) -> str:
    return f"no column {quoted(name)} in {project.source.name}. {nearest(name, known)}"


def _keys(project: Project, known: Mapping[str, ColumnInfo]) -> Iterator[Complaint]:
    for place, name in enumerate(project.source.keys):
        path = ("source", "keys", place)
        column = known.get(name)
        if column is None:
            yield Complaint(path, f"{_stranger(project, name, known)} {NUMBERED}")
        elif column.kind not in KEY_KINDS:
            text = f"{quoted(name)} holds {KINDS[column.kind]}; a key is of whole numbers, text, "
            yield Complaint(
                path, f"{text}dates or times. Choose another column, or CAST it in source.sql."
            )
        elif column.missing:
            text = f"{quoted(name)} is missing in {in_rows(column.missing)}; a key names every row."
            yield Complaint(path, f"{text} Choose another, or leave those rows out by source.sql.")


def _attributes(project: Project, known: Mapping[str, ColumnInfo]) -> Iterator[Complaint]:
    for name, attribute in project.attributes.items():
        path = ("attribute", name)
        column = known.get(name)
        if column is None:
            yield Complaint(path, _stranger(project, name, known))
        elif column.kind == "other":
            text = f"its column holds {KINDS['other']}. Make one that does by source.sql, or take "
            yield Complaint(path, f"{text}it out.")
        else:
            yield from _missing(path, attribute, column)
            yield from _bins(path, attribute, column)
            yield from _values(path, attribute, column)
            yield from _number_of_values(path, attribute, column)


def _missing(path: KeyPath, attribute: Attribute, column: ColumnInfo) -> Iterator[Complaint]:
    if column.missing and attribute.missing == "never":
        text = f'is "never", but {in_rows(column.missing)} lack it. Write missing = "value" '
        ways = '(a value of its own), or "public" (anybody may know that it lacks).'
        yield Complaint((*path, "missing"), text + ways)


def _bins(path: KeyPath, attribute: Attribute, column: ColumnInfo) -> Iterator[Complaint]:
    if not attribute.grouped or attribute.bins is None:
        return
    wanted = {"integer", "number"}
    if kind_of_edge(attribute.bins[0]) != "numbers":
        wanted = {"date", "time"}
    if column.kind not in wanted:
        what = "numbers" if "number" in wanted else "dates"
        text = f"bins are for {what} here, but the column holds {KINDS[column.kind]}. "
        way = "Write edges of its kind, use values, or convert it by source.sql."
        yield Complaint((*path, "bins"), f"{text}{way}")


def _values(path: KeyPath, attribute: Attribute, column: ColumnInfo) -> Iterator[Complaint]:
    for place, value in enumerate(attribute.values or ()):
        if column.kind not in LISTED[type(value)]:
            text = f"{_written(value)} cannot occur: the column holds {KINDS[column.kind]}. "
            yield Complaint((*path, "values", place), f"{text}Write the values as it has them.")
            return


def _number_of_values(
    path: KeyPath, attribute: Attribute, column: ColumnInfo
) -> Iterator[Complaint]:
    """One value tells nothing; very many, each by itself, cannot be learned."""
    kept_missing = bool(column.missing) and attribute.missing != "never"
    if column.distinct + kept_missing <= 1:
        text = "has the same value in every row, so there is nothing to tell. Take it out."
        yield Complaint(path, text)
    declared = attribute.grouped or attribute.values is not None
    most = MOST_EXACT if attribute.exact else MOST_VALUES
    if not declared and column.distinct > most:
        many = f"has {column.distinct:,} different values; "
        many += f"of exact ones {most} " if attribute.exact else f"without bins or values {most} "
        way = "Round them by source.sql" if attribute.exact else _way(column)
        yield Complaint(path, f"{many}are the most. {way}, or take it out.")


def _way(column: ColumnInfo) -> str:
    if column.kind == "text":
        return "List all of them in values, group them by source.sql"
    if column.kind == "clock":
        return f"Take fewer in source.sql, such as hour({column.name})"
    edges = "[2026-01-01, 2026-02-01]" if column.kind in ("date", "time") else "[10, 20]"
    return f"Write, for example, bins = {edges}"


def _written(value: object) -> str:
    return quoted(value) if type(value) is str else str(value).lower()
