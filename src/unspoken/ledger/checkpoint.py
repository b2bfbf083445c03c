"""The account beside the events it is of, in the same file and the same transactions.

It carries a mark: the head of the chain it is of, and a code of all its entries under the ledger's
key. Where that is not the mark it should have, whoever changed what, it is made again of all
events.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sql

from unspoken.ledger.account import Account
from unspoken.ledger.decisions import Event
from unspoken.ledger.entries import InMemory, Key
from unspoken.ledger.seal import Head, Seal

__all__ = ["FORMAT", "Checkpoint", "tables"]

FORMAT = 6
MANY = 500  # keys of one question
MARK = json.dumps(["last"])


def tables(metadata: sql.MetaData) -> sql.Table:
    """Plain data by key; nothing in it is not in the events too."""
    return sql.Table(
        "account",
        metadata,
        sql.Column("key", sql.Text, primary_key=True),
        sql.Column("value", sql.Text, nullable=False),
    )


class Checkpoint:
    """The entries of an account (`Entries`), as rows of a table."""

    def __init__(self, connection: sql.Connection, table: sql.Table, seal: Seal) -> None:
        self._connection, self._table, self._seal = connection, table, seal
        self._touched = False

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
        self._touched = True
        for some in _groups(entries):
            self._connection.execute(sql.delete(self._table).where(self._table.c.key.in_(some)))
        rows = [{"key": json.dumps(k), "value": json.dumps(value)} for k, value in entries.items()]
        if rows:
            self._connection.execute(sql.insert(self._table), rows)

    def account(self, head: Head, replay: Callable[[], Iterable[tuple[int, Event]]]) -> Account:
        """That of all events up to the head."""
        marked = sql.select(self._table.c.value).where(self._table.c.key == MARK)
        if self._connection.execute(marked).scalar() != self._mark(head):
            replayed = InMemory()
            for number, event in replay():
                Account(replayed).enter(event, number)
            self._connection.execute(sql.delete(self._table))
            self.put(replayed.entries)
        return Account(self)

    def reached(self, head: Head) -> None:
        """It has the events up to this one, and is as it should be."""
        if self._touched:
            self._connection.execute(sql.delete(self._table).where(self._table.c.key == MARK))
            row = {"key": MARK, "value": self._mark(head)}
            self._connection.execute(sql.insert(self._table).values(**row))

    def _mark(self, head: Head) -> str:
        """Of this head and all entries there are."""
        key, value = self._table.c.key, self._table.c.value
        rows = self._connection.execute(sql.select(key, value).where(key != MARK).order_by(key))
        return json.dumps([FORMAT, head.number, self._seal.sum(head, rows)])

    def _rows(self, asked: sql.Select[Any]) -> dict[Key, Any]:
        rows = self._connection.execute(asked)
        return {tuple(json.loads(row[0])): json.loads(row[1]) for row in rows}


def _groups(keys: Collection[Key]) -> Iterator[list[str]]:
    words = list(map(json.dumps, keys))
    return (words[start : start + MANY] for start in range(0, len(words), MANY))
