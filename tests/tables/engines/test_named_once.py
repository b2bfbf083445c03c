"""Rows that pass in the order of their keys have one each, as where a table is looked at whole."""

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.named_once import once

pytestmark = pytest.mark.slow

DAY = datetime.datetime(2026, 1, 6, 9, 30, 0, 250_000, datetime.UTC)
LATE = datetime.datetime(2026, 1, 7, tzinfo=datetime.UTC)


def in_batches(table: pa.Table, size: int, keys: Sequence[str]) -> Iterator[pa.RecordBatch]:
    yield from table.sort_by([(key, "ascending") for key in keys]).to_batches(size)


WRONG: list[dict[str, list[Any]]] = [
    {"a": [1, 2, 2, 3]},
    {"a": [3, 1, 3, 3], "b": ["x'", "y", "x'", "x"]},
    {"a": ["é", "é", "z", "a"]},
    {"a": [DAY, LATE, DAY, DAY]},
    {"a": [LATE, DAY, None]},
    {"a": [1, 2, None, None], "b": ["x", "x", "y", "x"]},
]


@pytest.mark.parametrize("columns", WRONG)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_what_is_wrong_is_said_as_of_a_whole_table(
    columns: dict[str, list[Any]], size: int, tmp_path: Path
) -> None:
    table, keys = pa.table(columns), list(columns)
    pq.write_table(table, tmp_path / "t.parquet")
    opened = DuckTable.open("t.parquet", keys=keys, folder=tmp_path, checked=False, title="t")
    with pytest.raises(InputError) as whole:
        opened.check("keys")
    with pytest.raises(InputError) as passing:
        list(once(in_batches(table, size, keys), keys, "t", dict.fromkeys(keys, "keys")))
    assert str(passing.value) == str(whole.value)


@pytest.mark.parametrize("size", [1, 3])
def test_what_is_right_passes(size: int) -> None:
    table = pa.table({"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]})
    passed = once(in_batches(table, size, ["a", "b"]), ["a", "b"], "t", {})
    assert pa.Table.from_batches(passed) == table
    assert len(list(once(table.to_batches(), [], "t", {}))) == 1
