"""What a SELECT asks for: read by DuckDB's own parser, and refused where noise cannot answer it.

    SELECT COUNT(*), COUNT(x), SUM(x), AVG(x) [FILTER (WHERE ...)], ... [and what it is grouped by]
    FROM the table [WHERE ...] [GROUP BY ...]

Whatever else SQL has is refused with the nearest form that is answered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb

from unspoken.core.errors import InputError
from unspoken.tables.engines.session import embedded
from unspoken.tables.engines.sql import column_of
from unspoken.tables.engines.syntax import Node, nodes, parsed
from unspoken.workflows.query.spelling import conjuncts

__all__ = ["WHERE", "Aggregate", "Fragment", "Select", "narrowed"]

WHERE = "query"  # what messages begin with
FUNCTIONS = {"count_star": "count", "count": "count", "sum": "sum", "avg": "avg", "mean": "avg"}
QUANTILES = {"min", "max", "median", "quantile", "quantile_cont", "quantile_disc", "mode"}
FORM = "SELECT [keys,] COUNT(*), SUM(x), AVG(x) FROM the table [WHERE ...] [GROUP BY keys or x]"
CLAUSES = {
    "modifiers": "ORDER BY, LIMIT and DISTINCT: answers come sorted by their groups, all of them",
    "having": "HAVING: it would show which exact answers are large; take WHERE, or choose among "
    "the noisy answers",
    "qualify": "QUALIFY: take WHERE over keys",
    "sample": "a sample: take WHERE over keys, or [query] rows_per_unit",
}


@dataclass(frozen=True)
class Fragment:
    """A piece of the query: its SQL, as DuckDB writes it, and the columns that it reads."""

    sql: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Aggregate:
    """``kind``: count, sum or avg; ``column``: None of COUNT(*); ``only``: its own conditions."""

    kind: str
    column: str | None
    only: tuple[Fragment, ...]
    title: str


@dataclass(frozen=True)
class Select:
    """``where``: conditions all of which hold; ``groups``: what it is grouped by, whichever is
    written first. ``shown``: the columns of the answer, with their titles: groups by their place,
    aggregates after all of those; ``sorted_by``: places of groups, as the rows are sorted.
    """

    aggregates: tuple[Aggregate, ...]
    groups: tuple[Fragment, ...]
    titles: tuple[str, ...]
    shown: tuple[tuple[str, int], ...]
    sorted_by: tuple[int, ...]
    where: tuple[Fragment, ...]
    table: str

    @classmethod
    def read(cls, text: str, columns: Sequence[str], whose: str = "") -> Select:
        """The query over a table with these columns; an InputError with the nearest form.

        ``whose``: what messages say of columns that there are not.
        """
        con = embedded()
        query = parsed(con, text, WHERE)
        return _Reader(con, columns, f"{WHERE}, column{whose}").select(query)


def narrowed(text: str, condition: str) -> str:
    """The query where this holds, too."""
    con = embedded()
    query = parsed(con, text, WHERE)
    more = parsed(con, f"SELECT 1 WHERE {condition}", WHERE)["where_clause"]
    both = [query["where_clause"], more] if query["where_clause"] else [more]
    whole = {"class": "CONJUNCTION", "type": "CONJUNCTION_AND", "alias": "", "children": both}
    return _written(con, {**query, "where_clause": whole if both[1:] else more})


def _written(con: duckdb.DuckDBPyConnection, query: Mapping[str, Any]) -> str:
    """As DuckDB writes it."""
    tree = {"error": False, "statements": [{"node": query}]}
    written = con.execute("SELECT json_deserialize_sql(?)", [json.dumps(tree)]).fetchone()
    return str(written[0] if written else "").replace("count_star()", "COUNT(*)")


@dataclass(frozen=True)
class _Reader:
    con: duckdb.DuckDBPyConnection
    columns: Sequence[str]
    where: str

    def select(self, query: Node) -> Select:
        if query.get("type") != "SELECT_NODE":
            raise InputError(f"{WHERE}: sets of queries are not answered; ask one: {FORM}")
        for clause, text in CLAUSES.items():
            if query.get(clause):
                raise InputError(f"{WHERE}: has {text}")
        if query["cte_map"]["map"]:
            raise InputError(f"{WHERE}: WITH is not answered; put it into [source] sql")
        table = self._table(query["from_table"])
        written, titles = self._groups(query)
        groups = tuple(sorted(written, key=lambda fragment: fragment.sql))
        sorted_by = tuple(groups.index(fragment) for fragment in written)
        titles = [titles[written.index(fragment)] for fragment in groups]
        aggregates, places = list[Aggregate](), list[int]()
        for entry in query["select_list"]:
            place = self._group_of(entry, groups)
            if place is None:
                place = len(groups) + len(aggregates)
                aggregates.append(self._aggregate(entry))
            elif entry["alias"]:
                titles[place] = entry["alias"]
            places.append(place)
        if not aggregates:
            raise InputError(
                f"{WHERE}: shows rows as they are; ask for numbers, {FORM}, or release the table"
            )
        where = self._conditions(query["where_clause"])
        named = [*titles, *(each.title for each in aggregates)]
        shown = tuple((named[place], place) for place in places)
        return Select(tuple(aggregates), groups, tuple(titles), shown, sorted_by, where, table)

    def _table(self, source: Node) -> str:
        if source["type"] != "BASE_TABLE" or source["sample"] is not None:
            raise InputError(
                f"{WHERE}: reads one table, by its name: {FORM}; put joins and subqueries into "
                "[source] sql"
            )
        return ".".join(filter(None, (source["schema_name"], source["table_name"])))

    def _groups(self, query: Node) -> tuple[tuple[Fragment, ...], list[str]]:
        """What it is grouped by; a number or another name stands for what is shown."""
        if query["aggregate_handling"] != "STANDARD_HANDLING":
            raise InputError(f"{WHERE}: GROUP BY ALL is not answered; name what to group by")
        if len(query["group_sets"]) > 1:
            raise InputError(f"{WHERE}: ROLLUP and CUBE are not answered; ask one GROUP BY")
        named = {e["alias"].casefold(): e for e in query["select_list"] if e["alias"]}
        fragments, titles = list[Fragment](), list[str]()
        for entry in query["group_expressions"]:
            meant = entry
            if entry["class"] == "CONSTANT" and entry["literal"]["kind"] == "INTEGER":
                place = int(entry["literal"]["text"]) - 1
                if not 0 <= place < len(query["select_list"]):
                    raise InputError(f"{WHERE}: GROUP BY {place + 1}: there is no such column")
                meant = query["select_list"][place]
            elif entry["class"] == "COLUMN_REF" and not self._known(entry):
                meant = named.get(entry["column_names"][-1].casefold(), entry)
            fragment = self._fragment(meant)
            if fragment not in fragments:
                fragments.append(fragment)
                titles.append(meant["alias"] or _bare(fragment.sql))
        return tuple(fragments), titles

    def _known(self, entry: Node) -> bool:
        folded = {column.casefold() for column in self.columns}
        return entry["column_names"][-1].casefold() in folded

    def _group_of(self, entry: Node, groups: Sequence[Fragment]) -> int | None:
        """Which of the groups this is, if it is none of the aggregates."""
        if entry["class"] == "FUNCTION" and entry["function_name"] in FUNCTIONS:
            return None
        if entry["class"] == "STAR":
            raise InputError(f"{WHERE}: shows rows as they are; ask for numbers: {FORM}")
        fragment = self._fragment(entry)
        if fragment in groups:
            return groups.index(fragment)
        calls = [n["function_name"] for n in nodes(entry) if n.get("class") == "FUNCTION"]
        if any(name in FUNCTIONS for name in calls):
            raise InputError(
                f"{WHERE}: {fragment.sql} calculates with an answer; ask for COUNT, SUM and AVG by "
                "themselves, and calculate with the noisy answers"
            )
        if any(name in QUANTILES for name in calls):
            raise InputError(
                f"{WHERE}: {calls[0].upper()} is not answered; COUNT(*) with GROUP BY the "
                "attribute counts its bins, of which quantiles can be read"
            )
        raise InputError(
            f"{WHERE}: {fragment.sql} is neither COUNT, SUM or AVG nor what it is grouped by; add "
            "it to GROUP BY"
        )

    def _aggregate(self, entry: Node) -> Aggregate:
        kind, arguments = FUNCTIONS[entry["function_name"]], entry["arguments"]
        plain = self._text({**entry, "alias": ""}).replace("count_star()", "COUNT(*)")
        title = entry["alias"] or plain
        if entry["distinct"]:
            raise InputError(
                f"{WHERE}: {title}: how many different values there are is not answered; COUNT(*) "
                "with GROUP BY counts each"
            )
        only = self._conditions(entry["filter"])
        if not arguments:
            return Aggregate(kind, None, only, title)
        given = arguments[0]["expression"]
        if len(arguments) > 1 or given["class"] != "COLUMN_REF":
            raise InputError(
                f"{WHERE}: {title}: takes a column as it is; make one that has it in [source] sql, "
                "and declare it as an attribute"
            )
        return Aggregate(kind, self._column(given), only, title)

    def _conditions(self, condition: Any) -> tuple[Fragment, ...]:
        each = map(self._fragment, conjuncts(condition)) if condition else ()
        return tuple(dict.fromkeys(each))

    def _fragment(self, entry: Node) -> Fragment:
        for node in nodes(entry):
            if node.get("class") in ("SUBQUERY", "WINDOW", "STAR"):
                kind = str(node["class"]).lower()
                raise InputError(f"{WHERE}: has a {kind}; put it into [source] sql")
        read = (node for node in nodes(entry) if node.get("class") == "COLUMN_REF")
        return Fragment(
            self._text(_spelled({**entry, "alias": ""}, self._column)),
            tuple(sorted({self._column(node) for node in read})),
        )

    def _column(self, node: Node) -> str:
        return column_of(node["column_names"][-1], self.columns, self.where)

    def _text(self, entry: Mapping[str, Any]) -> str:
        """A fragment as DuckDB writes it: the same however it was spaced and spelled."""
        query = self.con.execute("SELECT json_serialize_sql('SELECT 1')").fetchone()
        tree = json.loads(query[0] if query else "{}")
        tree["statements"][0]["node"]["select_list"] = [entry]
        written = self.con.execute("SELECT json_deserialize_sql(?)", [json.dumps(tree)]).fetchone()
        return str(written[0] if written else "").removeprefix("SELECT ")


def _spelled(tree: Any, column: Any) -> Any:
    """With columns as the table spells them, by their names alone."""
    if isinstance(tree, dict):
        if tree.get("class") == "COLUMN_REF":
            return {**tree, "column_names": [column(tree)]}
        return dict(zip(tree, map(partial(_spelled, column=column), tree.values()), strict=True))
    return [*map(partial(_spelled, column=column), tree)] if isinstance(tree, list) else tree


def _bare(sql: str) -> str:
    """A column by its name, without quotes."""
    plain = sql.startswith('"') and sql.endswith('"') and '"' not in sql[1:-1]
    return sql[1:-1] if plain else sql
