"""One release, as the ledger keeps it: descriptions, never sums of leakage."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn

from unspoken.errors import InputError, unknown
from unspoken.mechanisms import Mechanism, from_description

__all__ = ["FORMAT", "Release"]

FORMAT = 1


@dataclass(frozen=True)
class Release:
    """``mechanism``: what was shown, and how; ``readings``: {epoch: {attribute: fingerprint}}, of
    what was read for it.

    ``epoch`` is the declared label, or the SQL over key columns that gives each row its epoch;
    ``per_key`` tells which. ``key`` is the fingerprint of the coin key, ``coins`` the algorithm.
    ``policy``: what was declared of each attribute read. ``readers``: the applications it was given
    to; none named: everybody. ``keys``: where there are several, in the order in which coins were
    tossed on them.
    """

    table: str
    epoch: str
    per_key: bool
    mechanism: Mechanism
    readings: Mapping[str, Mapping[str, str]]
    key: str
    coins: str
    limits: Mapping[str, Any]
    leakage: Mapping[str, Any]
    closed: Mapping[str, list[str]] = field(default_factory=dict)
    policy: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    format: int = FORMAT

    def to_json(self) -> str:
        """The event as kept, with sorted keys."""
        body = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps(
            {**body, "mechanism": self.mechanism.describe()}, sort_keys=True, allow_nan=False
        )

    @classmethod
    def from_json(cls, text: str) -> Release:
        """Refuses what no release is written as, in one line."""
        try:
            body = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise InputError(f"event: cannot be read: {' '.join(str(error).split())}") from None
        if not isinstance(body, dict):
            raise InputError("event: is no table")
        for name, (fits, wanted) in _SHAPES.items():
            if name not in body:
                raise InputError(f"event.{name}: is missing")
            if not fits(body[name]):
                raise InputError(f"event.{name}: is not {wanted}")
        for name in body:
            if name not in _SHAPES:
                raise unknown("event", name, _SHAPES)
        given = {**body, "readers": tuple(body["readers"]), "keys": tuple(body["keys"])}
        return cls(**{**given, "mechanism": from_description(body["mechanism"], "event.mechanism")})


Fits = Callable[[Any], bool]


def _word(value: Any) -> bool:
    return isinstance(value, str)


def _words(value: Any) -> bool:
    return isinstance(value, list) and all(map(_word, value))


def _table(value: Any) -> bool:
    return isinstance(value, dict)


def _table_of(fits: Fits) -> Fits:
    return lambda value: _table(value) and all(map(fits, value.values()))


_TEXT, _LIST, _TABLE = (_word, "text"), (_words, "a list of words"), (_table, "a table")
_SHAPES: dict[str, tuple[Fits, str]] = {
    "table": _TEXT,
    "epoch": _TEXT,
    "per_key": (lambda value: isinstance(value, bool), "true or false"),
    "mechanism": _TABLE,
    "readings": (_table_of(_table_of(_word)), "a table of fingerprints for each epoch"),
    "key": _TEXT,
    "coins": _TEXT,
    "limits": _TABLE,
    "leakage": _TABLE,
    "closed": (_table_of(_words), "a list of words for each name"),
    "policy": (_table_of(_table), "a table for each name"),
    "readers": _LIST,
    "keys": _LIST,
    "format": (lambda value: value is not True and value == FORMAT, f"{FORMAT}, what this reads"),
}


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
