"""A source as a holder describes it, made into one view of all its rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.tables.engines.keys import key_types, key_types_given, with_preferences
from unspoken.tables.engines.opening import Opened
from unspoken.tables.engines.session import OURS
from unspoken.tables.engines.sql import column_of

__all__ = ["Place", "TableSource"]

Place = Callable[[str], str]  # what a message about a parameter begins with


@dataclass(frozen=True)
class TableSource:
    """A file, a table of a database or in memory, or SQL; keys, and preferences beside it."""

    table: str | Path | pa.Table | None
    database: str | Path | None
    sql: str | None
    keys: tuple[str, ...]
    preferences: str | Path | None
    title: str
    at: Place
    nan_missing: bool = False
    texts: Collection[str] = ()

    @property
    def place(self) -> str:
        """What a message about the rows begins with."""
        return self.at("table" if self.sql is None else "sql")

    def views(self, opening: Opened) -> tuple[dict[str, pa.DataType], dict[str, str]]:
        """Make the view of all rows, keys in their final types; gives the keys, with the types they
        had, and the columns.
        """
        beside = ""
        if self.preferences is not None:
            beside = opening.relation((str(self.preferences),), None, self.at("preferences"))
        columns = self._first(opening)
        if opening.empty("source", self.place):
            raise InputError(f"{self.place}: {self.title} has no rows; give one that has")
        keys = tuple(self._keys(columns))
        typed = key_types("source", keys, columns, self.title, self.at("keys"), self.nan_missing)
        given = key_types_given(opening, keys, columns, self.title, self.at("keys"))
        columns = opening.view("typed", typed, self.at("keys"))
        query = f"FROM {OURS}.typed"
        if beside:
            more = opening.file_view("preferences", beside, self.at("preferences"))
            query = with_preferences(opening, keys, columns, more, self.at("preferences"))
        return given, opening.view("rows", query, self.place)

    def _first(self, opening: Opened) -> dict[str, str]:
        """The view of the table or query as it is; from then on DuckDB is locked."""
        if isinstance(self.table, pa.Table):
            relation = opening.hand_in(self.table)
            opening.lock(self.place)
            return opening.file_view("source", relation, self.place)
        database = None if self.database is None else str(self.database)
        if database is not None:
            opening.attach(database, self.at("database"))
        if self.sql is not None:
            return opening.query_view("source", self.sql, database, self.at("sql"))
        home = self.at("database").split()[-1]
        relation = opening.relation((str(self.table),), database, self.place, self.title, home)
        opening.lock(self.place)
        return opening.file_view("source", relation, self.place, self.texts)

    def _keys(self, columns: Mapping[str, str]) -> list[str]:
        where = f"{self.at('keys')}, column of {self.title}"
        return [column_of(name, columns, where) for name in self.keys]
