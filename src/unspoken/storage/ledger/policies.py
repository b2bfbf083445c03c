"""What was declared of attributes when some of them was shown, and which labels that withheld."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unspoken.core.mechanisms import Mechanism
from unspoken.storage.ledger.entries import Entries, Key
from unspoken.storage.ledger.event import Release
from unspoken.storage.ledger.exposure import EarlierPolicy
from unspoken.storage.ledger.naming import tossing

__all__ = ["Policies"]

# Of each attribute what was declared, and what that hides, each once: with the first event that had
# it, and the first of other coins. Others say it by its place in this list.
Kept = Mapping[str, list[list[Any]]]
LAST = 32  # declarations that are known again without a look at each attribute


@dataclass(frozen=True)
class _Last:
    """What one event declared, and where that is in what was kept with it, and is for good."""

    mechanism: Mechanism
    policy: Mapping[str, Mapping[str, Any]]
    places: Mapping[str, int]

    def of(self, event: Release) -> bool:
        """Whether this one declares the same."""
        return self.mechanism == event.mechanism and self.policy == event.policy


class Policies:
    """Their part of an account; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._last: dict[tuple[str, ...], _Last] = {}

    def beside(self, event: Release) -> list[EarlierPolicy]:
        """What was declared when attributes were shown under other coins than the event's, or under
        the same, of an epoch of which it does not read them: then nothing else compares readings.
        """
        declared, found = self._kept(), list[tuple[int, EarlierPolicy]]()
        rows = self._entries.get([("shown", epoch) for epoch in event.readings])
        for (_, epoch), shown in rows.items():
            for number, places in shown:
                for name in places.keys() - event.readings[epoch].keys():
                    policy, hidden, *_ = declared[name][places[name]]
                    found.append((number, EarlierPolicy(name, policy, hidden, epoch)))
        for name, listed in declared.items():
            for policy, hidden, *times in listed:
                other = [time for time in times if time[1] != tossing(event)][:1]
                found += [
                    (number, EarlierPolicy(name, policy, hidden, e)) for number, _, e in other
                ]
        return [shown for _, shown in sorted(found, key=lambda item: (item[0], item[1].attribute))]

    def entered(self, event: Release, number: int) -> dict[Key, Any]:
        """The entries with one event more: as a rule the same was declared before."""
        label = tossing(event)
        names = tuple(dict.fromkeys(event.shows))
        last = self._last.get((label, *names))
        if last is not None and last.of(event):
            return self._shown(event, last.places, number)
        kept = self._kept()
        changed, places = dict[str, list[list[Any]]](), dict[str, int]()
        for name in names:
            declared, listed = event.declared(name), kept.get(name, [])
            place = next((n for n, row in enumerate(listed) if row[:2] == declared), len(listed))
            row, places[name] = (listed[place] if place < len(listed) else declared), place
            if len(row) < 4 and all(other != label for _, other, _ in row[2:]):
                time = [number, label, event.epoch]
                changed[name] = [*listed[:place], [*row, time], *listed[place + 1 :]]
        policy = {name: dict(own) for name, own in event.policy.items()}
        last = _Last(event.mechanism, policy, places)
        self._last = {**dict([*self._last.items()][1 - LAST :]), (label, *names): last}
        entries = self._shown(event, places, number)
        return entries | ({("policies",): {**kept, **changed}} if changed else {})

    def _shown(self, event: Release, places: Mapping[str, int], number: int) -> dict[Key, Any]:
        """What of its epochs it may have shown: all but this, of what nothing was shown before."""
        before = self._entries.get(keys := [("shown", epoch) for epoch in event.readings])
        entries = dict[Key, Any]()
        for key in keys:
            shown = before.get(key, [])
            new = places.keys() - {name for _, had in shown for name in had}
            if new:
                own = places if len(new) == len(places) else {name: places[name] for name in new}
                entries[key] = [*shown, [number, own]]
        return entries

    def _kept(self) -> Kept:
        found: Kept = self._entries.one(("policies",), {})
        return found
