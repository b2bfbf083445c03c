"""What was shown with noise of its own: draws, each counted once, whoever it was given to.

A draw is about the rows of the epochs that it was made for. Under another label or function these
may be any rows, so there it counts against every epoch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unspoken.core.mechanisms import Mechanism, from_description
from unspoken.storage.ledger.answers import Answered, AnswerEvent
from unspoken.storage.ledger.entries import Entries, Key
from unspoken.storage.ledger.event import Release
from unspoken.storage.ledger.naming import word_of
from unspoken.storage.ledger.streams import Streams

__all__ = ["Charged", "Draws"]


@dataclass(frozen=True)
class Charged:
    """A question that was charged before: with which noise (`AnswerEvent.times`), in which event
    for whom, and what was drawn; None: nothing yet.
    """

    times: float
    numbers: Mapping[str, int]
    answered: Answered | None

    def charged(self, readers: Collection[str]) -> int | None:
        """In which event for these readers, or for everybody."""
        words = map(word_of, (readers, ()))
        return next((self.numbers[word] for word in words if word in self.numbers), None)


class Draws:
    """Their part of an account; ``entries`` is where. ``_made``: mechanisms that were looked at."""

    def __init__(self, entries: Entries) -> None:
        self._entries, self.streams = entries, Streams(entries)
        self._made: dict[str, tuple[Mechanism, ...]] = {}

    def shown(
        self, words: Collection[str], label: str | None = None, epoch: str = "", but: str = ""
    ) -> tuple[Mechanism, ...]:
        """What was drawn for anybody of these about the rows of an epoch (no label: about any).

        ``but``: a draw that is given now, so that it is counted once.
        """
        found = set[str]()
        for word in words:
            found |= {key[-1] for place in self._places(word, label, epoch) for key in place}
        found.discard(but)
        return tuple(noise for name in sorted(found) for noise in self._noise(name))

    def _places(self, word: str, label: str | None, epoch: str) -> Iterator[Iterator[Key]]:
        """Where draws are named that may be about these rows: those of another label may."""
        if label is None:
            yield self._names("anew", word)
            return
        yield self._names("anew", word, label, epoch)
        labels = self._entries.one(("labels", word), [])
        for other in labels:
            if other != label:
                yield self._names("anew", word, other)

    def _names(self, *key: str) -> Iterator[Key]:
        return (found for found, _ in self._entries.below(key))

    def _noise(self, name: str) -> tuple[Mechanism, ...]:
        if name not in self._made:
            (described,) = self._entries.get([("noise", name)]).values()
            self._made[name] = tuple(map(from_description, described))
        return self._made[name]

    def entered(self, event: Release, label: str, word: str) -> dict[Key, Any]:
        """The entries with what one event more draws, which ``word`` was given."""
        drawn, name = event.mechanism.drawn_anew(), event.noise
        if not drawn:
            return {}
        self._made.pop(name, None)
        key: Key = ("labels", word)
        labels = self._entries.one(key, [])
        return {
            key: labels if label in labels else [*labels, label],
            ("noise", name): [each.describe() for each in drawn],
            **{("anew", word, label, epoch, name): 1 for epoch in event.readings or [""]},
        }

    def asked(self, request: str) -> Charged | None:
        """What was charged, and drawn, for this question."""
        kept = self._entries.get([("asked", request), ("answered", request)])
        if ("asked", request) not in kept:
            return None
        charged, drawn = kept["asked", request], kept.get(("answered", request))
        return Charged(
            charged["times"],
            charged["numbers"],
            None if drawn is None else Answered.from_json(drawn),
        )

    def charged(self, event: AnswerEvent, number: int, word: str) -> dict[Key, Any]:
        """The entries with one question more."""
        key = ("asked", event.request)
        before = self._entries.one(key, {"numbers": {}})
        numbers = {word: number, **before["numbers"]}
        charged: dict[Key, Any] = {key: {"times": event.times, "numbers": numbers}}
        return {**charged, **self.streams.entered(event, word)}
