"""Where an account is kept, in memory: plain data by key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Entries", "Key"]

Key = tuple[str, ...]


@dataclass
class Entries:
    """Where an account is kept; keys are tuples of words, values what JSON holds. ``_longer``: the
    keys that begin with each, so that few are looked at.
    """

    entries: dict[Key, Any] = field(default_factory=dict)
    _longer: dict[Key, dict[Key, None]] = field(default_factory=dict, repr=False, compare=False)

    def get(self, keys: Collection[Key]) -> dict[Key, Any]:
        """The entries there are of these."""
        return {key: self.entries[key] for key in keys if key in self.entries}

    def one(self, key: Key, default: Any = None) -> Any:
        """The entry of this key, if there is one."""
        return self.entries.get(key, default)

    def below(self, key: Key) -> Iterator[tuple[Key, Any]]:
        """All entries whose keys begin so, and are longer."""
        return ((each, self.entries[each]) for each in list(self._longer.get(key, ())))

    def put(self, entries: Mapping[Key, Any]) -> None:
        """Write them, over what is there."""
        for key in entries:
            if key not in self.entries:
                for length in range(len(key)):
                    self._longer.setdefault(key[:length], {})[key] = None
        self.entries.update(entries)
