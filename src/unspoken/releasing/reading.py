"""Reading the source the way it is released: keys, values, and which cells may be shown at all."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.engines.columns import kind_of
from unspoken.engines.duckdb import Table
from unspoken.errors import InputError
from unspoken.learning import Learned
from unspoken.numerics.arrays import Codes, Mask
from unspoken.numerics.coins import BATCH, MasterKey
from unspoken.numerics.fingerprint import RowFingerprint
from unspoken.policy import Project
from unspoken.types.domain import Value

__all__ = ["EPOCHS", "Part", "Reading", "Witness", "boolean", "missing", "taken"]

EPOCHS = 10_000  # epochs a source may have: each has a fingerprint an attribute in the ledger


@dataclass(frozen=True)
class Part:
    """Some rows: whatever a release looks at, and nothing else.

    ``free``: whether the cell may be shown. ``epochs``: which rows belong to each, None for all.
    ``batch``: keys, values and "may be shown", as the fingerprint counts them in.
    """

    keys: Sequence[pa.Array]
    values: Mapping[str, pa.Array]
    free: Mapping[str, Mask]
    epochs: Mapping[str, Codes | None]
    batch: pa.RecordBatch


@dataclass(frozen=True)
class Reading:
    """The columns of a project's source that are read, and the labels that are never shown."""

    project: Project
    table: Table
    learned: Learned
    sensitive: Mapping[str, Sequence[Value]]

    def parts(self, batch_rows: int, ordered: bool = True) -> Iterator[Part]:
        """The source, batch by batch, sorted by key if ``ordered``."""
        self._refuse_twins()
        order = None if ordered else ()
        places = self._places()
        for batch in self.table.rows(self._select(), order, places, batch_rows):
            yield self._part(batch)

    def columns(self) -> list[str]:
        """The columns of a release. Where a value may be missing, a second one tells whether it is:
        that is not the same as being withheld.
        """
        told = [
            (name,) if self.project.attributes[name].missing == "never" else (name, missing(name))
            for name in self._names
        ]
        return [*self.table.keys, *itertools.chain.from_iterable(told)]

    def _refuse_twins(self) -> None:
        columns = [name.casefold() for name in self.columns()]
        for name in self._names:
            if columns.count(missing(name).casefold()) > 1:
                raise self.project.error(
                    "attribute", name, "missing",
                    text=f"a release tells it in a column {missing(name)}, and there is another "
                    "one of that name; rename it in [source] sql",
                )  # fmt: skip

    @property
    def _names(self) -> tuple[str, ...]:
        return self.project.reads

    def _select(self) -> dict[str, str]:
        where = self.project.at("source", "keys")
        keys = {f"key {name}": self.table.column(name, where) for name in self.table.keys}
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
        if kind_of(epoch.type) == "other" and not epoch.type.startswith(("TIME", "UUID")):
            raise InputError(f"{where}: gives {epoch.type}, which is no name; CAST it to VARCHAR")
        return epoch.sql

    def _places(self) -> dict[str, str]:
        codes = {f"code {n}": self.project.at("attribute", n) for n in self._names}
        return {**codes, "epoch": self.project.at("epoch", "of")}

    def _part(self, batch: pa.RecordBatch) -> Part:
        free = {name: self._free(name, batch.column(f"code {name}")) for name in self._names}
        values = {name: batch.column(f"value {name}") for name in self._names}
        keys = {f"key {name}": batch.column(f"key {name}") for name in self.table.keys}
        counted = {
            **keys,
            **{f"value {name}": column for name, column in values.items()},
            **{f"free {name}": boolean(mask) for name, mask in free.items()},
        }
        whole = pa.RecordBatch.from_pydict(counted)
        return Part(list(keys.values()), values, free, self._epochs(batch), whole)

    def _free(self, name: str, codes: pa.Array) -> Mask:
        """Shown only where the label is known and is not one of the sensitive ones."""
        shown = [label not in self.sensitive[name] for label in self.learned.labels[name]]
        known = np.asarray(
            pc.fill_null(codes, len(shown)).cast(pa.int64()).to_numpy(zero_copy_only=False)
        )
        free: Mask = np.array([*shown, False])[known]
        return free

    def _epochs(self, batch: pa.RecordBatch) -> dict[str, Codes | None]:
        label = self.project.epoch.label
        if label is not None:
            return {label: None}
        words = batch.column("epoch").cast(pa.string()).dictionary_encode()
        if words.null_count:
            raise self.project.error(
                "epoch", "of", text="is NULL for some key; every row needs an epoch"
            )
        names: list[str] = words.dictionary.to_pylist()
        if len(names) == 1:
            return {names[0]: None}
        codes = np.asarray(words.indices.cast(pa.int64()).to_numpy(zero_copy_only=False))
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(names)))[:-1]
        return dict(zip(names, np.split(order, ends), strict=True))


class Witness:
    """Counts in the rows as they pass: what was read of each attribute in each epoch.

    One keyed fingerprint for each, so that an attribute added later does not look like a change.
    What counts is which rows there are, the value, and whether it may be shown, or be missing.
    """

    def __init__(self, reading: Reading, master: MasterKey) -> None:
        self._reading, self._master = reading, master
        self._seen: dict[str, dict[str, RowFingerprint]] = {}

    @classmethod
    def of(cls, reading: Reading, master: MasterKey) -> Witness:
        """The witness of one whole reading of the source, in any order."""
        witness = cls(reading, master)
        for _ in witness.watch(reading.parts(BATCH, ordered=False)):
            pass
        return witness

    def watch(self, parts: Iterator[Part]) -> Iterator[Part]:
        for part in parts:
            for epoch, rows in part.epochs.items():
                own = taken(part.batch, rows)
                for seen in self._fingerprints(epoch).values():
                    seen.add(own)
            yield part

    def readings(self) -> dict[str, dict[str, str]]:
        """The fingerprints, by epoch and attribute."""
        return {
            epoch: {name: seen.hexdigest() for name, seen in own.items()}
            for epoch, own in sorted(self._seen.items())
        }

    def _fingerprints(self, epoch: str) -> dict[str, RowFingerprint]:
        if epoch not in self._seen:
            if len(self._seen) == EPOCHS:
                raise self._reading.project.error(
                    "epoch", "of", text=f"gives more than {EPOCHS:,} epochs; take a coarser one, "
                    "such as the month",
                )  # fmt: skip
            names = self._reading.project.reads
            self._seen[epoch] = {name: self._fingerprint(epoch, name) for name in names}
        return self._seen[epoch]

    def _fingerprint(self, epoch: str, name: str) -> RowFingerprint:
        project = self._reading.project
        public = project.attributes[name].missing == "public"
        label = json.dumps(["reading", epoch, name, "missing is public" if public else ""])
        keys = [f"key {key}" for key in self._reading.table.keys]
        return RowFingerprint(self._master, label, [*keys, f"value {name}", f"free {name}"])


def missing(name: str) -> str:
    """The column that tells whether a value is missing."""
    return f"{name}__missing"


def boolean(mask: Mask) -> pa.Array:
    """A Boolean Arrow array; pa.array would import pandas where that is installed."""
    bits = pa.py_buffer(np.packbits(mask, bitorder="little").tobytes())
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits])


def taken(rows: Any, which: Codes | None) -> Any:
    """These rows of a column or batch; None: all."""
    if which is None:
        return rows
    places = pa.py_buffer(np.ascontiguousarray(which, np.int64))
    return rows.take(pa.Array.from_buffers(pa.int64(), len(which), [None, places]))
