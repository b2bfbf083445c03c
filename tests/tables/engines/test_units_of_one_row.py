"""Where a whole number names each row, rows are looked at one by one, and nothing is grouped."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.keys import (
    CLOSE,
    HASH_PARTS,
    MORE,
    check_keys,
    hashed_once,
    numbered_once,
)
from unspoken.tables.engines.sql import Expression

ROWS = 500


class Recording:
    """An opened table that writes down what it is asked."""

    def __init__(self, table: pa.Table) -> None:
        self._con, self.asked = duckdb.connect(), list[str]()
        self._con.register("t", table)

    def execute(self, query: str) -> Any:
        self.asked.append(query)
        return self._con.execute(query)

    def cursor(self) -> Recording:
        return self

    def reworded(self, where: str) -> Any:
        return nullcontext()


def columns(ids: np.ndarray) -> pa.Table:
    rng = np.random.default_rng(2)
    x = [None if n % 7 == 0 else int(n % 3) for n in range(len(ids))]
    names = [f"n{n}" for n in ids.tolist()]
    return pa.table({"day": rng.integers(0, 9, len(ids)), "id": ids, "name": names, "x": x})


NAMED = columns(np.random.default_rng(1).permutation(ROWS) - 40)
TWICE = columns(np.append(NAMED["id"].to_numpy()[:-1], NAMED["id"][0].as_py()))
FAR = columns(NAMED["id"].to_numpy() * 10**9)
GRID = columns(np.arange(ROWS) // 20).set_column(0, "day", pa.array(np.arange(ROWS) % 20))
ABSENT = NAMED.set_column(1, "id", pa.array([None, *NAMED["id"].to_pylist()[1:]]))


@pytest.mark.parametrize(
    ("table", "keys", "hashed"),
    [
        *((NAMED, keys, False) for keys in (["id"], ["id", "day"], ["day", "name", "id"])),
        *((FAR, keys, True) for keys in (["id"], ["id", "day"], ["day", "name", "id"])),
        (GRID, ["day", "name"], False),
    ],
)
def test_one_key_that_names_each_row_is_enough(
    table: pa.Table, keys: list[str], hashed: bool
) -> None:
    """Others have few combinations of values, or are hashed; by keys themselves nothing is grouped
    where there is nothing to say.
    """
    opening: Any = Recording(table)
    check_keys(opening, "t", keys, "t", "keys")
    assert any("hash(" in query for query in opening.asked) == hashed
    assert not any("GROUP BY" in query for query in opening.asked)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 9)), min_size=40, max_size=90),
    st.booleans(),
    st.tuples(st.integers(0, 12), st.integers(0, 9)),
)
def test_combinations_of_few_values_differ_if_no_two_rows_have_the_same(
    keys: list[tuple[int, int]], unique: bool, about: tuple[int, int]
) -> None:
    """Where more values occur than were expected nothing is said."""
    rows = list(dict.fromkeys(keys)) if unique else keys
    n, x = zip(*rows, strict=True)
    opening: Any = Recording(pa.table({"n": n, "x": [f"it's {i}" for i in x]}))
    found = numbered_once(opening, "t", dict(zip(('"n"', '"x"'), about, strict=True)), len(rows))
    limits = [2 * expected + MORE for expected in about]
    fits = len({*n}) <= limits[0] and len({*x}) <= limits[1]
    fits = fits and math.prod(limits) <= CLOSE * len(rows)
    assert found == (fits and len({*rows}) == len(rows))


def test_texts_differ_by_where_they_are_cut() -> None:
    texts = ["a", "ab", "", "abc", "ab", "a"], ["bc", "c", "abc", "", "C", "bc "]
    opening: Any = Recording(pa.table(dict(zip(("x", "y"), texts, strict=True))))
    check_keys(opening, "t", ["x", "y"], "t", "keys")
    assert not any("GROUP BY" in query for query in opening.asked)
    with pytest.raises(InputError, match="2 rows"):
        check_keys(opening, "t", ["x"], "t", "keys")


def test_two_rows_of_one_are_found_all_the_same() -> None:
    table = TWICE.set_column(0, "day", pa.array([1] * ROWS))
    opening: Any = Recording(table)
    with pytest.raises(InputError, match="id"):
        check_keys(opening, "t", ["day", "id"], "t", "keys")


class Cramped(Recording):
    """An opened table whose memory takes the hashes of a part of the rows at a time only."""

    def __init__(self, table: pa.Table, least_parts: int) -> None:
        super().__init__(table)
        self._least_parts = least_parts

    def execute(self, query: str) -> Any:
        found = super().execute(query)
        if "hash(" in query and f"% {self._least_parts} =" not in query:
            raise duckdb.OutOfMemoryException("failed to allocate")
        return found


@pytest.mark.parametrize("parts", HASH_PARTS[1:])
@pytest.mark.parametrize("table", [FAR, TWICE])
def test_hashes_are_counted_in_parts_where_memory_is_short(table: pa.Table, parts: int) -> None:
    opening: Any = Cramped(table, parts)
    assert hashed_once(opening, "t", "id") == (table is FAR)


def test_hashes_that_do_not_fit_in_any_number_of_parts_are_an_error() -> None:
    opening: Any = Cramped(FAR, 2 * HASH_PARTS[-1])
    with pytest.raises(duckdb.OutOfMemoryException):
        hashed_once(opening, "t", "id")


@pytest.mark.slow
@pytest.mark.parametrize("table", [NAMED, TWICE, FAR, ABSENT])
@pytest.mark.parametrize("names", [["id"], ["day", "id"], ["day"], ["name"], ["x"]])
def test_units_are_tallied_as_by_hand(table: pa.Table, names: list[str], tmp_path: Path) -> None:
    pq.write_table(table, tmp_path / "t.parquet")
    opened = DuckTable.open("t.parquet", keys=["name"], folder=tmp_path, checked=False)
    rows, secret = Counter[Any](), Counter[Any]()
    for row in table.to_pylist():
        unit = tuple(row[name] for name in names)
        rows[unit] += 1
        secret[unit] += row["x"] == 1
    expected = Counter((count, secret[unit]) for unit, count in rows.items())
    one, none = (Expression(sql, "BOOLEAN", ("x",)) for sql in ("(x = 1)", "(x > 9)"))
    found = opened.tallies(names, {"none": none, "one": one})
    assert found[1] == [(n, k, units) for (n, k), units in sorted(expected.items())]
    assert found[0] == [(n, 0, units) for n, units in sorted(Counter(rows.values()).items())]
    assert opened.tallies(names, {"one": one}) == found[1:]
    assert opened.tallies(names, {}) == []


def test_of_several_conditions_the_one_that_fails_is_named(tmp_path: Path) -> None:
    pq.write_table(NAMED, tmp_path / "t.parquet")
    opened = DuckTable.open("t.parquet", keys=["name"], folder=tmp_path, checked=False)
    fine, broken = (
        Expression(f"(CAST({name} AS BIGINT) = 1)", "BOOLEAN", (name,)) for name in ("id", "name")
    )
    with pytest.raises(InputError, match=r"^second: "):
        opened.tallies(["day"], {"first": fine, "second": broken, "third": broken})
