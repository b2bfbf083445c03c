"""Contexts that a starter proposes: what keys say of time, and keys of few values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

from unspoken.engines.sql import name_in_sql
from unspoken.policy.quoting import toml_key, toml_text
from unspoken.types.column import ColumnInfo

__all__ = ["contexts"]

MOST = 64  # values of a context
ENOUGH = 1000  # rows for each value: then what is measured given it is not chance
LIVE = 2  # contexts that are not commented out

ABOUT = """
[context]  # what anybody may know of a row by its keys: measured by leak and plan, not limited
"""


class _Proposed(NamedTuple):
    name: str
    sql: str
    values: int


def contexts(columns: Sequence[ColumnInfo], keys: Sequence[str], rows: int) -> Iterator[str]:
    """The table [context], the first of few values as they are, others as comments."""
    named = [column for key in keys for column in columns if column.name == key]
    found = [each for column in named for each in _of(column, columns)]
    unlike = {each.name: each for each in reversed(found)}  # of two alike the first
    proposed = sorted(unlike.values(), key=lambda each: each.values)
    cheap = [each for each in proposed if rows >= ENOUGH * each.values][:LIVE]
    if proposed:
        yield ABOUT
    for each in proposed:
        start = "" if each in cheap else "# "
        yield f"{start}{toml_key(each.name)} = {{ of = {toml_text(each.sql)} }}\n"


def _of(column: ColumnInfo, columns: Sequence[ColumnInfo]) -> Iterator[_Proposed]:
    """Weekday, month and hour of a time; a key itself, if it has few values."""
    sql = name_in_sql(column.name)
    if column.kind in ("date", "time"):
        moment = f"{sql}::DATE" if column.kind == "date" else sql
        yield _Proposed(_free("weekday", column, columns), f"dayname({moment})", 7)
        yield _Proposed(_free("month", column, columns), f"month({moment})", 12)
        if column.kind == "time":
            yield _Proposed(_free("hour", column, columns), f"hour({moment})", 24)
    elif 2 <= column.distinct <= MOST:
        yield _Proposed(column.name, sql, column.distinct)


def _free(name: str, of: ColumnInfo, columns: Sequence[ColumnInfo]) -> str:
    """The name; with that of the key, where a column has it."""
    taken = {column.name.casefold() for column in columns}
    names = chain((name, f"{name}_of_{of.name}"), (name + "_" * n for n in count(1)))
    return next(free for free in names if free.casefold() not in taken)
