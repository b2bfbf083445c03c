"""What was declared of attributes when some of them was shown, and which labels that withheld."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unspoken.ledger.entries import Entries, Key
from unspoken.ledger.event import Release
from unspoken.ledger.exposure import EarlierPolicy
from unspoken.ledger.naming import tossing

__all__ = ["Policies"]

Rows = Mapping[str, list[Any]]  # of each attribute what was declared, and what it hides


class Policies:
    """Their part of an account; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def beside(self, event: Release) -> list[EarlierPolicy]:
        """What was declared when attributes were shown under other coins than the event's, or under
        the same, of an epoch of which it does not read them: then nothing else compares readings.
        """
        rows = self._entries.get([("shown", epoch) for epoch in event.readings])
        found = [
            (number, EarlierPolicy(name, policy, hidden, key[1]))
            for key, shown in rows.items()
            for name, (policy, hidden, number) in shown.items()
            if name not in event.readings[key[1]]
        ]
        for name, policy, hidden, *times in self._kept():
            other = [time for time in times if time[1] != tossing(event)][:1]
            found += [(number, EarlierPolicy(name, policy, hidden, e)) for number, _, e in other]
        return [shown for _, shown in sorted(found, key=lambda item: item[0])]

    def entered(self, event: Release, number: int) -> dict[Key, Any]:
        """The entries with one event more."""
        declared = {name: list(event.declared(name)) for name in sorted({*event.shows})}
        return {
            **self._hidden(event, declared, number),
            ("policies",): self._declared(event, declared, number),
        }

    def _hidden(self, event: Release, declared: Rows, number: int) -> dict[Key, Any]:
        """What of its epochs it may have shown: all but this, of what nothing was shown before."""
        before = self._entries.get(keys := [("shown", epoch) for epoch in event.readings])
        now = {name: [*row, number] for name, row in declared.items()}
        return {key: {**now, **before.get(key, {})} for key in keys}

    def _declared(self, event: Release, declared: Rows, number: int) -> list[Any]:
        """Each once, with the first event that had it and the first of other coins."""
        rows: list[Any] = [list(row) for row in self._kept()]
        label, by_name = tossing(event), dict[str, list[Any]]()
        for row in rows:
            by_name.setdefault(row[0], []).append(row)
        for name, policy in declared.items():
            row = next((row for row in by_name.get(name, ()) if row[1:3] == policy), None)
            if row is None:
                rows.append(row := [name, *policy])
            if len(row) < 5 and all(time[1] != label for time in row[3:]):
                row.append([number, label, event.epoch])
        return rows

    def _kept(self) -> list[Any]:
        return list(self._entries.get([("policies",)]).get(("policies",), []))
