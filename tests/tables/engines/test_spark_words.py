"""How Spark spells what others say, and which files it reads itself; no Spark is needed for it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import InputError
from unspoken.tables.engines.spark_words import (
    arrow_type,
    base_of,
    escaped,
    file_of,
    java_size,
    plain,
    quoted,
    read_alike,
    refuse_alike,
    spelled,
)


@pytest.mark.parametrize(
    ("name", "columns", "alike"),
    [
        ("t.parquet", {"id": [1], "a": ["x"]}, True),
        ("T.PARQUET", {"id": [1], "b": pa.array([1], pa.timestamp("us", "UTC"))}, True),
        ("_t.parquet", {"id": [1]}, False),
        (".t.parquet", {"id": [1]}, False),
        ("t.csv", {"id": [1]}, False),
        ("t.parquet", {"a": [1], "A": [2]}, False),
        ("t.parquet", {"id": pa.array([1], pa.timestamp("ns", "UTC"))}, False),
        ("t.parquet", {"id": pa.array([Decimal(1)], pa.decimal256(50, 0))}, False),
        ("t.parquet", {"id": pa.array([1.0], pa.float16())}, False),
    ],
)
def test_files_that_spark_reads_otherwise_are_copied(
    name: str, columns: dict[str, Any], alike: bool, tmp_path: Path
) -> None:
    pq.write_table(pa.table(columns), tmp_path / name)
    assert read_alike([tmp_path / name]) == alike
    pq.write_table(pa.table(columns), tmp_path / "other.parquet")
    assert read_alike([tmp_path / "other.parquet", tmp_path / name]) == alike


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (pa.int8(), "tinyint"),
        (pa.int64(), "bigint"),
        (pa.float32(), "float"),
        (pa.bool_(), "boolean"),
        (pa.string(), "string"),
        (pa.date32(), "date"),
        (pa.timestamp("us"), "timestamp_ntz"),
        (pa.timestamp("us", "Asia/Tokyo"), "timestamp"),
        (pa.decimal128(20, 3), "decimal(20, 3)"),
    ],
)
def test_types_are_called_as_spark_does_and_back(kind: pa.DataType, word: str) -> None:
    assert spelled(kind) == word
    assert arrow_type(word, "Asia/Tokyo") == kind


def test_types_without_a_sign_have_room_and_others_are_not_read() -> None:
    """The largest value of each fits into what Spark reads it as."""
    wider = {pa.uint8(): "smallint", pa.uint16(): "int", pa.uint32(): "bigint"}
    for kind, word in wider.items():
        assert spelled(kind) == word
        most = 2**kind.bit_width - 1
        assert pa.array([most], arrow_type(word, "UTC")).to_pylist() == [most]
    assert spelled(pa.uint64()) == "decimal(20,0)"
    assert arrow_type("decimal(20,0)", "UTC") == pa.decimal128(20, 0)
    assert spelled(pa.time64("us")) is None
    assert arrow_type("interval day", "UTC") is None


def test_names_and_paths_are_spelled() -> None:
    assert quoted("a`b") == "`a``b`"
    assert not {*plain("a.b`c")} & {*".`"}
    assert len({plain("a.b"), plain("a`b"), plain("ab")}) == 3
    assert escaped(Path("/d/b {1,2}[x]*?")) == r"/d/b \{1,2\}\[x\]\*\?"
    assert file_of("file:///d/b%20c%2520%C3%A9%23/t.parquet") == Path("/d/b c%20é#/t.parquet")
    assert java_size("1GB") == "953m"


def test_folders_of_keys_and_values_begin_somewhere() -> None:
    """Of one file no folder is read; of several, all from the first key=value on."""
    folder = Path("/d/parts")
    several = [folder / f"x/year={year}/k=1/t.parquet" for year in (1, 2)]
    assert base_of(folder, several) == folder / "x"
    assert base_of(folder, several[:1]) is None
    assert base_of(folder, [folder / "1.parquet", folder / "2.parquet"]) is None


def test_columns_that_sql_takes_for_one_another_are_refused() -> None:
    """Else `a = 'x'` may be asked of A, and what is sensitive of a is shown."""
    refuse_alike(["id", "a", "b"], "days", "source.table")
    said = 'source.table: "a" and "A" of days differ in letter case only, which SQL does not see'
    for names in (["id", "a", "A"], ["a", "id", "A"]):
        with pytest.raises(InputError, match=said):
            refuse_alike(names, "days", "source.table")
