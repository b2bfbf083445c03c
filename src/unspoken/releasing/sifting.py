"""What of the source was released before, what is new, what came late, and what was changed.

Old epochs are never asked again: one whose fingerprints are those that were charged is left alone.
Where they are not, its records are compared with what they were when they were first read. A key
that was not there is a row that came late, which may be released; a record that is another one is
not, since a cell that is answered from two readings shows the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unspoken.ledger import Given
from unspoken.numerics.arrays import Mask, Words
from unspoken.numerics.coins import BATCH, MasterKey
from unspoken.releasing.first_readings import FirstReadings
from unspoken.releasing.reading import Reading
from unspoken.releasing.witness import Prints, Records, Witness

__all__ = ["Past", "Piece", "Sifted", "sift"]


@dataclass(frozen=True)
class Past:
    """What the ledger has of earlier releases, ``given`` to whom, by epoch; and what lies beside
    it. ``readers``: who is to be given what is released now.
    """

    readers: tuple[str, ...]
    given: Mapping[tuple[str, ...], Mapping[str, Sequence[Given]]]
    first: FirstReadings

    def own(self, epoch: str, names: Iterable[str]) -> dict[int, Given]:
        """The parts of an epoch that they were given, of any of these attributes."""
        return {each.part: each for each in self.all(epoch, names, [self.readers])}

    def all(
        self, epoch: str, names: Iterable[str], whose: Iterable[tuple[str, ...]] | None = None
    ) -> list[Given]:
        """What these, or anybody, were given of it, of any of these attributes."""
        return [
            each
            for readers in (self.given if whose is None else whose)
            for each in self.given.get(readers, {}).get(epoch, ())
            if each.readings.keys() & set(names)
        ]


@dataclass(frozen=True)
class Piece:
    """Rows of an epoch that are written into one file; ``keys``: which, None: all.

    ``number``: of the event that released them; None: the one that is charged now.
    """

    epoch: str
    part: int
    readings: Mapping[str, str]
    number: int | None = None
    keys: Words | None = None
    rows: int = 0


@dataclass
class Sifted:
    """``new``: what is to be charged; ``standing``: what was released, and is there as it was.

    ``changed``, ``gone``: records that are other ones, or not there any more, by epoch;
    ``unknown``: epochs that differ, of which nobody knows in what. ``compared``: readings that
    records were compared with. ``keep``: what they are, for next time.
    """

    witness: Witness
    new: list[Piece] = field(default_factory=list)
    standing: list[Piece] = field(default_factory=list)
    changed: dict[str, int] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    compared: set[str] = field(default_factory=set)
    keep: list[tuple[str, Mapping[str, str], Records]] = field(default_factory=list)

    def add(self, piece: Piece, records: Records) -> None:
        """One more to be charged."""
        self.new.append(piece)
        self.keep.append((piece.epoch, piece.readings, records))


def sift(reading: Reading, master: MasterKey, past: Past) -> Sifted:
    """Read the source once; and once more, where an epoch that was released is another one now."""
    names = reading.depends

    def keeping(epoch: str) -> bool:
        own = past.own(epoch, names)
        return not own or (set(own) == {1} and not past.first.path(epoch, own[1].readings).exists())

    witness = Witness.of(reading, master, keeping)
    sifted = Sifted(witness)
    differing = dict[str, _Compared]()
    for epoch, now in witness.readings().items():
        prints = Prints(reading, master, epoch)
        if not _whole(sifted, prints, past, now):
            compared = _Compared.of(prints, past, sifted)
            differing |= {} if compared is None else {epoch: compared}
    _compare(reading, sifted, differing)
    return sifted


def _whole(sifted: Sifted, prints: Prints, past: Past, now: Mapping[str, str]) -> bool:
    """Whether an epoch is new, or as it was; then that is entered."""
    epoch, witness = prints.epoch, sifted.witness
    own, rows = past.own(epoch, now), witness.counts[epoch]
    if not own:
        if any(_differ(each.readings, now) for each in past.all(epoch, now)):
            return False
        sifted.add(Piece(epoch, 1, now, rows=rows), witness.records(epoch))
        return True
    records = {part: past.first.read(prints, own[part].readings) for part in own if len(own) > 1}
    known = [each for each in records.values() if each is not None]
    if len(known) < len(records):
        return False
    before = [each.readings for each in past.all(epoch, now, [past.readers])]
    if known:  # the parts are told apart from one another, so they have to be told from the rest
        asked = {name for readings in before for name in readings}
        before = [prints.readings(known)]
        if before[0].keys() < asked:
            return False
    if any(_differ(readings, now) for readings in before):
        return False
    for part, each in own.items():
        there = records.get(part)
        keys = None if there is None else there.keys
        count = rows if there is None else len(there)
        sifted.standing.append(Piece(epoch, part, each.readings, each.number, keys, count))
    _keep_again(sifted, epoch, own)
    return True


def _keep_again(sifted: Sifted, epoch: str, own: Mapping[int, Given]) -> None:
    """What was lost of an epoch of one part is read again while it is as it was."""
    if not sifted.witness.keeps(epoch):
        return
    records, readings = sifted.witness.records(epoch), own[1].readings
    if readings.keys() <= records.numbers.keys():
        of_part = {name: records.numbers[name] for name in readings}
        sifted.keep.append((epoch, readings, Records(records.keys, of_part)))


def _differ(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    return any(now.get(name, fingerprint) != fingerprint for name, fingerprint in before.items())


@dataclass
class _Earlier:
    """Records of one earlier reading; ``met``: how many are there, ``intact``: as they were."""

    given: Given
    own: bool
    records: Records
    met: int = 0
    intact: int = 0

    def look(self, now: Records) -> tuple[Mask, Mask]:
        """Which of these records it had, and which of them are as they were."""
        places = np.searchsorted(self.records.keys, now.keys)
        places[places == len(self.records)] = 0
        there: Mask = self.records.keys[places] == now.keys
        same = there.copy()
        for name in self.records.numbers.keys() & now.numbers.keys():
            same &= (self.records.numbers[name][places] == now.numbers[name]).all(axis=1)
        self.met += int(there.sum())
        self.intact += int(same.sum())
        return there, same


@dataclass
class _Compared:
    """An epoch that differs from what it was, record by record."""

    prints: Prints
    earlier: list[_Earlier]
    late: list[Records] = field(default_factory=list)
    changed: int = 0

    @classmethod
    def of(cls, prints: Prints, past: Past, sifted: Sifted) -> _Compared | None:
        """None: what it was is not known."""
        epoch, names = prints.epoch, prints.reading.depends
        own, earlier = list(past.own(epoch, names).values()), list[_Earlier]()
        for given in past.all(epoch, names):
            records = past.first.read(prints, given.readings)
            if records is None:
                sifted.unknown[epoch] = str(past.first.path(epoch, given.readings))
                return None
            earlier.append(_Earlier(given, given in own, records))
        return cls(prints, earlier)

    def look(self, now: Records) -> None:
        had = np.zeros(len(now), np.bool_)
        changed = np.zeros(len(now), np.bool_)
        for each in self.earlier:
            there, same = each.look(now)
            changed |= there & ~same
            if each.own:
                had |= there
        late = ~had & ~changed
        self.changed += int(changed.sum())
        if late.any():
            self.late.append(now.taken(late))

    def enter(self, sifted: Sifted) -> None:
        """What came of it."""
        epoch, own = self.prints.epoch, [each for each in self.earlier if each.own]
        sifted.compared.update(
            fingerprint for each in self.earlier for fingerprint in each.given.readings.values()
        )
        for each in own:
            if each.intact == len(each.records):
                part, number, readings = each.given
                keys = each.records.keys
                sifted.standing.append(Piece(epoch, part, readings, number, keys, len(keys)))
        if self.changed:
            sifted.changed[epoch] = self.changed
        gone = sum(len(each.records) - each.met for each in own)
        if gone:
            sifted.gone[epoch] = gone
        if self.late:
            late = Records.of(self.late)
            part = 1 + max((each.given.part for each in own), default=0)
            readings = self.prints.readings([late])
            sifted.add(Piece(epoch, part, readings, None, late.keys, len(late)), late)


def _compare(reading: Reading, sifted: Sifted, differing: Mapping[str, _Compared]) -> None:
    """Read the epochs that differ once more."""
    if not differing:
        return
    texts = [text for epoch in differing for text in sifted.witness.texts[epoch]]
    for part in reading.parts(BATCH, ordered=False, among=texts):
        for epoch, rows in part.each():
            if epoch in differing:
                compared = differing[epoch]
                compared.look(compared.prints.records(rows.batch))
    for compared in differing.values():
        compared.enter(sifted)
