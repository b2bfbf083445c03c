"""What of the source was released before, what is new, what came late, and what was changed.

Old epochs are never asked again: one whose fingerprints are those that were charged is left alone.
Where they are not, its records are compared with what they were when they were first read. A key
that was not there is a row that came late, which may be released; a record that is another one is
not, since a cell that is answered from two readings shows the change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Mask, Words
from unspoken.storage.coins import BATCH
from unspoken.storage.custody.first_readings import FirstReadings
from unspoken.storage.ledger import Given
from unspoken.storage.rows.gathering import Gathered
from unspoken.storage.rows.kernel import RowKernel, epoch_of, found, records_of
from unspoken.storage.rows.outputs import output_of
from unspoken.storage.rows.reading import Reading
from unspoken.storage.rows.sorting import begun
from unspoken.storage.rows.witness import Prints, Records, Witness
from unspoken.storage.writing.spool import Spool
from unspoken.tables.policy import Project

__all__ = ["Past", "Piece", "Sifted", "looked", "sift", "two_of_one_name"]


@dataclass(frozen=True)
class Past:
    """What the ledger has of earlier releases, ``given`` to whom, by epoch; and what lies beside
    it. ``readers``: who is to be given what is released now. ``extended``: numbers of the events
    that showed what the plan adds to.
    """

    readers: tuple[str, ...]
    given: Mapping[tuple[str, ...], Mapping[str, Sequence[Given]]]
    first: FirstReadings
    extended: frozenset[int] = frozenset()

    def extends(self, parts: Mapping[int, Given]) -> bool:
        """Whether more of an epoch is to be shown. Of one that had rows late none is: what was
        given of them is not told apart, part by part, by the account.
        """
        return set(parts) == {1} and parts[1].number in self.extended

    def fresh(self, epoch: str, names: Iterable[str]) -> bool:
        """Whether all of an epoch is to be shown, for the first time or by more than before."""
        parts = self.given_parts(epoch, names)
        return not parts or self.extends(parts)

    def forgot(self, epoch: str, names: Iterable[str]) -> bool:
        """Whether what it was when it was first read is not there."""
        parts = self.given_parts(epoch, names)
        return set(parts) == {1} and not self.first.path(epoch, parts[1].readings).exists()

    def stays(self, parts: Mapping[int, Given]) -> bool:
        """Whether no more is shown of an epoch since rows came late to it."""
        return len(parts) > 1 and any(each.number in self.extended for each in parts.values())

    def given_parts(self, epoch: str, names: Iterable[str]) -> dict[int, Given]:
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
    """Rows of an epoch that are written into one file; ``keys``: which, some sorted after the
    other, None: all.

    ``number``: of the event that released them; None: the one that is charged now.
    """

    epoch: str
    part: int
    readings: Mapping[str, str]
    number: int | None = None
    keys: Sequence[Words] | None = None
    rows: int = 0


@dataclass
class Sifted:
    """``new``: what is to be charged; ``standing``: what was released, and is there as it was.

    ``changed``, ``gone``: records that are other ones, or not there any more, by epoch;
    ``unknown``: epochs that differ, of which nobody knows in what. ``compared``: readings that
    records were compared with. ``gathered``: what records are, of the epochs of which that is kept;
    ``keep``: the same, by reading, for next time. ``extended``: epochs that are charged since more
    of them is shown. ``undrawn``: those of which no other draw is made, not being as they were.
    """

    witness: Witness
    gathered: Gathered = field(default_factory=Gathered)
    new: list[Piece] = field(default_factory=list)
    standing: list[Piece] = field(default_factory=list)
    changed: dict[str, int] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    compared: set[str] = field(default_factory=set)
    keep: list[tuple[str, Mapping[str, str], Iterable[Records]]] = field(default_factory=list)
    extended: list[str] = field(default_factory=list)
    undrawn: tuple[str, ...] = ()

    def without(self, epochs: Collection[str]) -> Sifted:
        """The same, of which these are not drawn."""
        return replace(
            self,
            new=[piece for piece in self.new if piece.epoch not in epochs],
            keep=[each for each in self.keep if each[0] not in epochs],
            undrawn=tuple(sorted(epochs)),
        )

    def add(self, epoch: str, readings: Mapping[str, str]) -> None:
        """All of an epoch is to be charged."""
        self.new.append(Piece(epoch, 1, readings, rows=self.witness.counts[epoch]))
        self.keep_again(epoch, readings)

    def keep_again(self, epoch: str, readings: Mapping[str, str]) -> None:
        """What was gathered of an epoch is kept."""
        names = readings.keys()
        if epoch in self.gathered and names <= set(self.gathered.names(epoch)):
            self.keep.append((epoch, readings, self.gathered.of(epoch, names)))


def looked(reading: Reading, kernel: RowKernel, past: Past) -> Sifted:
    """What there is, by reading all rows once, in any order: nothing is written or kept."""
    sifted = Sifted(Witness(reading.rules, kernel.master))
    batches = reading.through(kernel, BATCH, ordered=False)
    deque(sifted.witness.watch(batches), 0)
    return _sifted(sifted, reading, kernel, past)


def sift(
    reading: Reading,
    kernel: RowKernel,
    shown: RowKernel,
    past: Past,
    spool: Callable[[], Spool],
    epochs: Collection[str] | None = None,
) -> Sifted:
    """Read the source once: what is to be shown is sorted, and written into a spool by the way.

    What was released is looked at in any order; and once more, where it is another one now.
    ``epochs``: only these are read; None: all.
    """
    sifted = Sifted(Witness(reading.rules, kernel.master))
    fresh, old = _parted(reading, past, epochs)
    if fresh != []:
        batches = begun(reading, shown, reading.among(fresh))
        for epoch, rows in groupby(sifted.witness.watch(batches), epoch_of):
            _write(sifted, epoch, rows, reading, spool())
    if old != []:
        among = None if old is None else reading.among(old)
        looking = reading.through(kernel, BATCH, ordered=False, among=among)
        for batch in sifted.witness.watch(looking):
            epoch = epoch_of(batch)
            if past.forgot(epoch, reading.depends):
                sifted.gathered.add(epoch, records_of(batch))
    return _sifted(sifted, reading, kernel, past)


Texts = list[str] | None  # what the engine calls some epochs; None: all there are


def _parted(reading: Reading, past: Past, epochs: Collection[str] | None) -> tuple[Texts, Texts]:
    """Epochs that are to be shown, and those that were released. Before anything was, nobody asks
    which there are.
    """
    if not past.given and not reading.table.away and epochs is None:
        return None, []
    there, fresh, old = reading.epochs, list[str](), list[str]()
    for epoch in there:
        if epochs is None or epoch in epochs:
            (fresh if past.fresh(epoch, reading.depends) else old).append(epoch)

    def texts(some: Sequence[str]) -> Texts:
        return None if len(some) == len(there) else [t for e in some for t in sorted(there[e])]

    return texts(fresh), texts(old)


def _write(
    sifted: Sifted, epoch: str, rows: Iterator[pa.RecordBatch], reading: Reading, spool: Spool
) -> None:
    """Write an epoch while its rows pass, and keep what they are."""
    if epoch in spool.there:
        raise two_of_one_name(reading.project, epoch)

    def gathering() -> Iterator[pa.RecordBatch]:
        for batch in rows:
            sifted.gathered.add(epoch, records_of(batch))
            yield batch

    spool.add(epoch, reading, gathering(), output_of(reading.project.files, epoch))


def _sifted(sifted: Sifted, reading: Reading, kernel: RowKernel, past: Past) -> Sifted:
    differing = dict[str, _Compared]()
    for epoch, now in sifted.witness.readings().items():
        prints = Prints(reading.rules, kernel.master, epoch)
        if not _whole(sifted, prints, past, now):
            compared = _Compared.of(prints, past, sifted)
            differing |= {} if compared is None else {epoch: compared}
    if differing:
        _compare(reading, kernel, sifted, differing)
    return sifted


def _whole(sifted: Sifted, prints: Prints, past: Past, now: Mapping[str, str]) -> bool:
    """Whether an epoch is new, or as it was; then that is entered."""
    epoch, parts = prints.epoch, past.given_parts(prints.epoch, now)
    if not parts:
        if any(_differ(each.readings, now) for each in past.all(epoch, now)):
            return False
        sifted.add(epoch, now)
        return True
    several = parts if len(parts) > 1 else {}
    records = {part: past.first.read(prints, each.readings) for part, each in several.items()}
    known = [each for each in records.values() if each is not None]
    if len(known) < len(records):
        return False
    before = [each.readings for each in past.all(epoch, now, [past.readers])]
    if known:  # the parts are told apart from one another, so they have to be told from the rest
        asked = {name for readings in before for name in readings}
        before = [prints.readings([part for each in known for part in each])]
        if before[0].keys() < asked:
            return False
    if any(_differ(readings, now) for readings in before):
        return False
    if past.extends(parts):
        sifted.extended.append(epoch)
        sifted.add(epoch, now)
        return True
    for part, each in parts.items():
        there = records.get(part)
        keys = None if there is None else [some.keys for some in there]
        count = sifted.witness.counts[epoch] if there is None else sum(map(len, there))
        sifted.standing.append(Piece(epoch, part, each.readings, each.number, keys, count))
    if len(parts) == 1:
        sifted.keep_again(epoch, next(iter(parts.values())).readings)
    return True


def _differ(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    return any(now.get(name, fingerprint) != fingerprint for name, fingerprint in before.items())


@dataclass
class _Earlier:
    """Records of one earlier reading; ``met``: how many are there, ``intact``: as they were."""

    given: Given
    to_readers: bool
    parts: Sequence[Records]
    met: int = 0
    intact: int = 0

    def look(self, now: Records) -> tuple[Mask, Mask]:
        """Which of these records it had, and which of them are as they were."""
        there, same = np.zeros(len(now), np.bool_), np.zeros(len(now), np.bool_)
        for part in self.parts:
            places, held = found(part.keys, now.keys)
            there |= held
            for name in part.numbers.keys() & now.numbers.keys():
                held &= (part.numbers[name][places] == now.numbers[name]).all(axis=1)
            same |= held
        self.met += int(there.sum())
        self.intact += int(same.sum())
        return there, same

    def __len__(self) -> int:
        return sum(map(len, self.parts))


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
        epoch, names = prints.epoch, prints.rules.depends
        to_readers, earlier = list(past.given_parts(epoch, names).values()), list[_Earlier]()
        for given in past.all(epoch, names):
            parts = past.first.read(prints, given.readings)
            if parts is None:
                sifted.unknown[epoch] = str(past.first.path(epoch, given.readings))
                return None
            earlier.append(_Earlier(given, given in to_readers, parts))
        return cls(prints, earlier)

    def look(self, now: Records) -> None:
        had = np.zeros(len(now), np.bool_)
        changed = np.zeros(len(now), np.bool_)
        for each in self.earlier:
            there, same = each.look(now)
            changed |= there & ~same
            if each.to_readers:
                had |= there
        late = ~had & ~changed
        self.changed += int(changed.sum())
        if late.any():
            self.late.append(now.taken(late))

    def enter(self, sifted: Sifted) -> None:
        """What came of it."""
        epoch, theirs = self.prints.epoch, [each for each in self.earlier if each.to_readers]
        sifted.compared.update(
            fingerprint for each in self.earlier for fingerprint in each.given.readings.values()
        )
        for each in theirs:
            if each.intact == len(each):
                part, number, readings = each.given
                keys = [some.keys for some in each.parts]
                sifted.standing.append(Piece(epoch, part, readings, number, keys, len(each)))
        if self.changed:
            sifted.changed[epoch] = self.changed
        gone = sum(len(each) - each.met for each in theirs)
        if gone:
            sifted.gone[epoch] = gone
        if self.late:
            late = Records.of(self.late)
            part = 1 + max((each.given.part for each in theirs), default=0)
            readings = self.prints.readings([late])
            sifted.new.append(Piece(epoch, part, readings, None, [late.keys], len(late)))
            sifted.keep.append((epoch, readings, [late]))


def _compare(
    reading: Reading, kernel: RowKernel, sifted: Sifted, differing: Mapping[str, _Compared]
) -> None:
    """Read the epochs that differ once more. Rows that are there twice are such ones, too."""
    reading.table.check(reading.project.at("source", "keys"))
    texts = [text for epoch in differing for text in sifted.witness.texts[epoch]]
    among = reading.among(texts)
    for batch in reading.through(kernel, BATCH, ordered=False, among=among):
        epoch = epoch_of(batch)
        if epoch in differing:
            differing[epoch].look(records_of(batch))
    for compared in differing.values():
        compared.enter(sifted)


def two_of_one_name(project: Project, epoch: str) -> InputError:
    """That rows of one epoch are not neighbours."""
    return InputError(
        f"{project.at('epoch', 'of')}: gives two values that are both "
        f'called "{epoch}"; CAST it to VARCHAR'
    )
