"""What was shown by coins of whole records: which names of which table, to whom, in which epoch.

The coin of a record, of one table of what is shown (`Suppression.digest`) and one label, is tossed
once: whoever is delivered more names of it sees more of the same answer. Coins of other tables and
other labels are independent of it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from unspoken.core.mechanisms import InEpoch, Mechanism, RecordCoin, from_description
from unspoken.storage.ledger.entries import Entries, Key

__all__ = ["RecordCoins", "merged", "reading_of"]


def merged(shown: Iterable[RecordCoin]) -> tuple[RecordCoin, ...]:
    """What is delivered of each table, by anybody."""
    by_digest: dict[str, RecordCoin] = {}
    for each in shown:
        by_digest[each.digest] = each.beside(by_digest.get(each.digest, each))
    return tuple(by_digest[digest] for digest in sorted(by_digest))


def reading_of(now: Mapping[str, str], names: Sequence[str]) -> str:
    """What was read of all these attributes, as one word: the coin's answer depends on each."""
    return json.dumps([now.get(name, "") for name in sorted(names)])


class RecordCoins:
    """Their part of an account; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def covers(
        self,
        shown: Sequence[RecordCoin],
        readings: Mapping[str, Mapping[str, str]],
        label: str,
        words: Collection[str],
    ) -> bool:
        """Whether all these names were delivered to somebody of ``words`` before, as read now."""
        if not shown:
            return True
        keys = [("record", word, label, epoch) for word in words for epoch in readings]
        before = self._entries.get(keys)
        return all(
            set(each.delivered)
            <= {
                name
                for word in words
                for name, reading in before.get(("record", word, label, epoch), {})
                .get(each.digest, {})
                .items()
                if reading == reading_of(now, each.names)
            }
            for epoch, now in readings.items()
            for each in shown
        )

    def within(self, words: Collection[str], label: str, epoch: str) -> tuple[RecordCoin, ...]:
        """What was shown of the records of an epoch, by the coins of this label."""
        kept = self._entries.get([("record", word, label, epoch) for word in words])
        names: dict[str, dict[str, Any]] = {}
        for shown in kept.values():
            for digest, read in shown.items():
                names.setdefault(digest, {}).update(read)
        return self._tables(names)

    def by_epoch(self, words: Collection[str], label: str) -> dict[str, dict[str, list[str]]]:
        """Of each epoch which names were shown of which table, by the coins of this label."""
        found: dict[str, dict[str, set[str]]] = {}
        for word in words:
            for key, shown in self._entries.below(("record", word, label)):
                for digest, read in shown.items():
                    found.setdefault(key[-1], {}).setdefault(digest, set()).update(read)
        return {e: {d: sorted(names) for d, names in each.items()} for e, each in found.items()}

    def apart(
        self, words: Collection[str], labels: Collection[str], epoch: str
    ) -> tuple[Mechanism, ...]:
        """The same by the coins of several labels, each by its own."""
        return tuple(
            InEpoch(label, each) for label in labels for each in self.within(words, label, epoch)
        )

    def others(self, words: Collection[str], labels: Collection[str] = ()) -> tuple[Mechanism, ...]:
        """The same by the coins of all labels but these, which may be about any record."""
        kept = self._entries.get([("records", word) for word in words])
        names: dict[str, dict[str, dict[str, Any]]] = {}
        for by_label in kept.values():
            for other, shown in by_label.items():
                for digest, delivered in shown.items():
                    of_coin = names.setdefault(other, {}).setdefault(digest, {})
                    of_coin.update(dict.fromkeys(delivered))
        return tuple(
            InEpoch(other, each)
            for other in sorted(names)
            if other not in labels
            for each in self._tables(names[other])
        )

    def entered(
        self,
        shown: Sequence[RecordCoin],
        readings: Mapping[str, Mapping[str, str]],
        label: str,
        word: str,
    ) -> dict[Key, Any]:
        """The entries with one more event, which ``word`` was given."""
        if not shown:
            return {}
        keys = {epoch: ("record", word, label, epoch) for epoch in readings}
        tables = {each: ("table", each.digest) for each in shown}
        of_word: Key = ("records", word)
        before = self._entries.get([*keys.values(), of_word])
        entries: dict[Key, Any] = {key: each.whole.describe() for each, key in tables.items()}
        for epoch, now in readings.items():
            kept = {digest: dict(read) for digest, read in before.get(keys[epoch], {}).items()}
            for each in shown:
                read = dict.fromkeys(each.delivered, reading_of(now, each.names))
                kept.setdefault(each.digest, {}).update(read)
            entries[keys[epoch]] = kept
        labels = {**before.get(of_word, {})}
        delivered = {digest: list(names) for digest, names in labels.get(label, {}).items()}
        for each in shown:
            names = dict.fromkeys([*delivered.get(each.digest, ()), *each.delivered])
            delivered[each.digest] = sorted(names)
        return {**entries, of_word: {**labels, label: delivered}}

    def _tables(self, names: Mapping[str, Iterable[str]]) -> tuple[RecordCoin, ...]:
        """The tables of these digests, each delivering these names."""
        kept = self._entries.get([("table", digest) for digest in names])
        return tuple(
            table.showing(names[digest])
            for digest in sorted(names)
            for table in from_description(kept["table", digest]).record_coins()
        )
