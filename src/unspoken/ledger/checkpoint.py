"""The account beside the events it is of, in the same file and the same transactions.

It carries the number and the hash of the last event in it: its mark. Where that is not the last
event there is, or no mark is there, or it is of another format, it is made again of all events.
Whatever SQL changes an entry or an event takes the mark away, whoever's it is: the file sees to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sql

from unspoken.ledger.account import Account
from unspoken.ledger.entries import InMemory, Key
from unspoken.ledger.event import Release

__all__ = ["FORMAT", "Checkpoint", "tables", "watch"]

FORMAT = 2
MANY = 500  # keys of one question
MARK = ("last",)


def tables(metadata: sql.MetaData) -> sql.Table:
    """Plain data by key; nothing in it is not in the events too."""
    return sql.Table(
        "account",
        metadata,
        sql.Column("key", sql.Text, primary_key=True),
        sql.Column("value", sql.Text, nullable=False),
    )


def watch(connection: sql.Connection) -> None:
    """Have the file itself take the mark away with every change, but of the mark."""
    of = f"old.key <> '{json.dumps(MARK)}'"
    changes = {
        "INSERT ON account": of.replace("old", "new"),
        "UPDATE ON account": of,
        "DELETE ON account": of,
        "UPDATE ON events": "true",
        "DELETE ON events": "true",
    }
    for number, (change, when) in enumerate(changes.items()):
        connection.exec_driver_sql(
            f"CREATE TRIGGER IF NOT EXISTS unmark_{number} AFTER {change} WHEN {when} "
            f"BEGIN DELETE FROM account WHERE key = '{json.dumps(MARK)}'; END"
        )


class Checkpoint:
    """The entries of an account (`Entries`), as rows of a table."""

    def __init__(self, connection: sql.Connection, table: sql.Table) -> None:
        self._connection, self._table = connection, table

    def get(self, keys: Collection[Key]) -> dict[Key, Any]:
        found: dict[Key, Any] = {}
        key, value = self._table.c.key, self._table.c.value
        for some in _groups(keys):
            found |= self._rows(sql.select(key, value).where(key.in_(some)))
        return found

    def below(self, key: Key) -> Iterator[tuple[Key, Any]]:
        begin, column = json.dumps(key)[:-1] + (", " if key else ""), self._table.c.key
        longer = (column >= begin, column < begin + "\x7f")  # keys are ASCII
        asked = sql.select(column, self._table.c.value).where(*longer)
        return iter(self._rows(asked).items())

    def put(self, entries: Mapping[Key, Any]) -> None:
        for some in _groups(entries):
            self._connection.execute(sql.delete(self._table).where(self._table.c.key.in_(some)))
        rows = [{"key": json.dumps(k), "value": json.dumps(value)} for k, value in entries.items()]
        self._connection.execute(sql.insert(self._table), rows)

    def account(
        self, last: tuple[int, str] | None, replay: Callable[[], Iterable[tuple[int, Release]]]
    ) -> Account:
        """That of all events; ``last``: the number of the last one, and what is kept of it."""
        if self.get([MARK]).get(MARK) != _mark(last):
            replayed = InMemory()
            for number, event in replay():
                Account(replayed).add(event, number)
            self._connection.execute(sql.delete(self._table))
            self.put({**replayed.entries, MARK: _mark(last)})  # which is the last to be written
        return Account(self)

    def reached(self, last: tuple[int, str] | None) -> None:
        """It has the events up to this one, and is as it should be."""
        if self.get([MARK]).get(MARK) != _mark(last):
            self.put({MARK: _mark(last)})

    def _rows(self, asked: sql.Select[Any]) -> dict[Key, Any]:
        rows = self._connection.execute(asked)
        return {tuple(json.loads(row[0])): json.loads(row[1]) for row in rows}


def _groups(keys: Collection[Key]) -> Iterator[list[str]]:
    words = list(map(json.dumps, keys))
    return (words[start : start + MANY] for start in range(0, len(words), MANY))


def _mark(last: tuple[int, str] | None) -> list[Any]:
    number, body = last or (0, "")
    return [FORMAT, number, hashlib.sha256(body.encode()).hexdigest()]
