"""The texts that a ledger keeps beside its events: belief files, and what manifests say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger.decisions import Event, Learning
from unspoken.storage.ledger.schema import TEXTS

__all__ = ["refuse_changed_texts"]


def refuse_changed_texts(
    connection: sql.Connection, events: Iterable[tuple[int, str, Event]], place: str
) -> None:
    """Refuse a text that is not the one that its event was charged with, by the event's number.

    Events have the digests of their texts, and are sealed: so a text needs no seal of its own.
    ``events``: all of them, with number and time; ``place``: what a message begins with.
    """
    named = dict[str, tuple[int, Event]]()
    for number, _, event in events:
        if event.text_digest is not None:
            named.setdefault(event.text_digest, (number, event))
    for digest, text in connection.execute(sql.select(TEXTS)):
        if digest not in named:
            raise InputError(
                f"{place}: keeps a text of which no event has the digest ({digest[:8]}...); "
                "restore the ledger from a copy"
            )
        number, event = named.pop(digest)
        if hashlib.sha256(str(text).encode()).hexdigest() != digest:
            raise _wrong(place, number, event, "was changed")
    for number, event in named.values():
        raise _wrong(place, number, event, "is gone")


def _wrong(place: str, number: int, event: Event, what: str) -> InputError:
    said = f"what the manifest of event {number} says"
    if event.kind == Learning.kind:
        said = f"the belief of event {number} ({event.table})"
    return InputError(f"{place}: {said} {what}; restore the ledger from a copy")
