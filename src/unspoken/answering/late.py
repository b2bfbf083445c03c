"""Rows that came late to an epoch and were released: an answer is about them as well.

Each part of an epoch was read once, and no row is in two. Where the rows there are now are those of
all parts, each as it was first read, an answer shows no change. It is held against what was shown
of the whole epoch, which of rows that came late is more than was, and never less.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from unspoken.engines.protocol import BATCH
from unspoken.ledger import Given, rows_by
from unspoken.numerics.coins import MasterKey
from unspoken.policy import Project
from unspoken.releasing.asked import coined_by
from unspoken.releasing.custody.custody import Custody
from unspoken.releasing.custody.first_readings import FirstReadings
from unspoken.releasing.rows.kernel import Kernel
from unspoken.releasing.rows.reading import Reading, Rules
from unspoken.releasing.rows.witness import Prints, Witness
from unspoken.types.domain import Domain

__all__ = ["FirstRead", "fingerprints", "first_read"]

Readings = Mapping[str, Mapping[str, str]]
Parts = Mapping[str, Sequence[Given]]


@dataclass(frozen=True)
class FirstRead:
    """Fingerprints of rows, by epoch and attribute: of all that are there ``now``; ``parts``: of
    the epochs whose rows are those of several, each as it was first read.
    """

    now: Readings
    parts: Parts = field(default_factory=dict)

    @property
    def readings(self) -> Readings:
        """As the ledger knows them: of the rows that were there first, where others came late."""
        first = {epoch: listed[0].readings for epoch, listed in self.parts.items()}
        return {
            epoch: {name: first.get(epoch, now).get(name, read) for name, read in now.items()}
            for epoch, now in self.now.items()
        }

    @property
    def compared(self) -> frozenset[str]:
        """Readings of parts that are there as they were."""
        every = (each.readings.values() for listed in self.parts.values() for each in listed)
        return frozenset(read for each in every for read in each)


def fingerprints(reading: Reading, master: MasterKey, domain: Domain) -> Readings:
    """Of all rows, by reading them once."""
    kernel, witness = Kernel(reading.rules, master, domain), Witness(reading.rules, master)
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
    found = {
        epoch: _parts(given, first, Prints(rules, master, epoch), read)
        for epoch, read in now.items()
    }
    return FirstRead(now, {epoch: listed for epoch, listed in found.items() if listed})


def _parts(
    given: Sequence[Parts], first: FirstReadings, prints: Prints, now: Mapping[str, str]
) -> list[Given]:
    """Those that somebody was given of an epoch, the first one first, if its rows are all these."""
    for parts in given:
        by_part = {each.part: each for each in parts.get(prints.epoch, ())}
        listed = [by_part[part] for part in sorted(by_part)]
        if len(listed) > 1 and _whole(listed, first, prints, now):
            return listed
    return []


def _whole(
    listed: Sequence[Given], first: FirstReadings, prints: Prints, now: Mapping[str, str]
) -> bool:
    """Whether all rows of these parts together read as the rows now do, of whatever both read."""
    records = [first.read(prints, each.readings) for each in listed]
    known = [each for each in records if each is not None]
    if len(known) < len(records):
        return False
    whole = prints.readings([some for each in known for some in each])
    both = whole.keys() & now.keys()
    return bool(both) and all(whole[name] == now[name] for name in both)
