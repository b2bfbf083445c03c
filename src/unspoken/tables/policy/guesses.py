"""Guesses for a starter: which columns name the rows, and which say when."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from unspoken.tables.column import ColumnInfo, Grouping
from unspoken.tables.engines.sql import name_in_sql
from unspoken.tables.policy.column_checks import KEY_KINDS, MOST_VALUES
from unspoken.tables.policy.identities import without_identities
from unspoken.tables.round_edges import MOST_BINS

__all__ = [
    "grouped_by",
    "guess_keys",
    "guess_unit",
    "is_coded",
    "is_named",
    "is_time",
    "is_worded",
    "moment",
    "named_by",
    "per_second",
    "runs_on",
    "slots",
]

NEARLY = 0.9  # of all rows: a column of so many different values names nearly each of them
CODES = 21  # different whole numbers without a gap, each as often: what is measured rarely has
NUMBERED = 1000  # such numbers from 0 or 1: names, however often each occurs
SECONDS = (10**8, 5 * 10**9)  # since 1970: from 1973 to 2128
STRAIGHT = 0.05  # of their range: how far quantiles of codes may be from a straight line

# Words in a column's name: it numbers something, is whom the rows are about, or when.
_NUMBERS = "id ids key code nr no number uuid guid index row"
_PEOPLE = """
person people user customer client member patient pupil student employee staff worker household
family account
"""
_UNITS = f"""
{_PEOPLE} device sensor meter vehicle building floor office room space site location place
school hospital shop store
"""
_CLASSES = "code zip zipcode postcode postal icd naics nace isco soc sic fips"
# Whole numbers of these stand for words.
_NUMBERED = """
venue node vertex category feature ward team group class cluster department dept route station zone
region district type
"""
_TIMES = "date day week month quarter year hour minute epoch time timestamp datetime period"
_SLOTS = "slot interval step tick"  # when, if keys need it
_MOMENTS = "t ts when moment instant"  # so do these, if they are moments
_BETWEEN = "of in per"
CODED = {*_NUMBERS.split()} - {"index", "row"}
NAMING, TIMES = set(_NUMBERS.split() + _UNITS.split()), set(_TIMES.split())

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def guess_keys(columns: Sequence[ColumnInfo], rows: int = 0) -> tuple[str, ...]:
    """The columns that look like keys; none may.

    A column looks like one if its name says nothing but whom or when. Where the number of rows is
    known (not 0), such a column with that many values is enough by itself. What identifies a person
    is no key, since keys are released.
    """
    named = [c for c in columns if c.kind in KEY_KINDS and not c.amounts]
    able = [c for c in without_identities(named) if c.distinct and not c.missing]
    alike = [c for c in able if _words(c) and _words(c) <= NAMING | TIMES and not _is_count(c)]
    whom = [c for c in alike if not is_time(c)]
    alone = [c for c in [*whom, *columns[:1]] if c in able and c.name.strip()]
    return tuple(c.name for c in [c for c in alone if c.distinct == rows][:1] or alike)


def slots(columns: Sequence[ColumnInfo], keys: Sequence[str]) -> list[str]:
    """The columns beside these keys whose names say when, as hour_of_week or slot do."""
    found = []
    for column in columns:
        words, moment = _words(column), column.kind in ("date", "time", "clock")
        when = TIMES | {*_SLOTS.split(), *(_MOMENTS.split() if moment else ())}
        able = column.kind in KEY_KINDS and not column.missing and column.name not in keys
        if able and words & when and words <= when | {*_NUMBERS.split(), *_BETWEEN.split()}:
            found.append(column.name)
    return found


def guess_unit(columns: Sequence[ColumnInfo], keys: Sequence[str]) -> tuple[str, ...]:
    """The keys that say which person; if none does, which place or thing; if none does, those that
    do not merely say when; else all.
    """
    for words in (_PEOPLE, _UNITS):
        named = {c.name for c in columns if _words(c) & {*words.split()}}
        if found := tuple(key for key in keys if key in named):
            return found
    times = {c.name for c in columns if is_time(c)}
    return tuple(key for key in keys if key not in times) or tuple(keys)


def named_by(column: ColumnInfo, rows: int = 0) -> str:
    """Why the values of a column look like names of somebody or something; empty if they do not."""
    if column.kind not in ("integer", "number", "text") or column.distinct <= MOST_VALUES:
        return ""
    if column.amounts or (grouped_by(column) and (_is_classed(column) or is_worded(column))):
        return ""
    if is_named(column):
        return f"{column.distinct:,} different values under this name"
    if column.kind != "number" and rows and column.distinct >= NEARLY * rows:
        return f"{column.distinct:,} different values in {rows:,} rows"
    if column.distinct >= CODES and runs_on(column):
        return f"{column.distinct:,} different whole numbers without a gap"
    return ""


def is_named(column: ColumnInfo) -> bool:
    """Whether its name says so: user_id, whole numbers as in user_b, texts called patient."""
    ends = [word for word in _in_order(column) if len(word) > 1][-1:]
    of_unit = ends in [[w] for w in _UNITS.split()] and not _is_count(column)
    people = bool(_words(column) & {*_PEOPLE.split()}) and _words(column) <= NAMING
    named = {"integer": of_unit, "text": people}.get(column.kind, False)
    return is_coded(column) or named


def is_coded(column: ColumnInfo) -> bool:
    """Whether its name says that its values are codes: what lies between two says nothing."""
    coded = CODED | {*_NUMBERED.split()} if column.kind == "integer" else CODED
    return _in_order(column)[-1:] in [[word] for word in coded] or _is_classed(column)


def runs_on(column: ColumnInfo) -> bool:
    """Whether whole numbers, of no time, run from the least to the largest without a gap, very many
    or each about as often: as names do that were given one after the other.
    """
    known = column.quantiles
    if (
        column.kind != "integer"
        or _words(column) & TIMES
        or len(known) < MOST_BINS
        or not all(map(math.isfinite, known))
    ):
        return False
    low, width = known[0], known[-1] - known[0]
    straight = (low + width * k / (len(known) - 1) for k in range(len(known)))
    bent = max(abs(a - b) for a, b in zip(known, straight, strict=True))
    even = bent <= STRAIGHT * width or (low in (0, 1) and column.distinct >= NUMBERED)
    return column.distinct >= NEARLY * (width + 1) and even


def _is_classed(column: ColumnInfo) -> bool:
    """Whether they are whole numbers that begin alike where they mean alike: zip, icd_code."""
    return column.kind == "integer" and _in_order(column)[-1:] in [[w] for w in _CLASSES.split()]


def is_worded(column: ColumnInfo) -> bool:
    """Whether they are whole numbers that stand for words: near ones are nothing alike."""
    return column.kind == "integer" and _in_order(column)[-1:] in [[w] for w in _NUMBERED.split()]


def grouped_by(column: ColumnInfo) -> Grouping | None:
    """Fewer values for a column that has too many; None: no way is known."""
    if column.kind == "integer" and (at := moment(column)):
        return Grouping(f"hour({at}) // 3 * 3", "three hours", 8)
    return column.frequent if is_worded(column) else column.grouping


def moment(column: ColumnInfo) -> str | None:
    """SQL for the moment or day that each value is: a date, a time, or seconds since 1970."""
    name = name_in_sql(column.name)
    if column.kind in ("date", "time"):
        return f"{name}::DATE" if column.kind == "date" else name
    return f"make_timestamp({name} * {1_000_000 // n})" if (n := per_second(column)) else None


def per_second(column: ColumnInfo) -> int | None:
    """How many to a second, of whole numbers that count time since 1970; None: they do not."""
    if column.kind != "integer" or not is_time(column) or not column.quantiles:
        return None
    ends = column.quantiles[0], column.quantiles[-1]
    return next((n for n in (1, 1000) if all(SECONDS[0] <= e / n < SECONDS[1] for e in ends)), None)


def _is_count(column: ColumnInfo) -> bool:
    """Whether it says how many: whole numbers of people, in the plural, name none of them."""
    return column.kind in ("integer", "number") and _in_order(column)[-1:] == ["people"]


def is_time(column: ColumnInfo) -> bool:
    """Whether it says when, and nothing but that: a date, or numbers of one, as day_id."""
    words, named = _words(column), TIMES | {*_NUMBERS.split()}
    return column.kind in ("date", "time", "clock") or (bool(words & TIMES) and words <= named)


def _words(column: ColumnInfo) -> set[str]:
    return {*_in_order(column)}


def _in_order(column: ColumnInfo) -> list[str]:
    return [word.casefold() for word in _WORD.findall(column.name)]
