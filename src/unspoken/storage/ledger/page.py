"""Some of the events of a ledger, one after the other, by what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unspoken.storage.ledger.answers import AnswerEvent
from unspoken.storage.ledger.decisions import Decision, Event
from unspoken.storage.ledger.event import Release

__all__ = ["Page"]


@dataclass(frozen=True)
class Page:
    """``kept``: events with their numbers, and the times they were charged, oldest first. ``next``:

    the number that the events after these come after; None: there are none.
    """

    kept: Sequence[tuple[int, str, Event]]
    next: int | None = None

    @property
    def releases(self) -> list[tuple[str, Release]]:
        """Answers among them."""
        return [(at, event) for _, at, event in self.kept if isinstance(event, Release)]

    @property
    def history(self) -> list[tuple[str, Release]]:
        """Every release with the time it was charged."""
        return [(at, event) for at, event in self.releases if event.kind == Release.kind]

    @property
    def decisions(self) -> list[tuple[str, Decision]]:
        """Every belief that was learned, plan that was adopted, and disclosure, with the time."""
        return [(at, event) for _, at, event in self.kept if isinstance(event, Decision)]

    @property
    def answers(self) -> list[tuple[str, AnswerEvent]]:
        """Every answer with noise, with the time it was charged."""
        return [(at, event) for _, at, event in self.kept if isinstance(event, AnswerEvent)]
