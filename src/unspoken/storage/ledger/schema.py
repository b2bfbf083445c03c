"""The tables of a ledger, in whatever database, and the steps by which older ones get them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.coins import fresh_name
from unspoken.storage.ledger import checkpoint
from unspoken.storage.ledger.schema_comparison import refuse_foreign_objects
from unspoken.storage.ledger.seal import CODE

__all__ = [
    "ACCOUNT",
    "EVENTS",
    "FORMAT",
    "REQUESTS",
    "TEXTS",
    "made",
    "named",
    "prepared",
    "refuse_changed",
    "there",
]

FORMAT = "2"
COUNT = re.compile("[0-9]{1,9}")  # of steps; Python reads no numbers of very many digits

_TABLES = sql.MetaData()
_MEANING = sql.Table(
    "ledger", _TABLES, sql.Column("name", sql.Text, primary_key=True), sql.Column("value", sql.Text)
)
EVENTS = sql.Table(
    "events",
    _TABLES,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("at", sql.Text, nullable=False),
    sql.Column("table", sql.Text, nullable=False),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Column("code", sql.Text, nullable=False),
)
# Texts by their digests, which events have: of each belief file, so that what was drawn once can be
# written again, and of what manifests say beside the event. Many events may have one.
TEXTS = sql.Table(
    "beliefs",
    _TABLES,
    sql.Column("digest", sql.Text, primary_key=True),
    sql.Column("text", sql.Text, nullable=False),
)
ACCOUNT = checkpoint.tables(_TABLES)
# The keys by which requests are known again, with a digest of what was asked and the event.
REQUESTS = sql.Table(
    "requests",
    _TABLES,
    sql.Column("key", sql.Text, primary_key=True),
    sql.Column("digest", sql.Text, nullable=False),
    sql.Column("number", sql.Integer, nullable=False),
    sql.Column("code", sql.Text, nullable=False),
)


def _requests(connection: sql.Connection) -> None:
    _TABLES.create_all(connection, [TEXTS, ACCOUNT, REQUESTS])


# What is done to a ledger of format 2 that was made before, in this order, each once.
STEPS: Sequence[Callable[[sql.Connection], None]] = (_requests,)


def there(connection: sql.Connection) -> bool | None:
    """Whether a ledger is in this database; None: something else is."""
    tables = set(sql.inspect(connection).get_table_names())
    ours = {_MEANING.name, EVENTS.name}
    return True if tables >= ours else None if tables else False


def made(connection: sql.Connection) -> None:
    """The tables of an empty ledger with a name of its own."""
    _TABLES.create_all(connection)
    meaning = {"format": FORMAT, "name": fresh_name(), "steps": str(len(STEPS))}
    rows = [{"name": name, "value": value} for name, value in meaning.items()]
    connection.execute(sql.insert(_MEANING), rows)


def refuse_changed(connection: sql.Connection, place: str) -> None:
    """Refuse tables that are not as they were made, and what is attached to them."""
    refuse_foreign_objects(connection, _TABLES.tables, place)


def named(connection: sql.Connection, name: str) -> None:
    """Give a ledger of no events the name of the one whose events it is to have."""
    is_name = _MEANING.c.name == "name"
    connection.execute(sql.update(_MEANING).where(is_name).values(value=name))


def prepared(connection: sql.Connection, place: str) -> str:
    """Refuse what is no ledger; bring an older one up to date. Gives the name of the ledger."""
    if not there(connection):
        refuse_changed(connection, place)  # a view in the place of a table, say
        raise InputError(f"ledger {place}: not a ledger, but another database")
    meaning = {row.name: row.value for row in connection.execute(sql.select(_MEANING))}
    kept, name = meaning.get("format"), meaning.get("name")
    if kept is None:
        raise InputError(f"ledger {place}: has lost its format; restore it from a copy")
    if kept != FORMAT:
        raise InputError(
            f"ledger {place}: has format {kept}, this unspoken reads {FORMAT}; use the version "
            "that wrote it, or, for rows that were never released, a key and a ledger of their own"
        )
    refuse_changed(connection, place)
    if not isinstance(name, str) or not CODE.fullmatch(name):
        raise InputError(f"ledger {place}: has lost its name; restore it from a copy")
    _brought_up(connection, place, meaning.get("steps") or "0")
    return name


def _brought_up(connection: sql.Connection, place: str, steps: object) -> None:
    if not isinstance(steps, str) or not COUNT.fullmatch(steps):
        raise InputError(f"ledger {place}: has lost count of its steps; restore it from a copy")
    done = int(steps)
    if done > len(STEPS):
        raise InputError(
            f"ledger {place}: was brought to step {steps}, this unspoken knows {len(STEPS)}; use "
            "the version that wrote it"
        )
    for step in STEPS[done:]:
        step(connection)
    # What can be made again is, whoever removed it.
    _TABLES.create_all(connection, [TEXTS, ACCOUNT, REQUESTS])
    if done < len(STEPS):
        connection.execute(sql.delete(_MEANING).where(_MEANING.c.name == "steps"))
        row = {"name": "steps", "value": str(len(STEPS))}
        connection.execute(sql.insert(_MEANING).values(**row))
