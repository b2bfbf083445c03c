"""One release, as the ledger keeps it: descriptions, never sums of leakage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["FORMAT", "Release"]

FORMAT = 1


@dataclass(frozen=True)
class Release:
    """``epsilon`` per attribute as released; ``readings``: {epoch: {attribute: fingerprint}}.

    ``epoch`` is the declared label, or the SQL over key columns that gives each row its epoch;
    ``per_key`` tells which. ``key`` is the fingerprint of the coin key, ``coins`` the algorithm.
    ``policy``: per attribute read, what was declared sensitive, the labels, the hidden ones.
    ``readers``: the applications it was given to; none named: everybody.
    ``keys``: where there are several, in the order in which coins were tossed on them; earlier
    events do not tell.
    """

    table: str
    epoch: str
    per_key: bool
    epsilon: Mapping[str, float]
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
        """The event as kept, with sorted keys; infinity is the word "inf"."""
        body = asdict(self)
        body["epsilon"] = {name: _word(eps) for name, eps in self.epsilon.items()}
        for later in ("readers", "keys"):  # as it was before there were any: the same text
            if not body[later]:
                del body[later]
        return json.dumps(body, sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Release:
        body = json.loads(text)
        body["epsilon"] = {name: float(eps) for name, eps in body["epsilon"].items()}
        for later in ("readers", "keys"):
            body[later] = tuple(body.get(later, ()))
        if body["format"] != FORMAT:
            raise ValueError(f"event format {body['format']}")
        return cls(**body)


def _word(number: float) -> float | str:
    return "inf" if number == float("inf") else number
