"""A ledger in PostgreSQL, in the first schema of the search path: one program at a time charges.

The driver is looked for where a connection is asked for; the password is libpq's to find: in the
URL, in PGPASSWORD or in ~/.pgpass. No message shows it, and `database_host` says who is sent it.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger import schema
from unspoken.storage.ledger.database_host import connection_parameters, host_of
from unspoken.tables.files import PATIENCE

__all__ = ["Server"]

DRIVER = "postgresql+psycopg"
LOCKED = "55P03"  # lock_not_available
# One advisory lock a ledger, which is a schema: whoever has it is alone until its transaction ends.
LOCK = sql.text(
    "SELECT pg_catalog.pg_advisory_xact_lock(:of, pg_catalog.hashtext(current_schema()))"
)
# What a trigger put off until the commit is done before rows are read back.
AT_ONCE = sql.text("SET CONSTRAINTS ALL IMMEDIATE")
OF = int.from_bytes(hashlib.sha256(b"unspoken ledger").digest()[:4], "big", signed=True)


class Server:
    """The schema of a ledger, and one connection to it that is kept for the next transaction."""

    def __init__(self, url: str) -> None:
        self._url = _address(url)
        if find_spec("psycopg") is None:
            raise InputError(
                f"ledger {self}: PostgreSQL is spoken by psycopg, which is not installed: "
                'pip install "unspoken[postgres]"'
            )
        try:
            parameters = connection_parameters(self._url)
        except InputError as error:
            raise InputError(f"ledger {self}: {error}") from None
        self.path = Path(self.short)
        self._engine = sql.create_engine(
            f"{DRIVER}://",
            connect_args=parameters,
            poolclass=sql.QueuePool,
            pool_size=1,
            max_overflow=-1,
            pool_pre_ping=True,
            # A snapshot of each statement, so that what is asked after the lock is what there is.
            isolation_level="READ COMMITTED",
        )
        sql.event.listen(self._engine, "connect", _durable)
        weakref.finalize(self, self._engine.dispose)

    def __str__(self) -> str:
        return self._url.set(query={}).render_as_string(hide_password=True)

    @property
    def short(self) -> str:
        """What it is called beside its key."""
        return f"{self._url.database} at {host_of(self._url) or 'this machine'}"

    def there(self) -> bool:
        """Whether there is a ledger; another table in its place is refused."""
        with self.begun() as connection:
            return self._there(connection)

    def make(self) -> None:
        """All of it or nothing."""
        with self.begun() as connection:
            if not self._there(connection):
                schema.made(connection)

    @contextmanager
    def begun(self) -> Iterator[sql.Connection]:
        """A transaction that locks writers out."""
        try:
            with self._engine.begin() as connection:
                connection.execute(LOCK, {"of": OF})
                connection.execute(AT_ONCE)
                yield connection
        except sql.exc.DBAPIError as error:
            self._reworded(error)

    def identity(self) -> object:
        """A server does not tell; that the tail is as it was, is looked at in each transaction."""
        return str(self)

    def renewed(self) -> Server:
        """For a process that was forked: connections do not outlive that, and are not closed."""
        self._engine.dispose(close=False)
        return Server(self._url.render_as_string(hide_password=False))

    def copy(self) -> None:
        """There is no file."""

    def refuse_damaged(self, connection: sql.Connection) -> None:
        """The rest is the server's own business."""

    def _there(self, connection: sql.Connection) -> bool:
        found = schema.there(connection)
        if found is None:
            raise InputError(
                f"ledger {self}: not a ledger, but another database; give it a schema of its own, "
                "with ?options=-csearch_path%3DNAME at the end of its address"
            )
        return found

    def _reworded(self, error: sql.exc.DBAPIError) -> NoReturn:
        if getattr(error.orig, "sqlstate", None) == LOCKED:
            raise InputError(
                f"ledger {self}: is in use by another program; close that, or wait for it, and "
                "run again. Nothing was charged"
            ) from None
        said = str(error.orig).strip().splitlines() or ["no word of why"]
        raise InputError(f"ledger {self}: cannot be used ({said[0]})") from None


def _address(url: str) -> sql.URL:
    """Of this driver, whatever it was asked for by."""
    try:
        return sql.make_url(url).set(drivername=DRIVER)
    except (sql.exc.ArgumentError, ValueError):
        raise InputError(
            "[secret] ledger: is no address of a database (it is not shown here: it may hold a "
            'password). Write ledger = "postgresql://USER@HOST/DATABASE"'
        ) from None


def _durable(connection: Any, _record: object) -> None:
    """A commit is one that is on the disk, and nobody waits for ever."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
        cursor.execute(f"SET lock_timeout = '{PATIENCE:.0f}s'")
        (synced,) = cursor.execute("SHOW fsync").fetchone()
    connection.commit()
    if synced != "on":
        raise InputError(
            "[secret] ledger: the server runs with fsync = off, and may lose charges in a crash; "
            "turn it on"
        )
