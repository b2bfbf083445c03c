"""Reading the source the way it is released: keys, values, and which cells may be shown at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unsaid.engines.duckdb import Table
from unsaid.errors import InputError
from unsaid.learning import Learned
from unsaid.numerics.arrays import Mask
from unsaid.numerics.coins import BATCH, MasterKey
from unsaid.numerics.fingerprint import RowFingerprint
from unsaid.policy import Project
from unsaid.types.domain import Value

__all__ = ["Part", "Reading", "Witness", "boolean"]


@dataclass(frozen=True)
class Part:
    """Some rows in the order of their keys: whatever a release looks at, and nothing else."""

    keys: Sequence[pa.Array]
    values: Mapping[str, pa.Array]
    free: Mapping[str, Mask]  # whether the cell may be shown
    epochs: npt.NDArray[np.object_]
    batch: pa.RecordBatch  # keys, values and "may be shown", as the fingerprint counts them in


@dataclass(frozen=True)
class Reading:
    """The columns of a project's source that are read, and the labels that are never shown."""

    project: Project
    table: Table
    learned: Learned
    sensitive: Mapping[str, Sequence[Value]]

    def parts(self, batch_rows: int) -> Iterator[Part]:
        """The source, batch by batch, sorted by key."""
        for batch in self.table.rows(self._select(), places=self._places(), batch_rows=batch_rows):
            yield self._part(batch)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.project.reads

    def _select(self) -> dict[str, str]:
        where = self.project.at("source", "keys")
        keys = {name: self.table.column(name, where) for name in self.table.keys}
        values = {
            f"value {name}": self.table.column(name, self.project.at("attribute", name))
            for name in self._names
        }
        codes = {f"code {name}": self.learned.codes[name] for name in self._names}
        epoch = self.project.epoch
        return {**keys, **values, **codes, **({"epoch": self._epoch(epoch.of)} if epoch.of else {})}

    def _epoch(self, text: str) -> str:
        """The holder's SQL for the epoch; it reads keys only, or epochs would tell of values."""
        where = self.project.at("epoch", "of")
        epoch = self.table.expression(text, where)
        others = sorted(set(epoch.columns) - set(self.table.keys))
        if others:
            raise InputError(
                f"{where}: reads {others[0]}; an epoch is a function of the keys alone"
            )
        return epoch.sql

    def _places(self) -> dict[str, str]:
        codes = {f"code {n}": self.project.at("attribute", n) for n in self._names}
        return {**codes, "epoch": self.project.at("epoch", "of")}

    def _part(self, batch: pa.RecordBatch) -> Part:
        free = {name: self._free(name, batch.column(f"code {name}")) for name in self._names}
        values = {name: batch.column(f"value {name}") for name in self._names}
        keys = [batch.column(name) for name in self.table.keys]
        counted = {
            **dict(zip(self.table.keys, keys, strict=True)),
            **{f"value {name}": column for name, column in values.items()},
            **{f"free {name}": boolean(mask) for name, mask in free.items()},
        }
        return Part(keys, values, free, self._epochs(batch), pa.RecordBatch.from_pydict(counted))

    def _free(self, name: str, codes: pa.Array) -> Mask:
        """Shown only where the label is known and is not one of the sensitive ones."""
        shown = [label not in self.sensitive[name] for label in self.learned.labels[name]]
        known = np.asarray(
            pc.fill_null(codes, len(shown)).cast(pa.int64()).to_numpy(zero_copy_only=False)
        )
        free: Mask = np.array([*shown, False])[known]
        return free

    def _epochs(self, batch: pa.RecordBatch) -> npt.NDArray[np.object_]:
        label = self.project.epoch.label
        if label is not None:
            return np.full(batch.num_rows, label, dtype=object)
        words = batch.column("epoch").cast(pa.string()).to_pylist()
        if None in words:
            raise self.project.error(
                "epoch", "of", text="is NULL for some key; every row needs an epoch"
            )
        return np.array(words, dtype=object)


class Witness:
    """Counts in the rows as they pass: what was read of each attribute in each epoch.

    One keyed fingerprint for each, so that an attribute added later does not look like a change.
    """

    def __init__(self, reading: Reading, master: MasterKey) -> None:
        self._reading, self._master = reading, master
        self._seen: dict[str, RowFingerprint] = {}

    @classmethod
    def of(cls, reading: Reading, master: MasterKey) -> Witness:
        """The witness of one whole reading of the source."""
        witness = cls(reading, master)
        for _ in witness.watch(reading.parts(BATCH)):
            pass
        return witness

    def watch(self, parts: Iterator[Part]) -> Iterator[Part]:
        for part in parts:
            for epoch in dict.fromkeys(part.epochs.tolist()):
                rows = part.batch.filter(boolean(part.epochs == epoch))
                for name in part.values:
                    self._fingerprint(epoch, name).add(rows)
            yield part

    def readings(self) -> dict[str, str]:
        """The fingerprints, by "epoch: attribute"."""
        return {label: seen.hexdigest() for label, seen in sorted(self._seen.items())}

    def _fingerprint(self, epoch: str, name: str) -> RowFingerprint:
        label = f"{epoch}: {name}"
        if label not in self._seen:
            columns = [*self._reading.table.keys, f"value {name}", f"free {name}"]
            self._seen[label] = RowFingerprint(self._master, label, columns)
        return self._seen[label]


def boolean(mask: Mask) -> pa.Array:
    """A Boolean Arrow array; pa.array would import pandas where that is installed."""
    bits = pa.py_buffer(np.packbits(mask, bitorder="little").tobytes())
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits])
