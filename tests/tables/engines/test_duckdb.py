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

from tests.tables.engines.conftest import DAYS, Write
from unspoken.core.errors import InputError
from unspoken.tables.column import ColumnInfo
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.row_sql import RowSQL

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
def table(large: Path) -> DuckTable:
    return DuckTable.open("large.parquet", keys=["id"], folder=large)


def whole(stream: pa.RecordBatchReader) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = stream.read_all().to_pydict()
    return found


def test_rows_are_the_same_whatever_the_batches(table: DuckTable) -> None:
    rows = whole(table.batches(Scan(["id", "x"])))
    assert rows["id"] == list(range(ROWS))
    for size in (2_048, 100_000):
        assert whole(table.batches(Scan(["id", "x"], rows=size))) == rows
    assert sorted(whole(table.batches(Scan(["id"], ordered=False)))["id"]) == list(range(ROWS))


def test_streams_are_independent(table: DuckTable) -> None:
    first, second = table.batches(Scan(["id"])), table.batches(Scan(["x"]))
    a, b = first.read_next_batch(), second.read_next_batch()
    assert table.count() == ROWS
    assert a.num_rows + sum(batch.num_rows for batch in first) == ROWS
    assert b.num_rows + sum(batch.num_rows for batch in second) == ROWS


def test_a_stream_survives_its_table(large: Path) -> None:
    stream = DuckTable.open("large.parquet", keys=["id"], folder=large).batches(Scan(["id"]))
    assert stream.read_all().num_rows == ROWS


def test_the_different_values_of_a_column(write: Write) -> None:
    folder = write("t.parquet", {"id": [1, 2, 3], "x": [None, None, 7], "c": ["b", "a", None]})
    table = DuckTable.open("t.parquet", keys=["id"], folder=folder)
    assert sorted(table.values("c", 5, "").to_pylist()) == ["a", "b"]
    assert len(table.values("c", 1, "")) == 1
    assert table.values("x", 5, "").to_pylist() == [7]


def test_what_arrow_would_lose_comes_as_text(days: Path) -> None:
    query = "SELECT 1 AS id, '101'::BIT AS b, '12:00:00+02'::TIMETZ AS t"
    table = DuckTable.open(sql=query, keys=["id"], folder=days)
    assert whole(table.batches(Scan(["b", "t"]))) == {"b": ["101"], "t": ["12:00:00+02"]}
    row = RowSQL(table.columns, table.title)
    hidden = row.read("bit_count(b) = 2 AND t = '12:00:00+02'::TIMETZ", "")
    (batch,) = table.batches(Scan(["b", "t"]))
    assert row.over(batch, {"x": hidden})["x"].to_pylist() == [True]


@pytest.mark.parametrize("ordered", [True, False])
def test_an_error_while_reading_names_the_place(ordered: bool, large: Path) -> None:
    query = "SELECT id, x, CAST(y AS INTEGER) AS y FROM 'large.parquet'"
    table = DuckTable.open(sql=query, keys=["id"], folder=large)
    places = {"x": "attribute.x", "y": "unspoken.toml:9 attribute.y"}
    with pytest.raises(InputError) as refused:
        table.batches(Scan(["x", "y"], ordered, places=places)).read_all()
    said = "unspoken.toml:9 attribute.y: Could not convert a text to INT32"
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_a_first_look(tmp_path: Path, days: Path) -> None:
    columns = {"flag": [True, None, True, False], "list": [[1], [2], [3], [4]]}
    pq.write_table(pa.concat_tables([pa.table({**DAYS, **columns})] * 5), tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "d.duckdb")) as con:
        con.execute(
            "CREATE TABLE t AS SELECT * REPLACE (CAST(day AS DATE) AS day, office::DECIMAL(4, 1)"
            f" AS office) FROM '{tmp_path}/t.parquet'"
        )
    office, day, arrival, kind, flag, other = DuckTable.open(
        "t", database="d.duckdb", folder=tmp_path
    ).describe()
    assert (office.kind, office.values) == ("number", (1.0, 2.0))
    days_there = ("2026-01-05", "2026-01-06")
    assert day == ColumnInfo("day", "date", 2, 0, (), days_there, months=("2026-01",) * 3)
    assert (arrival.kind, arrival.distinct, arrival.missing) == ("number", 3, 5)
    assert (arrival.quantiles[0], arrival.quantiles[-1], len(arrival.quantiles)) == (8.0, 11.25, 21)
    assert (kind.kind, kind.values) == ("text", ("a", "b", 'it\'s; "x"'))
    assert flag == ColumnInfo("flag", "boolean", 2, 5, (), (False, True))
    assert (other.kind, other.distinct, other.values) == ("other", 4, ())


def test_columns_are_computed_beside_others_or_in_their_place(days: Path) -> None:
    frame = pa.table({"a": [1, 2, 3], "b": ["x", "y", "y"]})
    given = DuckTable.open(frame)
    made = given.computed({"b": "upper(b)", 'c"d': "a > 1"}, "here")
    assert [*made.columns.items()][1:] == [("b", "VARCHAR"), ('c"d', "BOOLEAN")]
    rows = made.batches(Scan([*made.columns], ordered=False)).read_all()
    expected = {"a": [1, 2, 3], "b": ["X", "Y", "Y"], 'c"d': [False, True, True]}
    assert rows.to_pydict() == expected
    (described,) = made.describe(["b"])
    assert (described.name, described.distinct, described.values) == ("b", 2, ())
    assert given.batches(Scan(["b"], ordered=False)).read_all()["b"].to_pylist() == ["x", "y", "y"]
    with pytest.raises(InputError, match=r"^here: "):
        given.computed({"e": "sqrt('x')"}, "here").describe()


NUMBERS = [k * 37.25 for k in range(1, 60)]


def german(x: float, thousands: str) -> str:
    return f"{x:,.2f}".replace(",", "#").replace(".", ",").replace("#", thousands)


@pytest.mark.parametrize(
    "written",
    [
        [german(x, ".") for x in NUMBERS],
        [german(x, "") for x in NUMBERS],
        [f"{german(x, chr(0xA0))} \u20ac" for x in NUMBERS],
        [f"{german(x, chr(39))} CHF" for x in NUMBERS],
        [f"\u20ac {german(x, '.')}" for x in NUMBERS],
        [f"${x:,.2f}" for x in NUMBERS],
        [f"{x:.2f} EUR" for x in NUMBERS],
    ],
)
def test_text_that_writes_numbers_is_known_for_it(written: list[str]) -> None:
    (info,) = DuckTable.open(pa.table({"pay": [*written, None]})).describe()
    assert info.grouping is not None
    assert info.amounts
    made = DuckTable.open(pa.table({"pay": written})).computed({"pay": info.grouping.sql}, "here")
    held = made.batches(Scan(["pay"], ordered=False)).read_all()["pay"].to_pylist()
    assert held == pytest.approx(NUMBERS)
    assert info.grouping.quantiles[0] == pytest.approx(NUMBERS[0])
    assert info.grouping.quantiles[-1] == pytest.approx(NUMBERS[-1])


@pytest.mark.parametrize(
    "written",
    [
        [f"{k:05d}" for k in range(60)],  # postcodes
        [f"1.{k:03d}" for k in range(60)],  # chapters, or thousands: nothing says which
        [f"{k},{k}; {k}" for k in range(60)],
        [f"Room {k},5" for k in range(60)],
        [f"{k % 12 + 1}/{k},5" for k in range(60)],
        [*(f"{k},5" for k in range(60)), "unknown"],
    ],
)
def test_other_text_is_not_taken_for_numbers(written: list[str]) -> None:
    (info,) = DuckTable.open(pa.table({"code": written})).describe()
    assert not info.amounts


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ([f"{k},234" for k in range(1, 60)], 1234.0),
        ([f"0,{k:03d}" for k in range(1, 60)], 0.001),
        ([f"{k},25" for k in range(1, 60)], 1.25),
        ([f"{k}.234,5" for k in range(1, 60)], 1234.5),
        ([f"{k},234.5" for k in range(1, 60)], 1234.5),
    ],
)
def test_thousands_are_told_from_decimals(written: list[str], first: float) -> None:
    given = DuckTable.open(pa.table({"x": written}))
    (info,) = given.describe()
    assert info.grouping is not None
    made = given.computed({"x": info.grouping.sql}, "here")
    (held, *_) = made.batches(Scan(["x"], ordered=False)).read_all()["x"].to_pylist()
    assert held == pytest.approx(first)


def test_many_values_are_counted_not_listed(table: DuckTable) -> None:
    found = {column.name: column for column in table.describe()}
    assert (found["id"].distinct, found["id"].values) == (ROWS, ())
    assert found["x"].values == tuple(range(7))
    assert found["id"].quantiles[10] == pytest.approx((ROWS - 1) / 2)


def run(program: str, *arguments: object, path: Path | str | None = None, **env: str) -> Any:
    """What a new Python prints as JSON; it finds modules in ``path`` first."""
    found = os.pathsep.join(filter(None, [str(path or ""), os.environ.get("PYTHONPATH", "")]))
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env, "PYTHONPATH": found},
    )
    assert ended.returncode == 0, ended.stderr[-1500:]
    return json.loads(ended.stdout)


PEAK = """
import json, resource, sys
from pathlib import Path
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
table = DuckTable.open("t.parquet", keys=["id"], folder=Path(sys.argv[1]), memory="150MB")
rows = sum(batch.num_rows for batch in table.batches(Scan(list(table.columns))))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"rows": rows, "megabytes": peak}))
"""


@pytest.mark.slow
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
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.row_sql import RowSQL
folder = Path(sys.argv[1])
table = DuckTable.open("days.parquet", keys=["office", "day"], folder=folder)
table.describe(), table.count(), table.values("kind", 3, "")
row = RowSQL(table.columns, table.title)
late = row.read("arrival > 9", "")
for batch in table.batches(Scan(["office", "arrival"])): row.over(batch, {"x": late})
print(json.dumps(sorted({"pandas", "scipy"} & set(sys.modules))))
"""


@pytest.mark.slow
def test_pandas_is_not_imported_where_it_is_installed(days: Path, tmp_path: Path) -> None:
    (tmp_path / "site" / "pandas").mkdir(parents=True)
    (tmp_path / "site" / "pandas" / "__init__.py").write_text("__version__ = '3.0.0'")
    assert run(PANDAS, days, path=tmp_path / "site") == []


def test_a_key_is_the_same_text_however_a_csv_file_spells_it(tmp_path: Path) -> None:
    """DuckDB would push a cast to text into its CSV reader, and give the file's own text."""
    spelled = "day,hour,x\n2018-1-5,9:00:09,2018-2-3\n2018-11-05,10:00:09,2018-12-31\n"
    (tmp_path / "spelled.csv").write_text(spelled)
    duckdb.execute(f"COPY (FROM '{tmp_path}/spelled.csv') TO '{tmp_path}/spelled.parquet'")
    found = []
    for name in ("spelled.csv", "spelled.parquet"):
        table = DuckTable.open(name, keys=["day", "hour"], folder=tmp_path)
        (batch,) = table.batches(Scan(["day", "hour"], ordered=True))
        found.append(batch.to_pydict())
    assert found[0] == found[1]
    assert found[0] == {"day": ["2018-01-05", "2018-11-05"], "hour": ["09:00:09", "10:00:09"]}
