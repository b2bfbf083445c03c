"""SQL a holder writes: read with DuckDB's own parser, checked, and never trusted.

An expression (a predicate, an epoch) must give one value a row, from that row alone, and the same
one whenever it is asked for: what a plan was made for is what a release computes. So subqueries,
aggregates, windows and functions like random() or now() are refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import duckdb

from unspoken.core.errors import InputError, unknown
from unspoken.tables.engines.functions import refuse_bare_clocks, refuse_functions, refuse_unsteady
from unspoken.tables.engines.syntax import Node, calls, lambda_names, nodes, parsed

__all__ = [
    "Expression",
    "column_of",
    "identifier",
    "literal",
    "name_in_sql",
    "read_expression",
    "read_query",
]

BARE = re.compile(r"[a-z_][a-z0-9_]*")
WORD = re.compile(r"[^\W\d]\w*")  # a name that needs no quotes, unless it is a keyword

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


def column_of(name: str, columns: Iterable[str], where: str) -> str:
    """The column of this name, upper and lower case aside as in SQL; ``where`` says of what.

    Of columns a and A DuckDB calls the second A_1: whoever writes A then may mean either.
    """
    known = list(columns)
    if name in known:
        return name
    spelled = {column.casefold(): column for column in known}.get(name.casefold())
    if spelled is None:
        raise unknown(where, name, known)
    again = next((x for x in known if re.fullmatch(rf"{re.escape(name)}_\d+", x)), None)
    if again is not None:
        raise InputError(
            f'{where}: "{name}" may be "{spelled}" or "{again}", which is how a column that '
            f"differs from {spelled} in letter case only is called here; write one of them"
        )
    return spelled


def read_expression(
    con: duckdb.DuckDBPyConnection,
    text: str,
    columns: Sequence[str],
    title: str,
    where: str,
    *,
    steady: bool = False,
) -> tuple[str, tuple[str, ...]]:
    """The expression in parentheses and the columns of ``title`` it reads, or one line why not.

    ``steady``: it calls only what is listed for the names of epochs.
    """
    if not text.strip():
        raise InputError(
            f"{where}: is empty; write an SQL expression over the row, or leave it out"
        )
    with _saying(_in_quotes(text, columns)):
        query = parsed(con, f"SELECT {text}", where)
        parsed(con, f"SELECT ({text}\n)", where)
    alone = query.get("select_list", ())
    plain = len(alone) == 1 and not alone[0].get("alias") and not _has_clauses(query)
    if not plain:
        raise InputError(f"{where}: must be one SQL expression over the row, such as x > 3")
    parts = list(nodes(alone[0]))
    for part in parts:
        if part.get("class", "TYPE") not in ROW_WISE:
            kind = str(part["class"]).lower().replace("star", "*")
            raise InputError(
                f"{where}: has a {kind}, but reads one row only; put it into [source] sql"
            )
    if steady:
        refuse_unsteady(parts, where)
    refuse_functions(con, parts, where, of_rows=True)
    with _saying(_text_in_quotes(text, parts, columns)):
        read = _read(parts, columns, f"{where}, column of {title}")
    return f"({text}\n)", tuple(sorted(read))


def read_query(con: duckdb.DuckDBPyConnection, text: str, where: str) -> list[tuple[str, ...]]:
    """The tables that one SELECT reads, each as (schema, name) or (name,)."""
    query = parsed(con, text, where)
    parts = list(nodes(query))
    refuse_bare_clocks(parts, where)
    refuse_functions(con, parts, where, of_rows=False)
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
    lent = {name for part in parts for name in lambda_names(part)}
    named = {part["column_names"][0] for part in parts if part.get("class") == "COLUMN_REF"}
    named_columns = {column_of(name, columns, where) for name in sorted(named - lent)}
    maybe = lent | {call["catalog"] or call["schema"] for call in calls(parts)}
    folded = {name.casefold() for name in maybe}
    return frozenset(named_columns | {name for name in columns if name.casefold() in folded})


@contextmanager
def _saying(hint: str) -> Iterator[None]:
    """What is refused within is refused with the way out, if one is known."""
    try:
        yield
    except InputError as error:
        raise (InputError(f"{str(error).rstrip('.')}; {hint}") if hint else error) from None


def _in_quotes(text: str, columns: Sequence[str]) -> str:
    """That names which are no words stand in double quotes, of a column that stands in none."""
    odd = (c for c in columns if not WORD.fullmatch(c) and c.strip())
    bare = (c for c in odd if re.search(rf'(?<!["\w]){re.escape(c)}(?![\w"])', text))
    found = max(bare, key=len, default="")
    return f"names like this stand in double quotes: {identifier(found)}" if found else ""


def _text_in_quotes(text: str, parts: Sequence[Node], columns: Sequence[str]) -> str:
    """That a value stands in single quotes, where a name that is none is compared with."""
    names = (part["column_names"] for part in parts if part.get("class") == "COLUMN_REF")
    known = {column.casefold() for column in columns}
    words = [name[0] for name in names if len(name) == 1 and name[0].casefold() not in known]
    ways = ((word, f"(?:{re.escape(word)}\\b|{re.escape(identifier(word))})") for word in words)
    found = next((word for word, way in ways if re.search(rf"[=<>(,]\s*{way}", text)), None)
    return f"a value that is text stands in single quotes: {literal(found)}" if found else ""


def _has_clauses(query: Node) -> bool:
    from_nothing = query.get("from_table", {}).get("type") == "EMPTY"
    return not from_nothing or any(query.get(clause) for clause in CLAUSES)
