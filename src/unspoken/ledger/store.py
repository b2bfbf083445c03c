"""Where events are kept: SQLite through SQLAlchemy Core, charged before anything is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from unspoken.errors import InputError, UnspokenError
from unspoken.ledger import checkpoint
from unspoken.ledger.account import Account
from unspoken.ledger.checkpoint import Checkpoint
from unspoken.ledger.event import FORMAT, Release
from unspoken.numerics.files import created

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

_ACCOUNT = checkpoint.tables(_TABLES)

_ALL = sql.select(_EVENTS.c.id, _EVENTS.c.at, _EVENTS.c.body).order_by(_EVENTS.c.id)
_LAST = sql.select(_EVENTS.c.id, _EVENTS.c.body).order_by(_EVENTS.c.id.desc()).limit(1)

# Looks at what all earlier events have shown, and raises if the new one must not be. All: a table
# under another name would else be another account.
Check = Callable[[Account], None]


class Ledger:
    """An append-only list of events. A crash may waste a charge; it never refunds one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = _engine(path)
        with self._reworded():
            self._make()
        with self._begin() as connection:
            self._prepare(connection)

    @property
    def empty(self) -> bool:
        """Whether nothing was ever charged."""
        with self._begin() as connection:
            return _last(connection) is None

    def events(self) -> list[Release]:
        """Every release, oldest first."""
        return [event for _, event in self.history()]

    def history(self) -> list[tuple[str, Release]]:
        """Every event with the time it was charged."""
        with self._begin() as connection:
            return [(at, self._event(number, body)) for number, at, body in _rows(connection)]

    def charged(self, number: int) -> str:
        """When an event was charged, to the second."""
        with self._begin() as connection:
            at = sql.select(_EVENTS.c.at).where(_EVENTS.c.id == number)
            return str(connection.execute(at).scalar_one())

    def look(self, check: Check) -> None:
        """Let ``check`` see the account of all events; nothing is charged."""
        with self._checked(check):
            pass

    def charge(self, event: Release, check: Check) -> int:
        """Append ``event`` if ``check`` lets it pass, in one transaction that locks writers out.

        Gives the number of the event. One that is there already, in every detail, is that one:
        nothing new is shown, so nothing new is written down.
        """
        with self._checked(check) as (connection, account):
            same = account.number(event)
            if same is not None:
                return same
            now = datetime.now(UTC).isoformat(timespec="seconds")
            row = {"at": now, "table": event.table, "kind": "release", "body": event.to_json()}
            inserted = connection.execute(sql.insert(_EVENTS).values(**row))
            number = int(inserted.inserted_primary_key[0])  # type: ignore[index]
            account.add(event, number)
            return number

    @contextmanager
    def _checked(self, check: Check) -> Iterator[tuple[sql.Connection, Account]]:
        """A transaction with the account, once it is let pass. A refusal leaves the events as they
        were; what was added up for it stays.
        """
        refusal: UnspokenError | None = None
        with self._begin() as connection:
            kept = Checkpoint(connection, _ACCOUNT)
            account = kept.account(_last(connection), partial(self._all, connection))
            try:
                check(account)
            except UnspokenError as error:
                refusal = error
            else:
                yield connection, account
            kept.reached(_last(connection))
        if refusal is not None:
            raise refusal

    def _all(self, connection: sql.Connection) -> Iterator[tuple[int, Release]]:
        return ((number, self._event(number, body)) for number, _, body in _rows(connection))

    def _event(self, number: int, body: str) -> Release:
        try:
            return Release.from_json(body)
        except InputError:
            raise InputError(
                f"ledger {self.path}: event {number} cannot be read; restore the ledger from a copy"
            ) from None

    def _make(self) -> None:
        """A new ledger is seen by nobody else: what was released when is not public.

        It appears whole or not at all, so that an empty file is one that lost its events.
        """
        if self.path.is_file() and not self.path.stat().st_size:
            raise InputError(
                f"ledger {self.path}: is empty, and would start a new account; restore it from a "
                "copy, or remove it if nothing was ever released"
            )
        if self.path.exists():
            return
        with (
            suppress(FileExistsError),  # of somebody else, who was faster
            created(self.path.resolve()) as partial,
            _engine(partial).begin() as connection,
        ):
            self._prepare(connection)

    def _prepare(self, connection: sql.Connection) -> None:
        tables = set(sql.inspect(connection).get_table_names())
        if tables and not tables >= {_MEANING.name, _EVENTS.name}:
            raise InputError(f"ledger {self.path}: not a ledger, but another database")
        _TABLES.create_all(connection)
        checkpoint.watch(connection)
        kept = connection.execute(sql.select(_MEANING.c.value)).scalar()
        if kept is None:
            connection.execute(sql.insert(_MEANING).values(name="format", value=str(FORMAT)))
        elif kept != str(FORMAT):
            raise InputError(f"ledger {self.path}: has format {kept}, this unspoken reads {FORMAT}")

    @contextmanager
    def _begin(self) -> Iterator[sql.Connection]:
        with self._reworded(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _reworded(self) -> Iterator[None]:
        """What goes wrong with the file, as one line that names it."""
        try:
            yield
        except OSError as error:
            raise InputError(
                f"ledger {self.path}: {error.strerror}; choose another [secret] ledger"
            ) from None
        except sql.exc.OperationalError as error:
            raise InputError(f"ledger {self.path}: cannot be used ({error.orig})") from None
        except sql.exc.DatabaseError as error:
            raise InputError(f"ledger {self.path}: not a ledger ({error.orig})") from None


def _engine(path: Path) -> sql.Engine:
    engine = sql.create_engine(sql.URL.create("sqlite", database=str(path)), poolclass=sql.NullPool)
    sql.event.listen(engine, "connect", _durable)
    sql.event.listen(engine, "begin", _immediate)
    return engine


def _last(connection: sql.Connection) -> tuple[int, str] | None:
    last = connection.execute(_LAST).first()
    return last and (last.id, last.body)


def _rows(connection: sql.Connection) -> Sequence[Any]:
    return connection.execute(_ALL).fetchall()


def _durable(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's begin, not the driver's, opens transactions
    connection.execute("PRAGMA busy_timeout=30000")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")


def _immediate(connection: sql.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
