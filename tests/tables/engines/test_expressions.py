"""SQL of the holder's: one value of one row, the same each time, and nothing but that."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tests.tables.engines.conftest import Write
from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression, column_of

pytestmark = pytest.mark.slow

WHERE = "unspoken.toml:14 attribute.arrival.sensitive"

SOUND = {
    "arrival > 10.5": {"arrival"},
    "ARRIVAL > 10.5 -- late": {"arrival"},
    "arrival IS NULL OR arrival BETWEEN 1 AND 2": {"arrival"},
    "kind IN ('a', NULL) AND office % 2 = 1": {"kind", "office"},
    "kind LIKE 'a%' OR kind ~ 'x;'": {"kind"},
    "CASE WHEN office = 1 THEN arrival > 9 END": {"office", "arrival"},
    "try_cast(kind AS DOUBLE) > 1": {"kind"},
    "len(list_filter([office], lambda o: o > 1)) = 1": {"office"},
    "split_part(day, '-', 1) = '2026'": {"day"},
    "coalesce(nullif(kind, 'a'), 'b') = ';'": {"kind"},
    "kind.upper() = 'A'": {"kind"},
    "office.abs() + list_sum([office.abs()]) > 1": {"office"},
    "len(list_filter([office], lambda kind: kind > 1)) = 1 AND kind = 'a'": {"office", "kind"},
    "age(DATE '2026-02-01', day::DATE) > INTERVAL 9 DAY": {"day"},
    "TRUE": set(),
    "NULL": set(),
}
REFUSED = {
    "": "is empty",
    "arival > 9": 'column of days.parquet: there is no "arival". Did you mean "arrival"?',
    "nothing(arrival)": "Function with name nothing does not exist",
    "arrival >": "check the SQL",
    "arrival": "gives DOUBLE; a condition is true or false",
    "arrival > 1 AS late": "check the SQL",
    "arrival > 1, office": "must be one SQL expression",
    "arrival > 1) OR (TRUE": "check the SQL",
    "TRUE) FROM unspoken.rows; COPY unspoken.rows TO 'x.csv' --": "check the SQL",
    "TRUE; DROP VIEW unspoken.rows": "only one SELECT, or one expression of one",
    "TRUE FROM unspoken.rows": "check the SQL",
    "arrival > (SELECT avg(arrival) FROM unspoken.rows)": "has a subquery, but reads one row only",
    "EXISTS (FROM 'other.parquet')": "has a subquery",
    "arrival > avg(arrival)": "avg() gives no value of one row",
    "row_number() OVER () = 1": "has a window",
    "arrival > ?": "has a parameter",
    "COLUMNS(*) > 1": "has a *",
    "random() > 0.5": "random() can answer differently each time",
    'main."RANDOM"() > 0.5': "random() can answer differently each time",
    "day < CAST(now() AS VARCHAR)": "now() can answer differently each time",
    "day < current_date": 'there is no "current_date"',
    "ago(INTERVAL 1 DAY) > TIMESTAMP '2026-01-01'": "ago() can answer differently each time",
    "age(day::DATE) > INTERVAL 9 DAY": "age() of one date is its age today",
    "Main.Age(day::TIMESTAMP) > INTERVAL 9 DAY": "age() of one date is its age today",
    "day.age() IS NULL": "age() of one date is its age today",
    "pg_sleep(1) IS NULL": "can answer differently each time",
    "getvariable('x')": "can answer differently each time",
    "current_setting('threads') > 1": "can answer differently each time",
    "unnest([TRUE])": "unnest() gives no value of one row",
    "read_text('days.parquet')": "read_text() gives no value of one row",
    "other.arrival > 1": 'there is no "other"',
    "arrival > 1 ORDER BY 1": "check the SQL",
    "DISTINCT arrival > 1": "check the SQL",
}


HINTS = {  # over columns of names that are no words
    "krank? = 'ja'": 'names like this stand in double quotes: "krank?"',
    "Personal-Nr. > 3 AND": 'names like this stand in double quotes: "Personal-Nr."',
    '"krank?" = "ja"': "a value that is text stands in single quotes: 'ja'",
    '"krank?" IN ("ja", \'nein\')': "a value that is text stands in single quotes: 'ja'",
}
NO_HINTS = ["krank > 3", "'x' = plz AND krank > 3", "\"krank\" = 'ja'", '"krank?" > ', "ja"]


@pytest.mark.parametrize("text", [*HINTS, *NO_HINTS])
def test_quotes_that_are_missing_or_others_are_said(text: str) -> None:
    columns = {"krank?": "VARCHAR", "Personal-Nr.": "VARCHAR", "plz": "VARCHAR"}
    with pytest.raises(InputError) as refused:
        RowSQL(columns, "t.csv").read(text, WHERE, condition=True)
    said = str(refused.value)
    assert HINTS.get(text, "quotes") in said if text in HINTS else "quotes" not in said
    assert "\n" not in said


@pytest.fixture
def table(days: Path) -> DuckTable:
    return DuckTable.open("days.parquet", keys=["office", "day"], folder=days)


@pytest.fixture
def row(table: DuckTable) -> RowSQL:
    return RowSQL(table.columns, table.title)


def over(table: DuckTable, row: RowSQL, found: Expression) -> list[Any]:
    """Its value in every row."""
    rows: list[Any] = []
    for batch in table.batches(Scan(list(table.columns))):
        rows += row.over(batch, {"x": found})["x"].to_pylist()
    return rows


@pytest.mark.parametrize("text", SOUND)
def test_an_expression_over_the_row(text: str, table: DuckTable, row: RowSQL) -> None:
    found = row.read(text, WHERE, condition=True)
    assert set(found.columns) == SOUND[text]
    values = over(table, row, found)
    expected = duckdb.from_arrow(table.batches(Scan(list(table.columns))).read_all()).project(
        found.sql
    )
    assert values == [value for (value,) in expected.fetchall()]


@pytest.mark.parametrize("text", REFUSED)
def test_anything_else_is_refused_in_one_line(text: str, row: RowSQL) -> None:
    with pytest.raises(InputError) as refused:
        row.read(text, WHERE, condition=True)
    assert re.match(re.escape(WHERE), str(refused.value))
    assert REFUSED[text] in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_column_that_is_called_like_our_view(write: Write) -> None:
    """A dot behind it goes to its own field, and never to another column of the row."""
    folder = write("t.parquet", {"id": [1, 2], "rows": [{"x": 5}, {"x": 6}], "x": [7, 8]})
    table = DuckTable.open("t.parquet", keys=["id"], folder=folder)
    row = RowSQL(table.columns, table.title)
    found = row.read("rows.x", WHERE)
    assert found.columns == ("rows",)
    assert over(table, row, found) == [5, 6]
    folder = write("u.parquet", {"rows": [1, 2], "unspoken": [1, 2], "memory": [1, 2], "x": [7, 8]})
    table = DuckTable.open("u.parquet", keys=["rows"], folder=folder)
    for text in ("rows.x", "unspoken.rows.x", "memory.unspoken.rows.x"):
        with pytest.raises(InputError, match=WHERE):
            RowSQL(table.columns, table.title).read(text, WHERE)


def test_an_expression_has_a_type(row: RowSQL) -> None:
    assert row.read("substr(day, 1, 7)", "epoch.of").type == "VARCHAR"
    assert row.read("substr(day, 1, 7)", "epoch.of").columns == ("day",)
    assert row.read("office + 1", "x").type == "BIGINT"


def test_what_fails_in_a_row_says_whose_it_is(table: DuckTable, row: RowSQL) -> None:
    sound, broken = row.read("office", ""), row.read("CAST(day AS INTEGER)", "")
    (batch,) = table.batches(Scan(["office", "day"]))
    with pytest.raises(InputError, match=r"^attribute.b: Could not convert a text to"):
        row.over(batch, {"a": sound, "b": broken}, {"a": "attribute.a", "b": "attribute.b"})


FORBIDDEN = [
    "COPY (SELECT 1) TO '{folder}/stolen.csv'",
    "SELECT * FROM read_csv('{folder}/other.csv')",
    "SELECT * FROM '{folder}/other.csv'",
    "SELECT * FROM read_text('{folder}/other.csv')",
    "SELECT * FROM glob('{folder}/*')",
    "ATTACH '{folder}/new.duckdb'",
    "INSTALL httpfs",
    "LOAD '{folder}/x.duckdb_extension'",
    "SET enable_external_access = true",
    "SET allowed_paths = ['{folder}/other.csv']",
    "SET temp_directory = '{folder}'",
    "EXPORT DATABASE '{folder}/all'",
    "INSERT INTO base.main.rooms VALUES (1)",
    "DROP TABLE base.main.rooms",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_even_the_engine_itself_cannot_write_or_reach_other_files(
    statement: str, days: Path
) -> None:
    (days / "other.csv").write_text("secret\n42\n")
    with duckdb.connect(str(days / "b.duckdb")) as con:
        con.execute("CREATE TABLE rooms AS SELECT 1 AS id")
    before = {path.name: path.read_bytes() for path in days.iterdir()}
    text = "SELECT r.id FROM rooms r"
    table = DuckTable.open(sql=text, database="b.duckdb", keys=["id"], folder=days)
    plain = DuckTable.open("days.parquet", folder=days)
    for con in (table._home.con, plain._home.con, RowSQL(plain.columns, "")._con):
        with pytest.raises(duckdb.Error):
            con.execute(statement.format(folder=days)).fetchall()
    assert {path.name: path.read_bytes() for path in days.iterdir()} == before


@pytest.mark.parametrize(
    "query",
    [
        "FROM read_csv('other.csv')",
        "SELECT * FROM 'days.parquet', read_text('other.csv')",
        "SELECT (SELECT content FROM read_text('other.csv')) AS office",
    ],
)
def test_a_query_reads_the_files_it_names_and_no_others(query: str, days: Path) -> None:
    (days / "other.csv").write_text("office\n42\n")
    with pytest.raises(InputError, match="only files named after FROM") as refused:
        DuckTable.open(sql=query, folder=days)
    assert str(refused.value).startswith("source.sql: ")


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT 1) TO 'days.parquet' (USE_TMP_FILE false)",
        "FROM 'days.parquet'; COPY (SELECT 1) TO 'days.parquet'",
        "FROM query('COPY (SELECT 1) TO ''days.parquet'' ')",
        "WITH x AS (COPY (SELECT 1) TO 'days.parquet') FROM 'days.parquet'",
        "INSERT INTO 'days.parquet' VALUES (1)",
        "SELECT write_log('x')",
    ],
)
def test_a_query_cannot_write(query: str, days: Path) -> None:
    before = {path.name: path.read_bytes() for path in days.iterdir()}
    with pytest.raises(InputError, match=r"^source\.sql: "):
        DuckTable.open(sql=query, folder=days)
    assert {path.name: path.read_bytes() for path in days.iterdir()} == before


def test_python_variables_are_no_tables(days: Path, write: Write) -> None:
    hidden = duckdb.values([1])
    with pytest.raises(InputError, match='there is no "hidden"'):
        DuckTable.open(sql="FROM hidden", folder=days)
    assert hidden.fetchall() == [(1,)]


def test_a_function_that_takes_no_text_is_told_the_way() -> None:
    """Keys that are days are text to whoever asks; functions of days want them as such."""
    row = RowSQL({"day": "VARCHAR", "n": "INTEGER"}, "t.csv")
    with pytest.raises(InputError) as wrong:
        row.read("dayname(day)", "query: GROUP BY")
    way = "'dayname(VARCHAR)'; day is text here, so CAST it, as in day::DATE"
    assert str(wrong.value).endswith(way)
    assert row.read("dayname(day::DATE)", "query: GROUP BY").type == "VARCHAR"
    with pytest.raises(InputError, match="Candidate functions"):
        row.read("dayname(n)", "query: GROUP BY")


@pytest.mark.parametrize(
    ("asked", "found"), [("a", "a"), ("A_1", "A_1"), ("a_1", "A_1"), ("B", "b")]
)
def test_columns_that_differ_in_case_are_told_apart(asked: str, found: str) -> None:
    """DuckDB names the second of a and A otherwise, and reads the first where that is asked for."""
    columns = duckdb.from_arrow(pa.table({"a": [1], "A": [2], "b": [3]})).columns
    assert column_of(asked, columns, "keys") == found
    with pytest.raises(InputError, match='"A" may be "a" or "A_1"'):
        column_of("A", columns, "keys")
