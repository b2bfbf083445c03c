"""The file of a ledger: SQLite through SQLAlchemy Core, one program at a time."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from unspoken.errors import InputError
from unspoken.ledger import checkpoint
from unspoken.ledger.seal import CODE
from unspoken.numerics.coins import fresh_name
from unspoken.numerics.files import PATIENCE, SILENT

__all__ = [
    "ACCOUNT",
    "BELIEFS",
    "EVENTS",
    "FORMAT",
    "engine",
    "new",
    "prepare",
    "refuse_damaged",
    "reworded",
]

FORMAT = "2"
LOG = logging.getLogger("unspoken")

_TABLES = sql.MetaData()
_MEANING = sql.Table(
    "ledger", _TABLES, sql.Column("name", sql.Text, primary_key=True), sql.Column("value", sql.Text)
)
EVENTS = sql.Table(
    "events",
    _TABLES,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("at", sql.Text, nullable=False),
    sql.Column("table", sql.Text, nullable=False),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Column("code", sql.Text, nullable=False),
)
# The text of each belief file, by its digest, which the event of it has: what was drawn once can be
# written again.
BELIEFS = sql.Table(
    "beliefs",
    _TABLES,
    sql.Column("digest", sql.Text, primary_key=True),
    sql.Column("text", sql.Text, nullable=False),
)
ACCOUNT = checkpoint.tables(_TABLES)


def engine(path: Path) -> sql.Engine:
    """Connections to the file, each in a transaction that locks writers out."""
    made = sql.create_engine(sql.URL.create("sqlite", database=str(path)), poolclass=sql.NullPool)
    sql.event.listen(made, "connect", _durable)
    sql.event.listen(made, "begin", _immediate)
    return made


def new() -> bytes:
    """The file of an empty ledger with a name of its own."""
    with engine(Path(":memory:")).connect() as connection:
        with connection.begin():
            _TABLES.create_all(connection)
            meaning = {"format": FORMAT, "name": fresh_name()}
            rows = [{"name": name, "value": value} for name, value in meaning.items()]
            connection.execute(sql.insert(_MEANING), rows)
        made: Any = connection.connection.dbapi_connection
        return bytes(made.serialize())


def prepare(connection: sql.Connection, path: Path) -> str:
    """Refuse what is no ledger; make what can be made again. Gives the name of the ledger."""
    tables = set(sql.inspect(connection).get_table_names())
    if not tables >= {_MEANING.name, EVENTS.name}:
        raise InputError(f"ledger {path}: not a ledger, but another database")
    meaning = {row.name: row.value for row in connection.execute(sql.select(_MEANING))}
    kept, name = meaning.get("format"), meaning.get("name")
    if kept != FORMAT:
        raise InputError(
            f"ledger {path}: has format {kept}, this unspoken reads {FORMAT}; use the version that "
            "wrote it, or, for rows that were never released, a key and a ledger of their own"
        )
    if not isinstance(name, str) or not CODE.fullmatch(name):
        raise InputError(f"ledger {path}: has lost its name; restore it from a copy")
    _TABLES.create_all(connection)
    return name


def refuse_damaged(connection: sql.Connection, path: Path) -> None:
    """Look at all of the file: also at what is not an event, and at what no query would read."""

    def asked(pragma: str) -> Any:
        return connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()

    bytes_there, bytes_meant = path.stat().st_size, asked("page_count") * asked("page_size")
    found = asked("integrity_check(1)")
    if bytes_there != bytes_meant:
        found = f"it has {bytes_there:,} bytes, and should have {bytes_meant:,}"
    if found != "ok":
        raise _damaged(path, found)


def _damaged(path: Path, found: object) -> InputError:
    return InputError(f"ledger {path}: is damaged ({found}); restore it from a copy")


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
        raise InputError(f"ledger {path}: cannot be used ({error.orig})") from None
    except UnicodeDecodeError:  # SQLite quotes what it stumbled on
        raise _damaged(path, "what is text in it is none") from None
    except sql.exc.DatabaseError as error:
        if _code(error) == sqlite3.SQLITE_CORRUPT:
            raise _damaged(path, error.orig) from None
        raise InputError(f"ledger {path}: not a ledger ({error.orig})") from None


def _durable(connection: sqlite3.Connection, _record: object) -> None:
    """No charge is anywhere but in the one file, so that a plain copy of it has them all.

    With a write-ahead log it might be in that alone. EXTRA flushes the folder too, once the journal
    of a transaction is gone.
    """
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
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _busy(error: sql.exc.OperationalError) -> bool:
    """Whether another program holds a lock."""
    return _code(error) == sqlite3.SQLITE_BUSY


def _code(error: sql.exc.DatabaseError) -> int:
    return int(getattr(error.orig, "sqlite_errorcode", 0)) & 0xFF
