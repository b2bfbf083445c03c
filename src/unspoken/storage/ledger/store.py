"""Where events are kept, charged before anything is answered, and held together by a chain."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger.account import Account
from unspoken.storage.ledger.answers import AnswerEvent
from unspoken.storage.ledger.carried import lines, loaded
from unspoken.storage.ledger.chain import ALL, EventChain, followed, parsed
from unspoken.storage.ledger.decisions import Decision, Event
from unspoken.storage.ledger.event import Release
from unspoken.storage.ledger.line import Line, Waiting
from unspoken.storage.ledger.page import Page
from unspoken.storage.ledger.place import place
from unspoken.storage.ledger.requests import KeyedRequest, asked_before, noted
from unspoken.storage.ledger.schema import EVENTS, TEXTS, prepared, refuse_changed
from unspoken.storage.ledger.seal import Head, Seal
from unspoken.storage.ledger.sqlite import in_memory, reworded
from unspoken.storage.ledger.stored_texts import refuse_changed_texts
from unspoken.storage.ledger.written_rows import insert_rows
from unspoken.tables.files import PATIENCE, PRIVATE, created, unfinished, writing

__all__ = ["Ledger"]

_ANY = sql.select(EVENTS.c.id).limit(1)

# Looks at what all earlier events have shown, and raises if the new one must not be. All: a table
# under another name would else be another account.
Check = Callable[[Account], None]
Seen = TypeVar("Seen")


@dataclass(eq=False)
class _Asked(Waiting):
    """What somebody in the line asks for, and what comes of it. No event: only to look."""

    check: Check
    seal: Seal
    event: Event | None = None
    text: str | None = None
    request: KeyedRequest | None = None
    head: Head | None = None
    error: Exception | None = None


_OPEN: WeakValueDictionary[tuple[object, ...], Ledger] = WeakValueDictionary()
_OPENING = threading.Lock()


class Ledger:
    """An append-only list of events. A crash may waste a charge; it never refunds one.

    One object may be asked by many threads at once: they are served together, in one transaction.
    """

    def __init__(self, named: Path | str) -> None:
        """In the file of this path, or where an address says; made where there is none."""
        self._place = place(named)
        self.path = self._place.path
        self._fresh()
        self._place.make()
        with self._begin() as connection:
            self._name = prepared(connection, str(self._place))

    @classmethod
    def opened(cls, named: Path | str) -> Ledger:
        """The one that somebody in this process has open: it follows what is new. Else a new one.

        Another file in the place of one that was is another one.
        """
        known: tuple[object, ...] = (os.getpid(), str(named))
        if isinstance(named, Path) and named.exists():
            status = named.stat()
            known += (status.st_dev, status.st_ino)
        with _OPENING:
            found = _OPEN.get(known)
            if found is None:
                _OPEN[known] = found = cls(named)
            return found

    @staticmethod
    def there(named: Path | str) -> bool:
        """Whether one was made."""
        return place(named).there()

    def __str__(self) -> str:
        return str(self._place)

    def _fresh(self) -> None:
        """Nothing is known of what is in it."""
        self._line: Line[_Asked] = Line()
        self._chain: EventChain | None = None
        self._identity: object = None
        self._process = os.getpid()

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
        return self.page().history

    def releases(self) -> int:
        """How many there are."""
        of = sql.select(sql.func.count()).where(EVENTS.c.kind == Release.kind)
        with self._begin() as connection:
            return connection.execute(of).scalar_one()

    def decisions(self) -> list[tuple[str, Decision]]:
        """Every belief that was learned, plan that was adopted, and disclosure, with the time."""
        return self.page().decisions

    def answers(self) -> list[tuple[str, AnswerEvent]]:
        """Every answer with noise, with the time it was charged."""
        return self.page().answers

    def page(self, after: int = 0, most: int | None = None) -> Page:
        """The events after the one of this number: all of them, or so many."""
        with self._begin() as connection:
            asked = None if most is None else most + 1
            found = list(parsed(connection, str(self._place), after, asked))
        kept = found[:most]
        return Page(kept, kept[-1][0] if len(kept) < len(found) else None)

    def charged(self, number: int) -> str:
        """When an event was charged, to the second."""
        return str(self._row(number).at)

    def release(self, number: int) -> tuple[Head, Release]:
        """The release of this number, and the head that it made."""
        row = self._row(number)
        return Head(number, row.code), Release.from_json(row.body)

    def latest(self, table: str) -> int | None:
        """The number of the last release of this table."""
        of = ALL.where(EVENTS.c.table == table, EVENTS.c.kind == Release.kind)
        with self._begin() as connection:
            rows = connection.execute(of).fetchall()
        return rows[-1].id if rows else None

    def text(self, digest: str) -> str | None:
        """The text that was kept under this digest, if there is one."""
        with self._begin() as connection:
            return _text(connection, digest)

    def copy(self, seal: Seal) -> bytes:
        """As a file, as it is while nobody writes to it: of a database one that says the same."""
        there = self._place.copy()
        if there is not None:
            return there
        with tempfile.TemporaryDirectory() as folder:
            file, own = Ledger(Path(folder) / "ledger"), replace(seal, file=Path(folder) / "head")
            file.load(self.exported(seal), own, str(self))
            return file.copy(own)

    def verify(self, seal: Seal) -> Head:
        """The head, if every event is as it was charged, and the file as it was written; else which
        event is the first that is not.
        """
        with self._begin() as connection:
            return self._verified(connection, seal)

    def _verified(self, connection: sql.Connection, seal: Seal) -> Head:
        codes = followed(connection, self._name, seal, str(self._place))
        seal.refuse_lost(self._place.short, codes)
        events = parsed(connection, str(self._place))
        refuse_changed_texts(connection, events, f"ledger {self._place}")
        self._place.refuse_damaged(connection)
        return Head(len(codes) - 1, codes[-1])

    def exported(self, seal: Seal) -> Iterator[str]:
        """All of it as lines of JSON, once it is verified."""
        with self._begin() as connection:
            yield from lines(connection, self._name, self._verified(connection, seal))

    @staticmethod
    def rehearse(named: Path | str, given: Iterable[str], seal: Seal, source: str) -> None:
        """Refuse what `load` would refuse of this ``source``, before a ledger is made for it.

        One without events, beside a key, would be taken for one that never had any.
        """
        with reworded(Path(source)), in_memory() as connection:
            codes = loaded(connection, given, seal, source)
        seal.refuse_lost(place(named).short, codes, written=True)

    def load(self, given: Iterable[str], seal: Seal, place: str) -> Head:
        """What `exported` gave, into a ledger of no events. ``place``: where it is read from."""
        with self._begin() as connection:
            if connection.execute(_ANY).first() is not None:
                raise InputError(f"ledger {self}: has events of its own; nothing is written over")
            codes = loaded(connection, given, seal, place)
            seal.refuse_lost(self._place.short, codes, written=True)
        self._name = codes[0]
        self._fresh()
        head = Head(len(codes) - 1, codes[-1])
        if seal.kept() != head:
            with unfinished(seal.file, PRIVATE, PATIENCE) as beside:
                beside.file.write(head.text().encode())
                beside.publish()
        return head

    def look(self, at: Callable[[Account], Seen], seal: Seal) -> Seen:
        """What this sees in the account of all events; nothing is charged."""
        seen: list[Seen] = []
        self._served(_Asked(lambda account: seen.append(at(account)), seal))
        return seen[-1]

    def charge(
        self,
        event: Event,
        check: Check,
        seal: Seal,
        text: str | None = None,
        request: KeyedRequest | None = None,
    ) -> Head:
        """Append ``event`` if ``check`` lets it pass, in one transaction that locks writers out.

        Gives the number of the event and the code it makes. One that is there already, in every
        detail, is that one: nothing new is shown, so nothing new is written down. ``text``: what
        the event has the digest of. ``request``: asked again under its key, the event that it made
        then is given again, and nothing is looked at or charged.
        """
        head: Head = self._served(_Asked(check, seal, event, text, request))
        return head

    def _served(self, asked: _Asked) -> Any:
        """What comes of it, in the order in which those who ask at once came."""
        if self._process != os.getpid():  # forked: neither connections nor locks outlive that
            self._place = self._place.renewed()
            self._fresh()
        self._line.join(asked, self._together)
        error, asked.error = asked.error, None
        if error is None:
            return asked.head
        try:
            raise error
        finally:
            error = None  # else the error holds this frame, which holds the error

    def _together(self, group: list[_Asked]) -> None:
        """All of them in one transaction for each seal, which is the same for all as a rule."""
        while group:
            same = [asked for asked in group if asked.seal == group[0].seal]
            group = [asked for asked in group if asked.seal != group[0].seal]
            try:
                self._decided(same, same[0].seal)
            except Exception as error:
                for asked in same:
                    asked.head, asked.error = None, error
            for asked in same:
                asked.done = True

    def _decided(self, group: list[_Asked], seal: Seal) -> None:
        """Nobody is told that something is charged before it is, nor before the head is written."""
        charging = any(asked.event is not None for asked in group)
        if charging:
            self._recorded(seal)
        with ExitStack() as held:
            # From before the transaction: heads are written in the order of the events.
            beside = charging and held.enter_context(unfinished(seal.file, PRIVATE, PATIENCE))
            with self._followed(seal) as (connection, chain):
                if charging:
                    refuse_changed(connection, str(self._place))
                for asked in group:
                    _decide(asked, connection, chain)
                chain.keep(connection)
            if beside and any(asked.head for asked in group) and seal.kept() != chain.head:
                with writing(seal.file):
                    beside.file.write(chain.head.text().encode())
                    beside.publish()

    @contextmanager
    def _followed(self, seal: Seal) -> Iterator[tuple[sql.Connection, EventChain]]:
        """A transaction with the chain up to its end. What breaks it off, breaks off what is known
        of the chain too.
        """
        chain, self._chain = self._chain, None
        identity = self._place.identity()
        with self._begin() as connection:
            if chain is None or identity != self._identity or not chain.goes_on(connection, seal):
                chain = EventChain.opened(connection, self._name, seal, str(self._place))
            seal.refuse_lost(self._place.short, chain.codes)
            yield connection, chain
        if self._place.identity() != identity:
            raise InputError(
                f"ledger {self._place}: was replaced by another while it was written to; ask again"
            )
        self._chain, self._identity = chain, identity

    def _recorded(self, seal: Seal) -> None:
        """Before the first event too: a crash after it would else look like a lost head."""
        if seal.kept() is None and self.empty:
            with writing(seal.file), suppress(FileExistsError), created(seal.file) as file:
                file.write(Head(0, self._name).text().encode())

    def _row(self, number: int) -> sql.Row[Any]:
        with self._begin() as connection:
            found = connection.execute(ALL.where(EVENTS.c.id == number)).first()
        if found is None:
            raise InputError(f"ledger {self}: event {number} is gone; restore it from a copy")
        return found

    def _begin(self) -> AbstractContextManager[sql.Connection]:
        return self._place.begun()


def _decide(asked: _Asked, connection: sql.Connection, chain: EventChain) -> None:
    """A refusal leaves the events as they were."""
    try:
        number = asked_before(connection, asked.request, chain.codes, asked.seal)
        if number is None:
            asked.check(chain.account)
    except Exception as error:
        asked.error = error
        return
    if asked.event is None:
        return
    if number is None:
        number = chain.account.number(asked.event)
        if number is None:
            number = _append(asked, asked.event, connection, chain)
        if asked.request is not None:
            noted(connection, asked.request, number, chain, asked.seal)
    asked.head = Head(number, chain.codes[number])


def _append(asked: _Asked, event: Event, connection: sql.Connection, chain: EventChain) -> int:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    head = chain.add(event, now, asked.seal)
    digest, text = event.text_digest, asked.text
    if digest is not None and text is not None and _text(connection, digest) is None:
        insert_rows(connection, TEXTS, [{"digest": digest, "text": text}], chain.place)
    return head.number


def _text(connection: sql.Connection, digest: str) -> str | None:
    found: str | None = connection.execute(
        sql.select(TEXTS.c.text).where(TEXTS.c.digest == digest)
    ).scalar()
    return found
