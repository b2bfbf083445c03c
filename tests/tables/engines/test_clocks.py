"""No clock, draw or setting gets into what is read, however it is spelled or hidden."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.functions import STEADY
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import read_query

# Whatever DuckDB answers differently at another time, in another session or in another version.
CHANGING = """
now(); today(); current_date; current_date(); current_time; current_timestamp;
get_current_time(); get_current_timestamp(); transaction_timestamp(); localtime;
localtimestamp; current_localtime(); current_localtimestamp(); ago(INTERVAL 1 DAY);
age(DATE '2026-01-01'); pg_conf_load_time(); pg_postmaster_start_time(); random(); uuid();
gen_random_uuid(); uuidv4(); uuidv7(); setseed(0.5); nextval('s'); currval('s'); version();
current_setting('threads'); getvariable('x'); current_query(); current_query_id();
current_connection_id(); current_transaction_id(); txid_current(); current_database();
current_schema(); current_schemas(TRUE); current_catalog; in_search_path('a','b'); stats(1);
vector_type(1); write_log('x'); pg_sleep(0); sleep_ms(1); getenv('HOME'); main."RANDOM"();
"current_localtimestamp"(); get_block_size('memory')
"""
WHERE = "unspoken.toml:10 epoch.of"
DAY = {"day": "VARCHAR", "office": "BIGINT", "x": "DOUBLE"}


@pytest.mark.slow
@pytest.mark.parametrize("spelled", [text.strip() for text in CHANGING.split(";")])
def test_no_clock_anywhere(spelled: str, days: Path) -> None:
    row = RowSQL(DAY, "the table")
    for text, steady in (
        (f"day || CAST({spelled} AS VARCHAR)", True),
        (f"{spelled} IS NULL", False),
    ):
        with pytest.raises(InputError, match=re.escape(WHERE)) as refused:
            row.read(text, WHERE, steady=steady)
        assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match=r"^source\.sql") as refused:
        DuckTable.open(sql=f"SELECT {spelled} AS id", folder=days)
    assert "\n" not in str(refused.value)


MONTHS = [
    "substr(day, 1, 7)",
    "day[1:7] || '-' || office",
    "strftime(CAST(day AS DATE), '%Y-%m')",
    "date_trunc('quarter', day::DATE)",
    "extract(year FROM day::DATE) * 12 + month(day::DATE)",
    "CASE WHEN day < '2026' THEN 'old' WHEN day LIKE '2026-01%' THEN 'first' ELSE 'new' END",
    "day::DATE - INTERVAL 5 DAY",
    "regexp_extract(day, '^[0-9]+')",
    "coalesce(nullif(office // 100, 3), 0)",
    "strptime(day, '%Y-%m-%d') AT TIME ZONE 'Europe/Brussels'",
    "day.substr(1, 4)",
    "if(office IN (1, 2), 'a', 'b')",
]


@pytest.mark.parametrize("text", MONTHS)
def test_what_names_an_epoch(text: str) -> None:
    assert RowSQL(DAY, "the table").read(text, WHERE, steady=True).columns


@pytest.mark.parametrize(
    "text",
    ["md5(day)", "hash(office)", "len(list_filter([office], lambda o: o > 1))", "{'a': day}",
     "day ~ 'x' OR typeof(day) = 'x'", "avg(office)", "office > (SELECT 1)"],
)  # fmt: skip
def test_what_is_not_listed_names_none(text: str) -> None:
    with pytest.raises(InputError, match=re.escape(WHERE)):
        RowSQL(DAY, "the table").read(text, WHERE, steady=True)


def test_every_listed_function_is_there_and_in_the_docs() -> None:
    page = Path("docs/project-file.md").read_text("utf-8")
    with duckdb.connect() as con:
        query = "SELECT DISTINCT function_name FROM duckdb_functions()"
        known = {name for (name,) in con.execute(query).fetchall()}
    for names in STEADY.values():
        assert set(names.split()) <= known
        assert f"`{names}`" in page


VIEWS = {
    "plain": ("SELECT * FROM t", ""),
    "named": ("WITH u AS (SELECT * FROM t) SELECT u.id FROM u", ""),
    "draws": ("SELECT id, random() AS x FROM t", "random() can answer"),
    "below": ("SELECT id FROM draws", "view draws of b.duckdb: random() can answer"),
    "bare": ("SELECT id, current_date AS x FROM t", "current_date can answer"),
    "macro": ("SELECT id, drawn(id) AS x FROM t", "drawn(): random() can answer"),
    "rows": ("SELECT * FROM clocks(3)", "clocks(): now() can answer"),
    "text": ("SELECT * FROM query('SELECT random() AS id')", "query() is no table"),
    "settings": ("SELECT * FROM duckdb_settings()", "duckdb_settings() is no table"),
    "catalog": ("SELECT * FROM pg_catalog.pg_settings", "reads pg_settings, which is no table"),
    "sample": ("SELECT * FROM t USING SAMPLE 1", "a sample is another one every time"),
}


@pytest.fixture
def views(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "b.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS id, 2 AS y")
        con.execute("CREATE MACRO drawn(a) AS a + random()")
        con.execute("CREATE MACRO clocks(a) AS TABLE SELECT a AS id, now() AS x")
        for name, (query, _) in VIEWS.items():
            con.execute(f"CREATE VIEW {name} AS {query}")
        con.execute('CREATE VIEW "it\'s (x) AS y" (id, "a""b") AS SELECT id, y FROM main.t')
    return tmp_path


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_may_have_what_a_query_may(name: str, views: Path) -> None:
    said = VIEWS[name][1]
    given: tuple[dict[str, Any], ...] = (
        {"table": name},
        {"sql": f"SELECT * FROM t JOIN {name} v USING (id)"},
    )
    for source in given:
        if not said:
            assert DuckTable.open(**source, database="b.duckdb", folder=views).count() == 1
            continue
        with pytest.raises(InputError, match=r"^source\.(table|sql), view ") as refused:
            DuckTable.open(**source, database="b.duckdb", folder=views)
        assert said in str(refused.value)


@pytest.mark.parametrize("clock", ["now()", "current_localtimestamp()", "drawn(id)"])
def test_a_generated_column_may_have_what_a_query_may(clock: str, tmp_path: Path) -> None:
    """It is made anew whenever it is read: as a key it would give fresh coins each time."""
    with duckdb.connect(str(tmp_path / "b.duckdb")) as con:
        con.execute("CREATE MACRO drawn(a) AS a + random()")
        con.execute(f"CREATE TABLE t (id INT, day VARCHAR AS (CAST({clock} AS VARCHAR)))")
        con.execute("CREATE TABLE u (id INT, twice INT AS (2 * id))")
        con.execute("INSERT INTO t VALUES (1); INSERT INTO u VALUES (1)")
        con.execute("CREATE VIEW v AS FROM t; CREATE VIEW w AS FROM u")
    for name in ("t", "v"):
        with pytest.raises(InputError, match=r"column day of t in b\.duckdb.*can answer diff"):
            DuckTable.open(name, database="b.duckdb", folder=tmp_path)
    for name in ("u", "w"):
        table = DuckTable.open(name, database="b.duckdb", folder=tmp_path)
        assert list(table.columns) == ["id", "twice"]


def test_a_function_over_a_window_is_a_function() -> None:
    query = "SELECT reservoir_quantile(x, 0.5) OVER () FROM t"
    with duckdb.connect() as con, pytest.raises(InputError, match=r"reservoir_quantile\(\) can"):
        read_query(con, query, "source.sql")


def test_a_view_of_an_odd_name_is_read(views: Path) -> None:
    table = DuckTable.open("it's (x) AS y", database="b.duckdb", folder=views)
    assert list(table.columns) == ["id", 'a"b']


@pytest.mark.parametrize("query", ["FROM base.main.clocks(3)", "SELECT base.main.drawn(id) FROM t"])
def test_a_macro_may_have_what_a_query_may(query: str, views: Path) -> None:
    with pytest.raises(InputError, match="can answer differently each time"):
        DuckTable.open(sql=query, database="b.duckdb", folder=views)


def test_a_column_that_is_called_like_a_clock(views: Path) -> None:
    query = "SELECT t.current_date AS id FROM (SELECT y AS current_date FROM t) t"
    assert DuckTable.open(sql=query, database="b.duckdb", folder=views).count() == 1
