"""The columns of a table as small codes: few values of each, and what each of them is called.

    up to 20 different values   each by itself; those of fewer than five rows together
    other numbers               ten ranges of about as many rows
    dates and times             days, months, years or hours, whichever are few
    other texts                 the beginnings of codes, or the most frequent texts and "other"
    (a text, date or time that one row in twenty has stands by itself beside these)
    missing                     a value of its own

A column that identifies persons, or whose values cannot be grouped, is not looked at, and it is
said why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.assessment.rare import Grouped
from unspoken.assessment.table_scan import NotLookedAt
from unspoken.core.numerics.arrays import Array
from unspoken.tables.column import FEW_ROWS, ColumnInfo
from unspoken.tables.engines.arrow import missing, numbers, plain
from unspoken.tables.engines.column_info import kind_of
from unspoken.tables.engines.duckdb import COPIED, DuckTable
from unspoken.tables.engines.identifiers import identifiers_among
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.watching import advancing
from unspoken.tables.policy.bin_edges import bin_names, edge_text
from unspoken.tables.policy.column_checks import MOST_VALUES
from unspoken.tables.policy.guesses import grouped_by, is_worded, per_second
from unspoken.tables.policy.identities import identity_of
from unspoken.tables.round_edges import round_edges
from unspoken.workflows.release.two_way import SmallCodes

__all__ = ["CodedColumn", "coded_columns"]

RANGES = 10
FREQUENT = 20  # a value of one row in so many is not taken together with others
SHARES = np.arange(21) / 20
UNIQUE = 0.95  # different values a row from which nearly every row has its own
MISSING = "missing"
OTHER = "another value"
OTHER_KIND = "it is neither numbers, text, dates nor true or false"
ONE_VALUE = "it has one value in every row, which tells nothing"
NEARLY_ONE = "it has one value in all but a few rows"
INFINITE = "some of its values are infinite"


@dataclass(frozen=True)
class CodedColumn:
    """``values[c]`` is what code c is called, and ``rows[c]`` how many rows have it. ``by``: what
    too many values were grouped by; empty if they were not.
    """

    name: str
    codes: SmallCodes
    values: tuple[str, ...]
    rows: Array
    by: str = ""


def coded_columns(
    table: DuckTable, names: Sequence[str], rows: int, where: str
) -> Iterator[CodedColumn | NotLookedAt]:
    """These columns, one after the other, each as codes or with the reason why not."""
    for place, (name, column) in enumerate(_columns(table, names, rows), start=1):
        advancing(f"column {place:,} of {len(names):,}")
        found = _coded(name, kind_of(table.columns[name]), column)
        yield _grouped(table, name, rows, where) if found is None else found


def _columns(table: DuckTable, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.Array]]:
    """Each column in one piece; some are read at once, as many as there is room for."""
    some = max(1, COPIED // max(1, rows))
    for first in range(0, len(names), some):
        part = names[first : first + some]
        read = table.batches(Scan(part, ordered=False)).read_all()
        yield from ((name, plain(read[name])) for name in part)


def _coded(
    name: str, kind: str, column: pa.Array, most: int = MOST_VALUES
) -> CodedColumn | NotLookedAt | None:
    """A column of numbers or of few values; None: it has many values that are no numbers."""
    if kind == "other":
        return NotLookedAt(name, OTHER_KIND)
    if kind in ("integer", "number"):
        return _of_numbers(name, column, whole=kind == "integer")
    distinct = pc.count_distinct(column).as_py()
    if distinct > most:
        return None
    coded = plain(column.cast(pa.string())).dictionary_encode()
    values = coded.dictionary.to_pylist()
    if kind == "text":
        like = identifiers_among(values)
        info = ColumnInfo(name, "text", distinct, column.null_count, looks_like=like)
        if identity := identity_of(info):
            return NotLookedAt(name, _identifies(identity))
    codes = np.where(missing(column), len(values), numbers(coded.indices.cast(pa.int64())))
    return _merged(name, codes, values, column.null_count)


def _of_numbers(name: str, column: pa.Array, whole: bool) -> CodedColumn | NotLookedAt | None:
    """A column of numbers: each by itself where there are few different ones, else ranges."""
    absent = missing(column)
    x = numbers(column.cast(pa.float64()))
    present = np.sort(x[~absent])
    if not len(present):
        return NotLookedAt(name, ONE_VALUE)
    if not np.isfinite(present[[0, -1]]).all():
        return NotLookedAt(name, INFINITE)
    first = np.append(True, np.diff(present) > 0)
    distinct = int(first.sum())
    quantiles = tuple(np.quantile(present, SHARES).tolist())
    info = ColumnInfo(
        name, "integer" if whole else "number", distinct, int(absent.sum()), quantiles
    )
    if identity := identity_of(info):
        return NotLookedAt(name, _identifies(identity))
    if distinct <= MOST_VALUES:
        values = present[first]
        codes = np.where(absent, distinct, np.searchsorted(values, x))
        return _merged(name, codes, [edge_text(float(v)) for v in values], int(absent.sum()))
    if is_worded(info) or per_second(info):
        return None
    edges = _edges(present, quantiles, whole)
    by = "range"
    if edges:
        codes, called = np.searchsorted(edges, x, side="right"), [*bin_names(edges)]
    else:
        often = float(present[first][np.diff(np.append(np.flatnonzero(first), len(x))).argmax()])
        codes, called = np.where(x == often, 0, 1), [edge_text(often), OTHER]
    codes = np.where(absent, len(called), codes)
    return _merged(name, codes, called, int(absent.sum()), by)


def _edges(present: Array, quantiles: Sequence[float], whole: bool) -> list[float]:
    """Edges of ranges, none of them a value that some rows have, but few."""
    rare: set[float] = set()
    while edges := round_edges(quantiles, whole, rare, RANGES):
        ends = [np.searchsorted(present, edges, side=side) for side in ("left", "right")]
        few = {e for e, n in zip(edges, ends[1] - ends[0], strict=True) if 0 < n < FEW_ROWS}
        if not few:
            break
        rare |= few
    return edges


def _grouped(table: DuckTable, name: str, rows: int, where: str) -> CodedColumn | NotLookedAt:
    """A column of many values that are no numbers, with fewer of them."""
    (column,) = table.describe([name])
    if identity := identity_of(column):
        return NotLookedAt(name, _identifies(identity))
    way = grouped_by(column)
    if way is None:
        if column.distinct >= UNIQUE * rows:
            return NotLookedAt(name, "it has a value of its own in nearly every row")
        return NotLookedAt(name, f"{column.distinct:,} different values are too many to compare")
    fewer = table.computed({name: way.sql}, where)
    ((_, values),) = _columns(fewer, [name], rows)
    kind = kind_of(fewer.columns[name])
    if kind == "text":
        ((_, single),) = _columns(table, [name], rows)
        values = _frequent_apart(single, values)
    found = _coded(name, kind, values, MOST_VALUES + FREQUENT)
    if found is None:
        return NotLookedAt(name, f"{column.distinct:,} different values are too many to compare")
    return replace(found, by=way.by) if type(found) is CodedColumn else found


def _frequent_apart(single: pa.Array, groups: pa.Array) -> pa.Array:
    """The groups, but each value that one row in FREQUENT or more has by itself, so that no leak of
    it is hidden by those beside it; the rest of its group is then "another ...".
    """
    single, groups = plain(single.cast(pa.string())), plain(groups.cast(pa.string()))
    counts = pc.value_counts(single.drop_null())
    often = pc.greater_equal(counts.field("counts"), max(FEW_ROWS, len(single) / FREQUENT))
    apart = pc.fill_null(pc.is_in(single, value_set=counts.field("values").filter(often)), False)
    alike = pc.fill_null(pc.equal(single, groups), False)
    split = pc.unique(groups.filter(pc.and_(apart, pc.invert(alike))))
    rest = pc.if_else(
        pc.and_(pc.is_in(groups, value_set=split), pc.is_valid(groups)),
        pc.binary_join_element_wise("another ", groups, ""),
        groups,
    )
    return pc.if_else(apart, single, rest)


def _merged(
    name: str, codes: Array | SmallCodes, values: Sequence[str], absent: int, by: str = ""
) -> CodedColumn | NotLookedAt:
    """Rare values taken together; a code beyond all values is that of missing ones."""
    called = [*values, *([MISSING] if absent else [])]
    rows = np.bincount(codes.astype(np.intp), minlength=len(called)).astype(np.float64)
    there = np.flatnonzero(rows)
    if len(there) < 2:
        return NotLookedAt(name, ONE_VALUE)
    called, place = [called[k] for k in there], np.zeros(len(rows), np.intp)
    grouped = Grouped.of(name, called, rows[there])
    if len(grouped.values) < 2:
        return NotLookedAt(name, NEARLY_ONE)
    place[there] = grouped.way.argmax(1)
    small: SmallCodes = place[codes.astype(np.intp)].astype(np.uint8)
    return CodedColumn(name, small, grouped.values, rows[there] @ grouped.way, by)


def _identifies(identity: str) -> str:
    return f"it looks like {identity}, which say whose row it is"
