"""SQL as DuckDB's own parser reads it, and its errors as one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from unspoken.core.errors import InputError, printable

__all__ = [
    "Node",
    "calls",
    "comparisons",
    "lambda_names",
    "nodes",
    "one_line",
    "parsed",
    "reworded",
    "turning_points",
]

Node = Mapping[str, Any]

EQUALITIES = ("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_NOT_IN")
# A condition that compares the column itself with numbers turns there, and nowhere else.
COMPARING = {"BETWEEN", "COMPARISON"}
COMPARING_OPERATORS = {
    "COMPARE_IN", "COMPARE_NOT_IN", "OPERATOR_IS_NOT_NULL", "OPERATOR_IS_NULL",
}  # fmt: skip
NUMBERS = ("INTEGER", "NUMERIC")
LONGEST = 300  # characters of a DuckDB message that are passed on
_VALUE = re.compile(r"Could not convert string (?:'.*'|\".*\") to")
DEEPEST = 600  # lists and objects of a syntax tree in each other: an operation takes two to four


def one_line(error: object) -> str:
    """DuckDB's message without its kind, its picture of the query, its line breaks, and where in
    its own code it came about.
    """
    said = str(error).split("Stack Trace:")[0].split("\n\nLINE ")[0].split("\nLINE ")[0]
    _, kind, rest = said.partition("Error: ")
    line = " ".join((rest if kind else said).split())
    shown = printable(_VALUE.sub("Could not convert a text to", line))  # it may be one person's
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


def parsed(con: duckdb.DuckDBPyConnection, text: str, where: str) -> Node:
    """The syntax tree of a text that is one SELECT statement and nothing else."""
    with reworded(where):
        ((tree,),) = con.execute("SELECT json_serialize_sql(?)", [text]).fetchall()
    read = _read(tree)
    if read is None:
        raise InputError(
            f"{where}: has too much inside each other; write it in fewer steps (x IN (1, 2, 3), "
            "say), or make a column of a part of it in [source] sql"
        )
    if read["error"]:
        if read.get("error_type") == "not implemented":
            raise InputError(f"{where}: only one SELECT, or one expression of one, can stand here")
        raise InputError(f"{where}: {one_line(read['error_message'])}; check the SQL")
    if len(read["statements"]) != 1:
        raise InputError(f"{where}: has {len(read['statements'])} statements; write one SELECT")
    query: Node = read["statements"][0]["node"]
    return query


def _read(tree: str) -> dict[str, Any] | None:
    """The tree, if it is one that all who walk it have room for on their stack."""
    try:
        read: dict[str, Any] = json.loads(tree)
    except RecursionError:
        return None
    layer = [read]
    for _ in range(DEEPEST):
        layer = [below for above in layer for below in _below(above)]
        if not layer:
            return read
    return None


def nodes(tree: Any) -> Iterator[Node]:
    """Every part of a syntax tree."""
    if isinstance(tree, dict) and ("class" in tree or "type" in tree or "map" in tree):
        yield tree
    for below in _below(tree):
        yield from nodes(below)


def _below(tree: Any) -> list[Any]:
    """The lists and objects that are right in this one."""
    inside = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return [each for each in inside if each.__class__ in (dict, list)]


def calls(parts: Iterable[Node]) -> list[Node]:
    """The functions that are called, operators and those over windows among them."""
    return [part for part in parts if part.get("class") in ("FUNCTION", "WINDOW")]


def comparisons(parts: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """x = 'a' or x IN ('a', 'b'): the column, and each text or whole number it may equal."""
    for part in parts:
        if part.get("type") in EQUALITIES:
            sides = part.get("children") or [part.get("left", {}), part.get("right", {})]
            names = [side["column_names"][-1] for side in sides if side.get("column_names")]
            literals = [side.get("literal") or {} for side in sides]
            if len(names) == 1:
                yield from (
                    (names[0], str(literal["text"]))
                    for literal in literals
                    if literal.get("kind") in ("STRING", "INTEGER") and "text" in literal
                )


def turning_points(tree: Node) -> list[float] | None:
    """The numbers at which a condition on one column of numbers may turn from true to false.

    None: it calculates, calls something, or takes numbers for truth values (NOT x turns at 0, x =
    true at 1), so that it may turn anywhere.
    """
    if not all(map(_stepwise, tree["select_list"])):
        return None
    literals = [part.get("literal") or {} for part in nodes(tree["select_list"])]
    return [float(each["text"]) for each in literals if each.get("kind") in NUMBERS]


def _stepwise(part: Node) -> bool:
    sides = ("left", "right", "input", "lower", "upper")
    below = [*part.get("children", ()), *(part[side] for side in sides if side in part)]
    if part["class"] == "CONJUNCTION" or part["type"] == "OPERATOR_NOT":
        return all(map(_stepwise, below))
    if part["type"] == "OPERATOR_COALESCE":  # of conditions, as coalesce(x > 1, false)
        return all(_stepwise(each) or _kind(each) == "BOOLEAN" for each in below)
    compares = part["class"] in COMPARING or part["type"] in COMPARING_OPERATORS
    return compares and all(map(_compared, below))


def _compared(part: Node) -> bool:
    return part["class"] == "COLUMN_REF" or _kind(part) in NUMBERS


def _kind(part: Node) -> str | None:
    """Of what kind a constant is; None if it is none."""
    return (part.get("literal") or {}).get("kind")


def lambda_names(part: Node) -> Iterator[str]:
    """The names a lambda gives to its arguments: they are no columns."""
    if part.get("class") == "LAMBDA":
        yield from (
            node["column_names"][0] for node in nodes(part["lhs"]) if "column_names" in node
        )
