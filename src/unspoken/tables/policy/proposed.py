"""What a starter proposes of keys: epochs, a history to learn from, and contexts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

from unspoken.tables.column import ColumnInfo
from unspoken.tables.engines.sql import literal, name_in_sql
from unspoken.tables.policy.guesses import moment, per_second
from unspoken.tables.policy.quoting import toml_key, toml_text

__all__ = ["contexts", "epoch", "history"]

MOST = 64  # values of a context
ENOUGH = 1000  # rows for each value: then what is measured given it is not chance
LIVE = 2  # contexts that are not commented out

ABOUT = """
[context]  # what anybody may know of a row by its keys: measured by leak and plan, not limited
"""


def epoch(columns: Sequence[ColumnInfo], keys: Sequence[str]) -> Iterator[str]:
    """In place of a label the month, of a key that is a time, or of a text called day."""
    key, month = _moment(columns, keys), "substr(day, 1, 7)"
    if key is not None and _in_one_month(key):
        return
    if key is not None:
        month = f"strftime({moment(key)}, '%Y-%m')"
    yield f"# of = {toml_text(month)}  # or, for ever, SQL over keys in place of a label\n"


def history(columns: Sequence[ColumnInfo], keys: Sequence[str]) -> Iterator[str]:
    """To learn from about the first half of the time, and release from then on: by whole months, so
    that no moment of a row is written; within one month by the days of it.
    """
    key, before = _moment(columns, keys), "day < '2026'"
    if key is not None:
        at, months = moment(key), _months(key)
        before = f"day({at}) <= 15"
        if len({*months}) > 1:
            first, middle, _ = months
            sign = "<" if middle > first else "<="
            before = f"strftime({at}, '%Y-%m') {sign} {literal(middle)}"
    yield f"# history = {toml_text(before)}  # best: learn from rows never released\n"


def _months(column: ColumnInfo) -> tuple[str, ...]:
    """The months of the first, the middle and the last of its moments; none where nobody knows."""
    n, known = per_second(column), column.quantiles
    if not n:
        return column.months
    moments = (dt.datetime.fromtimestamp(known[k] / n, dt.UTC) for k in (0, len(known) // 2, -1))
    return tuple(f"{moment:%Y-%m}" for moment in moments)


def _in_one_month(column: ColumnInfo) -> bool:
    """Whether all its values are known to be of one month."""
    return len({*_months(column)}) == 1


def _moment(columns: Sequence[ColumnInfo], keys: Sequence[str]) -> ColumnInfo | None:
    return next((c for c in columns if c.name in keys and moment(c)), None)


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
    if at := moment(column):
        yield _Proposed(_free("weekday", column, columns), f"dayname({at})", 7)
        if not _in_one_month(column):
            yield _Proposed(_free("month", column, columns), f"month({at})", 12)
        if column.kind != "date" and not column.daily:
            yield _Proposed(_free("hour", column, columns), f"hour({at})", 24)
    elif 2 <= column.distinct <= MOST:
        yield _Proposed(column.name, name_in_sql(column.name), column.distinct)


def _free(name: str, of: ColumnInfo, columns: Sequence[ColumnInfo]) -> str:
    """The name; with that of the key, where a column has it."""
    taken = {column.name.casefold() for column in columns}
    names = chain((name, f"{name}_of_{of.name}"), (name + "_" * n for n in count(1)))
    return next(free for free in names if free.casefold() not in taken)
