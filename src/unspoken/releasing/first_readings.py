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
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from unspoken.numerics.arrays import Words
from unspoken.numerics.files import PATIENCE, PRIVATE, unfinished, writing
from unspoken.releasing.witness import Prints, Records

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

    def write(self, epoch: str, readings: Mapping[str, str], records: Records) -> None:
        """Keep what these records are."""
        path = self.path(epoch, readings)
        with writing(self.folder):
            self.folder.mkdir(mode=0o700, exist_ok=True)
        columns = {KEY: pa.array(records.keys)}
        for name, numbers in records.numbers.items():
            held = pa.py_buffer(np.ascontiguousarray(numbers))
            columns[VALUE.format(name)] = pa.Array.from_buffers(NUMBER, len(records), [None, held])
        batch = pa.RecordBatch.from_pydict(columns)
        with unfinished(path, PRIVATE, PATIENCE) as partial, writing(path):
            with pa.ipc.new_file(partial.file, batch.schema) as file:
                file.write_batch(batch)
            partial.publish()

    def read(self, prints: Prints, readings: Mapping[str, str]) -> Records | None:
        """What they were; None: nobody knows, or it is not what was charged."""
        try:
            with pa.memory_map(str(self.path(prints.epoch, readings))) as file:
                table = pa.ipc.open_file(file).read_all()
            keys: Words = np.array(table[KEY])
            numbers = {name: _numbers(table[VALUE.format(name)]) for name in readings}
        except (OSError, pa.ArrowException, KeyError, ValueError):
            return None
        records = Records(keys, numbers)
        declared = prints.reading.project.attributes
        known = {name: read for name, read in readings.items() if name in declared}
        whole = bool((keys[1:] >= keys[:-1]).all()) and len(records) > 0
        return records if whole and prints.readings([records]) == known else None


def _numbers(column: pa.ChunkedArray) -> Words:
    held = column.combine_chunks()
    if held.type != NUMBER:
        raise ValueError("no number")
    words = np.frombuffer(held.buffers()[1], np.uint64)[2 * held.offset :][: 2 * len(held)]
    return words.reshape(-1, 2).copy()
