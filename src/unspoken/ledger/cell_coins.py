"""What was shown by coins of cells: how often at most, to whom, in which epoch.

The coin of a cell, of one label, is tossed once: of all events that look at it the one with the
largest exponent shows as much as all (`Tossed`). Coins of other labels are independent of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from unspoken.ledger.entries import Entries, Key
from unspoken.ledger.exposure import Exponents, larger
from unspoken.mechanisms.parts import Tossed

__all__ = ["CellCoins"]

# Coalitions whose sums are carried on; beyond, they are added up again when asked for.
AUDIENCES = 32
Readings = Mapping[str, Mapping[str, str]]


class CellCoins:
    """Their part of an account; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def covers(
        self, exponents: Exponents, readings: Readings, draw: int, words: Collection[str]
    ) -> bool:
        """Whether all this was shown to somebody of ``words`` before, as read now."""
        cells = self._entries.get([_cell(word, e, draw) for word in words for e in readings])
        return all(
            any(
                cells.get(_cell(word, epoch, draw), {}).get(name, {}).get(now.get(name, ""), -1.0)
                >= exponent
                for word in words
            )
            for epoch, now in readings.items()
            for name, exponent in exponents.items()
        )

    def within(self, words: Collection[str], label: str, epoch: str) -> Exponents:
        """What was shown of the cells of an epoch, by the coins of this label."""
        kept = self._entries.get([("epoch", word, label, epoch) for word in words])
        return larger(*kept.values())

    def beside(
        self,
        others: Mapping[str, Tossed],
        words: Collection[str],
        labels: Collection[str],
        epoch: str,
    ) -> dict[str, Tossed]:
        """``others``, and what coins of these labels showed of the cells of one epoch."""
        sums = dict(others)
        for label in labels:
            for name, exponent in self.within(words, label, epoch).items():
                sums[name] = sums.get(name, Tossed()).toss(exponent)
        return sums

    def others(self, words: Sequence[str], labels: Collection[str]) -> dict[str, Tossed]:
        """The sums but for these labels."""
        sums = self.sums(words)
        for label in labels:
            within = self._entries.get([("label", word, label) for word in words])
            largest = larger(*within.values())
            sums = {n: each.without(largest.get(n, 0.0)) for n, each in sums.items()}
        return sums

    def sums(self, words: Sequence[str]) -> dict[str, Tossed]:
        """The sum over labels of the largest that anybody of these was shown, by attribute.

        It is carried on from event to event for those who were asked for last.
        """
        words = sorted(words)
        kept = self._entries.get([("audiences",), ("sum", *words)])
        carried = kept.get(("audiences",), [])
        if words in carried:
            return _read(kept["sum", *words])
        largest: dict[str, Exponents] = {}
        for word in words:
            for key, exponents in self._entries.below(("label", word)):
                largest[key[2]] = larger(largest.get(key[2], {}), exponents)
        sums: dict[str, Tossed] = {}
        for exponents in largest.values():
            for name, exponent in exponents.items():
                sums[name] = sums.get(name, Tossed()).toss(exponent)
        last = [*carried, words][-AUDIENCES:]
        self._entries.put({("sum", *words): _written(sums), ("audiences",): last})
        return sums

    # ------------------------------------------------------------ one event more

    def entered(
        self, exponents: Exponents, readings: Readings, draw: int, label: str, word: str
    ) -> dict[Key, Any]:
        """The entries with one more event, which ``word`` was given."""
        entries = self._raised(word, label, exponents)
        keys = {
            epoch: (_cell(word, epoch, draw), ("epoch", word, label, epoch)) for epoch in readings
        }
        before = self._entries.get([key for two in keys.values() for key in two])
        for epoch, now in readings.items():
            cell, had = keys[epoch]
            shown = before.get(cell, {})
            fresh = {name: {now.get(name, ""): e} for name, e in exponents.items()}
            again = {name: larger(shown[name], fresh[name]) for name in fresh if name in shown}
            entries[cell] = {**shown, **fresh, **again}
            entries[had] = larger(before.get(had, {}), exponents)
        return entries

    def _raised(self, word: str, label: str, exponents: Exponents) -> dict[Key, Any]:
        """The largest of each label, and the sums over labels of everybody who sees it."""
        entries: dict[Key, Any] = {}
        carried = self._entries.get([("audiences",)]).get(("audiences",), [])
        audiences = [words for words in carried if word in words]
        members = {word, *(each for words in audiences for each in words)}
        largest = self._entries.get([("label", each, label) for each in members])
        kept = self._entries.get([("sum", *words) for words in audiences])
        for key in kept:
            before = larger(*(largest.get(("label", each, label), {}) for each in key[1:]))
            sums = _read(kept[key])
            sums |= {
                name: sums.get(name, Tossed()).toss(exponent, before.get(name, 0.0))
                for name, exponent in exponents.items()
            }
            entries[key] = _written(sums)
        key = ("label", word, label)
        return {**entries, key: larger(largest.get(key, {}), exponents)}


def _cell(word: str, epoch: str, draw: int) -> Key:
    """Coins of cells belong to the name of an epoch, whatever label or function gave it that."""
    return ("cell", word, epoch) if draw == 1 else ("cell", word, epoch, str(draw))


def _written(sums: Mapping[str, Tossed]) -> dict[str, list[int]]:
    return {name: [coins.finite, coins.infinite] for name, coins in sums.items()}


def _read(sums: Mapping[str, list[int]]) -> dict[str, Tossed]:
    return {name: Tossed(*kept) for name, kept in sums.items()}
