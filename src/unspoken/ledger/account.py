"""What has been shown over all events, folded: nothing resets it, and nothing is counted twice.

A coalition has been shown what was given to any of its members, to everybody, and to anybody who is
not declared any more and so may pool with whomever. Coins are persistent (mechanisms/parts.py,
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
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from unspoken.ledger.answers import Answer, Answered
from unspoken.ledger.decisions import Adoption, Decision, Event, Learning
from unspoken.ledger.disclosures import Disclosure, Disclosures
from unspoken.ledger.drawn import Asked, Draws
from unspoken.ledger.entries import Entries, InMemory, Key
from unspoken.ledger.event import EXACT, Release
from unspoken.ledger.exposure import EarlierPolicy, Exponents, Exposure, Hidden, larger
from unspoken.ledger.parts import Given, added, given
from unspoken.ledger.record_coins import RecordCoins
from unspoken.mechanisms import InEpoch, Mechanism, Together
from unspoken.mechanisms.parts import Tossed

__all__ = ["Account", "fold", "reaches", "tossing"]

# Coalitions whose sums are carried on; beyond, they are added up again when asked for.
AUDIENCES = 32
Rows = Mapping[str, list[Any]]  # of each attribute what was declared, and what it hides


def tossing(event: Release | Disclosure) -> str:
    """What tells an event's coins apart from those of others: its label, or its function."""
    return f"{'of' if event.per_key else 'label'} {event.epoch}"


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
        self._records, self.draws = RecordCoins(entries), Draws(entries)
        self._disclosures = Disclosures(entries)

    @classmethod
    def of(cls, events: Iterable[Release]) -> Account:
        """The account of these events, in memory."""
        account = cls(InMemory())
        for number, event in enumerate(events, start=1):
            account.add(event, number)
        return account

    # ------------------------------------------------------------ questions

    def number(self, event: Event) -> int | None:
        """That of the very same event, if there is one; of a plan, if none was adopted since."""
        last = self.adopted(event.table) if isinstance(event, Adoption) else event
        same = last is not None and last.to_json() == event.to_json()
        found: int | None = self._one(_same(event)) if same else None
        return found

    def learnings(self) -> list[Learning]:
        """Every time that a table was counted."""
        return [*map(Learning.from_json, self._one(("noted", Learning.kind), []))]

    def exact(self) -> list[str]:
        """Of the releases that were planned by exact counts, what was history; "": nothing was."""
        return [*self._one(("exact",), [])]

    def adoptions(self) -> list[Adoption]:
        """Every plan that was adopted, the last one last."""
        return [*map(Adoption.from_json, self._one(("noted", Adoption.kind), []))]

    def disclosures(self) -> list[Disclosure]:
        """Everything that became known otherwise."""
        return [*map(Disclosure.from_json, self._one(("noted", Disclosure.kind), []))]

    def adopted(self, table: str) -> Adoption | None:
        """The plan for a table that was adopted last."""
        return next((event for event in self.adoptions()[::-1] if event.table == table), None)

    def coins(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """The coin keys, algorithms and orders of keys that there were."""
        return [(key, coins, tuple(keys)) for key, coins, keys in self._one(("coins",), [])]

    def readers(self) -> list[tuple[str, ...]]:
        """Whom events were given to, or who knows of what was disclosed."""
        return [tuple(names) for names in self._one(("readers",), [])]

    def reaching(
        self, coalition: Collection[str], declared: Collection[str]
    ) -> list[tuple[str, ...]]:
        """Those of them that a coalition has seen."""
        return [names for names in self.readers() if reaches(names, coalition, declared)]

    def changed(
        self, event: Release, compared: Collection[str] = ()
    ) -> tuple[str, str, str] | None:
        """(epoch, attribute, table) of the first reading that differs from one of the event's.

        ``compared``: readings that its rows were compared with, record by record.
        """
        before = self._entries.get([("reading", epoch) for epoch in event.readings])
        for epoch, now in event.readings.items():
            for name, fingerprint, table in before.get(("reading", epoch), ()):
                if now.get(name, fingerprint) != fingerprint and fingerprint not in compared:
                    return epoch, name, table
        return None

    def parts(self, label: str) -> dict[tuple[str, ...], dict[str, list[Given]]]:
        """What was given to whom of each epoch, under the coins of a label."""
        return {names: given(self._entries, _word(names), label) for names in self.readers()}

    def asked(self, request: str) -> Asked | None:
        """What was charged, and drawn, for this question."""
        return self.draws.asked(request)

    def released(self) -> dict[str, str]:
        """Every attribute of which something was shown, with the table it was first from."""
        shown: dict[str, str] = self._one(("released",), {})
        return shown

    def most_rows(self, table: str) -> tuple[int, str]:
        """How many rows of a table were read under the label that had most, and that label."""
        rows, label = self._one(("rows", table), [0, ""])
        return rows, label

    def policies(self, event: Release) -> list[EarlierPolicy]:
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
        for name, policy, hidden, *times in self._one(("policies",), []):
            other = [time for time in times if time[1] != tossing(event)][:1]
            found += [(number, EarlierPolicy(name, policy, hidden, e)) for number, _, e in other]
        return [shown for _, shown in sorted(found, key=lambda item: item[0])]

    def covers(self, event: Release, audience: Collection[Sequence[str]]) -> bool:
        """Whether one with the same coins, from the same reading, showed all the event shows."""
        exponents, shown = event.mechanism.exponents(), event.mechanism.record_coins()
        words = [_word(names) for names in audience]
        cells = self._entries.get([("cell", word, e) for word in words for e in event.readings])
        records = self._records.covers(shown, event.readings, tossing(event), words)
        return (
            records
            and not event.mechanism.drawn_anew()
            and all(
                any(
                    cells.get(("cell", word, epoch), {}).get(name, {}).get(now.get(name, ""), -1.0)
                    >= exponent
                    for word in words
                )
                for epoch, now in event.readings.items()
                for name, exponent in exponents.items()
            )
        )

    def before(self, event: Release, audience: Collection[Sequence[str]]) -> list[Exposure]:
        """What was shown of the cells of each epoch that the event reads; like ones once.

        Events of its own coins count where they had the epoch; those of other coins may be about
        any cell. An old epoch that was shown too much (the belief has been learned again since)
        does not stand in the way of a new one.
        """
        label = tossing(event)
        words = [_word(names) for names in audience]
        keys = [("epoch", word, label, epoch) for word in words for epoch in event.readings]
        had, others = self._entries.get(keys), self._others(audience, label)
        other_records = self._records.others(words, label)
        exposures: list[Exposure] = []
        for epoch in event.readings:
            # Rows that come late were never given to those who are given them now.
            late = _word(event.readers) if epoch in event.parts else None
            past = [word for word in words if word != late]
            within = larger(*(had.get(("epoch", word, label, epoch), {}) for word in past))
            records = self._records.within(past, label, epoch)
            anew = self.draws.shown(words, label, epoch, event.given_again)
            known = self._disclosures.known(words, label, epoch)
            exposure = Exposure(others, within, anew, records, other_records, known)
            if exposure not in exposures:
                exposures.append(exposure)
        return exposures

    def exposure(self, audience: Collection[Sequence[str]]) -> Exposure:
        """All that was shown, of a cell that was in every epoch."""
        words = [_word(names) for names in audience]
        records = self._records.others(words)
        anew, known = self.draws.shown(words), self._disclosures.known(words)
        return Exposure(self._sums(audience), {}, anew, (), records, known)

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
        readers, exponents = _word(event.readers), event.mechanism.exponents()
        counted = ("rows", event.table)
        asked = [("coins",), ("readers",), ("released",), counted]
        heads = self._entries.get(asked)
        entries: dict[Key, Any] = {_same(event): number}
        records = event.mechanism.record_coins()
        shown = sorted({*event.shows})
        entries |= self._cells(event, readers, exponents)
        entries |= self._given(event, readers, number)
        declared = {name: list(event.declared(name)) for name in shown}
        entries |= self._hidden(event, declared, number)
        entries |= self._raised(readers, tossing(event), exponents)
        entries |= self._records.entered(records, event.readings, tossing(event), readers)
        row = [event.key, event.coins, list(event.keys)]
        entries["coins",] = _with(heads.get(("coins",), []), row)
        entries["readers",] = _with(heads.get(("readers",), []), json.loads(readers))
        first = heads.get(("released",), {})
        entries["released",] = first | {n: event.table for n in shown if n not in first}
        entries["policies",] = self._policies(event, declared, number)
        counts = event.counts
        if counts is None:  # of plans that were adopted counts have noise
            counts = EXACT if self._one(("noted", Adoption.kind)) is None else ""
        if counts.startswith(EXACT):
            entries["exact",] = _with(self.exact(), counts.removeprefix(EXACT))
        if event.rows is not None and not event.per_key:
            entries[counted] = max(heads.get(counted, [0, ""]), [event.rows, event.epoch])
        self._entries.put(entries)

    def note(self, event: Decision, number: int) -> None:
        """Keep what was decided, or said: it shows nothing of the rows that are released."""
        before = self._one(key := ("noted", event.kind), [])
        self._entries.put({_same(event): number, key: [*before, event.to_json()]})
        if isinstance(event, Disclosure):
            word = _word(event.readers)
            readers = _with(self._one(("readers",), []), json.loads(word))
            known = self._disclosures.entered(event, tossing(event), word)
            self._entries.put({**known, ("readers",): readers})

    def _given(self, event: Release, readers: str, number: int) -> dict[Key, Any]:
        """What it draws; and whose rows it released, or what it answered."""
        drawn = self.draws.entered(event, tossing(event), readers)
        if isinstance(event, Answer):
            return drawn | self.draws.charged(event, number, readers)
        return drawn | added(self._entries, event, readers, tossing(event), number)

    def _cells(self, event: Release, readers: str, exponents: Exponents) -> dict[Key, Any]:
        """What it read in each epoch, and what it shows of that."""
        label, entries = tossing(event), dict[Key, Any]()
        keys = {
            epoch: (("reading", epoch), ("cell", readers, epoch), ("epoch", readers, label, epoch))
            for epoch in event.readings
        }
        before = self._entries.get([key for three in keys.values() for key in three])
        for epoch, now in event.readings.items():
            reading, cell, had = keys[epoch]
            read = before.get(reading, [])
            known = {(name, fingerprint) for name, fingerprint, _ in read}
            new = [[n, now[n], event.table] for n in sorted(now) if (n, now[n]) not in known]
            entries[reading] = [*read, *new]
            shown = before.get(cell, {})
            fresh = {name: {now.get(name, ""): e} for name, e in exponents.items()}
            again = {name: larger(shown[name], fresh[name]) for name in fresh if name in shown}
            entries[cell] = {**shown, **fresh, **again}
            entries[had] = larger(before.get(had, {}), exponents)
        return entries

    def _raised(self, readers: str, label: str, exponents: Exponents) -> dict[Key, Any]:
        """The largest of each label, and the sums over labels of everybody who sees it."""
        entries: dict[Key, Any] = {}
        audiences = [words for words in self._one(("audiences",), []) if readers in words]
        members = {readers, *(word for words in audiences for word in words)}
        largest = self._entries.get([("label", word, label) for word in members])
        kept = self._entries.get([("sum", *words) for words in audiences])
        for key in kept:
            before = larger(*(largest.get(("label", word, label), {}) for word in key[1:]))
            sums = _read(kept[key])
            sums |= {
                name: sums.get(name, Tossed()).toss(exponent, before.get(name, 0.0))
                for name, exponent in exponents.items()
            }
            entries[key] = _written(sums)
        key = ("label", readers, label)
        return {**entries, key: larger(largest.get(key, {}), exponents)}

    def _hidden(self, event: Release, declared: Rows, number: int) -> dict[Key, Any]:
        """What of its epochs it may have shown: all but this, of what nothing was shown before."""
        before = self._entries.get(keys := [("shown", epoch) for epoch in event.readings])
        now = {name: [*row, number] for name, row in declared.items()}
        return {key: {**now, **before.get(key, {})} for key in keys}

    def _policies(self, event: Release, declared: Rows, number: int) -> list[Any]:
        """Each once, with the first event that had it and the first of other coins."""
        rows: list[Any] = [list(row) for row in self._one(("policies",), [])]
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

    # ------------------------------------------------------------ sums over labels

    def _others(self, audience: Collection[Sequence[str]], label: str) -> dict[str, Tossed]:
        """The sums but for one label."""
        within = self._entries.get([("label", _word(names), label) for names in audience])
        largest = larger(*within.values())
        sums = self._sums(audience)
        return {n: sums[n].without(largest.get(n, 0.0)) for n in sums}

    def _sums(self, audience: Collection[Sequence[str]]) -> dict[str, Tossed]:
        """The sum over labels of the largest that anybody of these was shown, by attribute.

        It is carried on from event to event for those who were asked for last.
        """
        words = sorted(map(_word, audience))
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

    def _one(self, key: Key, default: Any = None) -> Any:
        return self._entries.get([key]).get(key, default)


def _word(readers: Iterable[str]) -> str:
    """These readers as one word, in whatever order they are given."""
    return json.dumps(sorted(set(readers)))


def _same(event: Event) -> Key:
    return "event", hashlib.sha256(event.to_json().encode()).hexdigest()


def _with(rows: list[Any], row: Any) -> list[Any]:
    return rows if row in rows else [*rows, row]


def _written(sums: Mapping[str, Tossed]) -> dict[str, list[int]]:
    return {name: [coins.finite, coins.infinite] for name, coins in sums.items()}


def _read(sums: Mapping[str, list[int]]) -> dict[str, Tossed]:
    return {name: Tossed(*kept) for name, kept in sums.items()}
