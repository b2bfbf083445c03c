"""What `unspoken init` writes: it parses, whatever the table; and it is pleasant to read."""

import math
import tomllib

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from tests.tables.policy.cases import COLUMNS
from unspoken.core.errors import InputError
from unspoken.tables.column import Cell, ColumnInfo, Grouping, Kind
from unspoken.tables.engines.sql import literal, name_in_sql
from unspoken.tables.policy import Project, check_columns, starter
from unspoken.tables.policy.guesses import guess_keys, guess_unit, named_by
from unspoken.tables.round_edges import round_edges

pytestmark = pytest.mark.slow

OFFICES = (
    *COLUMNS,
    ColumnInfo("smoker", "boolean", 2, 0, (), (False, True)),
    ColumnInfo("photo", "other", 100, 0),
    ColumnInfo("country", "text", 1, 0, (), ("NL",)),
    ColumnInfo("remark", "text", 400, 0),
)


def test_the_starter_of_a_table_of_offices() -> None:
    text = starter(OFFICES, "occupancy.parquet", rows=30_000)
    project = Project.parse(text)
    check_columns(project, OFFICES)
    assert project.source.keys == ("office", "day")
    assert project.source.unit == ("office",)
    assert [*project.attributes] == [c.name for c in COLUMNS[2:]] + ["smoker"]
    assert project.attributes["first_arrival"].bins == (8, 9, 10)
    assert project.attributes["first_arrival"].missing == "value"
    assert project.attributes["exits"].bins == (2, 4, 7)
    assert project.attributes["day type"].values == ("feast", "work")
    assert project.reads == tuple(project.attributes)
    assert project.protected == ()
    assert (project.limits.odds_cap, project.limits.bits) == (4, math.inf)
    for name in ("photo", "country", "remark"):
        assert f'# "{name}" is left out: ' in text


def test_the_starter_is_pleasant() -> None:
    text = starter(OFFICES, "occupancy.parquet", rows=30_000)
    assert len(OFFICES) == 10
    assert len(text.splitlines()) <= 84
    assert max(map(len, text.splitlines())) <= 100
    assert "\n\n\n" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_eight_attributes_with_all_there_is_to_say_are_88_lines() -> None:
    columns = [ColumnInfo("person", "integer", 500, 0), ColumnInfo("day", "date", 250, 0)]
    columns += [ColumnInfo(f"x{n}", "number", 90, 5, (0, 10, 20, 30, 40)) for n in range(8)]
    text = starter(columns, "t.parquet", most=6**8)
    assert len(text.splitlines()) <= 88
    assert len(Project.parse(text).attributes) == 8


def test_every_example_of_a_predicate_can_be_uncommented() -> None:
    text = starter(OFFICES, "occupancy.parquet").replace("# sensitive = ", "sensitive = ")
    attributes = Project.parse(text).attributes
    assert attributes["first_arrival"].sensitive == "first_arrival >= 10"
    assert attributes["day type"].sensitive == "\"day type\" = 'work'"
    assert attributes["smoker"].sensitive == "smoker"


def test_a_table_of_a_database_and_keys_that_are_given() -> None:
    text = starter(COLUMNS, "staff", database="x.duckdb", keys=["exits", "day"])
    source = Project.parse(text).source
    assert (source.table, source.keys, source.unit) == ("staff", ("exits", "day"), ("exits",))
    assert source.database is not None


def test_where_no_column_looks_like_a_key_a_name_stands_to_be_replaced() -> None:
    columns = (ColumnInfo("row", "integer", 9, 0), ColumnInfo("age", "number", 9, 0, (1, 2, 9)))
    project = Project.parse(starter(columns[1:], "adult.csv"))
    assert project.source.keys == ("row",)
    with pytest.raises(InputError, match=r'source\.keys: no column "row" in adult\.csv'):
        check_columns(project, columns[1:])
    assert Project.parse(starter(columns[:1], "a.csv")).source.keys == ("row",)


@pytest.mark.parametrize(
    ("database", "keys", "query"),
    [
        (None, ("user",), "SELECT row_number() OVER () AS row_, * FROM 'it''s.csv'"),
        ("x.duckdb", ("user",), 'SELECT row_number() OVER () AS row_, * FROM "it\'s.csv"'),
    ],
)
def test_keys_that_are_doubted_come_with_a_way_out(
    database: str | None, keys: tuple[str, ...], query: str
) -> None:
    columns = (ColumnInfo("user", "integer", 5, 0), ColumnInfo("Row", "number", 9, 0, (1, 2, 9)))
    text = starter(columns, "it's.csv", database=database, rows=9, doubt="some are alike")
    assert Project.parse(text).source.keys == keys
    assert "# some are alike: name those that name each row" in text
    taken = [
        line.removeprefix("# ") if line.startswith(("# sql", "# keys")) else line
        for line in text.splitlines()
        if not line.startswith(("table =", "keys ="))
    ]
    source = Project.parse("\n".join(taken)).source
    assert (source.sql, source.keys, source.unit) == (query, ("user", "row_"), ("user",))
    assert "# sql" not in starter(columns, "it's.csv", database=database, rows=9)


def test_where_no_column_can_be_an_attribute_the_check_says_so() -> None:
    columns = (ColumnInfo("id", "integer", 9, 0), ColumnInfo("photo", "other", 9, 0))
    project = Project.parse(starter(columns, "t.csv"))
    with pytest.raises(InputError, match=r'attribute\.column: no column "column" in t\.csv'):
        check_columns(project, columns)


def test_a_release_that_is_read_again_is_not_written_over() -> None:
    assert Project.parse(starter(COLUMNS, "released.parquet")).files.release.name != (
        "released.parquet"
    )


def test_attributes_beyond_what_can_be_learned_are_left_out() -> None:
    columns = [ColumnInfo("id", "integer", 500, 0)]
    columns += [ColumnInfo(f"x{n}", "text", 20 if n < 9 else 2, 0) for n in range(10)]
    text = starter(columns, "t.parquet", most=10_000)
    assert [*Project.parse(text).attributes] == ["x0", "x1", "x9"]
    assert [*Project.parse(starter(columns, "t.csv", most=1000)).attributes] == ["x0", "x9"]
    assert '# "x8" is left out: with it over 10,000 combinations' in text


# ---------------------------------------------------------------- guesses


UNEVEN = (1.0, 200.0, 500.0, 1200.0, 3600.0)  # quantiles of numbers of which some are frequent


@pytest.mark.parametrize(
    ("name", "distinct", "quantiles", "named"),
    [
        ("venue", 3628, UNEVEN, True),
        ("category", 300, (1.0, 80.0, 160.0, 250.0, 430.0), True),
        ("x", 3590, UNEVEN, True),  # from 1 on, without a gap: nothing in the name says so
        ("x", 1800, UNEVEN, False),  # with gaps
        ("x", 3590, tuple(q + 7 for q in UNEVEN), False),  # from 8 on
        ("x", 30, (1.0, 8.0, 15.0, 23.0, 30.0), True),  # each about as often
        ("x", 21, (40.0, 45.0, 50.0, 55.0, 60.0), True),
        ("x", 20, (40.0, 45.0, 50.0, 54.0, 59.0), False),  # few enough to be listed
        ("x", 30, (1.0, 3.0, 5.0, 9.0, 30.0), False),  # most are small: amounts
        ("age", 73, (17.0, 28.0, 37.0, 48.0, 90.0), False),
        ("hour_of_week", 168, (1.0, 43.0, 85.0, 126.0, 168.0), False),
        ("category", 12, (1.0, 2.0, 3.0, 7.0, 12.0), False),  # few enough to be listed
    ],
)
def test_whole_numbers_that_name_things_get_no_bins(
    name: str, distinct: int, quantiles: tuple[float, ...], named: bool
) -> None:
    column = ColumnInfo(name, "integer", distinct, 0, quantiles=quantiles)
    assert bool(named_by(column, 100_000)) == named
    text = starter([column, ColumnInfo("late", "boolean", 2, 0)], "t.csv", rows=100_000)
    assert (name in Project.parse(text).attributes) != named


@pytest.mark.parametrize(
    ("names", "rows", "keys", "unit"),
    [
        ("id:90 age:50", 0, "id", "id"),
        ("age:50 PersonID:90 office:9", 90, "PersonID", "PersonID"),
        ("building:3 room:9 day:20 exits:15", 500, "building room day", "building room"),
        ("day:20 exits:15", 20, "day", "day"),
        ("user:50 location:90 split:3", 900, "user location", "user"),
        ("room:50 epoch:900 pir:31", 900, "room epoch", "room"),
        ("room:4 day_id:15 index:96", 0, "room day_id index", "room"),
        ("label:90 income:50", 90, "label", "label"),
        ("name:90 income:50", 90, "", ""),
        ("income:50 label:90", 90, "", ""),
        ("age:50 hours_per_week:40 education_num:16", 0, "", ""),
        ("Zählung:9 日:9", 0, "", ""),
    ],
)
def test_keys_are_guessed_by_name_and_number(names: str, rows: int, keys: str, unit: str) -> None:
    pairs = [name.split(":") for name in names.split()]
    columns = [ColumnInfo(name, "text", int(distinct), 0) for name, distinct in pairs]
    guess = guess_keys(columns, rows)
    assert guess == tuple(keys.split())
    assert guess_unit(columns, guess) == tuple(unit.split())


def test_how_many_people_is_no_name_of_anybody() -> None:
    names = ColumnInfo("people", "text", 61, 0)
    counts = [ColumnInfo(name, "integer", 61, 0) for name in ("people", "n_people")]
    assert guess_keys([ColumnInfo("room", "text", 4, 0), *counts]) == ("room",)
    assert not any(named_by(column, 5_760) for column in counts)
    assert guess_keys([names]) == ("people",)


@pytest.mark.parametrize(
    ("quantiles", "edges"),
    [
        ((5.1, 8.07, 8.93, 10.2, 14.4), [8, 9, 10]),
        ((0.0, 0.11, 0.33, 0.62, 1.0), [0.1, 0.3, 0.6]),
        (tuple(range(101)), [20, 50, 80]),
        ((0, 0, 0, 1, 5000), [1]),
        ((0, 0, 0, 0, 0, 2, 4.1, 6, 9), [2, 4, 6]),
        ((1, 10, 1000, 30_000, 1e6), [10, 1000, 30_000]),
        ((7, 7, 7), []),
        ((0, 1), []),
        ((), []),
        ((-3e-9, -2e-9, 0.0, 2e-9), [-2e-9, 0]),
        ((0, float("nan"), float("inf"), 4, 8), [4]),
    ],
)
def test_edges_are_near_quantiles_and_round(
    quantiles: tuple[float, ...], edges: list[float]
) -> None:
    assert round_edges(quantiles) == edges


NUMBERS = st.floats(allow_nan=True) | st.integers(-100, 100).map(float)


@given(st.lists(NUMBERS, max_size=12), st.booleans())
def test_edges_leave_no_outer_bin_empty(numbers: list[float], whole: bool) -> None:
    finite = sorted(n for n in numbers if abs(n) < float("inf"))
    edges = round_edges(numbers, whole)
    assert edges == sorted(set(edges))
    assert len(edges) <= 3
    assert all(finite[0] < edge <= finite[-1] for edge in edges)
    assert all(edge.is_integer() for edge in edges if whole and abs(edge) < 1e15)


# ---------------------------------------------------------------- whatever the table

KINDS: dict[Kind, st.SearchStrategy[Cell]] = {
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(),
    "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    "date": st.dates().map(str),
    "boolean": st.booleans(),
    "other": st.nothing(),
}
WORDS = [
    "id",
    "ID",
    "day",
    "office",
    "row",
    "column",
    "Row",
    "",
    " ",
    "a.b",
    'q"',
    "it's",
    "ä",
    "a\nb",
]
NAMES = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@st.composite
def columns_of_any_table(draw: st.DrawFn, sound: bool = False) -> ColumnInfo:
    """A column; a sound one says of its values what is true."""
    kind = draw(st.sampled_from([*KINDS]))
    values = draw(st.lists(KINDS[kind], max_size=4, unique=True)) if kind != "other" else []
    alike = len(values) if sound else draw(st.integers(0, 3))
    distinct = draw(st.just(alike) | st.integers(21, 99)) if sound else draw(st.integers(0, 99))
    quantiles = tuple(sorted(draw(st.lists(NUMBERS.filter(lambda n: n == n), max_size=6))))
    listed = tuple(values) if not sound or distinct == len(values) else ()
    missing = draw(st.sampled_from([0, 0, 3]))
    return ColumnInfo(draw(NAMES), kind, distinct, missing, quantiles, listed)


SOURCES = st.sampled_from(
    ["t.csv", "a b/it's.parquet", "C:\\t.CSV", "~/x.csv.gz", "released.parquet"]
)


@examples(200)
@given(st.lists(columns_of_any_table(), max_size=8), SOURCES, st.integers(0, 30))
def test_the_starter_always_parses(columns: list[ColumnInfo], source: str, rows: int) -> None:
    text = starter(columns, source, rows=rows)
    project = Project.parse(text)
    assert project.source.name == source
    Project.parse(text.replace("# sensitive = ", "sensitive = "))
    database = starter(columns, source, database="x.duckdb", keys=[c.name for c in columns[:1]])
    if not columns or columns[0].name.strip():
        assert Project.parse(database).source.table == source


@examples(200)
@given(st.lists(columns_of_any_table(sound=True), max_size=8, unique_by=lambda c: c.name))
def test_the_starter_fits_its_table(columns: list[ColumnInfo]) -> None:
    project = Project.parse(starter(columns, "t.csv"))
    if {*project.source.keys, *project.attributes} <= {column.name for column in columns}:
        check_columns(project, columns)


# ---------------------------------------------------------------- SQL


def test_every_word_of_the_engine_can_be_a_name() -> None:
    words = duckdb.execute("SELECT keyword_name FROM duckdb_keywords()").fetchall()
    names = [name_in_sql(word) for (word,) in words]
    assert {"day", "month", "office"} & {*names} == {"day", "month"}
    for name in names:
        query = f"SELECT * FROM (SELECT 1 AS {name}) {name} WHERE {name} > 0"
        assert duckdb.execute(query).fetchall() == [(1,)]


@given(NAMES.filter(lambda name: name and "\0" not in name), KINDS["text"])
def test_names_and_texts_are_quoted_as_sql_wants_them(name: str, text: str) -> None:
    plain = text.replace("\0", "")
    query = f"SELECT {name_in_sql(name)} = {literal(plain)} FROM (SELECT ? AS {name_in_sql(name)})"
    assert duckdb.execute(query, [plain]).fetchall() == [(True,)]


def test_what_is_commented_out_is_so_whole() -> None:
    """A list of attributes that takes several lines, beside one that has too many values."""
    wide = [ColumnInfo(f"an attribute of a long name {k}", "boolean", 2, 0) for k in range(5)]
    grouping = Grouping("left(town, 1)", "the first letter", 9)
    towns = ColumnInfo("town", "text", 60, 0, grouping=grouping)
    text = starter([ColumnInfo("id", "integer", 100, 0), *wide, towns], "t.parquet", rows=100)
    assert "# ]" in text
    assert Project.parse(text).reads == tuple(column.name for column in wide)


def test_contexts_are_proposed_from_the_keys() -> None:
    columns = [
        ColumnInfo("site", "text", 3, 0, (), ("a", "b", "c")),
        ColumnInfo("Weekday", "integer", 7, 0, (), tuple(range(7))),
        ColumnInfo("moment", "time", 40_000, 0),
        ColumnInfo("x", "text", 2, 0, (), ("p", "q")),
    ]
    keys = ["site", "moment"]
    text = starter(columns, "t.parquet", keys=keys, rows=20_000)
    project = Project.parse(text)
    assert {name: context.of for name, context in project.contexts.items()} == {
        "site": "site",
        "weekday_of_moment": "dayname(moment)",  # a column has the name
    }
    assert '# month = { of = "month(moment)" }\n# hour = { of = "hour(moment)" }\n' in text
    few = starter(columns, "t.parquet", keys=keys, rows=900)
    assert Project.parse(few).contexts == {}
    assert '# site = { of = "site" }\n' in few
    days = [ColumnInfo("day", "date", 250, 0), ColumnInfo("x", "text", 2, 0, (), ("p", "q"))]
    dated = Project.parse(starter(days, "t.parquet", keys=["day"], rows=10_000))
    assert dated.contexts["weekday"].of == "dayname(day::DATE)"
    assert "context" not in starter(days[1:], "t.parquet", rows=10_000)


def test_epochs_and_a_history_are_proposed_by_the_key_that_is_a_time() -> None:
    columns = [
        ColumnInfo("Date", "date", 10, 0, months=("2025-02", "2025-03", "2025-03")),
        ColumnInfo("hour", "integer", 24, 0),
        ColumnInfo("count", "integer", 3, 0, values=(0, 1, 2)),
    ]
    text = starter(columns, "rooms.csv", keys=["Date", "hour"], rows=240)
    of, before = (
        tomllib.loads(line.removeprefix("# "))
        for line in text.splitlines()
        if line.startswith(("# of =", "# history ="))
    )
    assert of == {"of": "strftime(\"Date\"::DATE, '%Y-%m')"}
    assert before == {"history": "strftime(\"Date\"::DATE, '%Y-%m') < '2025-03'"}


def test_days_of_one_month_make_no_epochs_of_months() -> None:
    columns = [
        ColumnInfo("Date", "date", 10, 0, months=("2025-03",) * 3),
        ColumnInfo("n", "integer", 3, 0),
    ]
    text = starter(columns, "rooms.csv", keys=["Date"], rows=20_000)
    assert "# of =" not in text
    assert "month" not in text
    assert "weekday" in text
