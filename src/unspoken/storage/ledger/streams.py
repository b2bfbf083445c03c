"""What all answers with noise told of all rows of one unit: the stream of its days, say.

One record changes an answer by no more than e^eps, so the k rows of a unit that enter it change it
by no more than e^(k eps), whatever is believed of how these depend on each other; and of several
answers, each drawn anew, epsilons add up (Corollary 1). So the sum over all answers of k eps bounds
what they say together of anything about one unit, over all epochs. With k the rows of one epoch it
bounds what they say of this epoch to who knows all others of the unit.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from unspoken.storage.ledger.answers import AnswerEvent
from unspoken.storage.ledger.entries import Entries, Key
from unspoken.storage.ledger.naming import rows_of, word_of

__all__ = ["Streams"]


class _Cost(NamedTuple):
    """What one draw counts: of all rows of a unit, and of those in each of these epochs."""

    unit: str
    all_rows: float
    label: str
    one_epoch: float
    epochs: list[str]

    def of(self, label: str = "", epoch: str = "") -> Fraction:
        """Of all rows; or of an epoch that ``label`` gives, where others may be about any rows."""
        if label != self.label:
            return _exact(self.all_rows)
        return _exact(self.one_epoch) if epoch in self.epochs else Fraction(0)

    def sums(self, word: str) -> dict[Key, Fraction]:
        """The sums that it is part of."""
        key, whole = ("streams", word, self.label), _exact(self.all_rows)
        sums: dict[Key, Fraction] = {("streams", word): whole, key: whole}
        return sums | {(*key, epoch): _exact(self.one_epoch) for epoch in self.epochs}


class Streams:
    """Their part of an account; ``entries`` is where.

    Kept are sums, so that one answer more costs the same after many: of each audience the sum of
    all that it was given, of that by each label, and of each epoch by it, and how many answers were
    charged for which unit; of each draw what it counts for whom; and which draws were given to
    several, which count once.
    """

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def spent(
        self, audience: Collection[Sequence[str]], unit: Sequence[str], but: str = ""
    ) -> Fraction | None:
        """The sum of all that these were given, each draw once, of decimals as they are written.

        None: of an older answer, or one that was charged for other units, it is not known. ``but``:
        a draw that is given now.
        """
        words, own = _words(audience), self._of(but)
        if not self._known(words, unit, own):
            return None
        held = self._summed([("streams", word) for word in words])
        twice = [_twice(costs) for costs in self._several(words, but)]
        return held - _counted(own, words) - sum(twice, Fraction(0))

    def spent_of(
        self,
        audience: Collection[Sequence[str]],
        unit: Sequence[str],
        label: str,
        epochs: Collection[str],
        but: str = "",
    ) -> dict[str, Fraction] | None:
        """The same of the rows of each of these epochs, which the ``label`` gives."""
        words, own = _words(audience), self._of(but)
        if not self._known(words, unit, own):
            return None
        under = [("streams", word, label) for word in words]
        others = self._summed([("streams", word) for word in words]) - self._summed(under)
        twice = dict.fromkeys(epochs, Fraction(0))
        for costs in self._several(words, but):
            about = {epoch for each in costs for epoch in each.epochs if each.label == label}
            everywhere = any(each.label != label for each in costs)
            for epoch in epochs if everywhere else about & twice.keys():
                twice[epoch] += _twice(costs, label, epoch)
        held = dict.fromkeys(epochs, others)
        kept = self._entries.get([(*key, epoch) for key in under for epoch in epochs])
        for (*_, epoch), ends in kept.items():
            held[epoch] += Fraction(*ends)
        return {
            epoch: spent - _counted(own, words, label, epoch) - twice[epoch]
            for epoch, spent in held.items()
        }

    def epochs(self, audience: Collection[Sequence[str]], label: str) -> list[str]:
        """Those about which anything was answered."""
        below = (self._entries.below(("streams", word, label)) for word in _words(audience))
        return sorted({key[-1] for found in below for key, _ in found})

    def entered(self, event: AnswerEvent, word: str) -> Mapping[Key, Any]:
        """The entries with one answer more, which ``word`` was given."""
        unit, epochs = json.dumps([*event.unit]), sorted(event.readings)
        now = _Cost(unit, event.unit_epsilon, rows_of(event), event.of_epoch, epochs)
        given, counted = self._of(draw := event.noise), ("units", word)
        units = dict(self._entries.one(counted, {}))
        changes = now.sums(word)
        before = given.get(word)
        if before is not None:
            units[before.unit] -= 1
            for key, cost in before.sums(word).items():
                changes[key] = changes.get(key, Fraction(0)) - cost
        units[now.unit] = units.get(now.unit, 0) + 1
        held = self._entries.get(changes)
        entries: dict[Key, Any] = {
            key: _plain(Fraction(*held.get(key, (0, 1))) + change)
            for key, change in changes.items()
        }
        entries |= {counted: units, ("streamed", draw): {**given, word: [*now]}}
        if len({*given, word}) > 1:
            entries["streamed", "", draw] = 1
        return entries

    def _summed(self, keys: Collection[Key]) -> Fraction:
        return sum((Fraction(*each) for each in self._entries.get(keys).values()), Fraction(0))

    def _known(self, words: Collection[str], unit: Sequence[str], own: Mapping[str, _Cost]) -> bool:
        """Whether every answer but its own was charged for this unit."""
        kept, name = self._entries.get([("units", word) for word in words]), json.dumps([*unit])
        return not any(
            count - (word in own and own[word].unit == each)
            for (_, word), units in kept.items()
            for each, count in units.items()
            if each != name
        )

    def _of(self, draw: str) -> dict[str, _Cost]:
        """What one draw counts, for each who was given it."""
        found = self._entries.one(("streamed", draw), {})
        return {word: _Cost(*row) for word, row in found.items()}

    def _several(self, words: Collection[str], but: str) -> Iterator[list[_Cost]]:
        """What each draw that was given to several, but for this, counts for each of these."""
        draws = (key[-1] for key, _ in self._entries.below(("streamed", "")))
        found = self._entries.get([("streamed", draw) for draw in draws if draw != but])
        for given in found.values():
            yield [_Cost(*row) for word, row in given.items() if word in words]


def _words(audience: Collection[Sequence[str]]) -> set[str]:
    return set(map(word_of, audience))


def _counted(own: Mapping[str, _Cost], words: Collection[str], *of: str) -> Fraction:
    """What sums have of one draw."""
    return sum((cost.of(*of) for word, cost in own.items() if word in words), Fraction(0))


def _twice(costs: Sequence[_Cost], *of: str) -> Fraction:
    """What sums have too often of one draw that counts so for several."""
    counted = [each.of(*of) for each in costs]
    return sum(counted, Fraction(0)) - max(counted, default=Fraction(0))


def _exact(epsilon: float) -> Fraction:
    return Fraction(repr(epsilon))


def _plain(sum_of: Fraction) -> list[int]:
    return [sum_of.numerator, sum_of.denominator]
