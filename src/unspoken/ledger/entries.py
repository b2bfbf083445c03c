"""Where an account is kept: plain data by key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = ["Entries", "InMemory", "Key"]

Key = tuple[str, ...]


class Entries(Protocol):
    """Where an account is kept; keys are tuples of words, values what JSON holds."""

    def get(self, keys: Collection[Key]) -> dict[Key, Any]:
        """The entries there are of these."""

    def below(self, key: Key) -> Iterator[tuple[Key, Any]]:
        """All entries whose keys begin so, and are longer."""

    def put(self, entries: Mapping[Key, Any]) -> None:
        """Write them, over what is there."""


@dataclass
class InMemory:
    """Entries in memory."""

    entries: dict[Key, Any] = field(default_factory=dict)

    def get(self, keys: Collection[Key]) -> dict[Key, Any]:
        return {key: self.entries[key] for key in keys if key in self.entries}

    def below(self, key: Key) -> Iterator[tuple[Key, Any]]:
        longer = [each for each in self.entries if each[: len(key)] == key and each != key]
        return ((each, self.entries[each]) for each in longer)

    def put(self, entries: Mapping[Key, Any]) -> None:
        self.entries.update(entries)
