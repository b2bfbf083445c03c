"""Counting in what is read: whether it is what was read before, and what each record was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from unspoken.numerics.arrays import Mask, Words
from unspoken.numerics.coins import BATCH, MasterKey
from unspoken.numerics.fingerprint import RowFingerprint
from unspoken.releasing.reading import Part, Reading, taken

__all__ = ["EPOCHS", "Prints", "Records", "Witness"]

EPOCHS = 10_000  # epochs a source may have: each has a fingerprint an attribute in the ledger


@dataclass(frozen=True)
class Records:
    """What some rows of an epoch are, in keyed numbers: nobody without the key can tell what.

    ``keys``: 64 bits for the key of each row, ascending; ``numbers``: 128 bits for what was read of
    each attribute in it, of which the fingerprint of the attribute is the sum.
    """

    keys: Words
    numbers: Mapping[str, Words]

    @classmethod
    def of(cls, parts: Sequence[Records]) -> Records:
        """All of these, sorted."""
        keys = np.concatenate([part.keys for part in parts])
        order = np.argsort(keys, kind="stable")
        names = parts[0].numbers
        return cls(
            keys[order],
            {name: np.concatenate([p.numbers[name] for p in parts])[order] for name in names},
        )

    def __len__(self) -> int:
        return len(self.keys)

    def taken(self, rows: Mask) -> Records:
        """These rows of it."""
        return Records(self.keys[rows], {name: n[rows] for name, n in self.numbers.items()})


@dataclass(frozen=True)
class Prints:
    """The keyed numbers of rows of one epoch."""

    reading: Reading
    master: MasterKey
    epoch: str

    def fingerprint(self, name: str) -> RowFingerprint:
        """Of an attribute: which rows there are, the value, and whether it may be shown."""
        public = self.reading.project.attributes[name].missing == "public"
        label = json.dumps(["reading", self.epoch, name, "missing is public" if public else ""])
        return RowFingerprint(self.master, label, [*self._keys, f"value {name}", f"free {name}"])

    def keys(self, batch: pa.RecordBatch) -> Words:
        """64 bits for the key of each row."""
        label = json.dumps(["record", self.epoch])
        numbers: Words = RowFingerprint(self.master, label, self._keys).numbers(batch)[:, 0]
        return numbers

    def records(self, batch: pa.RecordBatch) -> Records:
        """All there is of these rows, in their order."""
        names = self.reading.depends
        numbers = {name: self.fingerprint(name).numbers(batch) for name in names}
        return Records(self.keys(batch), numbers)

    def readings(self, parts: Sequence[Records]) -> dict[str, str]:
        """The fingerprints of all these rows, of the attributes that all have."""
        found = dict[str, str]()
        for name in parts[0].numbers:
            if name in self.reading.project.attributes and all(name in p.numbers for p in parts):
                whole = self.fingerprint(name)
                for part in parts:
                    whole.count(part.numbers[name])
                found[name] = whole.hexdigest()
        return found

    @property
    def _keys(self) -> list[str]:
        return [f"key {key}" for key in self.reading.table.keys]


class Witness:
    """Counts in the rows as they pass: what was read of each attribute in each epoch.

    One keyed fingerprint for each, so that an attribute added later does not look like a change.
    What counts is which rows there are, the value, and whether it may be shown, or be missing.
    ``keeping``: the epochs of which the numbers of every record are kept, too.
    """

    def __init__(
        self,
        reading: Reading,
        master: MasterKey,
        keeping: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._reading, self._master, self._keeping = reading, master, keeping
        self._read: dict[str, dict[str, RowFingerprint]] = {}
        self._kept: dict[str, list[Records]] = {}
        self.texts: dict[str, set[str]] = {}  # what the engine calls each epoch
        self.counts: dict[str, int] = {}  # the rows of each epoch
        self.size = 0  # bytes of the rows

    @classmethod
    def of(
        cls,
        reading: Reading,
        master: MasterKey,
        keeping: Callable[[str], bool] = lambda _: False,
    ) -> Witness:
        """The witness of one whole reading of the source, in any order."""
        witness = cls(reading, master, keeping)
        for _ in witness.watch(reading.parts(BATCH, ordered=False)):
            pass
        return witness

    def watch(self, parts: Iterator[Part]) -> Iterator[Part]:
        for part in parts:
            self.size += part.batch.nbytes
            for epoch, rows in part.epochs.items():
                batch = taken(part.batch, rows)
                fingerprints = self._fingerprints(epoch)
                self.texts[epoch].update(part.texts[epoch])
                self.counts[epoch] += batch.num_rows
                if self._keeping(epoch):
                    records = Prints(self._reading, self._master, epoch).records(batch)
                    self._kept.setdefault(epoch, []).append(records)
                    for name, fingerprint in fingerprints.items():
                        fingerprint.count(records.numbers[name])
                    continue
                for fingerprint in fingerprints.values():
                    fingerprint.add(batch)
            yield part

    @property
    def rows(self) -> int:
        """How many there were."""
        return sum(self.counts.values())

    def readings(self) -> dict[str, dict[str, str]]:
        """The fingerprints, by epoch and attribute."""
        return {
            epoch: {name: fingerprint.hexdigest() for name, fingerprint in read.items()}
            for epoch, read in sorted(self._read.items())
        }

    def keeps(self, epoch: str) -> bool:
        """Whether it has kept what every record of an epoch was."""
        return epoch in self._kept

    def records(self, epoch: str) -> Records:
        """What every record of an epoch was, of those that are kept."""
        return Records.of(self._kept[epoch])

    def _fingerprints(self, epoch: str) -> dict[str, RowFingerprint]:
        if epoch not in self._read:
            if len(self._read) == EPOCHS:
                raise self._reading.project.error(
                    "epoch", "of", text=f"gives more than {EPOCHS:,} epochs; take a coarser one, "
                    "such as the month",
                )  # fmt: skip
            names = self._reading.depends
            prints = Prints(self._reading, self._master, epoch)
            self._read[epoch] = {name: prints.fingerprint(name) for name in names}
            self.texts[epoch], self.counts[epoch] = set(), 0
        return self._read[epoch]
