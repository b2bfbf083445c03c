"""Where events are kept: SQLite through SQLAlchemy Core, charged before anything is answered."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from unsaid.errors import InputError
from unsaid.ledger.event import FORMAT, Release

__all__ = ["Ledger"]

_TABLES = sql.MetaData()
_MEANING = sql.Table(
    "ledger", _TABLES, sql.Column("name", sql.Text, primary_key=True), sql.Column("value", sql.Text)
)
_EVENTS = sql.Table(
    "events",
    _TABLES,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("at", sql.Text, nullable=False),
    sql.Column("table", sql.Text, nullable=False),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
)

_BODIES = sql.select(_EVENTS.c.body).order_by(_EVENTS.c.id)

# Looks at all earlier events and raises if the new one must not be. All: a table under another name
# would else be another account.
Check = Callable[[Sequence[Release]], None]


class Ledger:
    """An append-only list of events. A crash may waste a charge; it never refunds one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = sql.create_engine(f"sqlite:///{path}", poolclass=sql.NullPool)
        sql.event.listen(self._engine, "connect", _durable)
        sql.event.listen(self._engine, "begin", _immediate)
        self._prepare()

    def events(self) -> list[Release]:
        """Every release, oldest first."""
        return [event for _, event in self.history()]

    def history(self) -> list[tuple[str, Release]]:
        """Every event with the time it was charged."""
        query = sql.select(_EVENTS.c.at, _EVENTS.c.body).order_by(_EVENTS.c.id)
        with self._engine.begin() as connection:
            return [(at, Release.from_json(body)) for at, body in connection.execute(query)]

    def charge(self, event: Release, check: Check) -> int:
        """Append ``event`` if ``check`` lets it pass, in one transaction that locks writers out."""
        with self._engine.begin() as connection:
            check([Release.from_json(body) for body in connection.execute(_BODIES).scalars()])
            row = {
                "at": datetime.now(UTC).isoformat(timespec="seconds"),
                "table": event.table,
                "kind": "release",
                "body": event.to_json(),
            }
            inserted = connection.execute(sql.insert(_EVENTS).values(**row))
            return int(inserted.inserted_primary_key[0])  # type: ignore[index]

    def _prepare(self) -> None:
        fresh = not self.path.exists()
        try:
            if fresh:  # created by nobody else's eyes: what was released when is not public
                os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
            with self._engine.begin() as connection:
                _TABLES.create_all(connection)
                kept = connection.execute(sql.select(_MEANING.c.value)).scalar()
                if kept is None:
                    connection.execute(
                        sql.insert(_MEANING).values(name="format", value=str(FORMAT))
                    )
        except OSError as error:
            raise InputError(
                f"ledger {self.path}: {error.strerror}; choose another [secret] ledger"
            ) from None
        except sql.exc.DatabaseError as error:
            raise InputError(f"ledger {self.path}: not a ledger ({error.orig})") from None
        if kept is not None and int(kept) > FORMAT:
            raise InputError(
                f"ledger {self.path}: has format {kept}, this unsaid reads up to {FORMAT}"
            )


def _durable(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's begin, not the driver's, opens transactions
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA busy_timeout=30000")


def _immediate(connection: sql.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
