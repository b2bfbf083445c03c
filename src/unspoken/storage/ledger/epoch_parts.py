"""Which events released the rows of an epoch: the first of them, and those that came late.

An epoch has parts: 1 is what its first release read, 2 and more are rows that were not there then.
No two have a row in common. Of a part that is released again, by another plan say, the last counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from unspoken.storage.ledger.entries import Entries, Key

__all__ = ["Given", "added", "given"]


class Given(NamedTuple):
    """One part of an epoch, and the number of the event that released it.

    ``readings``: a fingerprint of what was read of each attribute.
    """

    part: int
    number: int
    readings: Mapping[str, str]


def given(entries: Entries, readers: str, label: str) -> dict[str, list[Given]]:
    """The parts of every epoch that were given to these readers, oldest first."""
    found = entries.below(("parts", readers, label))
    return {key[-1]: [Given(*row) for row in rows] for key, rows in found}


def added(
    entries: Entries,
    parts: Mapping[str, int],
    readings: Mapping[str, Mapping[str, str]],
    readers: str,
    label: str,
    number: int,
) -> dict[Key, Any]:
    """The entries that one event more makes: which part of each epoch it is, and what it read."""
    keys = {epoch: ("parts", readers, label, epoch) for epoch in readings}
    before, entered = entries.get(list(keys.values())), dict[Key, Any]()
    for epoch, read in readings.items():
        part = parts.get(epoch, 1)
        others = [row for row in before.get(keys[epoch], ()) if [row[0], row[2]] != [part, read]]
        entered[keys[epoch]] = [*others, [part, number, read]]
    return entered
