"""The account beside the events it is of, in the same database: what saves folding all of them.

It is read when a ledger is opened, and written then, if many events came since. It carries a mark:
how many events it is of, and a code of all its entries and of the head of the chain there, under
the ledger's key.
Where that is not the mark it should have, whoever changed what, it is made again of all events.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sql

from unspoken.storage.ledger.entries import Entries
from unspoken.storage.ledger.seal import Head, Seal

__all__ = ["FORMAT", "kept", "tables", "written"]

FORMAT = 14
MARK = json.dumps(["last"])
Heads = Sequence[str]  # the codes of a chain


def tables(metadata: sql.MetaData) -> sql.Table:
    """Plain data by key; nothing in it is not in the events too."""
    return sql.Table(
        "account",
        metadata,
        sql.Column("key", sql.Text, primary_key=True),
        sql.Column("value", sql.Text, nullable=False),
    )


def kept(
    connection: sql.Connection, table: sql.Table, seal: Seal, heads: Heads
) -> tuple[Entries, int]:
    """The account that was kept, and of how many events it is; none: an empty one."""
    entries, rows = Entries(), list(connection.execute(sql.select(table.c.key, table.c.value)))
    last = [value for key, value in rows if key == MARK]
    others = [(key, value) for key, value in rows if key != MARK]
    number = _number(last[0]) if last else 0
    if not 0 < number < len(heads):
        return entries, 0
    if last[0] != _mark(seal, Head(number, heads[number]), others):
        return entries, 0
    entries.put({tuple(json.loads(key)): json.loads(value) for key, value in others})
    return entries, number


def written(
    connection: sql.Connection, table: sql.Table, seal: Seal, head: Head, entries: Entries
) -> None:
    """Keep the account of all events up to the head."""
    rows = [(json.dumps(key), json.dumps(value)) for key, value in entries.entries.items()]
    mark = _mark(seal, head, rows)
    connection.execute(sql.delete(table))
    listed = [{"key": key, "value": value} for key, value in [*rows, (MARK, mark)]]
    connection.execute(sql.insert(table), listed)


def _mark(seal: Seal, head: Head, rows: Sequence[Sequence[Any]]) -> str | None:
    """Of this head and all entries there are; None: some are no text."""
    if not all(isinstance(part, str) for row in rows for part in row):
        return None
    return json.dumps([FORMAT, head.number, seal.sum(head, sorted(map(tuple, rows)))])


def _number(mark: object) -> int:
    try:
        _, number, _ = json.loads(mark)  # type: ignore[arg-type]
    except (ValueError, TypeError, RecursionError):
        return 0
    return number if isinstance(number, int) else 0
