"""Rows that came late to an epoch and were released: an answer is about them as well.

Each part of an epoch was read once, and no row is in two. Where the rows there are now are those of
all parts, each as it was first read, an answer shows no change. It is held against what was shown
of the whole epoch, which of rows that came late is more than was, and never less. Others may have
been given the same rows in other parts, or some of them: that is known record by record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from unspoken.core.types.domain import Domain
from unspoken.storage.coins import MasterKey
from unspoken.storage.custody.custody import Custody
from unspoken.storage.custody.first_readings import FirstReadings
from unspoken.storage.ledger import Given, rows_by
from unspoken.storage.rows.kernel import RowKernel, found
from unspoken.storage.rows.reading import Reading, Rules
from unspoken.storage.rows.witness import Prints, Records, Witness
from unspoken.tables.engines.protocol import BATCH
from unspoken.tables.policy import Project
from unspoken.workflows.release.asked import coined_by

__all__ = ["FirstRead", "fingerprints", "first_read"]

Readings = Mapping[str, Mapping[str, str]]
Parts = Mapping[str, Sequence[Given]]


@dataclass(frozen=True)
class FirstRead:
    """Fingerprints of rows, by epoch and attribute: of all that are there ``now``; ``parts``: of
    the epochs whose rows are those of several, each as it was first read. ``compared``: readings
    of rows that are there as they were.
    """

    now: Readings
    parts: Parts = field(default_factory=dict)
    compared: frozenset[str] = frozenset()

    @property
    def readings(self) -> Readings:
        """As the ledger knows them: of the rows that were there first, where others came late."""
        first = {epoch: listed[0].readings for epoch, listed in self.parts.items()}
        return {
            epoch: {name: first.get(epoch, now).get(name, read) for name, read in now.items()}
            for epoch, now in self.now.items()
        }


def fingerprints(reading: Reading, master: MasterKey, domain: Domain) -> Readings:
    """Of all rows, by reading them once."""
    kernel, witness = RowKernel(reading.rules, master, domain), Witness(reading.rules, master)
    deque(witness.watch(reading.through(kernel, BATCH, ordered=False)), 0)
    return witness.readings()


def first_read(
    project: Project, kept: Custody | None, rules: Rules, master: MasterKey, now: Readings
) -> FirstRead:
    """What the rows are that are there ``now``; what was released of them is in a folder."""
    if kept is None or kept.ledger.empty or not project.files.by_epoch:
        return FirstRead(now)
    label = rows_by(coined_by(project), True)
    given = [*kept.look(lambda account: account.parts(label)).values()]
    first = FirstReadings.of(project.files.ledger)
    parts, compared = dict[str, Sequence[Given]](), set[str]()
    for epoch, read in now.items():
        theirs = [_sorted(each.get(epoch, ()), read) for each in given]
        looked = _Epoch(first, Prints(rules, master, epoch), read)
        whole = looked.whole([each for each in theirs if each])
        if whole is not None:
            parts[epoch] = whole.listed
            compared |= looked.compared(whole, theirs)
    return FirstRead(now, parts, frozenset(compared))


def _sorted(listed: Sequence[Given], now: Mapping[str, str]) -> Sequence[Given]:
    """The parts of an epoch that somebody was given of any of these attributes, the first first."""
    asked = [each for each in listed if each.readings.keys() & now.keys()]
    by_part = {each.part: each for each in asked}
    return [by_part[part] for part in sorted(by_part)]


@dataclass(frozen=True)
class _Whole:
    """Parts that somebody was given, which are all rows there are; of these ``names`` they are as
    they were.
    """

    listed: Sequence[Given]
    records: Sequence[Records]
    names: Collection[str]

    def together(self) -> Records:
        """All of them, sorted."""
        return Records.of(
            [Records(p.keys, {name: p.numbers[name] for name in self.names}) for p in self.records]
        )


@dataclass(frozen=True)
class _Epoch:
    """The rows of an epoch, which read so ``now``."""

    first: FirstReadings
    prints: Prints
    now: Mapping[str, str]

    def whole(self, theirs: Sequence[Sequence[Given]]) -> _Whole | None:
        """What somebody was given, if that is all rows there are. Nobody looks where everybody was
        given these in one part.
        """
        one = [len(each) == 1 and self._as_now(each[0].readings) for each in theirs]
        if all(one):
            return None
        looked = (
            self._looked(listed)
            for listed, same in zip(theirs, one, strict=True)
            if same or len(listed) > 1
        )
        return next((each for each in looked if each is not None), None)

    def compared(self, whole: _Whole, theirs: Sequence[Sequence[Given]]) -> set[str]:
        """Readings of all parts that anybody was given, whose rows are among these as they were."""
        known = {each.readings[name] for each in whole.listed for name in whole.names}
        together: Records | None = None
        for each in (each for listed in theirs for each in listed):
            names = {*whole.names} & each.readings.keys()
            if known.issuperset(each.readings[name] for name in names):
                continue
            together = whole.together() if together is None else together
            parts = self.first.read(self.prints, each.readings) or ()
            for name in names:
                if parts and all(_among(part, together, name) for part in parts):
                    known.add(each.readings[name])
        return known

    def _looked(self, listed: Sequence[Given]) -> _Whole | None:
        records = list[Records]()
        for each in listed:
            parts = self.first.read(self.prints, each.readings)
            if parts is None:
                return None
            records += parts
        read = self.prints.readings(records)
        names = sorted(read.keys() & self.now.keys())
        return _Whole(listed, records, names) if names and self._as_now(read) else None

    def _as_now(self, readings: Mapping[str, str]) -> bool:
        return all(self.now.get(name, read) == read for name, read in readings.items())


def _among(part: Records, whole: Records, name: str) -> bool:
    """Whether all these rows are in the whole, and this attribute is as it was."""
    places, held = found(whole.keys, part.keys)
    return bool(held.all() and (whole.numbers[name][places] == part.numbers[name]).all())
