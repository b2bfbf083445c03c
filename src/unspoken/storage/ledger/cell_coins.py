"""What was shown by coins of cells: how often at most, to whom, in which epoch.

The coin of a cell, of one label, is tossed once: of all events that look at it the one with the
largest exponent shows as much as all (`Tossed`). Coins of other labels are independent of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from unspoken.core.mechanisms.parts import Tossed
from unspoken.storage.ledger.entries import Entries, Key
from unspoken.storage.ledger.exposure import Exponents, larger

__all__ = ["CellCoins", "Readings"]

# Coalitions whose sums are carried on; beyond, they are added up again when asked for.
AUDIENCES = 32
Readings = Mapping[str, Mapping[str, str]]
Sums = Mapping[str, Sequence[int]]  # `Tossed`, as it is kept


class CellCoins:
    """Their part of an account; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._left: dict[tuple[str, ...], tuple[Sums, dict[str, Tossed]]] = {}

    def covers(
        self, exponents: Exponents, readings: Readings, draw: int, words: Collection[str]
    ) -> bool:
        """Whether all this was shown to somebody of ``words`` before, as read now."""
        cells = self._entries.get([_cell(word, e, draw) for word in words for e in readings])
        return all(
            any(
                shown.get(name, -1.0) >= exponent and read[name] == now.get(name, "")
                for word in words
                for read, shown in cells.get(_cell(word, epoch, draw), ())
            )
            for epoch, now in readings.items()
            for name, exponent in exponents.items()
        )

    def within(self, words: Collection[str], label: str, epoch: str) -> Exponents:
        """What was shown of the cells of an epoch, by the coins of this label."""
        kept = self._entries.get([("epoch", word, label, epoch) for word in words])
        return larger(*kept.values())

    def most(self, words: Collection[str], label: str) -> Exponents:
        """The same of those of which most was shown."""
        return larger(*self._entries.get([("label", word, label) for word in words]).values())

    def by_epoch(self, words: Collection[str], label: str) -> dict[str, Exponents]:
        """What was shown of those of each epoch."""
        found: dict[str, Exponents] = {}
        for word in words:
            for key, shown in self._entries.below(("epoch", word, label)):
                found[key[-1]] = larger(found.get(key[-1], {}), shown)
        return {epoch: shown for epoch, shown in found.items() if shown}

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
        """The sums but for these labels, where anything is left of them.

        It is kept until the sums are others: what is larger of a label is larger in them too. As a
        rule an event shows no more than was shown.
        """
        sums, where = self.sums(words), (*sorted(words), "", *labels)
        made = self._left.get(where)
        if made is None or made[0] is not sums:
            left = _read(sums)
            for label in labels:
                largest = self.most(words, label).items()
                left |= {name: left[name].without(exponent) for name, exponent in largest}
            made = sums, {name: each for name, each in left.items() if each != Tossed()}
            self._left = {**dict([*self._left.items()][1 - AUDIENCES :]), where: made}
        return made[1]

    def all(self, words: Sequence[str]) -> dict[str, Tossed]:
        """The sum over labels of the largest that anybody of these was shown, by attribute."""
        return _read(self.sums(words))

    def sums(self, words: Sequence[str]) -> Sums:
        """The same as it is kept: carried on from event to event for those asked for last."""
        words = sorted(words)
        kept = self._entries.get([("audiences",), ("sum", *words)])
        carried = kept.get(("audiences",), [])
        if words in carried:
            found: Sums = kept["sum", *words]
            return found
        largest: dict[str, Exponents] = {}
        for word in words:
            for key, exponents in self._entries.below(("label", word)):
                largest[key[2]] = larger(largest.get(key[2], {}), exponents)
        sums: dict[str, Tossed] = {}
        for exponents in largest.values():
            for name, exponent in exponents.items():
                sums[name] = sums.get(name, Tossed()).toss(exponent)
        last = [*carried, words][-AUDIENCES:]
        written = _written(sums)
        self._entries.put({("sum", *words): written, ("audiences",): last})
        return written

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
            entries[cell] = _shown(before.get(cell, []), now, exponents)
            entries[had] = larger(before.get(had, {}), exponents)
        return entries

    def _raised(self, word: str, label: str, exponents: Exponents) -> dict[Key, Any]:
        """The largest of each label, and the sums over labels of everybody who sees it."""
        entries: dict[Key, Any] = {}
        carried = self._entries.one(("audiences",), [])
        audiences = [words for words in carried if word in words]
        members = {word, *(each for words in audiences for each in words)}
        largest = self._entries.get([("label", each, label) for each in members])
        kept = self._entries.get([("sum", *words) for words in audiences])
        for key in kept:
            before = larger(*(largest.get(("label", each, label), {}) for each in key[1:]))
            sums: Sums = kept[key]
            raised = {
                name: Tossed(*sums.get(name, ())).toss(exponent, before.get(name, 0.0))
                for name, exponent in exponents.items()
                if exponent > before.get(name, 0.0) or name not in sums
            }
            if raised:
                entries[key] = {**sums, **_written(raised)}
        key = ("label", word, label)
        return {**entries, key: larger(largest.get(key, {}), exponents)}


def _cell(word: str, epoch: str, draw: int) -> Key:
    """Coins of cells belong to the name of an epoch, whatever label or function gave it that."""
    return ("cell", word, epoch) if draw == 1 else ("cell", word, epoch, str(draw))


def _shown(
    rows: Sequence[Sequence[Any]], now: Mapping[str, str], exponents: Exponents
) -> list[list[Any]]:
    """What was read of attributes and how much was shown of it, with one event more.

    Each row has one reading of an attribute: the first has its first one, and so on. So as a rule
    there is one row, of mappings that others have too.
    """
    shown, left = list[list[Any]](), exponents
    for read, most in rows:
        own = {n: e for n, e in left.items() if read.get(n, now.get(n, "")) == now.get(n, "")}
        new = {name: now.get(name, "") for name in own.keys() - read.keys()}
        shown.append([{**read, **new} if new else read, larger(most, own)])
        left = {name: exponent for name, exponent in left.items() if name not in own}
    if left:
        all_read = left.keys() == now.keys()
        shown.append([now if all_read else {n: now.get(n, "") for n in left}, left])
    return shown


def _written(sums: Mapping[str, Tossed]) -> dict[str, list[int]]:
    return {name: [coins.finite, coins.infinite] for name, coins in sums.items()}


def _read(sums: Sums) -> dict[str, Tossed]:
    return {name: Tossed(*kept) for name, kept in sums.items()}
