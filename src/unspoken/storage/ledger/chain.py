"""The chain as far as it was followed, and the account of its events, both in memory.

Whoever opens a ledger follows all of it, once. After that only the tail is looked at which was not
seen yet, in the transaction that goes on from it: the last event that was seen must still be there,
as it was. What an account says is therefore of events that were checked, whatever is done to their
rows later; that is found by whoever opens the ledger next, and by `verify`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger import checkpoint
from unspoken.storage.ledger.account import Account
from unspoken.storage.ledger.decisions import KINDS, Event
from unspoken.storage.ledger.entries import Entries
from unspoken.storage.ledger.schema import ACCOUNT, EVENTS
from unspoken.storage.ledger.seal import Head, Seal
from unspoken.storage.ledger.written_rows import insert_rows

__all__ = ["ALL", "EventChain", "followed", "parsed", "taken"]

ALL = sql.select(EVENTS).order_by(EVENTS.c.id)
# Events after the last checkpoint before there is another; then after twice as many.
FEW = 64


class EventChain:
    """``codes``: of every event that was followed; the first is the name of the ledger."""

    def __init__(self, codes: list[str], place: str) -> None:
        self.codes, self.place = codes, place
        self._entries, self._kept = Entries(), 0
        self._rows: list[dict[str, Any]] = []  # that are not in the database yet
        self.account = Account(self._entries)

    @classmethod
    def opened(cls, connection: sql.Connection, name: str, seal: Seal, place: str) -> EventChain:
        """All of it, from the first event on; the account from its checkpoint, if that is right."""
        chain = cls(followed(connection, name, seal, place), place)
        chain._entries, chain._kept = checkpoint.kept(connection, ACCOUNT, seal, chain.codes)
        chain.account = Account(chain._entries)
        for number, _, event in parsed(connection, place, after=chain._kept):
            chain.account.enter(event, number)
        chain._checkpoint(connection, seal)
        return chain

    @property
    def head(self) -> Head:
        """The last event that was followed."""
        return Head(len(self.codes) - 1, self.codes[-1])

    def goes_on(self, connection: sql.Connection, seal: Seal) -> bool:
        """Follow what was appended by others since; False: what was followed is not there."""
        last = self.head.number
        rows = iter(connection.execute(ALL.where(EVENTS.c.id >= last)).fetchall())
        if last and not self._same(next(rows, None), seal):
            return False
        for row in rows:
            self.codes.append(taken(self.codes, tuple(row), seal, self.place))
            self.account.enter(_event(row, self.place), self.head.number)
        return True

    def add(self, event: Event, at: str, seal: Seal) -> Head:
        """Append an event, and count it in; `keep` writes it."""
        row = {"at": at, "table": event.table, "kind": event.kind, "body": event.to_json()}
        number = len(self.codes)
        code = seal.code(self.codes[-1], number, *row.values())
        self._rows.append({"id": number, **row, "code": code})
        self.codes.append(code)
        self.account.enter(event, number)
        return self.head

    def keep(self, connection: sql.Connection) -> None:
        """Write what was appended; refuse what the database does not store as it is."""
        if self._rows:
            insert_rows(connection, EVENTS, self._rows, self.place)
            self._rows = []

    def _checkpoint(self, connection: sql.Connection, seal: Seal) -> None:
        """Write the account, where many events came since it was: the more, the rarer. Only when a
        ledger is opened, which takes as long anyway: no charge waits for it.
        """
        number = self.head.number
        if number - self._kept > max(FEW, self._kept):
            checkpoint.written(connection, ACCOUNT, seal, self.head, self._entries)
            self._kept = number

    def _same(self, row: sql.Row[Any] | None, seal: Seal) -> bool:
        if row is None:
            return False
        number, *kept, code = list(row)
        last = self.head.number
        expected = seal.code(self.codes[last - 1], last, *kept)
        return (number, code) == (last, self.codes[last]) and expected == code


def followed(connection: sql.Connection, name: str, seal: Seal, place: str) -> list[str]:
    """Every code that the chain has had, if it holds; else which event is the first that is not as
    it was charged.
    """
    codes = [name]
    for row in connection.execute(ALL):
        codes.append(taken(codes, tuple(row), seal, place))
    return codes


def parsed(
    connection: sql.Connection, place: str, after: int = 0, most: int | None = None
) -> Iterator[tuple[int, str, Event]]:
    """Every event after this one, or the first ``most``, with its number and its time."""
    for row in connection.execute(ALL.where(EVENTS.c.id > after).limit(most)):
        yield row.id, str(row.at), _event(row, place)


def taken(codes: list[str], row: Sequence[Any], seal: Seal, place: str) -> str:
    """The code of the next event; refuses what is not as it was charged."""
    number, *kept, code = row
    expected = seal.code(codes[-1], len(codes), *kept)
    if not expected or (len(codes), expected) != (number, code):
        raise seal.broken(place, len(codes), kept[-1])
    return expected


def _event(row: sql.Row[Any], place: str) -> Event:
    try:
        return KINDS[row.kind].from_json(row.body)
    except (InputError, KeyError):
        raise InputError(
            f"ledger {place}: event {row.id} cannot be read; restore the ledger from a copy"
        ) from None
