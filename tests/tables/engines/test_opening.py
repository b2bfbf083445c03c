"""Sources of every kind open, whatever their names; everything else is refused in one line."""

import datetime
import gc
import glob
import gzip
import hashlib
import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from tests.tables.engines.conftest import DAYS, Write
from tests.tables.engines.test_duckdb import run
from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.row_sql import RowSQL

pytestmark = pytest.mark.slow

ODD = ["a[1]*?", 'we"ird; DROP TABLE x', "it's", "größe 東京", "-- x", "a,b", "%s", "select"]
KEYS = ("office", "day")


def all_of(table: DuckTable) -> list[dict]:
    rows: list[dict] = table.batches(Scan(list(table.columns))).read_all().to_pylist()
    return rows


def database(folder: Path) -> str:
    with duckdb.connect(str(folder / "b.duckdb")) as con:
        con.execute("CREATE TABLE rooms AS SELECT 1 AS id, 2.5 AS size")
        con.execute(
            'CREATE SCHEMA "o\'dd"; CREATE TABLE "o\'dd"."t;1" AS SELECT 7 AS id, 1 AS size'
        )
        con.execute("CREATE VIEW large AS SELECT * FROM rooms WHERE size > 2")
    return "b.duckdb"


def test_parquet_comes_sorted_by_its_keys(days: Path) -> None:
    table = DuckTable.open("days.parquet", keys=KEYS, folder=days)
    assert (table.count(), table.title, table.keys) == (4, "days.parquet", KEYS)
    assert [(row["office"], row["day"][-2:]) for row in all_of(table)] == [
        (1, "05"),
        (1, "06"),
        (2, "05"),
        (2, "06"),
    ]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.CSV", "t.tsv"])
def test_csv_is_typed_from_all_its_rows(name: str, tmp_path: Path) -> None:
    mark = "\t" if "tsv" in name else ","
    text = "\n".join([f"id{mark}x", *(f"{i}{mark}{i}" for i in range(30_000)), f"30000{mark}late"])
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    table = DuckTable.open(name, keys=["id"], folder=tmp_path)
    assert table.columns == {"id": "BIGINT", "x": "VARCHAR"}
    assert table.count() == 30_001


@pytest.mark.parametrize(
    ("name", "size"), [("rooms", 2.5), ("main.rooms", 2.5), ("large", 2.5), ("o'dd.t;1", 1)]
)
def test_a_table_of_a_database_is_read_and_left_alone(
    name: str, size: float, tmp_path: Path
) -> None:
    file = tmp_path / database(tmp_path)
    before = hashlib.sha256(file.read_bytes()).digest()
    table = DuckTable.open(name, database=file, keys=["id"], folder=tmp_path)
    assert float(all_of(table)[0]["size"]) == size
    table.close()
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.duckdb"]


@pytest.mark.parametrize("odd", ODD)
def test_odd_names_of_files_and_columns(odd: str, write: Write) -> None:
    folder = write(f"{odd}.parquet", {odd: [2, 1], "x": [3, 4]})
    write("a1bc.parquet", {odd: [9]})  # what a glob would find
    table = DuckTable.open(f"{odd}.parquet", keys=[odd], folder=folder)
    assert all_of(table) == [{odd: 1, "x": 4}, {odd: 2, "x": 3}]
    assert sorted(table.values(odd, 3, "").to_pylist()) == [1, 2]
    assert [column.name for column in table.describe()] == [odd, "x"]
    quoted = odd.replace("'", "''")
    query = f"SELECT * FROM '{quoted}.parquet'"
    assert DuckTable.open(sql=query, keys=[odd], folder=folder).count() == 2


@pytest.mark.parametrize("odd", [name for name in ODD if "/" not in name])
def test_odd_names_of_tables(odd: str, tmp_path: Path) -> None:
    name = odd.replace('"', '""')
    with duckdb.connect(str(tmp_path / f"{odd}.duckdb")) as con:
        con.execute(f'CREATE TABLE "{name}" AS SELECT 1 AS id')
    table = DuckTable.open(odd, database=f"{odd}.duckdb", keys=["id"], folder=tmp_path)
    assert all_of(table) == [{"id": 1}]


def test_sql_reads_files_by_name_and_tables_of_its_database(days: Path, write: Write) -> None:
    write("floors.parquet", {"office": [1, 2], "floor": [0, 3]})
    floors = "WITH f AS (FROM 'floors.parquet')"
    joined = f"{floors} SELECT * FROM 'days.parquet' JOIN f USING (office); -- all"
    table = DuckTable.open(sql=joined, keys=KEYS, folder=days)
    assert {row["floor"] for row in all_of(table)} == {0, 3}
    both = 'SELECT id, size FROM rooms UNION ALL SELECT id, size FROM "o\'dd"."t;1"'
    table = DuckTable.open(sql=both, database=database(days), keys=["id"], folder=days)
    assert [row["id"] for row in all_of(table)] == [1, 7]


def test_keys_have_one_type_each(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "k.duckdb")) as con:
        con.execute(
            "CREATE TABLE k AS SELECT 5::UTINYINT a, DATE '2026-01-05' b, 'x'::ENUM('x') c, 1 d"
        )
    table = DuckTable.open("k", database="k.duckdb", keys=["a", "b", "c"], folder=tmp_path)
    assert table.columns == {"a": "BIGINT", "b": "VARCHAR", "c": "VARCHAR", "d": "INTEGER"}
    stream = table.batches(Scan(list(table.keys)))
    assert [str(kind) for kind in stream.schema.types] == ["int64", "string", "string"]
    assert stream.read_all().to_pylist() == [{"a": 5, "b": "2026-01-05", "c": "x"}]
    row = RowSQL(table.columns, table.title)
    assert row.read("substr(b, 1, 7)", "epoch.of").type == "VARCHAR"


@pytest.mark.parametrize(
    ("columns", "keys", "said"),
    [
        (
            {"id": [1.0, 2.0]},
            ["id"],
            "keys: id of t.parquet is DOUBLE; a key is an integer, a text",
        ),
        ({"id": [1, None]}, ["id"], "keys: id is missing in 1 row of t.parquet"),
        ({"id": [1, 1, 2]}, ["id"], "keys: 2 rows of t.parquet have the same id; name"),
        (
            {"a": [1, 1], "b": ["x", "x"]},
            ["a", "b"],
            "rows of t.parquet have the same a, b;",
        ),
        ({"id": [True, False]}, ["id"], "id of t.parquet is BOOLEAN"),
        (
            {"id": [b"8", b"9"]},
            ["id"],
            'is BLOB; a key is an integer, a text, a date, a time or a timestamp. Write CAST("id"',
        ),
        ({"id": [[1], [2]]}, ["id"], "id of t.parquet is BIGINT[]"),
        (
            {"id": pa.array([2**64 - 1], pa.uint64())},
            ["id"],
            "no whole number of 64 bits with a sign",
        ),
        ({"offices": [1]}, ["office"], 'there is no "office". Did you mean "offices"?'),
        ({"id": []}, ["id"], "t.parquet has no rows"),
    ],
)
def test_rows_that_nothing_names_are_refused(
    columns: dict, keys: list[str], said: str, write: Write
) -> None:
    folder = write("t.parquet", columns)
    with pytest.raises(InputError) as refused:
        DuckTable.open("t.parquet", keys=keys, folder=folder, at="unspoken.toml:7 source.{}".format)
    assert str(refused.value).startswith("unspoken.toml:7 source.")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"table": "dais.parquet"}, 'there is no "dais.parquet". Did you mean "days.parquet"?'),
        ({"table": "notes.txt"}, 'cannot read "notes.txt"; give a .parquet or .csv'),
        ({"table": "broken.parquet"}, "too small to be a Parquet file"),
        ({"table": "t", "database": "days.parquet"}, "not a valid DuckDB database file"),
        ({"table": "t", "database": "none.duckdb"}, 'there is no "none.duckdb"'),
        ({"sql": "SELECT x x x"}, "syntax error"),
        ({"sql": "SELECT 1 AS a; SELECT 2 AS a"}, "2 statements"),
        ({"sql": "DROP TABLE x"}, "only one SELECT"),
        ({"sql": "SELECT x FROM 'days.parquet'"}, '"x"'),
        ({"sql": "SELECT random() AS a"}, "random() can answer differently each time"),
        ({"sql": "FROM 'days.parquet' USING SAMPLE 2"}, "a sample is another one every time"),
        ({"sql": "FROM rooms"}, 'there is no "rooms"'),
        ({}, "give either table or sql"),
    ],
)
def test_what_cannot_be_opened_is_one_line(given: dict, said: str, days: Path) -> None:
    (days / "notes.txt").write_text("x")
    (days / "broken.parquet").write_text("x")
    with pytest.raises(InputError) as refused:
        DuckTable.open(**given, folder=days)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_permission_denied_is_one_line(days: Path) -> None:
    (days / "days.parquet").chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        DuckTable.open("days.parquet", folder=days)


def test_preferences_stand_beside_the_rows(days: Path, write: Write) -> None:
    write("p.parquet", {"office": [1, 3], "late_is_secret": [True, False]})
    table = DuckTable.open("days.parquet", keys=KEYS, preferences="p.parquet", folder=days)
    assert [row["late_is_secret"] for row in all_of(table)] == [True, True, None, None]
    assert table.count() == len(DAYS["office"])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"office": [1, 1], "x": [1, 2]}, "2 rows of the preferences have the same office;"),
        ({"office": [1, None], "x": [1, 2]}, "office is missing in 1 row"),
        ({"room": [1], "x": [1]}, "has none of the keys office, day"),
        ({"office": ["1"], "x": [1]}, "office is VARCHAR here and BIGINT in the table"),
        ({"office": [1], "Arrival": [1]}, "Arrival is a column of the table too"),
    ],
)
def test_preferences_that_do_not_fit_are_refused(
    columns: dict, said: str, days: Path, write: Write
) -> None:
    write("p.parquet", columns)
    with pytest.raises(InputError, match=r"source\.preferences") as refused:
        DuckTable.open("days.parquet", keys=KEYS, preferences="p.parquet", folder=days)
    assert said in str(refused.value)


def test_it_leaves_nothing_behind(
    days: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    table = DuckTable.open("days.parquet", folder=days)
    (spill,) = glob.glob(str(tmp_path / "unspoken-*"))
    assert Path(spill).stat().st_mode & 0o077 == 0
    del table
    gc.collect()
    with pytest.raises(InputError):
        DuckTable.open("days.parquet", keys=["no"], folder=days)
    assert glob.glob(str(tmp_path / "unspoken-*")) == []


HOUR = """
import json, sys
from pathlib import Path
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.row_sql import RowSQL
query = "SELECT id, moment, hour(moment) AS hour FROM 't.parquet'"
table = DuckTable.open(sql=query, keys=["id"], folder=Path(sys.argv[1]))
row = RowSQL(table.columns, table.title)
late = row.read("hour(moment) = hour", "")
(batch,) = table.batches(Scan(["moment", "hour"]))
hours = [batch["hour"].to_pylist(), row.over(batch, {"x": late})["x"].to_pylist()]
print(json.dumps([hours, "pytz" in sys.modules]))
"""


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_what_a_row_says_does_not_depend_on_where_it_is_read(zone: str, write: Write) -> None:
    moments = [datetime.datetime(2026, 1, 5, hour, tzinfo=datetime.UTC) for hour in (0, 5, 23)]
    folder = write("t.parquet", {"id": [1, 2, 3], "moment": moments})
    assert run(HOUR, folder, TZ=zone) == [[[0, 5, 23], [True] * 3], False]


NOTEBOOK = """
import json, sys, types, builtins
notebook = types.ModuleType("IPython")
notebook.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["IPython"], builtins.get_ipython = notebook, notebook.get_ipython
from pathlib import Path
from unspoken.tables.engines.duckdb import DuckTable
print(json.dumps(DuckTable.open("days.parquet", folder=Path(sys.argv[1])).count()))
"""


def test_a_notebook_needs_nothing_to_draw_progress_with(days: Path) -> None:
    assert run(NOTEBOOK, days) == 4


def test_no_stream_reads_variables_of_the_program(days: Path) -> None:
    table = DuckTable.open("days.parquet", folder=days)
    for con in (table._home.con.cursor(), RowSQL(table.columns, "")._con):
        query = "SELECT current_setting('python_enable_replacements')"
        assert con.execute(query).fetchall() == [(False,)]
