"""An event, and the one that is a release, as the ledger keeps them: descriptions, never sums of
leakage.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import BeforeValidator, ConfigDict, Field, StrictBool, TypeAdapter, ValidationError

from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Mechanism, from_description

__all__ = ["EXACT", "Described", "Kept", "Release"]

FORMAT = 1
# Older events have none of these.
LATER = ("rows", "parts", "counts", "terms", "unit", "unit_epsilon", "epoch_epsilon")
EXACT = "exact "  # and the history, if there is one

Described = Annotated[
    Mechanism, BeforeValidator(partial(from_description, where="event.mechanism"))
]


@dataclass(frozen=True)
class Kept:
    """What any event is: about a ``table``, of a ``kind``, and kept as JSON with sorted keys."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    kind: ClassVar[str]

    table: str
    format: Annotated[int, Field(strict=True, ge=FORMAT, le=FORMAT)] = field(
        default=FORMAT, kw_only=True
    )

    @property
    def body(self) -> dict[str, Any]:
        """The fields, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_json(self) -> str:
        """The event as kept."""
        return _written(self.body)

    @property
    def identity(self) -> str:
        """The text by which the very same event is known again."""
        return self.to_json()

    @property
    def text_digest(self) -> str | None:
        """The digest of the text that the ledger keeps beside the event, if there is one."""
        return None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Refuses what is written as no such event, in one line."""
        try:
            body = json.loads(text, parse_constant=_float, parse_float=_float, parse_int=_integer)
            event: Self = _shape(cast(Any, cls)).validate_python(body)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(map(str, ("event", *fault["loc"])))
            said = fault.get("ctx", {}).get("error", f"{where}: {fault['msg']}")
            raise InputError(str(said)) from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"event: cannot be read: {' '.join(str(error).split())}") from None
        return event


@dataclass(frozen=True)
class Release(Kept):
    """``mechanism``: what was shown, and how; ``readings``: {epoch: {attribute: fingerprint}}, of
    what was read for it.

    ``epoch`` is the declared label, or the SQL over key columns that gives each row its epoch;
    ``per_key`` tells which. ``key`` is the fingerprint of the coin key, ``coins`` the algorithm.
    ``policy``: what was declared of each attribute read. ``readers``: the applications it was given
    to; none named: everybody. ``keys``: where there are several, in the order in which coins were
    tossed on them. ``rows``: how many were read, where that is kept. ``parts``: of each epoch whose
    rows these came late to, which part of it they are, from 2 on. ``counts``: what its plan was
    made from, the digest of a belief file, or EXACT counts, and then the SQL over keys by which
    rows were counted and not released; older events do not say it. ``draw``: which of its coins
    were tossed; 1 are those of everybody who does not say it. ``terms``: the digest of what its
    manifests say beside the event, which the ledger keeps as a text; older events do not say it.
    """

    kind: ClassVar = "release"

    epoch: str
    per_key: StrictBool
    mechanism: Described
    readings: Mapping[str, Mapping[str, str]]
    key: str
    coins: str
    limits: Mapping[str, Any]
    leakage: Mapping[str, Any]
    closed: Mapping[str, list[str]] = field(default_factory=dict)
    policy: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    rows: Annotated[int, Field(strict=True, ge=0)] | None = None
    parts: Mapping[str, Annotated[int, Field(strict=True, ge=2)]] = field(default_factory=dict)
    counts: str | None = None
    draw: Annotated[int, Field(strict=True, ge=1)] = 1
    terms: str | None = None

    @property
    def given_again(self) -> str:
        """The noise that it gives, if that may have been given before; else nothing is."""
        return ""

    @cached_property
    def noise(self) -> str:
        """What noise of its own is known by: no other event has it."""
        return hashlib.sha256(self.identity.encode()).hexdigest()

    @property
    def identity(self) -> str:
        """All of it but its terms: a release that is only worded anew shows nothing new."""
        return self.to_json() if self.terms is None else replace(self, terms=None).to_json()

    @property
    def text_digest(self) -> str | None:
        return self.terms

    @property
    def shows(self) -> list[str]:
        """The attributes of which it shows anything, by either kind of coin."""
        cells = [name for name, exponent in self.mechanism.exponents().items() if exponent > 0]
        records = [name for coin in self.mechanism.record_coins() for name in coin.delivered]
        return [*cells, *records]

    def declared(self, name: str) -> list[Any]:
        """What was declared of an attribute, and which of its values are never shown."""
        return [dict(self.policy.get(name, {})), [*map(str, self.mechanism.hides(name))]]

    def to_json(self) -> str:
        return self._written

    @cached_property
    def _written(self) -> str:
        body = self.body
        for later in LATER:
            if later in body and body[later] in (None, {}, (), 0.0):
                del body[later]
        if self.draw == 1:
            del body["draw"]
        before = {name: value for name, value in body.items() if name < "mechanism"}
        after = {name: value for name, value in body.items() if name > "mechanism"}
        mechanism = self.mechanism.written
        return f'{_written(before)[:-1]}, "mechanism": {mechanism}, {_written(after)[1:]}'


@cache
def _shape(event: type[Kept]) -> TypeAdapter[Any]:
    return TypeAdapter(event)


def _written(body: Mapping[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, allow_nan=False)


def _float(word: str) -> float:
    """Finite, and of full precision: no release has another."""
    if math.isfinite(number := float(word)) and (not number or abs(number) >= sys.float_info.min):
        return number
    raise ValueError(f"{word} is no number")


def _integer(word: str) -> int:
    if abs(number := int(word)) < 2**63:
        return number
    raise ValueError("an integer of more than 64 bits")
