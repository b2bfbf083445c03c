"""What every record of an epoch was when it was first read, in keyed numbers.

A row that comes late and a record that was changed make the same fingerprint of an epoch another
one; only record by record they can be told apart. Beside the ledger lies a folder with one file for
each part of an epoch: 64 bits for the key of each row, and for each attribute the 128 bits of which
its fingerprint in the ledger is the sum. So a file is right if it adds up to what was charged, and
has its name from that. It is there before the charge is. Without it, or with another one, nothing
of that epoch that differs is released.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from unspoken.core.numerics.arrays import Words
from unspoken.storage.rows.witness import Prints, Records
from unspoken.tables.engines.arrow import array
from unspoken.tables.files import PATIENCE, PRIVATE, unfinished, writing

__all__ = ["FirstReadings"]

KEY, VALUE = "key", "value {}"
NUMBER = pa.binary(16)


@dataclass(frozen=True)
class FirstReadings:
    """The files in a folder."""

    folder: Path

    @classmethod
    def of(cls, ledger: Path) -> FirstReadings:
        return cls(ledger.with_name(f"{ledger.name}.first"))

    def path(self, epoch: str, readings: Mapping[str, str]) -> Path:
        """The file of the rows that these are the fingerprints of."""
        said = json.dumps([epoch, sorted(readings.items())])
        return self.folder / f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.arrow"

    def write(self, epoch: str, readings: Mapping[str, str], parts: Iterable[Records]) -> None:
        """Keep what these records are: ascending, as `read` gives them."""
        path, batches = self.path(epoch, readings), map(_batch, parts)
        first = next(batches)
        with writing(self.folder):
            self.folder.mkdir(mode=0o700, exist_ok=True)
        with unfinished(path, PRIVATE, PATIENCE) as partial, writing(path):
            with pa.ipc.new_file(partial.file, first.schema) as file:
                for batch in itertools.chain([first], batches):
                    file.write_batch(batch)
            partial.publish()

    def read(self, prints: Prints, readings: Mapping[str, str]) -> Sequence[Records] | None:
        """What they were, some after the other, ascending; None: nobody knows, or it is not what
        was charged. They stay in the file, and are read as far as they are looked at.
        """
        try:
            with pa.memory_map(str(self.path(prints.epoch, readings))) as file:
                batches = pa.ipc.open_file(file)
                held = map(batches.get_batch, range(batches.num_record_batches))
                parts = [_records(batch, readings) for batch in held]
        except (OSError, pa.ArrowException, KeyError, ValueError):
            return None
        declared = prints.rules.project.attributes
        known = {name: read for name, read in readings.items() if name in declared}
        whole = _ascending([part.keys for part in parts])
        return parts if whole and prints.readings(parts) == known else None


def _ascending(parts: Sequence[Words]) -> bool:
    """Whether there are some, and none of them is less than the one before."""
    within = all(len(keys) and (keys[1:] >= keys[:-1]).all() for keys in parts)
    return bool(parts) and within and all(a[-1] <= b[0] for a, b in itertools.pairwise(parts))


def _batch(records: Records) -> pa.RecordBatch:
    columns = {KEY: array(pa.uint64(), records.keys)}
    for name, numbers in records.numbers.items():
        columns[VALUE.format(name)] = array(NUMBER, numbers)
    return pa.RecordBatch.from_pydict(columns)


def _records(batch: pa.RecordBatch, names: Iterable[str]) -> Records:
    numbers = {name: _words(batch.column(VALUE.format(name)), NUMBER, 2) for name in names}
    keys = _words(batch.column(KEY), pa.uint64(), 1)
    return Records(keys.reshape(-1), numbers)


def _words(column: pa.Array, kind: pa.DataType, each: int) -> Words:
    if column.type != kind:
        raise ValueError("no number")
    words: Words = np.frombuffer(column.buffers()[1], np.uint64)
    return words[each * column.offset :][: each * len(column)].reshape(-1, each)
