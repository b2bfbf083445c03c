"""Whether a function is constant is decided for each overload that DuckDB lists.

From 2.0.1 on DuckDB lists the overloads for types with a time zone as constant within a query only.
"""

from collections.abc import Sequence

import duckdb
import pytest

from unspoken.core.errors import InputError
from unspoken.tables.engines import functions
from unspoken.tables.engines.functions import is_constant, refuse_functions
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.session import embedded
from unspoken.tables.engines.syntax import nodes, parsed

WHERE = "unspoken.toml:10 attribute.x.sensitive"
COLUMNS = {
    "ts": "TIMESTAMP",
    "moment": "TIMESTAMP WITH TIME ZONE",
    "day": "DATE",
    "a": "INTEGER",
    "x": "DOUBLE",
}
CONSTANT = [
    "a + 1 > 2",
    "a - 1 > 2",
    "x * 2 - a / 3 > 1",
    "-a < 0",
    "hour(ts) >= 9",
    "hour(moment) >= 9",
    "year(ts) = 2024 AND month(moment) = 1",
    "extract(hour FROM ts) > 9",
    "ts.hour() > 9",
    "date_trunc('day', ts) = DATE '2024-01-02'",
    "dayname(moment) = 'Monday'",
    "strftime(ts, '%H') = '09'",
    "strftime(moment, '%H') = '09'",
    "ts::DATE = DATE '2024-01-02'",
    "ts + INTERVAL 1 DAY > TIMESTAMP '2024-01-05'",
    "moment - INTERVAL 1 DAY > TIMESTAMPTZ '2024-01-05 00:00:00+00'",
    "date_diff('day', ts, TIMESTAMP '2024-01-05') > 1",
    "age(ts, TIMESTAMP '2024-01-01') > INTERVAL 1 DAY",
    "time_bucket(INTERVAL 1 HOUR, moment) > TIMESTAMPTZ '2024-01-05 00:00:00+00'",
    "ts AT TIME ZONE 'Europe/Brussels' > moment",
    "last_day(day) = day",
    "len(range(a)) > 1",
]
CHANGING = [
    "a + random() > 2",
    "hour(now()) >= 9",
    "hour(ts + (now() - moment)) >= 9",
    "moment > get_current_timestamp()",
    "ts > current_localtimestamp() - INTERVAL 1 DAY",
    "day - current_date() > 2",
    "year(today()) = year(day)",
    "strftime(now(), '%H') = '09'",
    "age(now(), moment) > INTERVAL 1 DAY",
    "age(moment) > INTERVAL 1 DAY",
    "moment.age() > INTERVAL 1 DAY",
    "len(uuid()::VARCHAR) > a",
    "nextval('s') > a",
    "len(list_transform([a], lambda v: v + random())) > 0",
    "CASE WHEN a > 1 THEN random() > 0.5 ELSE TRUE END",
    "ago(INTERVAL 1 DAY) > moment",
    "x > epoch(now())",
    "hour(get_current_time()) > a",
]
ZONED = "TIMESTAMP WITH TIME ZONE"
# Some of what DuckDB 2.0.1 lists: name, stability, types of parameters, type of result.
OVERLOADS = [
    ("hour", "CONSISTENT", ["TIMESTAMP"], "BIGINT"),
    ("hour", "CONSISTENT_WITHIN_QUERY", [ZONED], "BIGINT"),
    ("hour", "CONSISTENT_WITHIN_QUERY", ["TIMESTAMPTZ_NS"], "BIGINT"),
    ("+", "CONSISTENT", ["INTEGER", "INTEGER"], "INTEGER"),
    ("+", "CONSISTENT_WITHIN_QUERY", [ZONED, "INTERVAL"], ZONED),
    ("timezone", "CONSISTENT_WITHIN_QUERY", ["VARCHAR", "TIMESTAMP"], ZONED),
    ("now", "CONSISTENT_WITHIN_QUERY", [], ZONED),
    ("today", "CONSISTENT_WITHIN_QUERY", [], "DATE"),
    ("getvariable", "CONSISTENT_WITHIN_QUERY", ["VARCHAR"], "ANY"),
    ("random", "VOLATILE", [], "DOUBLE"),
    ("drawn", "CONSISTENT", ["INTEGER"], "DOUBLE"),
    ("drawn", "VOLATILE", [ZONED], "DOUBLE"),
]


def listing(overloads: Sequence[tuple[str, str, list[str], str]]) -> dict[str, list[tuple]]:
    """As ``functions.FUNCTIONS`` selects them, by name."""
    named: dict[str, list[tuple]] = {}
    for name, stability, types, result in overloads:
        row = (name, "scalar", stability, None, [f"col{i}" for i in range(len(types))])
        named.setdefault(name, []).append((*row, types, result))
    return named


@pytest.mark.slow
@pytest.mark.parametrize("text", CONSTANT)
def test_constant_expressions_are_read(text: str) -> None:
    assert RowSQL(COLUMNS, "the table").read(text, WHERE, condition=True).type == "BOOLEAN"


@pytest.mark.parametrize("text", CHANGING)
def test_an_expression_with_a_clock_or_a_draw_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"can answer differently each time|its age today"):
        RowSQL(COLUMNS, "the table").read(text, WHERE, condition=True)


@pytest.mark.parametrize("name", sorted({name for name, *_ in OVERLOADS}))
def test_overloads_of_different_stability(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever version is installed: the list is the one of DuckDB 2.0.1."""
    monkeypatch.setattr(functions, "_built_in", lambda: listing(OVERLOADS))
    con = embedded()
    call = list(nodes(parsed(con, f'SELECT "{name}"(a, b)', WHERE)))
    if name in {"hour", "+", "timezone"}:
        refuse_functions(con, call, WHERE, of_rows=True)
    else:
        with pytest.raises(InputError, match="can answer differently each time"):
            refuse_functions(con, call, WHERE, of_rows=True)


@pytest.mark.slow
def test_functions_without_a_constant_overload_are_refused() -> None:
    query = (
        "SELECT function_name FROM duckdb_functions() WHERE function_type = 'scalar'"
        " GROUP BY ALL HAVING NOT bool_or(stability = 'CONSISTENT')"
    )
    con = embedded()
    with duckdb.connect() as listed:
        names = {name for (name,) in listed.execute(query).fetchall()}
    assert {"random", "now", "nextval", "uuid", "current_setting"} <= names
    for name in sorted(names):
        call = list(nodes(parsed(con, f'SELECT "{name}"()', WHERE)))
        with pytest.raises(InputError, match="can answer differently each time"):
            refuse_functions(con, call, WHERE, of_rows=True)


def test_only_types_with_a_time_zone_make_an_exception() -> None:
    within = "CONSISTENT_WITHIN_QUERY"
    assert is_constant("CONSISTENT", [], "DOUBLE")
    assert is_constant(within, ["VARCHAR", "TIMESTAMP"], ZONED)
    assert is_constant(within, [f"{ZONED}[]"], "BIGINT")
    assert not is_constant(within, ["VARCHAR"], "VARCHAR")
    assert not is_constant(within, [], ZONED)
    assert not is_constant("VOLATILE", [ZONED], ZONED)
    assert not is_constant("SOMETHING_NEW", [ZONED], ZONED)


@pytest.mark.parametrize("timezone", ["UTC", "Asia/Tokyo"])
def test_every_session_sets_what_moments_depend_on(timezone: str) -> None:
    query = "SELECT current_setting('TimeZone'), current_setting('Calendar')"
    assert embedded(timezone).execute(query).fetchall() == [(timezone, "gregorian")]
