"""Keys that name each row: none is missing, and no two rows have the same one.

Keys are public, so a message says which. In rows that are sorted by key two of the same are
neighbours, and are found as they pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from unspoken.errors import InputError, in_rows

__all__ = ["absent", "once", "twice"]


def absent(where: str, name: str, rows: int, title: str) -> InputError:
    """That some rows have no key."""
    return InputError(
        f"{where}: {name} is missing in {in_rows(rows)} of {title}; every row needs its key: leave "
        "these out, with [source] sql, or in the frame, or name other columns"
    )


def twice(where: str, key: Mapping[str, str], rows: int, title: str) -> InputError:
    """That some rows have the same key: {name: value as text}."""
    said = ", ".join(f"{name} {value}" for name, value in key.items())
    return InputError(
        f"{where}: {rows} rows of {title} have the key {said}; "
        "name the columns that tell rows apart, or remove the duplicates"
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
                text = dict(zip(keys, map(_text, found, columns), strict=True))
                raise twice(where, text, count, title)
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


def _text(value: pa.Scalar, column: pa.Array) -> str:
    """As DuckDB writes it: text in quotes, a second without the zeros at its end, +0100 as +01."""
    text = value.as_py()
    if not pa.types.is_timestamp(column.type):
        return f"'{text}'" if isinstance(text, str) else str(text)
    clock: str = pc.strftime(value, "%Y-%m-%d %H:%M:%S").as_py().rstrip("0").rstrip(".")
    offset: str = pc.strftime(value, "%z").as_py() if column.type.tz else ""
    minutes = "" if offset[3:] in ("", "00") else f":{offset[3:]}"
    return clock.ljust(19, "0") + offset[:3] + minutes
