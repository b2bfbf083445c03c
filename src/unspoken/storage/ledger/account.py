"""What has been shown over all events, folded: nothing resets it, and nothing is counted twice.

A coalition has been shown what was given to any of its members, to everybody, and to anybody who is
not declared any more and so may pool with whomever. Coins are persistent (core/mechanisms/parts.py,
`Tossed`): a label, or a function of the key, tosses one coin a cell.

- epochs by one function of the key hold every cell once, for ever: all its events are nested;
- another declared label, or another function, tosses fresh coins for the same cells.

**Assumed:** a cell has the same value, and may be shown or not, in all epochs it is in. Adding then
is exact for what is free, whatever the joint law. Where values change from one label to the next,
it can be too little: an earlier value may say more of a later secret than any value that the belief
knows of, which is about the rows of one epoch only (docs/limits.md).

The account is a table of small entries, of which an event reads and writes a few, however many
events there were. Made of the same events it is the same table.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from unspoken.core.mechanisms import InEpoch, Mechanism, Together
from unspoken.storage.ledger.answers import Answered, AnswerEvent
from unspoken.storage.ledger.cell_coins import CellCoins, Readings
from unspoken.storage.ledger.decisions import Adoption, Decision, Event, Learning
from unspoken.storage.ledger.disclosures import Disclosure, Disclosures
from unspoken.storage.ledger.drawn import Charged, Draws
from unspoken.storage.ledger.entries import Entries, Key
from unspoken.storage.ledger.epoch_parts import Given, added, given
from unspoken.storage.ledger.event import EXACT, Release
from unspoken.storage.ledger.exposure import EarlierPolicy, Exposure, Hidden
from unspoken.storage.ledger.naming import rows_of, tossing, word_of
from unspoken.storage.ledger.policies import Policies
from unspoken.storage.ledger.record_coins import RecordCoins

__all__ = ["Account", "fold", "reaches"]

TOSSED = ("tossed",)  # of all rows the labels of their coins
UNLIKE = 64  # combinations of epochs that are looked at apart


def reaches(
    readers: Collection[str], coalition: Collection[str], declared: Collection[str]
) -> bool:
    """Whether a coalition has seen what these were given; ``declared``: all there are now."""
    return not readers or any(name in coalition or name not in declared for name in readers)


def fold(events: Iterable[Release], sensitive: Hidden | None = None) -> Mechanism:
    """One mechanism that shows what all of these together do.

    With ``sensitive`` at least that, as if they had shown everything that it leaves: then all
    tosses of a cell show the same, and are one (`Tossed`), however many events there are.
    """
    listed = list(events)
    if sensitive is None and listed:
        return Together([InEpoch(tossing(event), event.mechanism) for event in listed])
    account = Account.of(listed)
    return account.exposure(account.readers()).fold(sensitive or {})


class Account:
    """All events, folded; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._cells, self._records = CellCoins(entries), RecordCoins(entries)
        self.draws, self._policies = Draws(entries), Policies(entries)
        self._disclosures = Disclosures(entries)

    @classmethod
    def of(cls, events: Iterable[Release]) -> Account:
        """The account of these events, in memory."""
        account = cls(Entries())
        for number, event in enumerate(events, start=1):
            account.add(event, number)
        return account

    # ------------------------------------------------------------ questions

    def number(self, event: Event) -> int | None:
        """That of the very same event, if there is one; of a plan, if none was adopted since."""
        last = self.adopted(event.table) if isinstance(event, Adoption) else event
        same = last is not None and last.identity == event.identity
        found: int | None = self._entries.one(_same(event)) if same else None
        return found

    def learnings(self) -> list[Learning]:
        """Every time that a table was counted."""
        return [*map(Learning.from_json, self._entries.one(("noted", Learning.kind), []))]

    def exact(self) -> list[str]:
        """Of the releases that were planned by exact counts, what was history; "": nothing was."""
        return [*self._entries.one(("exact",), [])]

    def adoptions(self) -> list[Adoption]:
        """Every plan that was adopted, the last one last."""
        return [*map(Adoption.from_json, self._entries.one(("noted", Adoption.kind), []))]

    def disclosures(self) -> list[Disclosure]:
        """Everything that became known otherwise."""
        return [*map(Disclosure.from_json, self._entries.one(("noted", Disclosure.kind), []))]

    def adopted(self, table: str) -> Adoption | None:
        """The plan for a table that was adopted last."""
        return next((event for event in self.adoptions()[::-1] if event.table == table), None)

    def coins(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """The coin keys, algorithms and orders of keys that there were."""
        return [(key, coins, tuple(keys)) for key, coins, keys in self._entries.one(("coins",), [])]

    def readers(self) -> list[tuple[str, ...]]:
        """Whom events were given to, or who knows of what was disclosed."""
        return [tuple(names) for names in self._entries.one(("readers",), [])]

    def reaching(
        self, coalition: Collection[str], declared: Collection[str]
    ) -> list[tuple[str, ...]]:
        """Those of them that a coalition has seen."""
        return [names for names in self.readers() if reaches(names, coalition, declared)]

    def changed(self, event: Release, compared: Collection[str] = ()) -> list[tuple[str, str, str]]:
        """(epoch, attribute, table) of every reading that differs from one of the event's.

        ``compared``: readings that its rows were compared with, record by record.
        """
        before = self._entries.get([("reading", epoch) for epoch in event.readings])
        return [
            (epoch, name, table)
            for epoch, now in event.readings.items()
            for table, read in before.get(("reading", epoch), ())
            for name, fingerprint in sorted(read.items())
            if now.get(name, fingerprint) != fingerprint and fingerprint not in compared
        ]

    def parts(self, label: str) -> dict[tuple[str, ...], dict[str, list[Given]]]:
        """What was given to whom of each epoch, under the coins of a label."""
        return {names: given(self._entries, word_of(names), label) for names in self.readers()}

    def asked(self, request: str) -> Charged | None:
        """What was charged, and drawn, for this question."""
        return self.draws.asked(request)

    def released(self) -> dict[str, str]:
        """Every attribute of which something was shown, with the table it was first from."""
        shown: dict[str, str] = self._entries.one(("released",), {})
        return shown

    def most_rows(self, table: str) -> tuple[int, str]:
        """How many rows of a table were read under the label that had most, and that label."""
        rows, label = self._entries.one(("rows", table), [0, ""])
        return rows, label

    def policies(self, event: Release) -> list[EarlierPolicy]:
        """What was declared of what nothing else compares its readings with."""
        return self._policies.beside(event)

    def covers(self, event: Release, audience: Collection[Sequence[str]]) -> bool:
        """Whether one with the same coins, from the same reading, showed all the event shows."""
        if event.mechanism.drawn_anew():
            return False
        readings, words = event.readings, [word_of(names) for names in audience]
        exponents, shown = event.mechanism.exponents(), event.mechanism.record_coins()
        return self._records.covers(shown, readings, tossing(event), words) and self._cells.covers(
            exponents, readings, event.draw, words
        )

    def before(self, event: Release, audience: Collection[Sequence[str]]) -> list[Exposure]:
        """What was shown of the cells of each epoch that the event reads; like ones once.

        Events of its own coins, and other draws of them, count where they had the epoch; coins of
        other labels may be about any cell. An old epoch that was shown too much (the belief has
        been learned again since) does not stand in the way of a new one.
        """
        label, rows = tossing(event), rows_of(event)
        words, labels = [word_of(names) for names in audience], self._labels(event)
        others = self._cells.others(words, labels)
        other_records = self._records.others(words, labels)
        exposures: list[Exposure] = []
        for epoch in event.readings:
            # Rows that come late were never given to those who are given them now.
            late = word_of(event.readers) if epoch in event.parts else None
            past = [word for word in words if word != late]
            draws = [each for each in labels if each != label]
            exposure = Exposure(
                self._cells.beside(others, words, draws, epoch),
                self._cells.within(past, label, epoch),
                self.draws.shown(words, rows, epoch, event.given_again),
                self._records.within(past, label, epoch),
                (*other_records, *self._records.apart(words, draws, epoch)),
                self._disclosures.known(words, {rows: epoch}),
            )
            if exposure not in exposures:
                exposures.append(exposure)
        return exposures

    def exposure(self, audience: Collection[Sequence[str]]) -> Exposure:
        """All that was shown, of a cell that was in every epoch."""
        words = [word_of(names) for names in audience]
        records = self._records.others(words)
        anew, known = self.draws.shown(words), self._disclosures.known(words)
        return Exposure(self._cells.all(words), {}, anew, (), records, known)

    def exposures(self, audience: Collection[Sequence[str]]) -> list[Exposure]:
        """The same of a row of each epoch, where that is less.

        The rows of a label, or of a function, are in one epoch each, by whatever draw. So where
        plans followed one another, or epochs were given to others, no row has the coins of both.
        Of functions beside one another it may be any epoch of each; as if it had been in all,
        where these are too many.
        """
        whole, words = self.exposure(audience), [word_of(names) for names in audience]
        tossed = {key[-1]: labels for key, labels in self._entries.below(TOSSED)}
        kept = {rows: self._unlike(words, rows, labels) for rows, labels in tossed.items()}
        mixed = {rows: epochs for rows, epochs in kept.items() if len(epochs) > 1}
        if math.prod(map(len, mixed.values())) > UNLIKE:
            return [whole]
        own = [label for rows in mixed for label in tossed[rows]]
        others, beside = self._cells.others(words, own), self._records.others(words, own)
        found = list[Exposure]()
        for each in itertools.product(*mixed.values()):
            row, sums, records = dict(zip(mixed, each, strict=True)), others, beside
            for rows, epoch in row.items():
                sums = self._cells.beside(sums, words, tossed[rows], epoch)
                records = (*records, *self._records.apart(words, tossed[rows], epoch))
            known = self._disclosures.known(words, row)
            found.append(replace(whole, others=sums, other_records=records, known=known))
        return found

    def _unlike(self, words: Collection[str], rows: str, labels: Collection[str]) -> list[str]:
        """An epoch of each kind of those of which most is known: of any other it is no more."""
        cells = {label: self._cells.by_epoch(words, label) for label in labels}
        records = {label: self._records.by_epoch(words, label) for label in labels}
        unlike = dict[frozenset[object], str]()
        disclosed = sorted(self._disclosures.epochs(words, rows))
        for epoch in dict.fromkeys(itertools.chain(*cells.values(), *records.values(), disclosed)):
            tossed = {(c, *one) for c, by in cells.items() for one in by.get(epoch, {}).items()}
            answered = {
                (coin, digest, name)
                for coin, by in records.items()
                for digest, names in by.get(epoch, {}).items()
                for name in names
            }
            known = self._disclosures.known(words, {rows: epoch})
            unlike.setdefault(
                frozenset({*tossed, *answered, *(("", *names) for names in known)}), epoch
            )
        return [epoch for one, epoch in unlike.items() if not any(one < other for other in unlike)]

    # ------------------------------------------------------------ one event more

    def enter(self, event: Event, number: int) -> None:
        """Count in what a release shows; keep what else there is."""
        if isinstance(event, Release):
            self.add(event, number)
        elif isinstance(event, Answered):
            self._entries.put({_same(event): number, ("answered", event.request): event.to_json()})
        else:
            self.note(event, number)

    def add(self, event: Release, number: int) -> None:
        """Fold it in."""
        readers, exponents = word_of(event.readers), dict(event.mechanism.exponents().items())
        counted = ("rows", event.table)
        asked = [("coins",), ("readers",), ("released",), counted]
        heads = self._entries.get(asked)
        entries: dict[Key, Any] = {_same(event): number}
        # Its own, and kept once: many entries have them.
        readings = {epoch: dict(now) for epoch, now in event.readings.items()}
        records = event.mechanism.record_coins()
        shown = sorted({*event.shows})
        label = tossing(event)
        entries |= self._read(readings, event.table)
        entries |= self._given(event, readings, readers, number)
        entries |= self._policies.entered(event, number)
        entries |= self._cells.entered(exponents, readings, event.draw, label, readers)
        entries |= self._records.entered(records, readings, label, readers)
        entries[*TOSSED, rows_of(event)] = self._labels(event)
        row = [event.key, event.coins, list(event.keys)]
        entries["coins",] = _with(heads.get(("coins",), []), row)
        entries["readers",] = _with(heads.get(("readers",), []), json.loads(readers))
        first = heads.get(("released",), {})
        entries["released",] = first | {n: event.table for n in shown if n not in first}
        counts = event.counts
        if counts is None:  # of plans that were adopted counts have noise
            counts = EXACT if self._entries.one(("noted", Adoption.kind)) is None else ""
        if counts.startswith(EXACT):
            entries["exact",] = _with(self.exact(), counts.removeprefix(EXACT))
        if event.rows is not None and not event.per_key:
            entries[counted] = max(heads.get(counted, [0, ""]), [event.rows, event.epoch])
        self._entries.put(entries)

    def note(self, event: Decision, number: int) -> None:
        """Keep what was decided, or said: it shows nothing of the rows that are released."""
        before = self._entries.one(key := ("noted", event.kind), [])
        self._entries.put({_same(event): number, key: [*before, event.to_json()]})
        if isinstance(event, Disclosure):
            word = word_of(event.readers)
            readers = _with(self._entries.one(("readers",), []), json.loads(word))
            known = self._disclosures.entered(event, rows_of(event), word)
            self._entries.put({**known, ("readers",): readers})

    def _given(
        self, event: Release, readings: Readings, readers: str, number: int
    ) -> dict[Key, Any]:
        """What it draws; and whose rows it released, or what it answered."""
        drawn = self.draws.entered(event, rows_of(event), readers)
        if isinstance(event, AnswerEvent):
            return drawn | self.draws.charged(event, number, readers)
        return drawn | added(self._entries, event.parts, readings, readers, tossing(event), number)

    def _read(self, readings: Readings, table: str) -> dict[Key, Any]:
        """What was read in each epoch, and in which table first: with the event, what is new."""
        before = self._entries.get(keys := [("reading", epoch) for epoch in readings])
        entries: dict[Key, Any] = {}
        for key, now in zip(keys, readings.values(), strict=True):
            rows, new = before.get(key, []), set(now.items())
            for _, read in rows:
                new.difference_update(read.items())
            if new:
                entries[key] = [*rows, [table, now if len(new) == len(now) else dict(new)]]
        return entries

    def _labels(self, event: Release) -> list[str]:
        """Those of all draws of its coins: they are about the same cells of the same epochs."""
        return _with(self._entries.one((*TOSSED, rows_of(event)), []), tossing(event))


def _same(event: Event) -> Key:
    return "event", hashlib.sha256(event.identity.encode()).hexdigest()


def _with(rows: list[Any], row: Any) -> list[Any]:
    return rows if row in rows else [*rows, row]
