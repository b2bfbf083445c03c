"""Where events are kept, charged before anything is answered, and held together by a chain."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from unspoken.errors import InputError, UnspokenError
from unspoken.ledger.account import Account
from unspoken.ledger.checkpoint import Checkpoint
from unspoken.ledger.database import (
    ACCOUNT,
    BELIEFS,
    EVENTS,
    engine,
    new,
    prepare,
    refuse_damaged,
    reworded,
)
from unspoken.ledger.decisions import KINDS, Adoption, Event, Learning
from unspoken.ledger.event import Release
from unspoken.ledger.seal import Head, Seal
from unspoken.numerics.files import PATIENCE, PRIVATE, created, unfinished, writing

__all__ = ["Ledger"]

_ALL = sql.select(EVENTS).order_by(EVENTS.c.id)
_ANY = sql.select(EVENTS.c.id).limit(1)

# Looks at what all earlier events have shown, and raises if the new one must not be. All: a table
# under another name would else be another account.
Check = Callable[[Account], None]


class Ledger:
    """An append-only list of events. A crash may waste a charge; it never refunds one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = engine(path)
        with reworded(path):
            self._make()
        with self._begin() as connection:
            self._name = prepare(connection, path)

    @property
    def empty(self) -> bool:
        """Whether nothing was ever charged."""
        with self._begin() as connection:
            return connection.execute(_ANY).first() is None

    def events(self) -> list[Release]:
        """Every release, oldest first."""
        return [event for _, event in self.history()]

    def history(self) -> list[tuple[str, Release]]:
        """Every release with the time it was charged."""
        return [(at, event) for at, event in self._kept() if isinstance(event, Release)]

    def decisions(self) -> list[tuple[str, Learning | Adoption]]:
        """Every belief that was learned and every plan that was adopted, with the time."""
        return [(at, event) for at, event in self._kept() if not isinstance(event, Release)]

    def _kept(self) -> list[tuple[str, Event]]:
        with self._begin() as connection:
            rows = connection.execute(_ALL).fetchall()
            return [(row.at, self._event(row)) for row in rows]

    def charged(self, number: int) -> str:
        """When an event was charged, to the second."""
        return str(self._row(number).at)

    def release(self, number: int) -> tuple[Head, Release]:
        """The release of this number, and the head that it made."""
        row = self._row(number)
        return Head(number, row.code), Release.from_json(row.body)

    def belief(self, digest: str) -> str | None:
        """The text of the belief file that has this digest, if it was kept."""
        with self._begin() as connection:
            asked = sql.select(BELIEFS.c.text).where(BELIEFS.c.digest == digest)
            found: str | None = connection.execute(asked).scalar()
        return found

    def copy(self) -> bytes:
        """The file as it is while nobody writes to it."""
        with self._begin() as connection:
            driver: Any = connection.connection.dbapi_connection
            return bytes(driver.serialize())

    def verify(self, seal: Seal) -> Head:
        """The head, if every event is as it was charged, and the file as it was written; else which
        event is the first that is not.
        """
        with self._begin() as connection:
            heads = self._heads(connection, seal)
            deque(self._all(connection), 0)
            refuse_damaged(connection, self.path)
        return heads[-1]

    def look(self, check: Check, seal: Seal) -> None:
        """Let ``check`` see the account of all events; nothing is charged."""
        with self._checked(check, seal):
            pass

    def charge(self, event: Event, check: Check, seal: Seal, belief: str | None = None) -> Head:
        """Append ``event`` if ``check`` lets it pass, in one transaction that locks writers out.

        Gives the number of the event and the code it makes. One that is there already, in every
        detail, is that one: nothing new is shown, so nothing new is written down. ``belief``: the
        text of the file that a `Learning` has the digest of.
        """
        self._recorded(seal)
        # Held from before the transaction: heads are written in the order of the events.
        with unfinished(seal.file, PRIVATE, PATIENCE) as beside:
            with self._checked(check, seal) as (connection, account, heads):
                same = account.number(event)
                if same is None:
                    heads.append(self._append(connection, event, heads[-1], seal))
                    account.enter(event, heads[-1].number)
                    if isinstance(event, Learning) and belief is not None:
                        row = {"digest": event.digest, "text": belief}
                        connection.execute(sql.insert(BELIEFS).values(**row))
            if seal.kept() != heads[-1]:
                with writing(seal.file):
                    beside.file.write(heads[-1].text().encode())
                    beside.publish()
        return heads[-1 if same is None else same]

    def _recorded(self, seal: Seal) -> None:
        """Before the first event too: a crash after it would else look like a lost head."""
        if seal.kept() is None and self.empty:
            with suppress(FileExistsError), created(seal.file) as file:
                file.write(Head(0, self._name).text().encode())

    def _row(self, number: int) -> sql.Row[Any]:
        with self._begin() as connection:
            return connection.execute(_ALL.where(EVENTS.c.id == number)).one()

    def _append(self, connection: sql.Connection, event: Event, last: Head, seal: Seal) -> Head:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row = {"at": now, "table": event.table, "kind": event.kind, "body": event.to_json()}
        head = Head(last.number + 1, seal.code(last.code, last.number + 1, *row.values()))
        connection.execute(sql.insert(EVENTS).values(id=head.number, **row, code=head.code))
        return head

    @contextmanager
    def _checked(
        self, check: Check, seal: Seal
    ) -> Iterator[tuple[sql.Connection, Account, list[Head]]]:
        """A transaction with the account and the chain, once it is let pass. A refusal leaves the
        events as they were; what was added up for it stays.
        """
        refusal: UnspokenError | None = None
        with self._begin() as connection:
            heads = self._heads(connection, seal)
            kept = Checkpoint(connection, ACCOUNT, seal)
            account = kept.account(heads[-1], partial(self._all, connection))
            try:
                check(account)
            except UnspokenError as error:
                refusal = error
            else:
                yield connection, account, heads
            kept.reached(heads[-1])
        if refusal is not None:
            try:
                raise refusal
            finally:
                refusal = None  # else the error holds this frame, which holds the error

    def _heads(self, connection: sql.Connection, seal: Seal) -> list[Head]:
        """Every head that the chain has had, if it holds, and had all those that are recorded."""
        heads = [Head(0, self._name)]
        for row in connection.execute(_ALL):
            number, *kept, code = row
            head = Head(len(heads), seal.code(heads[-1].code, number, *kept))
            if not head.code or (head.number, head.code) != (number, code):
                raise seal.broken(self.path, head.number, row.body)
            heads.append(head)
        seal.refuse_lost(self.path, heads)
        return heads

    def _all(self, connection: sql.Connection) -> Iterator[tuple[int, Event]]:
        return ((row.id, self._event(row)) for row in connection.execute(_ALL))

    def _event(self, row: sql.Row[Any]) -> Event:
        try:
            return KINDS[row.kind].from_json(row.body)
        except (InputError, KeyError):
            raise InputError(
                f"ledger {self.path}: event {row.id} cannot be read; restore the ledger from a copy"
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
        with suppress(FileExistsError), created(self.path.resolve()) as file:
            file.write(new())  # unless somebody else was faster

    @contextmanager
    def _begin(self) -> Iterator[sql.Connection]:
        with reworded(self.path), self._engine.begin() as connection:
            yield connection
