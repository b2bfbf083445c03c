"""A ledger as lines of JSON: all that cannot be made again, to be read by others and carried over.

The first line says which ledger it is and how far; then each event is a line, as it is kept, with
the code that it has in the chain; then texts, as of belief files, and the keys of requests. Whoever
has the key sees whether a line was changed; whoever has it not can still read what was charged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger.chain import ALL, parsed, taken
from unspoken.storage.ledger.schema import EVENTS, REQUESTS, TEXTS, named
from unspoken.storage.ledger.seal import CODE, Head, Seal
from unspoken.storage.ledger.stored_texts import refuse_changed_texts
from unspoken.storage.ledger.written_rows import insert_rows

__all__ = ["lines", "loaded"]

MARK = {"unspoken": "ledger", "format": 1}
BESIDE = (TEXTS, REQUESTS)


def lines(connection: sql.Connection, name: str, head: Head) -> Iterator[str]:
    """All of it, oldest event first."""
    yield json.dumps({**MARK, "name": name, **head.as_json()})
    for table, asked in ((EVENTS, ALL), *((each, sql.select(each)) for each in BESIDE)):
        for row in connection.execute(asked):
            yield json.dumps({table.name: dict(row._mapping)})


def loaded(connection: sql.Connection, given: Iterable[str], seal: Seal, place: str) -> list[str]:
    """Write them into a ledger of no events, and follow them there; gives the codes of the chain.

    Refused is what is not as it was charged, and a file that ends early.
    """
    each = enumerate(given, start=1)
    number, first = next(each, (1, ""))
    name, head = _first(first, place)
    codes, rows = [name], {table.name: list[dict[str, Any]]() for table in (EVENTS, *BESIDE)}
    for number, line in each:
        name_of, row = _row(line, place, number)
        if name_of == EVENTS.name:
            codes.append(taken(codes, tuple(row.values()), seal, place))
        rows[name_of].append(row)
    if Head(len(codes) - 1, codes[-1]) != head:
        raise InputError(
            f"{place}: ends with event {len(codes) - 1}, and says that it has {head.number}; take "
            "a whole copy"
        )
    named(connection, name)
    for table in (EVENTS, *BESIDE):
        if rows[table.name]:
            insert_rows(connection, table, rows[table.name], place)
    refuse_changed_texts(connection, parsed(connection, place), place)  # each can be read
    return codes


def _first(line: str, place: str) -> tuple[str, Head]:
    read = _read(line)
    name = read.pop("name", None)
    if not isinstance(name, str) or not CODE.fullmatch(name) or not MARK.items() <= read.items():
        raise InputError(f"{place}: is no ledger that `unspoken ledger --export` wrote")
    fields = {key: value for key, value in read.items() if key not in MARK}
    return name, Head.from_json(fields, place)


def _row(line: str, place: str, number: int) -> tuple[str, dict[str, Any]]:
    """The table and the row of a line."""
    for table in (EVENTS, *BESIDE):
        row, names = _read(line).get(table.name), [column.name for column in table.columns]
        if isinstance(row, dict) and sorted(row) == sorted(names):
            return table.name, {name: row[name] for name in names}
    raise InputError(f"{place}: line {number} is none of a ledger; take a whole copy")


def _read(line: str) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
