"""SQL a holder writes: read with DuckDB's own parser, checked, and never trusted.

An expression (a predicate, an epoch) must give one value a row, from that row alone, and the same
one whenever it is asked for: what a plan was made for is what a release computes. So subqueries,
aggregates, windows and functions like random() or now() are refused by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from unspoken.errors import InputError, unknown

__all__ = [
    "Expression",
    "column_of",
    "identifier",
    "literal",
    "name_in_sql",
    "one_line",
    "read_expression",
    "read_query",
    "reworded",
]

Node = Mapping[str, Any]

BARE = re.compile(r"[a-z_][a-z0-9_]*")

LONGEST = 300  # characters of a DuckDB message that are passed on
# The parts of an expression that read one row; any other (subquery, window, *, ?) is refused.
ROW_WISE = frozenset(
    {
        "BETWEEN",
        "CASE",
        "CAST",
        "COLLATE",
        "COLUMN_REF",
        "COMPARISON",
        "CONJUNCTION",
        "CONSTANT",
        "FUNCTION",
        "LAMBDA",
        "LAMBDA_REF",
        "OPERATOR",
        "TYPE",
    }
)
# What a query may have beside its select list, and an expression may not.
CLAUSES = (
    "modifiers",
    "where_clause",
    "group_expressions",
    "having",
    "qualify",
    "sample",
)


@dataclass(frozen=True)
class Expression:
    """One value a row: ``sql`` in parentheses, its DuckDB ``type``, the ``columns`` it reads."""

    sql: str
    type: str
    columns: tuple[str, ...]


def identifier(name: str) -> str:
    """A name in SQL, always in quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def name_in_sql(name: str) -> str:
    """A name in SQL for people to read: in quotes unless it needs none."""
    bare = BARE.fullmatch(name) and name not in _keywords()
    return name if bare else identifier(name)


@cache
def _keywords() -> frozenset[str]:
    """The words that are not everywhere taken for a name."""
    query = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
    with duckdb.connect(":memory:") as con:
        return frozenset(word for (word,) in con.execute(query).fetchall())


def one_line(error: object) -> str:
    """DuckDB's message without its kind, its picture of the query and its line breaks."""
    said = str(error).split("\n\nLINE ")[0].split("\nLINE ")[0]
    _, kind, rest = said.partition("Error: ")
    line = " ".join((rest if kind else said).split())
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return shown if len(shown) <= LONGEST else shown[:LONGEST] + "..."


@contextmanager
def reworded(where: str, say: Callable[[Exception], str] = one_line) -> Iterator[None]:
    """Every error of the engine as one line that begins with the place."""
    try:
        yield
    except duckdb.PermissionException as error:
        way = "only files named after FROM, as in FROM 'x.parquet', can be read"
        raise InputError(f"{where}: {say(error)}; {way}") from error
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        raise InputError(f"{where}: {say(error)}") from error


def column_of(name: str, columns: Iterable[str], where: str) -> str:
    """The column of this name, upper and lower case aside as in SQL; ``where`` says of what."""
    known = list(columns)
    spelled = {column.casefold(): column for column in known}.get(name.casefold())
    if spelled is None:
        raise unknown(where, name, known)
    return name if name in known else spelled


def read_expression(
    con: duckdb.DuckDBPyConnection, text: str, columns: Sequence[str], title: str, where: str
) -> tuple[str, tuple[str, ...]]:
    """The expression in parentheses and the columns of ``title`` it reads, or one line why not."""
    if not text.strip():
        raise InputError(
            f"{where}: is empty; write an SQL expression over the row, or leave it out"
        )
    query = _parsed(con, f"SELECT {text}", where)
    _parsed(con, f"SELECT ({text}\n)", where)
    alone = query.get("select_list", ())
    plain = len(alone) == 1 and not alone[0].get("alias") and not _has_clauses(query)
    if not plain:
        raise InputError(f"{where}: must be one SQL expression over the row, such as x > 3")
    parts = list(_nodes(alone[0]))
    for part in parts:
        if part.get("class", "TYPE") not in ROW_WISE:
            kind = str(part["class"]).lower().replace("star", "*")
            raise InputError(
                f"{where}: has a {kind}, but reads one row only; put it into [source] sql"
            )
    _refuse_functions(con, parts, where, of_rows=True)
    return f"({text}\n)", tuple(sorted(_read(parts, columns, f"{where}, column of {title}")))


def read_query(con: duckdb.DuckDBPyConnection, text: str, where: str) -> list[tuple[str, ...]]:
    """The tables that one SELECT reads, each as (schema, name) or (name,)."""
    query = _parsed(con, text, where)
    parts = list(_nodes(query))
    _refuse_functions(con, parts, where, of_rows=False)
    for part in parts:
        sample = part.get("sample")
        if isinstance(sample, dict) and not sample.get("repeatable"):
            raise InputError(
                f"{where}: a sample is another one every time; write REPEATABLE (seed)"
            )
    ctes = {entry["key"] for part in parts for entry in part.get("map", ()) if "key" in entry}
    tables = (part for part in parts if part.get("type") == "BASE_TABLE")
    named = {tuple(filter(None, (part["schema_name"], part["table_name"]))) for part in tables}
    return sorted(name for name in named if name not in {(cte,) for cte in ctes})


def _read(parts: Sequence[Node], columns: Sequence[str], where: str) -> frozenset[str]:
    """The columns that an expression names, in any way that it can; too many rather than too few:

    what a lambda names may be a column elsewhere, and x.f() is f(x) where x is a column, though it
    looks like a function of a schema x.
    """
    lent = {name for part in parts for name in _lambda_names(part)}
    named = {part["column_names"][0] for part in parts if part.get("class") == "COLUMN_REF"}
    named_columns = {column_of(name, columns, where) for name in sorted(named - lent)}
    maybe = lent | {call["catalog"] or call["schema"] for call in _calls(parts)}
    folded = {name.casefold() for name in maybe}
    return frozenset(named_columns | {name for name in columns if name.casefold() in folded})


def _parsed(con: duckdb.DuckDBPyConnection, text: str, where: str) -> Node:
    """The syntax tree of a text that is one SELECT statement and nothing else."""
    with reworded(where):
        row = con.execute("SELECT json_serialize_sql(?)", [text]).fetchone()
    read: dict[str, Any] = json.loads(row[0] if row else "{}")
    if read["error"]:
        if read.get("error_type") == "not implemented":
            raise InputError(f"{where}: only one SELECT, or one expression of one, can stand here")
        raise InputError(f"{where}: {one_line(read['error_message'])}; check the SQL")
    if len(read["statements"]) != 1:
        raise InputError(f"{where}: has {len(read['statements'])} statements; write one SELECT")
    query: Node = read["statements"][0]["node"]
    return query


def _nodes(tree: Any) -> Iterator[Node]:
    """Every part of a syntax tree."""
    if isinstance(tree, dict):
        if "class" in tree or "type" in tree or "map" in tree:
            yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for below in tree:
            yield from _nodes(below)


def _has_clauses(query: Node) -> bool:
    from_nothing = query.get("from_table", {}).get("type") == "EMPTY"
    return not from_nothing or any(query.get(clause) for clause in CLAUSES)


def _calls(parts: Iterable[Node]) -> list[Node]:
    return [part for part in parts if part.get("class") == "FUNCTION"]


def _lambda_names(part: Node) -> Iterator[str]:
    """The names a lambda gives to its arguments: they are no columns."""
    if part.get("class") == "LAMBDA":
        yield from (
            node["column_names"][0] for node in _nodes(part["lhs"]) if "column_names" in node
        )


def _refuse_functions(
    con: duckdb.DuckDBPyConnection, parts: Iterable[Node], where: str, *, of_rows: bool
) -> None:
    """Refuse functions that answer differently each time and, in expressions, those over rows."""
    arguments = [(call["function_name"].lower(), len(call["arguments"])) for call in _calls(parts)]
    names = sorted({name for name, _ in arguments})
    if any(name == "age" and count < 2 for name, count in arguments):  # DuckDB: "consistent"
        raise InputError(f"{where}: age() of one date is its age today; write age(later, earlier)")
    with reworded(where):
        known = con.execute(
            "SELECT function_name, function_type, stability, macro_definition, parameters"
            " FROM duckdb_functions() WHERE list_contains(?, lower(function_name))",
            [names],
        ).fetchall()
    for name in names:
        kinds = {kind for known_name, kind, *_ in known if known_name.lower() == name}
        if of_rows and kinds and not kinds & {"scalar", "macro"}:
            raise InputError(
                f"{where}: {name}() gives no value of one row; put it into [source] sql"
            )
    for name, kind, stability, definition, parameters in known:
        inside: list[Node] = []
        if kind == "macro" and definition:
            inside = list(_nodes(_parsed(con, f"SELECT {definition}", where)))
        # What a macro names beside its parameters is the likes of current_timestamp.
        strange = {node["column_names"][0] for node in inside if "column_names" in node}
        given = {*parameters, *(lent for node in inside for lent in _lambda_names(node))}
        if (kind == "scalar" and stability != "CONSISTENT") or strange - given:
            raise InputError(f"{where}: {name}() can answer differently each time; leave it out")
        _refuse_functions(con, inside, f"{where}, {name}()", of_rows=of_rows)
