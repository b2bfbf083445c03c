"""Reading a table: streams, groups, a first look; errors while reading name whose SQL it was."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engines.conftest import DAYS, Write
from unspoken.engines.duckdb import Table
from unspoken.errors import InputError
from unspoken.types.column import ColumnInfo

ROWS = 300_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with large.parquet: rows in no order, one text that is no number near the end."""
    folder = tmp_path_factory.mktemp("large")
    duckdb.execute(
        f"COPY (SELECT (i * 7919) % {ROWS} AS id, i % 7 AS x,"
        f" CASE WHEN i = {ROWS} - 5 THEN 'late' ELSE '9' END AS y FROM range({ROWS}) t(i))"
        f" TO '{folder}/large.parquet'"
    )
    return folder


@pytest.fixture
def table(large: Path) -> Table:
    return Table.open("large.parquet", keys=["id"], folder=large)


def test_rows_are_the_same_whatever_the_batches(table: Table) -> None:
    select = {"id": "id", "twice": "2 * x"}
    whole = table.rows(select).read_all()
    assert whole["id"].to_pylist() == list(range(ROWS))
    for size in (2_048, 100_000):
        stream = table.rows(select, batch_rows=size)
        assert stream.read_all().equals(whole)
    assert sorted(table.rows({"id": "id"}, order_by=()).read_all()["id"].to_pylist()) == list(
        range(ROWS)
    )


def test_streams_are_independent(table: Table) -> None:
    first, second = table.rows({"id": "id"}), table.rows({"x": "x"}, order_by=["x"])
    a, b = first.read_next_batch(), second.read_next_batch()
    assert table.count() == ROWS
    assert a.num_rows + sum(batch.num_rows for batch in first) == ROWS
    assert b.num_rows + sum(batch.num_rows for batch in second) == ROWS


def test_a_stream_survives_its_table(large: Path) -> None:
    stream = Table.open("large.parquet", keys=["id"], folder=large).rows({"id": "id"})
    assert stream.read_all().num_rows == ROWS


def test_names_of_a_selection_hide_no_column(table: Table) -> None:
    swapped = table.rows({"x": "id", "id": "x", "unspoken 0": "x"}, order_by=["id"])
    assert swapped.schema.names == ["x", "id", "unspoken 0"]
    first = swapped.read_all().slice(0, 3).to_pylist()
    assert [row["x"] for row in first] == [0, 1, 2]
    assert {row["id"] == row["unspoken 0"] for row in first} == {True}


def test_values_are_those_of_the_expression_whatever_columns_are_called(write: Write) -> None:
    folder = write("t.parquet", {"id": [1, 2, 3], "x": [None, None, 7], "c": ["b", "a", None]})
    table = Table.open("t.parquet", keys=["id"], folder=folder)
    assert table.values("c", 5, "") == ["a", "b"]
    assert table.values("c", 1, "") == ["a"]
    assert table.values("x + id", 5, "") == [10]
    assert table.groups({"c": "x", "x": "id > 2"}).to_pylist() == [
        {"c": 7, "x": True, "count": 1},
        {"c": None, "x": False, "count": 2},
    ]


@pytest.mark.parametrize("how", ["rows", "groups"])
def test_an_error_while_reading_names_the_place(how: str, table: Table) -> None:
    select = {"x": "x", "y": "CAST(y AS INTEGER)"}
    places = {"x": "attribute.x", "y": "unspoken.toml:9 attribute.y.sensitive"}
    read = {
        "rows": lambda: table.rows(select, order_by=(), places=places).read_all(),
        "groups": lambda: table.groups(select, places=places),
    }
    with pytest.raises(InputError) as refused:
        read[how]()
    said = "unspoken.toml:9 attribute.y.sensitive: Could not convert string 'late' to INT32"
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_groups_count_every_combination(days: Path) -> None:
    table = Table.open("days.parquet", keys=["office", "day"], folder=days)
    found = table.groups({"office": "office", "here": "arrival IS NOT NULL"})
    assert found.to_pylist() == [
        {"office": 1, "here": False, "count": 1},
        {"office": 1, "here": True, "count": 1},
        {"office": 2, "here": True, "count": 2},
    ]


def test_nan_and_infinity_are_refused_by_name(write: Write) -> None:
    nan, inf = float("nan"), float("inf")
    folder = write("t.parquet", {"id": [1, 2, 3], "a": [nan, inf, 1.0], "b": [1.0, None, 2.0]})
    table = Table.open("t.parquet", keys=["id"], folder=folder)
    table.check_finite({"b": "attribute.b", "id": "attribute.id"})
    with pytest.raises(
        InputError, match=r"^attribute.a: 2 values are NaN or infinite in column a;"
    ):
        table.check_finite({"a": "attribute.a", "b": "attribute.b"})


def test_a_first_look(tmp_path: Path, days: Path) -> None:
    columns = {"flag": [True, None, True, False], "list": [[1], [2], [3], [4]]}
    pq.write_table(pa.table({**DAYS, **columns}), tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "d.duckdb")) as con:
        con.execute(
            "CREATE TABLE t AS SELECT * REPLACE (CAST(day AS DATE) AS day, office::DECIMAL(4, 1)"
            f" AS office) FROM '{tmp_path}/t.parquet'"
        )
    office, day, arrival, kind, flag, other = Table.open(
        "t", database="d.duckdb", folder=tmp_path
    ).describe()
    assert (office.kind, office.values) == ("number", (1.0, 2.0))
    assert day == ColumnInfo("day", "date", 2, 0, (), ("2026-01-05", "2026-01-06"))
    assert (arrival.kind, arrival.distinct, arrival.missing) == ("number", 3, 1)
    assert (arrival.quantiles[0], arrival.quantiles[-1], len(arrival.quantiles)) == (8.0, 11.25, 21)
    assert (kind.kind, kind.values) == ("text", ("a", "b", 'it\'s; "x"'))
    assert flag == ColumnInfo("flag", "boolean", 2, 1, (), (False, True))
    assert (other.kind, other.distinct, other.values) == ("other", 4, ())


def test_many_values_are_counted_not_listed(table: Table) -> None:
    found = {column.name: column for column in table.describe()}
    assert (found["id"].distinct, found["id"].values) == (ROWS, ())
    assert found["x"].values == tuple(range(7))
    assert found["id"].quantiles[10] == pytest.approx((ROWS - 1) / 2)


def run(program: str, *arguments: object, path: Path | str | None = None, **env: str) -> Any:
    """What a new Python prints as JSON."""
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env, **({"PYTHONPATH": str(path)} if path else {})},
    )
    assert ended.returncode == 0, ended.stderr[-1500:]
    return json.loads(ended.stdout)


PEAK = """
import json, resource, sys
from pathlib import Path
from unspoken.engines.duckdb import Table
table = Table.open("t.parquet", keys=["id"], folder=Path(sys.argv[1]), memory="150MB")
rows = sum(batch.num_rows for batch in table.rows({name: name for name in table.columns}))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"rows": rows, "megabytes": peak}))
"""


def test_memory_does_not_grow_with_the_table(tmp_path: Path) -> None:
    peaks = []
    for rows in (300_000, 3_000_000):
        duckdb.execute(
            "COPY (SELECT (hash(i) % 100003)::BIGINT * 10000000 + i AS id, random() a, random() b,"
            f" random() c, random() d FROM range({rows}) t(i)) TO '{tmp_path}/t.parquet'"
        )
        found = run(PEAK, tmp_path)
        assert found["rows"] == rows
        peaks.append(found["megabytes"])
    # Ten times the rows are 108 MB more of values; sorted in memory, they would be there twice.
    assert peaks[1] - peaks[0] < 150, peaks


PANDAS = """
import json, sys
from pathlib import Path
from unspoken.engines.duckdb import Table
folder = Path(sys.argv[1])
table = Table.open("days.parquet", keys=["office", "day"], folder=folder)
table.describe(), table.count(), table.values("kind", 3, ""), table.check_finite({"arrival": ""})
table.groups({"kind": "kind"})
for batch in table.rows({"k": "office", "x": "arrival > 9"}): pass
print(json.dumps(sorted({"pandas", "scipy"} & set(sys.modules))))
"""


def test_pandas_is_not_imported_where_it_is_installed(days: Path, tmp_path: Path) -> None:
    (tmp_path / "site" / "pandas").mkdir(parents=True)
    (tmp_path / "site" / "pandas" / "__init__.py").write_text("__version__ = '3.0.0'")
    assert run(PANDAS, days, path=tmp_path / "site") == []
