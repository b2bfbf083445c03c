"""A table in many files is read as one: a pattern, a folder, partitions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.starting import begin
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.policy import Project, check_files


def put(path: Path, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Four rows in two years, and what is no part."""
    for year in (2025, 2026):
        for month in (1, 2):
            path = tmp_path / "all" / f"year={year}" / f"m{month}.parquet"
            put(path, id=[year * 100 + month], x=[month])
            put(tmp_path / "flat" / f"{year}-{month}.parquet", id=[year * 100 + month], x=[month])
    (tmp_path / "all" / "_SUCCESS").touch()
    (tmp_path / "flat" / "README.md").touch()
    put(tmp_path / "flat" / ".hidden.parquet", id=[1], x=[1])
    put(tmp_path / "flat" / "_temporary" / "0.parquet", id=[1], x=[1])
    (tmp_path / "flat" / "loop").symlink_to(tmp_path / "flat")
    (tmp_path / "flat" / "itself.parquet").symlink_to(tmp_path / "flat" / "itself.parquet")
    (tmp_path / "flat" / "gone.parquet").symlink_to(tmp_path / "nowhere")
    return tmp_path


def rows(folder: Path, **given: Any) -> list[dict[str, Any]]:
    table = DuckTable.open(folder=folder, keys=["id"], **given)
    found: list[dict[str, Any]] = table.batches(Scan(list(table.columns))).read_all().to_pylist()
    return found


FOUR = [
    {"id": 202501, "x": 1},
    {"id": 202502, "x": 2},
    {"id": 202601, "x": 1},
    {"id": 202602, "x": 2},
]


@pytest.mark.parametrize(
    "given",
    ["flat", "flat/", "flat/*.parquet", "flat/*", "fl?t/20[0-9]*", "**/20*.parquet", "flat/**"],
)
def test_a_pattern_or_a_folder_is_one_table(given: str, parts: Path) -> None:
    assert rows(parts, table=given) == FOUR
    assert rows(parts, sql=f"SELECT id, x FROM '{given}'") == FOUR
    assert rows(parts, table=parts / given) == FOUR


@pytest.mark.slow
@pytest.mark.parametrize("given", ["all", "all/year=*/*.parquet", "all/**/*.parquet"])
def test_partitions_are_columns(given: str, parts: Path) -> None:
    assert rows(parts, table=given) == [{**row, "year": row["id"] // 100} for row in FOUR]
    query = f"SELECT * FROM '{given}' WHERE year = 2026"
    assert [row["id"] for row in rows(parts, sql=query)] == [202601, 202602]


def test_a_partition_by_itself(parts: Path) -> None:
    assert rows(parts, table="all/year=2026/*.parquet") == [
        {**row, "year": 2026} for row in FOUR[2:]
    ]
    assert rows(parts, table="all/year=2026/m1.parquet") == FOUR[2:3]


@pytest.mark.slow
def test_csv_is_typed_from_all_rows_of_all_parts(tmp_path: Path) -> None:
    for name, text in {"a": "id,x\n1,5\n", "b": "x,id\n5.5,2\n", "c": "id,x\n3,\n"}.items():
        path = tmp_path / f"kind={name}" / "t.csv"
        path.parent.mkdir()
        path.write_text(text)
    assert rows(tmp_path, table=".") == [
        {"id": 1, "x": 5.0, "kind": "a"}, {"id": 2, "x": 5.5, "kind": "b"},
        {"id": 3, "x": None, "kind": "c"},
    ]  # fmt: skip
    (tmp_path / "kind=a" / "late.csv").write_text("id,x\n4,late\n")
    assert [row["x"] for row in rows(tmp_path, table="**/*.csv")] == ["5", "5.5", None, "late"]


def test_only_the_files_listed_at_opening_are_read(parts: Path) -> None:
    table = DuckTable.open("flat", folder=parts)
    assert len(table.files) == 4
    put(parts / "flat" / "later.parquet", id=[7], x=[7])
    assert table.count() == 4
    for path in ("flat/later.parquet", "flat/*.parquet", "all/year=2025/m1.parquet"):
        with pytest.raises(duckdb.Error):
            table._home.con.execute(f"FROM '{parts / path}'").fetchall()


UNLIKE: dict[str, tuple[dict[str, Any], str]] = {
    "another type": ({"id": [9], "x": ["a"]}, 'column "x" is BIGINT in a.parquet and VARCHAR in b'),
    "a column less": ({"id": [9]}, 'column "x" is BIGINT in a.parquet and missing in b.parquet'),
    "a column more": ({"id": [9], "x": [1], "y": [1]}, 'column "y" is missing in a.parquet and'),
}


@pytest.mark.parametrize("how", UNLIKE)
def test_parts_are_alike(how: str, tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", id=[1], x=[1])
    put(tmp_path / "b.parquet", **UNLIKE[how][0])
    with pytest.raises(InputError) as refused:
        DuckTable.open("*.parquet", folder=tmp_path)
    assert UNLIKE[how][1] in str(refused.value)


def fill(folder: Path) -> None:
    """What stands in the way of reading."""
    put(folder / "two" / "a.parquet", id=[1])
    (folder / "two" / "b.csv").write_text("id\n2\n")
    put(folder / "mixed" / "k=1" / "a.parquet", id=[1])
    put(folder / "mixed" / "a.parquet", id=[1])
    put(folder / "broken" / "a.parquet", id=[1])
    (folder / "broken" / "b.parquet").write_text("no Parquet")
    (folder / "latin").mkdir()
    (folder / "latin" / "a.csv").write_bytes(b"id,x\n1,a\n")
    (folder / "latin" / "b.csv").write_bytes(b"id,x\n2,caf\xe9\n")
    (folder / "empty").mkdir()
    (folder / "round").symlink_to(folder / "round")
    os.mkfifo(folder / "pipe.parquet")
    with duckdb.connect(str(folder / "base.duckdb")) as con:
        con.execute("CREATE TABLE visits AS SELECT 1 AS id; CREATE VIEW rooms AS FROM visits")
        con.execute("CREATE SCHEMA old; CREATE TABLE old.visits AS SELECT 1 AS id")


BAD = {
    "two": "two/a.parquet and two/b.csv are of two kinds",
    "mixed": "mixed/k=1/a.parquet is in the partition k=..., other parts in none",
    "broken": "broken/b.parquet",
    "latin/*.csv": "latin/b.csv",
    "empty": 'source.table: "empty": there is no .parquet or .csv file in it',
    "two/*.parket": '"two/*.parket": there is no .parquet or .csv file of that pattern',
    "none/**": "there is no .parquet or .csv file of that pattern",
    "round": 'there is no "round"',
    "": "is empty; give the name of a file",
    "round/*": "there is no .parquet or .csv file of that pattern",
    "pipe.parquet": "pipe.parquet is no regular file; copy what it gives into one",
    "s3://bucket/t.parquet": "is an address, and only local files are read; copy it first",
    "https://user:word@host/t.csv": "duckdb -c \"COPY (FROM 's3://...') TO 'table.parquet'\"",
    "base.duckdb": "give it by source.database, and here the name of one of its tables: "
    '"rooms", "visits", "old.visits"',
}


def read(folder: Path, **source: Any) -> None:
    table = DuckTable.open(folder=folder, **source)
    table.batches(Scan(list(table.columns))).read_all()


@pytest.mark.slow
@pytest.mark.parametrize("given", BAD)
def test_what_cannot_be_read_is_one_line(given: str, tmp_path: Path) -> None:
    fill(tmp_path)
    for source in ({"table": given}, {"sql": f"SELECT * FROM '{given}'"}):
        with pytest.raises(InputError) as refused:
            read(tmp_path, **source)
        said = str(refused.value)
        assert BAD[given].removeprefix("source.table: ") in said
        assert "\n" not in said
        assert "word" not in said


PROJECT = """\
format = 1
[source]
table = "{}"
keys = ["id"]
[epoch]
label = "1"
[attribute.x]
[application.all]
reads = ["x"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = 0.1
[output]
release = "{}"
"""


@pytest.mark.parametrize(
    ("source", "release", "said"),
    [
        ("flat", "released.parquet", ""),
        ("flat/*.parquet", "released.parquet", ""),
        ("flat", "flat/released.parquet", "would be a part of source.table"),
        ("*.parquet", "released.parquet", "would be a part of source.table"),
        (".", "released.parquet", "would be a part of source.table"),
        ("nowhere/*.parquet", "released.parquet", "has no .parquet or .csv file"),
        ("s3://b/x.parquet", "released.parquet", "is an address, and only local files are read"),
    ],
)
def test_a_project_of_parts(source: str, release: str, said: str, parts: Path) -> None:
    path = parts / "unspoken.toml"
    path.write_text(PROJECT.format(source, release))
    if not said:
        check_files(Project.read(path))
        return
    with pytest.raises(InputError, match=said):
        check_files(Project.read(path))


@pytest.mark.slow
@pytest.mark.parametrize("given", ["flat", "flat/*.parquet", "all"])
def test_init_takes_parts(given: str, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(parts)
    (parts / "sub").mkdir()
    begin(given, None, None, Path("sub/unspoken.toml"))
    assert f'table = "../{given}"' in Path("sub/unspoken.toml").read_text()


def test_init_of_a_database_lists_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r'^TABLE: .* by --database, and here .*"visits"'):
        begin("base.duckdb", None, None, Path("unspoken.toml"))
    with pytest.raises(InputError, match=r"^TABLE: is an address"):
        begin("s3://bucket/x.parquet", None, None, Path("unspoken.toml"))
