"""What has happened, as it is told: each event is read once, and what came since with each look.

What is kept of an event is a line of text or two, whatever it shows; so a look costs what is new.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from unspoken.storage.ledger import AnswerEvent, Decision, Disclosure, Learning, Ledger, Release

__all__ = ["Entry", "Happened", "History"]


@dataclass(frozen=True)
class Happened:
    """One event. ``who``: to whom something was given or became known, nobody: to all; ``by``,
    ``why``: of who approved it.
    """

    number: int
    at: str
    kind: str
    who: tuple[str, ...]
    what: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True)
class Entry:
    """One event by which somebody was given something, without what it told."""

    at: str
    kind: str
    epochs: tuple[str, ...]
    attributes: tuple[str, ...]
    query: str = ""
    draw: int = 1

    def as_json(self) -> dict[str, Any]:
        """As the application itself may see it."""
        return {
            "at": self.at,
            "kind": self.kind,
            "epochs": list(self.epochs),
            "attributes": list(self.attributes),
            **({"query": self.query} if self.query else {}),
            **({} if self.draw == 1 else {"draw": self.draw}),
        }


@dataclass
class History:
    """Of one ledger at a time: of another one, all is read."""

    _of: Ledger | None = None
    _after: int = 0
    _happened: list[Happened] = field(default_factory=list)
    _given: list[tuple[tuple[str, ...], Entry]] = field(default_factory=list)
    _reading: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def happened(self, ledger: Ledger) -> tuple[Happened, ...]:
        """Every event, oldest first, without what it told."""
        with self._reading:
            self._read(ledger)
            return tuple(self._happened)

    def entries(self, ledger: Ledger, reader: str) -> list[Entry]:
        """What was given to this application, or to everybody, oldest first."""
        with self._reading:
            self._read(ledger)
            return [entry for readers, entry in self._given if not readers or reader in readers]

    def _read(self, ledger: Ledger) -> None:
        """What came since."""
        if ledger is not self._of:
            self._of, self._after, self._happened, self._given = ledger, 0, [], []
        for number, at, event in ledger.page(self._after).kept:
            self._after = number
            if isinstance(event, Release):
                self._happened.append(self._released(at, event))
                self._given.append((event.readers, _entry(at, event)))
            elif isinstance(event, Decision):
                self._happened.append(self._decided(at, event))

    def _released(self, at: str, event: Release) -> Happened:
        if isinstance(event, AnswerEvent):
            return Happened(self._next, at, event.kind, event.readers, event.query)
        names = ", ".join(sorted(event.mechanism.delivered))
        what = f"{names} of {', '.join(event.readings)}" if event.per_key else names
        draw = "" if event.draw == 1 else f", draw {event.draw}"
        return Happened(self._next, at, event.kind, event.readers, what + draw)

    def _decided(self, at: str, event: Decision) -> Happened:
        by, why = ("", "") if isinstance(event, Learning) else (event.by, event.why)
        whom = event.readers if isinstance(event, Disclosure) else ()
        return Happened(self._next, at, event.kind, whom, event.what, by, why)

    @property
    def _next(self) -> int:
        return len(self._happened) + 1


def _entry(at: str, event: Release) -> Entry:
    names = {name for read in event.readings.values() for name in read}
    shown = sorted(names & {*event.mechanism.delivered} or names)
    query = event.query if isinstance(event, AnswerEvent) else ""
    return Entry(at, event.kind, tuple(event.readings), tuple(shown), query, event.draw)
