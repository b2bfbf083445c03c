"""Requests that are known again: who asks once more, since the answer got lost, pays once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger.chain import EventChain
from unspoken.storage.ledger.schema import REQUESTS
from unspoken.storage.ledger.seal import Seal
from unspoken.storage.ledger.written_rows import insert_rows

__all__ = ["KeyedRequest", "asked_before", "noted"]


@dataclass(frozen=True)
class KeyedRequest:
    """``key``: what whoever asks calls it, and nothing else; ``digest``: of what is asked."""

    key: str
    digest: str


def asked_before(
    connection: sql.Connection, request: KeyedRequest | None, codes: Sequence[str], seal: Seal
) -> int | None:
    """The event that this request made, by its code in the chain; None: it is new. The key of
    another one is refused.
    """
    if request is None:
        return None
    asked = sql.select(REQUESTS).where(REQUESTS.c.key == request.key)
    row = connection.execute(asked).first()
    if row is None:
        return None
    known = isinstance(row.number, int)  # SQLite keeps anything in any column
    event = codes[row.number : row.number + 1] if known else []
    if not known or row.code != seal.request(row.key, row.digest, *event):
        raise InputError(
            f"request {request.key!r}: is not as it was kept; restore the ledger from a copy"
        )
    if row.digest != request.digest:
        raise InputError(
            f"request {request.key!r}: was another request; give each a key of its own"
        )
    return int(row.number)


def noted(
    connection: sql.Connection, request: KeyedRequest, number: int, chain: EventChain, seal: Seal
) -> None:
    """Keep which event it made."""
    row = {"key": request.key, "digest": request.digest}
    code = seal.request(*row.values(), chain.codes[number])
    insert_rows(connection, REQUESTS, [{**row, "number": number, "code": code}], chain.place)
