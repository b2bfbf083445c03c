"""Counting in what is read: whether it is what was read before, and what each record was."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from unspoken.core.errors import placed
from unspoken.core.numerics.arrays import Mask, Words
from unspoken.storage.fingerprint import KeyNumbers, RowFingerprint
from unspoken.storage.prf import Derives
from unspoken.storage.records import RecordKeys
from unspoken.storage.rows.reading import EPOCHS, Rules, too_many

__all__ = ["EPOCHS", "Prints", "Records", "EpochTally", "Witness", "tallied", "tallies_of"]

TALLIES = b"unspoken"


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
    """The keyed numbers of rows of one epoch, for one thread."""

    rules: Rules
    master: Derives
    epoch: str

    def fingerprint(self, name: str) -> RowFingerprint:
        """Of an attribute: which rows there are, the value, and whether it may be shown."""
        if name not in self._begun:
            self._begun[name] = self._fingerprint(name)
        return self._begun[name].anew()

    def _fingerprint(self, name: str) -> RowFingerprint:
        public = self.rules.project.attributes[name].missing == "public"
        label = json.dumps(["reading", self.epoch, name, "missing is public" if public else ""])
        return RowFingerprint(self.master, label, [f"value {name}", f"free {name}"])

    def keyed(self, keys: RecordKeys) -> Words:
        """128 bits for the key of each row, of which its numbers are made."""
        return self._of_keys.numbers(keys)

    def records(self, batch: pa.RecordBatch, keys: RecordKeys) -> Records:
        """All there is of these rows, in their order."""
        keyed, numbers = self.keyed(keys), {}
        for name in self.rules.depends:
            with placed(self.rules.places[name]):
                numbers[name] = self.fingerprint(name).numbers(batch, keyed)
        return Records(self._of_keys.kept(keyed), numbers)

    def sums(self, records: Records) -> dict[str, int]:
        """What these rows add to the fingerprint of each attribute."""
        found = dict[str, int]()
        for name, numbers in records.numbers.items():
            whole = self.fingerprint(name)
            whole.count(numbers)
            found[name] = whole.total
        return found

    def readings(self, parts: Sequence[Records]) -> dict[str, str]:
        """The fingerprints of all these rows, of the attributes that all have."""
        found = dict[str, str]()
        for name in parts[0].numbers:
            if name in self.rules.project.attributes and all(name in p.numbers for p in parts):
                whole = self.fingerprint(name)
                for part in parts:
                    whole.count(part.numbers[name])
                found[name] = whole.hexdigest()
        return found

    @cached_property
    def _begun(self) -> dict[str, RowFingerprint]:
        return {}

    @cached_property
    def _of_keys(self) -> KeyNumbers:
        label = json.dumps(["record", self.epoch])
        return KeyNumbers(self.master, label, self.rules.shape.keys)


class EpochTally(NamedTuple):
    """What some rows of one epoch add: how many they are, what the engine calls the epoch, and to
    the fingerprint of each attribute; and, where these are counted, how many have each ``labels``,
    as `Rules.combined` numbers them.
    """

    rows: int
    texts: Sequence[str]
    sums: Mapping[str, int]
    labels: Sequence[tuple[int, int]] = ()


def tallied(batch: pa.RecordBatch, tallies: Mapping[str, EpochTally]) -> pa.RecordBatch:
    """The batch, which says what its rows add to each epoch."""
    return batch.replace_schema_metadata({TALLIES: json.dumps(tallies)})


def tallies_of(batch: pa.RecordBatch) -> dict[str, EpochTally]:
    """What it says."""
    said = json.loads(batch.schema.metadata[TALLIES])
    return {epoch: EpochTally(*tally) for epoch, tally in said.items()}


class Witness:
    """Counts in the rows as they pass: what was read of each attribute in each epoch.

    One keyed fingerprint for each, so that an attribute added later does not look like a change.
    What counts is which rows there are, the value, and whether it may be shown, or be missing.
    """

    def __init__(self, rules: Rules, master: Derives) -> None:
        self._rules, self._master = rules, master
        self._read: dict[str, dict[str, RowFingerprint]] = {}
        self.texts: dict[str, set[str]] = {}  # what the engine calls each epoch
        self.counts: dict[str, int] = {}  # the rows of each epoch
        self.labels: dict[str, Counter[int]] = {}  # and how many of them have each labels

    def watch(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for epoch, tally in tallies_of(batch).items():
                fingerprints = self._fingerprints(epoch)
                self.texts[epoch].update(tally.texts)
                self.counts[epoch] += tally.rows
                for labels, rows in tally.labels:
                    self.labels[epoch][labels] += rows
                for name, total in tally.sums.items():
                    fingerprints[name].include(tally.rows, total)
            yield batch

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

    def _fingerprints(self, epoch: str) -> dict[str, RowFingerprint]:
        if epoch not in self._read:
            if len(self._read) == EPOCHS:
                raise too_many(self._rules.project)
            prints = Prints(self._rules, self._master, epoch)
            self._read[epoch] = {name: prints.fingerprint(name) for name in self._rules.depends}
            self.texts[epoch], self.counts[epoch], self.labels[epoch] = set(), 0, Counter()
        return self._read[epoch]
