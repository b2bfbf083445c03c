"""Which functions the holder's SQL may call: what answers the same whenever it is asked.

Queries and predicates may call what DuckDB calls consistent, but for a few that are not. The name
of an epoch decides which coin a cell has, so it may call only what is listed here by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import duckdb

from unspoken.core.errors import InputError
from unspoken.tables.engines.syntax import Node, calls, lambda_names, nodes, parsed, reworded

__all__ = ["STEADY", "is_constant", "refuse_bare_clocks", "refuse_functions", "refuse_unsteady"]

CHANGES = "can answer differently each time; leave it out"
# DuckDB calls these consistent. Two are clocks, one is another after an upgrade, one draws.
INCONSTANT = frozenset(
    {"current_localtime", "current_localtimestamp", "reservoir_quantile", "version"}
)
# Names without brackets that are a clock or a setting wherever no column has them.
BARE_CLOCKS = frozenset(
    {
        "current_catalog",
        "current_date",
        "current_schema",
        "current_time",
        "current_timestamp",
        "localtime",
        "localtimestamp",
    }
)
# Rows from arguments alone. Any other table function reads files, settings or another query.
ROWS_OF_ARGUMENTS = frozenset(
    {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
)
# A function of each kind that is called in a row, and none that has a clock, a draw or a setting.
STEADY = {
    "arithmetic": "+ - * / // % ** ^ abs sign ceil ceiling floor round trunc mod pow power sqrt "
    "greatest least",
    "text": "|| ~~ !~~ ~~* !~~* substr substring left right concat concat_ws lower upper lcase "
    "ucase length len trim ltrim rtrim lpad rpad replace reverse split_part strpos instr position "
    "starts_with ends_with prefix suffix contains regexp_extract regexp_matches regexp_full_match "
    "regexp_replace array_extract array_slice",
    "time": "year isoyear quarter month week weekofyear yearweek day dayofmonth dayofweek "
    "dayofyear isodow weekday hour minute second decade century era monthname dayname last_day "
    "date_part datepart date_trunc datetrunc date_diff datediff date_add date_sub datesub "
    "time_bucket strftime strptime try_strptime make_date make_time make_timestamp timezone "
    "to_years to_months to_weeks to_days to_hours to_minutes to_seconds",
    "choice": "if nullif",
}
STEADY_NAMES = frozenset(" ".join(STEADY.values()).split())
# How DuckDB names types that have a time zone.
ZONED_TYPES = ("WITH TIME ZONE", "TIMESTAMPTZ")
FUNCTIONS = (
    "SELECT function_name, function_type, stability, macro_definition, parameters,"
    " parameter_types, return_type FROM duckdb_functions()"
)

Function: TypeAlias = tuple[Any, ...]  # what FUNCTIONS selects of one


def refuse_unsteady(parts: Iterable[Node], where: str) -> None:
    """Refuse what is not among the functions that may name an epoch, or a context, or be asked."""
    for name in sorted({call["function_name"].lower() for call in calls(parts)} - STEADY_NAMES):
        raise InputError(
            f"{where}: calls {name}(), which is not for here; it takes arithmetic, "
            "comparisons, CASE, CAST and functions of text and dates such as substr, "
            "regexp_extract, year, date_trunc and strftime (docs/project-file.md lists them)"
        )


def refuse_functions(
    con: duckdb.DuckDBPyConnection, parts: Iterable[Node], where: str, *, of_rows: bool
) -> None:
    """Refuse functions that answer differently each time and, in expressions, those over rows."""
    parts = list(parts)
    arguments = [(call["function_name"].lower(), len(call["arguments"])) for call in calls(parts)]
    names = sorted({name for name, _ in arguments})
    tables = {
        part["function"]["function_name"].lower()
        for part in parts
        if part.get("type") == "TABLE_FUNCTION"
    } - ROWS_OF_ARGUMENTS
    if any(name == "age" and count < 2 for name, count in arguments):  # DuckDB: "consistent"
        raise InputError(f"{where}: age() of one date is its age today; write age(later, earlier)")
    for name in (name for name in names if name in INCONSTANT):
        raise InputError(f"{where}: {name}() {CHANGES}")
    with reworded(where):
        known = _known(con, names)
    for name in names:
        kinds = {kind for known_name, kind, *_ in known if known_name.lower() == name}
        if of_rows and kinds and not kinds & {"scalar", "macro"}:
            raise InputError(
                f"{where}: {name}() gives no value of one row; put it into [source] sql"
            )
        if name in tables and kinds and "table_macro" not in kinds:
            raise InputError(
                f"{where}: {name}() is no table of the source; only files named after FROM, as in "
                "FROM 'x.parquet', can be read"
            )
    for name, kind, stability, definition, parameters, *signature in known:
        if kind == "scalar" and not is_constant(stability, *signature):
            raise InputError(f"{where}: {name}() {CHANGES}")
        if definition and (kind == "macro" or name.lower() in tables):
            _refuse_macro(con, kind, definition, parameters, f"{where}, {name}()", of_rows)


def is_constant(stability: str, parameter_types: Sequence[str], return_type: str) -> bool:
    """Whether an overload of a function gives the same result for the same arguments.

    DuckDB lists each overload with a stability. What depends on the time zone or the calendar, such
    as ``hour`` of a TIMESTAMP WITH TIME ZONE, is CONSISTENT_WITHIN_QUERY from DuckDB 2.0.1 on. All
    sessions of ours set both (``session``), so such an overload is constant here. A clock or a
    setting is CONSISTENT_WITHIN_QUERY, too, but takes no argument, or neither takes nor gives a
    type with a time zone.

    Example:
        >>> is_constant("CONSISTENT_WITHIN_QUERY", ["TIMESTAMP WITH TIME ZONE"], "BIGINT")  # hour
        True
        >>> is_constant("CONSISTENT_WITHIN_QUERY", [], "TIMESTAMP WITH TIME ZONE")  # now
        False
        >>> is_constant("VOLATILE", [], "DOUBLE")  # random
        False
    """
    if stability != "CONSISTENT_WITHIN_QUERY":
        return stability == "CONSISTENT"
    types = [str(kind) for kind in (*parameter_types, return_type)]
    has_zone = any(zoned in kind for kind in types for zoned in ZONED_TYPES)
    return has_zone and bool(parameter_types)


def _known(con: duckdb.DuckDBPyConnection, names: Iterable[str]) -> list[Function]:
    """Every function of these names in lower case, those of databases that are attached too."""
    if con.execute("SELECT 1 FROM duckdb_databases() WHERE NOT internal OFFSET 1").fetchall():
        chosen = f"{FUNCTIONS} WHERE list_contains(?, lower(function_name))"
        return con.execute(chosen, [list(names)]).fetchall()
    return [function for name in names for function in _built_in().get(name, ())]


@cache
def _built_in() -> Mapping[str, Sequence[Function]]:
    """The functions of DuckDB itself: it lists a few as slowly as all three thousand."""
    named: dict[str, list[Function]] = {}
    with duckdb.connect(":memory:") as con:
        for function in con.execute(FUNCTIONS).fetchall():
            named.setdefault(function[0].lower(), []).append(function)
    return named


def refuse_bare_clocks(parts: Iterable[Node], where: str) -> None:
    """Refuse current_date and its like in a query; a column of that name needs its table."""
    for part in parts:
        named = part.get("column_names") if part.get("class") == "COLUMN_REF" else None
        if named and len(named) == 1 and named[0].lower() in BARE_CLOCKS:
            raise InputError(
                f"{where}: {named[0]} {CHANGES}, or write t.{named[0]} if it is a column of t"
            )


def _refuse_macro(
    con: duckdb.DuckDBPyConnection,
    kind: str,
    definition: str,
    parameters: Iterable[str],
    where: str,
    of_rows: bool,
) -> None:
    """Refuse a macro by what it is made of."""
    query = definition if kind == "table_macro" else f"SELECT {definition}"
    inside = list(nodes(parsed(con, query, where)))
    if kind == "macro":
        # What a macro names beside its parameters is the likes of current_timestamp.
        strange = {node["column_names"][0] for node in inside if "column_names" in node}
        given = {*parameters, *(lent for node in inside for lent in lambda_names(node))}
        if strange - given:
            raise InputError(f"{where} {CHANGES}")
    refuse_bare_clocks(inside, where)
    if any(node.get("type") == "BASE_TABLE" for node in inside):
        raise InputError(f"{where} reads tables; write its SELECT in its place")
    refuse_functions(con, inside, where, of_rows=of_rows)
