"""A ledger in a file: SQLite through SQLAlchemy Core, one program at a time."""

from __future__ import annotations

import logging
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger import schema
from unspoken.tables.files import PATIENCE, SILENT, created

__all__ = ["SQLiteFile", "in_memory", "reworded"]

LONGEST = 1 << 28  # bytes of a row: one that is longer is no event, and no belief, of ours
LOG = logging.getLogger("unspoken")


class SQLiteFile:
    """The file of a ledger, and one connection to it that is kept for the next transaction."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._there: tuple[int, int] | None = None

    @cached_property
    def _engine(self) -> sql.Engine:
        """Not for who asks only whether there is a file."""
        made = _engine(self.path)
        weakref.finalize(self, made.dispose)  # the file is not held open any longer
        return made

    def __str__(self) -> str:
        return str(self.path)

    @property
    def short(self) -> str:
        """What it is called beside its key."""
        return self.path.name

    def there(self) -> bool:
        """Whether there is such a file."""
        return self.path.exists()

    def make(self) -> None:
        """A new ledger is seen by nobody else: what was released when is not public.

        It appears whole or not at all, so that an empty file is one that lost its events.
        """
        with reworded(self.path):
            if self.path.is_file() and not self.path.stat().st_size:
                raise InputError(
                    f"ledger {self.path}: is empty, and would start a new account; restore it from "
                    "a copy, or remove it if nothing was ever released"
                )
            if self.path.exists():
                return
            with suppress(FileExistsError), created(self.path.resolve()) as file:
                file.write(_new())  # unless somebody else was faster

    @contextmanager
    def begun(self) -> Iterator[sql.Connection]:
        """A transaction that locks writers out."""
        with reworded(self.path), self._engine.begin() as connection:
            yield connection

    def identity(self) -> object:
        """Another one where another file is in its place: what is known of it is not of that.

        What was connected to the old one is closed first, and to one with a log beside it.
        """
        with reworded(self.path):
            found = self.path.stat()
        now = found.st_dev, found.st_ino
        if now != self._there or self.path.with_name(f"{self.path.name}-wal").exists():
            self._engine.dispose()
        self._there = now
        return now

    def renewed(self) -> SQLiteFile:
        """For a process that was forked: connections do not outlive that, and are not closed."""
        self._engine.dispose(close=False)
        return SQLiteFile(self.path)

    def copy(self) -> bytes:
        """The file as it is while nobody writes to it."""
        with self.begun() as connection:
            driver: Any = connection.connection.dbapi_connection
            return bytes(driver.serialize())

    def refuse_damaged(self, connection: sql.Connection) -> None:
        """Look at all of the file: at what is not an event, and at what no query would read."""

        def asked(pragma: str) -> Any:
            return connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()

        bytes_there = self.path.stat().st_size
        bytes_meant = asked("page_count") * asked("page_size")
        found = asked("integrity_check(1)")
        if bytes_there != bytes_meant:
            found = f"it has {bytes_there:,} bytes, and should have {bytes_meant:,}"
        if found != "ok":
            raise _damaged(self.path, found)


def _engine(path: Path) -> sql.Engine:
    """Connections to the file, each in a transaction that locks writers out."""
    made = sql.create_engine(
        sql.URL.create("sqlite", database=str(path)),
        poolclass=sql.QueuePool,
        pool_size=1,
        max_overflow=-1,
        connect_args={"check_same_thread": False},
    )
    sql.event.listen(made, "connect", _durable)
    sql.event.listen(made, "begin", _immediate)
    return made


@contextmanager
def in_memory() -> Iterator[sql.Connection]:
    """An empty ledger that nobody sees, gone at the end."""
    engine = sql.create_engine("sqlite://")
    try:
        with engine.connect() as connection:
            with connection.begin():
                schema.made(connection)
            yield connection
    finally:
        engine.dispose()


def _new() -> bytes:
    """The file of an empty ledger."""
    with in_memory() as connection:
        made: Any = connection.connection.dbapi_connection
        return bytes(made.serialize())


def _damaged(path: Path, found: object) -> InputError:
    return InputError(
        f"ledger {path}: is damaged ({found}); restore it from a copy. A plain copy made while "
        "something was charged may be: make backups with `unspoken backup`"
    )


@contextmanager
def reworded(path: Path) -> Iterator[None]:
    """What goes wrong with the file, as one line that names it."""
    try:
        yield
    except OSError as error:
        way_out = "choose another [secret] ledger"
        raise InputError(f"ledger {path}: {error.strerror}; {way_out}") from None
    except sql.exc.OperationalError as error:
        if _busy(error):
            raise InputError(
                f"ledger {path}: is in use by another program; close that, or wait for it, and "
                "run again. Nothing was charged"
            ) from None
        way_out = "; make room there, and run again" if _code(error) == sqlite3.SQLITE_FULL else ""
        raise InputError(f"ledger {path}: cannot be used ({error.orig}){way_out}") from None
    except UnicodeDecodeError:  # SQLite quotes what it stumbled on
        raise _damaged(path, "what is text in it is none") from None
    except sql.exc.DatabaseError as error:
        if _code(error) == sqlite3.SQLITE_CORRUPT:
            raise _damaged(path, error.orig) from None
        raise InputError(f"ledger {path}: not a ledger ({error.orig})") from None


def _durable(connection: sqlite3.Connection, _record: object) -> None:
    """No charge is anywhere but in the one file, as it might be in a write-ahead log alone.

    So a plain copy of it has them all, or is torn by a charge that falls meanwhile, and refused.
    EXTRA flushes the folder too, once the journal of a transaction is gone.
    """
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    connection.isolation_level = None  # SQLAlchemy's begin, not the driver's, opens transactions
    connection.execute(f"PRAGMA busy_timeout={SILENT * 1e3:.0f}")
    (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    if mode == "wal":
        raise sqlite3.OperationalError("it keeps a write-ahead log, and another program reads it")
    connection.execute("PRAGMA synchronous=EXTRA")


def _immediate(connection: sql.Connection) -> None:
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    except sql.exc.OperationalError as error:
        if not _busy(error):
            raise
        LOG.warning("waiting for ledger %s, which is in use", connection.engine.url.database)
        connection.exec_driver_sql(f"PRAGMA busy_timeout={(PATIENCE - SILENT) * 1e3:.0f}")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={SILENT * 1e3:.0f}")


def _busy(error: sql.exc.OperationalError) -> bool:
    """Whether another program holds a lock."""
    return _code(error) == sqlite3.SQLITE_BUSY


def _code(error: sql.exc.DatabaseError) -> int:
    return int(getattr(error.orig, "sqlite_errorcode", 0)) & 0xFF
