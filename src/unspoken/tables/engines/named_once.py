"""Keys that name each row: none is missing, and no two rows have the same one.

A message says how many rows there are, and how to list them, but no value: a column that does not
name each row may be no key, and its values may say who somebody is. In rows that are sorted by key
two of the same are neighbours, and are found as they pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError, in_rows
from unspoken.tables.engines.sql import name_in_sql

__all__ = ["absent", "once", "twice"]


def absent(where: str, name: str, rows: int, title: str) -> InputError:
    """That some rows have no key."""
    return InputError(
        f"{where}: {name} is missing in {in_rows(rows)} of {title}; every row needs its key: leave "
        "these out, with [source] sql, or in the frame, or name other columns"
    )


def twice(where: str, keys: Sequence[str], rows: int, title: str) -> InputError:
    """That some rows have the same values of these keys."""
    listed = ", ".join(map(name_in_sql, keys))
    return InputError(
        f"{where}: {rows:,} rows of {title} have the same {', '.join(keys)}; name the columns that "
        "tell rows apart, or remove the duplicates. To list them, with t for the table: "
        f"SELECT {listed}, count(*) FROM t GROUP BY {listed} HAVING count(*) > 1"
    )


def once(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], title: str, places: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """The same batches, of rows sorted by ``keys``; refused where a key is missing or there twice.

    ``places``: {key: place}, with which a message begins.
    """
    rows, last, where = iter(batches), None, places.get(keys[0], "") if keys else ""
    for batch in rows:
        columns = [batch.column(name) for name in keys]
        for name, column in zip(keys, columns, strict=True):
            if column.null_count:
                more = sum(b.column(name).null_count for b in rows)
                raise absent(places.get(name, ""), name, column.null_count + more, title)
        if batch.num_rows and keys:
            found = _key(columns, 0) if last == _key(columns, 0) else _same(columns)
            if found is not None:
                count = _of(columns, found) + (last == found)
                for after in rows:
                    more = _of([after.column(name) for name in keys], found)
                    count += more
                    if not more:
                        break
                raise twice(where, keys, count, title)
            last = _key(columns, -1)
        yield batch


def _key(columns: Sequence[pa.Array], row: int) -> tuple[pa.Scalar, ...]:
    return tuple(column[row] for column in columns)


def _same(columns: Sequence[pa.Array]) -> tuple[pa.Scalar, ...] | None:
    """The first key that the next row has, too."""
    alike = None
    for column in columns:
        equal = pc.equal(column[1:], column[:-1])
        alike = equal if alike is None else pc.and_(alike, equal)
    if alike is None or not alike.true_count:
        return None
    return _key(columns, pc.index(alike, True).as_py())


def _of(columns: Sequence[pa.Array], key: Sequence[pa.Scalar]) -> int:
    """How many rows have this key."""
    alike = None
    for column, value in zip(columns, key, strict=True):
        equal = pc.equal(column, value)
        alike = equal if alike is None else pc.and_(alike, equal)
    return int(pc.sum(alike, min_count=0).as_py())
