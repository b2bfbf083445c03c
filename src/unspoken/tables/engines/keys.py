"""What names the rows: types that a coin can be tossed on, no NULL, no two rows of one key."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.tables.engines.column_info import ZONED, kind_of
from unspoken.tables.engines.named_once import absent, twice
from unspoken.tables.engines.nanoseconds import NANOSECONDS, ZONED_NS, coarser
from unspoken.tables.engines.opening import Opened
from unspoken.tables.engines.session import OURS
from unspoken.tables.engines.sql import column_of, identifier
from unspoken.tables.texts import LONGEST_TEXT, too_long

__all__ = [
    "check_keys",
    "hashed_once",
    "kept_types",
    "key_types",
    "key_types_given",
    "marked_once",
    "numbered_once",
    "strange",
    "with_preferences",
]

# How a key is kept: the type is part of the coin, so there is one for each kind.
KEPT = {
    **dict.fromkeys(("text", "date", "clock"), "VARCHAR"),
    "integer": "BIGINT",
    "time": "TIMESTAMP",
}
BITS, CLOSE = 1 << 28, 64  # of whole numbers that get a bit each: at most, and for each row
HASH_PARTS = (1, 4, 16)  # in how many parts hashes are counted, where memory does not do for fewer
MOST, MORE = 1 << 20, 16  # values of a key that are numbered; more than are expected
REAL = ("FLOAT", "DOUBLE")  # the types that have NaN
# What a coin cannot be tossed on, or what could not be written as it was.
IN_TIME = "isfinite({0}) AND year({0}) BETWEEN 1 AND 9999"
STRANGE = {
    "date": f"NOT ({IN_TIME})",
    "time": f"NOT ({IN_TIME})",
    "clock": "hour({0}) > 23",
}
FINER = {"TIMESTAMP_NS": f"NOT ({IN_TIME} AND epoch_ns({{0}}) % 1000 = 0)"}  # of others it may fail
NO_TIME = (
    "infinite, of no year from 1 to 9999, or of less than a microsecond; round or leave them out"
)
WIDER = ("UBIGINT", "HUGEINT", "UHUGEINT")
LEAST, MOST_OF_ALL = -(1 << 63), (1 << 63) - 1


def kept_types(
    keys: Sequence[str], columns: Mapping[str, str], title: str, where: str
) -> dict[str, str]:
    """{key: DuckDB's name of the type in which it is kept}."""
    kept = {}
    for name in keys:
        kind = kind_of(columns[name])
        if kind not in KEPT:
            raise InputError(
                f"{where}: {name} of {title} is {columns[name]}; a key is an integer, a text, a "
                f"date, a time or a timestamp. Write CAST({identifier(name)} AS VARCHAR) in "
                "[source] sql, or in the frame, or name another column"
            )
        kept[name] = ZONED if columns[name] in (ZONED, ZONED_NS) else KEPT[kind]
    return kept


def key_types(
    view: str,
    keys: Sequence[str],
    columns: Mapping[str, str],
    title: str,
    where: str,
    nan_missing: bool = False,
) -> str:
    """A SELECT of the view with integer keys as BIGINT, text and dates as VARCHAR, and times as
    TIMESTAMP, with their time zone if they have one; what has a type for nanoseconds alone in
    microseconds; NULL for NaN, if it is missing.
    """
    replaced = kept_types(keys, columns, title, where)
    # Enumerations are text, or else Arrow would hand them on dictionary-encoded.
    replaced |= {name: "VARCHAR" for name, kind in columns.items() if kind.startswith("ENUM")}
    micros = coarser(columns)
    casts = [
        f"CAST({micros.get(name, identifier(name))} AS {to}) AS {identifier(name)}"
        for name, to in replaced.items()
    ]
    casts += [f"{x} AS {identifier(name)}" for name, x in micros.items() if name not in replaced]
    if nan_missing:
        reals = [identifier(name) for name, kind in columns.items() if kind in REAL]
        # DuckDB takes isnan() for false in a Parquet file, by whose statistics nothing is NaN.
        casts += [f"CASE WHEN isfinite({x}) OR isinf({x}) THEN {x} END AS {x}" for x in reals]
    star = f"* REPLACE ({', '.join(casts)})" if casts else "*"
    return f"SELECT {star} FROM {OURS}.{identifier(view)}"


def with_preferences(
    opening: Opened,
    keys: Sequence[str],
    columns: Mapping[str, str],
    more: Mapping[str, str],
    where: str,
) -> str:
    """A SELECT of the rows with the preferences of their keys beside them."""
    title = "the preferences"
    folded = {name.casefold() for name in more}
    shared = [key for key in keys if key.casefold() in folded]
    if not shared:
        raise InputError(
            f"{where}: has none of the keys {', '.join(keys)}; it needs one or more to be joined on"
        )
    matched = {key: column_of(key, more, where) for key in shared}
    typed = opening.view(
        "matched", key_types("preferences", list(matched.values()), more, title, where), where
    )
    check_keys(opening, f"{OURS}.matched", list(matched.values()), title, where)
    for key, name in matched.items():
        if columns[key] != typed[name]:
            raise InputError(
                f"{where}: {name} is {typed[name]} here and {columns[key]} in the table; "
                "make them alike"
            )
    added = [name for name in typed if name not in matched.values()]
    taken = {name.casefold() for name in columns}
    for name in added:
        if name.casefold() in taken:
            raise InputError(f"{where}: {name} is a column of the table too; rename one of them")
    columns_added = "".join(f", p.{identifier(name)}" for name in added)
    match = " AND ".join(f"s.{identifier(k)} = p.{identifier(name)}" for k, name in matched.items())
    return f"SELECT s.*{columns_added} FROM {OURS}.typed s LEFT JOIN {OURS}.matched p ON {match}"


def key_types_given(
    opening: Opened, keys: Sequence[str], columns: Mapping[str, str], title: str, where: str
) -> dict[str, pa.DataType]:
    """The Arrow types of the keys as the source has them, which is how they are released."""
    if not keys:
        return {}
    view = f"{OURS}.source"
    for name in keys:
        odd, said = _odd(columns[name])
        query = f"SELECT count(*) FROM {view} WHERE {odd.format(identifier(name))}"
        with opening.reworded(where):
            found = opening.cursor().execute(query).fetchone()
        if found and found[0]:
            raise strange(where, name, found[0], title, said)
    with opening.reworded(where):
        query = f"SELECT {', '.join(map(identifier, keys))} FROM {view} LIMIT 0"
        schema = opening.cursor().sql(query).to_arrow_table().schema
    types = dict(zip(keys, schema.types, strict=True))
    return {n: t.value_type if pa.types.is_dictionary(t) else t for n, t in types.items()}


def _odd(kind: str) -> tuple[str, str]:
    """SQL of the keys of this type that cannot be kept; what they are, and what to do."""
    if kind in WIDER:
        beyond = f"{{0}} NOT BETWEEN {LEAST} AND {MOST_OF_ALL}"
        return beyond, "no whole number of 64 bits with a sign; make the column text"
    if kind in NANOSECONDS:  # refused where they are read
        return "false", NO_TIME
    return FINER.get(kind, STRANGE.get(kind_of(kind), "false")), NO_TIME


def strange(where: str, name: str, rows: int, title: str, said: str = NO_TIME) -> InputError:
    """That some keys cannot be kept."""
    return InputError(
        f"{where}: {name} of {title} has {rows:,} that are {said}, with [source] sql, or in the "
        "frame"
    )


def check_keys(opening: Opened, view: str, keys: Sequence[str], title: str, where: str) -> None:
    """Refuse missing keys, longer ones than coins take, and two rows with the same one; keys are
    public, so they are named.
    """
    if not keys:
        return
    names = [identifier(name) for name in keys]
    with opening.reworded(where):
        once = any(marked_once(opening, view, name) for name in names)
    if once and len(keys) == 1:
        return
    rows, values = _present(opening, view, keys, title, where)
    keys_listed = ", ".join(names)
    with opening.reworded(where):
        if (
            once
            or numbered_once(opening, view, values, rows)
            or hashed_once(opening, view, keys_listed)
        ):
            return
    with opening.reworded(where):
        found = (
            opening.cursor()
            .execute(
                f"SELECT count(*) FROM {view} GROUP BY {keys_listed} HAVING count(*) > 1"
                f" ORDER BY {keys_listed} LIMIT 1"
            )
            .fetchone()
        )
    if found:
        raise twice(where, keys, found[0], title)


def _present(
    opening: Opened, view: str, keys: Sequence[str], title: str, where: str
) -> tuple[int, dict[str, int]]:
    """How many rows there are, and {name in SQL: about how many values} of their keys; refused
    where one is missing, or longer than coins take.
    """
    names = [identifier(name) for name in keys]
    nulls = ", ".join(f"count(*) FILTER ({name} IS NULL)" for name in names)
    text = " + ".join(
        f"if(typeof({name}) = 'VARCHAR', strlen(CAST({name} AS VARCHAR)), 0)" for name in names
    )
    about = ", ".join(f"approx_count_distinct({name})" for name in names)
    with opening.reworded(where):
        query = f"SELECT count(*), max({text}), {nulls}, {about} FROM {view}"
        rows, longest, *found = opening.cursor().execute(query).fetchone() or (0, 0)
    missing, values = found[: len(keys)], found[len(keys) :]
    for name, count in zip(keys, missing, strict=True):
        if count:
            raise absent(where, name, count, title)
    if (longest or 0) > LONGEST_TEXT:
        raise too_long(longest, f"{where}: ")
    return rows, dict(zip(names, values, strict=True))


def numbered_once(opening: Opened, view: str, keys: Mapping[str, int], rows: int) -> bool:
    """Whether several keys that have few values each differ together: values are numbered, and
    each combination has a bit, which costs a third of what hashes do. ``keys``: {name: about how
    many values}. False: there may be two of one, or there are too many combinations.
    """
    most = {key: 2 * about + MORE for key, about in keys.items()}  # what is expected may be less
    bits = math.prod(most.values())
    if len(keys) < 2 or bits > min(BITS, CLOSE * rows) or max(most.values()) > MOST:
        return False
    values, joined, places, below, weight = [], [], [], [], bits
    for i, (key, count) in enumerate(most.items()):
        weight //= count
        numbered = f"SELECT x, row_number() OVER () - 1 AS n FROM (SELECT DISTINCT {key} AS x"
        values.append(f"v{i} AS MATERIALIZED ({numbered} FROM {view}))")
        joined.append(f"JOIN v{i} ON r.k{i} = v{i}.x")
        places.append(f"v{i}.n * {weight}")
        below.append(f"v{i}.n < {count}")  # others have no bit: fewer are set than there are rows
    given = ", ".join(f"{key} AS k{i}" for i, key in enumerate(most))
    query = (
        f"WITH {', '.join(values)}"
        f" SELECT bit_count(bitstring_agg({' + '.join(places)}, 0, {bits - 1}))"
        f" FROM (SELECT {given} FROM {view}) AS r {' '.join(joined)} WHERE {' AND '.join(below)}"
    )
    (marked,) = opening.cursor().execute(query).fetchone() or (0,)
    return bool(marked == rows)


def hashed_once(opening: Opened, view: str, keys: str) -> bool:
    """Whether hashes of the keys differ, so that keys do: less time and memory than to group by the
    keys. False: there may be two of one key, or two with the same hash.

    Just above some sizes DuckDB 2.0.1 cannot enlarge a table of hashes within its memory, and does
    not spill it either. The hashes are then counted in parts, with one reading for each.
    """
    for parts in HASH_PARTS:
        try:
            return all(_has_distinct_hashes(opening, view, keys, i, parts) for i in range(parts))
        except duckdb.OutOfMemoryException:
            if parts == HASH_PARTS[-1]:
                raise
    return False


def _has_distinct_hashes(opening: Opened, view: str, keys: str, part: int, parts: int) -> bool:
    """Whether the hashes differ that leave the remainder ``part`` when divided by ``parts``."""
    query = f"SELECT count(*), count(DISTINCT h) FROM (SELECT hash({keys}) AS h FROM {view})"
    query += f" WHERE h % {parts} = {part}" if parts > 1 else ""
    rows, distinct = opening.cursor().execute(query).fetchone() or (0, 0)
    return bool(rows == distinct)


def marked_once(opening: Opened, view: str, key: str) -> bool:
    """Whether whole numbers that lie close together differ, and none is missing: each has a bit,
    which costs far less than grouping by them. False: there may be two of one, one missing, no row,
    or it is another kind of key.
    """
    (kind,) = opening.cursor().execute(f"SELECT typeof({key}) FROM {view} LIMIT 1").fetchone() or (
        "",
    )
    if kind != "BIGINT":
        return False
    query = f"SELECT count(*), min({key}), max({key}) FROM {view}"
    rows, least, most = opening.cursor().execute(query).fetchone() or (0, 0, 0)
    if not rows - 1 <= most - least < min(BITS, CLOSE * rows):
        return False
    query = f"SELECT bit_count(bitstring_agg({key}, {least}, {most})) FROM {view}"
    (marked,) = opening.cursor().execute(query).fetchone() or (0,)
    return bool(marked == rows)
