"""Rows that are read back as soon as they are written, in the same transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sql

from unspoken.core.errors import InputError

__all__ = ["insert_rows"]

TOGETHER = 500  # rows asked for at once


def insert_rows(
    connection: sql.Connection, table: sql.Table, rows: Sequence[Mapping[str, Any]], place: str
) -> None:
    """Write rows with all columns of a table; refuse what the database stored otherwise.

    What is raised ends the transaction, so that nothing of it counts.
    """
    connection.execute(sql.insert(table), rows)
    (key,) = table.primary_key.columns
    for first in range(0, len(rows), TOGETHER):
        some = rows[first : first + TOGETHER]
        asked = sql.select(table).where(key.in_([row[key.name] for row in some]))
        stored = {row._mapping[key.name]: dict(row._mapping) for row in connection.execute(asked)}
        for row in some:
            if stored.get(row[key.name]) != dict(row):
                raise InputError(
                    f"ledger {place}: did not store row {row[key.name]} of {table.name} as it was "
                    "written; a trigger or rule of the database may have changed it. Nothing was "
                    "charged: remove that, and run again"
                )
