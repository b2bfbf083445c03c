"""Rows in; out what is released of them, and what they add to the fingerprints of what was read.

The one kernel of a release, in every engine: it looks at each batch by itself, so that cells are
the same however rows are parted, ordered, or read again.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa

from unspoken.core.errors import placed
from unspoken.core.mechanisms import Mechanism
from unspoken.core.numerics.arrays import Codes, Mask, Words
from unspoken.core.types.domain import Domain
from unspoken.storage.coins import Coins, encode_keys
from unspoken.storage.prf import Derived, Derives
from unspoken.storage.records import RecordKeys
from unspoken.storage.rows.reading import Part, Rules, missing, taken
from unspoken.storage.rows.witness import EpochTally, Prints, Records, tallied, tallies_of
from unspoken.tables.engines.arrow import array, as_given, kept
from unspoken.tables.policy import Project

__all__ = ["RowKernel", "delivered", "epoch_of", "found", "records_of", "within"]

OURS = "unspoken "  # how columns begin that are never delivered
KEY, VALUE, ROWS = f"{OURS}key", f"{OURS}value {{}}", f"{OURS}rows"
NUMBER = pa.binary(16)
KEPT = 64  # epochs of which a thread keeps what it works out once
KINDS = {"BIGINT": pa.int64(), "VARCHAR": pa.string()}  # of keys; all others are moments


class _Here(threading.local):
    """What a thread keeps for the batches to come; nothing of it is taken along elsewhere."""

    def __init__(self) -> None:
        self.prints: dict[str, Prints] = {}

    def __reduce__(self) -> tuple[type[_Here], tuple[()]]:
        return _Here, ()


@dataclass(frozen=True)
class RowKernel:
    """What is shown of rows: a cell, where it may be and its coin lets it out; else NULL.

    Where a value may be missing, a second column tells that apart from being withheld: whether it
    is missing, or NULL if that is not shown either. ``mechanism``: None where rows are counted in
    and nothing is shown. ``apart``: each epoch by itself, with the keyed numbers of every record.
    ``draw``: which coins are tossed. ``counts``: whether rows are counted by their labels.
    """

    rules: Rules
    master: Derives
    domain: Domain
    mechanism: Mechanism | None = None
    apart: bool = False
    draw: int = 1
    counts: bool = False
    _here: _Here = field(default_factory=_Here, init=False, repr=False, compare=False)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in self.rules.parts(batches):
            if not self.apart:
                yield self._counted(part)
                continue
            for epoch, rows in part.each():
                yield self._kept(epoch, rows)

    def sent(self, epochs: Iterable[str]) -> RowKernel:
        """The same with the keys for rows of these epochs, and no others: for other processes."""
        return replace(self, master=Derived.asked(self.master, partial(self._ask, list(epochs))))

    def _ask(self, epochs: Sequence[str], master: Derives) -> None:
        """Ask for every key that rows of these epochs may need."""
        kinds = [
            KINDS.get(self.rules.shape.columns[key], pa.timestamp("us"))
            for key in self.rules.shape.keys
        ]
        nobody = encode_keys([pa.nulls(0, kind) for kind in kinds])
        codes = {name: np.zeros(0, np.intp) for name in self.rules.depends}
        for epoch in epochs:
            prints = Prints(self.rules, master, epoch)
            prints.keyed(nobody)
            for name in self.rules.depends:
                prints.fingerprint(name)
            if self.mechanism is not None:
                coins = Coins(master, epoch, nobody, self.draw)
                self.mechanism.let_out(self.domain, codes, coins)

    def _counted(self, part: Part) -> pa.RecordBatch:
        tallies, keys = {}, self._keys(part)
        for epoch, which in part.epochs.items():
            rows, sums = taken(part.batch, which), dict[str, int]()
            prints = self._prints(epoch)
            keyed = prints.keyed(keys[epoch])
            for name in self.rules.depends:
                fingerprint = prints.fingerprint(name)
                with placed(self.rules.places[name]):
                    fingerprint.add(rows, keyed)
                sums[name] = fingerprint.total
            labels = self._labels(part, which)
            tallies[epoch] = EpochTally(rows.num_rows, list(part.texts[epoch]), sums, labels)
        count = {ROWS: array(pa.int64(), np.array([part.batch.num_rows]))}
        return tallied(pa.RecordBatch.from_pydict(self._shown(part, keys) or count), tallies)

    def _kept(self, epoch: str, part: Part) -> pa.RecordBatch:
        prints, keys = self._prints(epoch), self._keys(part)
        records = prints.records(part.batch, keys[epoch])
        columns = self._shown(part, keys)
        columns[KEY] = array(pa.uint64(), records.keys)
        for name, numbers in records.numbers.items():
            columns[VALUE.format(name)] = array(NUMBER, numbers)
        labels = self._labels(part, None)
        tally = EpochTally(len(records), list(part.texts[epoch]), prints.sums(records), labels)
        return tallied(pa.RecordBatch.from_pydict(columns), {epoch: tally})

    def _prints(self, epoch: str) -> Prints:
        """Those of this thread."""
        prints = self._here.prints
        if epoch not in prints:
            if len(prints) == KEPT:
                prints.clear()
            prints[epoch] = Prints(self.rules, self.master, epoch)
        return prints[epoch]

    def _labels(self, part: Part, rows: Codes | None) -> list[tuple[int, int]]:
        """How many of these rows have each labels, where that is counted."""
        if not self.counts:
            return []
        some = {name: codes if rows is None else codes[rows] for name, codes in part.codes.items()}
        combined = self.rules.combined(some)
        if math.prod(self.rules.combinations) > len(combined):
            labels, counts = np.unique(combined, return_counts=True)
        else:
            counts = np.bincount(combined)
            labels = np.flatnonzero(counts)
            counts = counts[labels]
        return list(zip(labels.tolist(), counts.tolist(), strict=True))

    def _keys(self, part: Part) -> dict[str, RecordKeys]:
        """The keys of each epoch's rows, of which coins and fingerprints are made."""
        with placed(self.rules.of_keys):
            return {
                epoch: encode_keys([taken(column, rows) for column in part.keys])
                for epoch, rows in part.epochs.items()
            }

    def _shown(self, part: Part, keys: Mapping[str, RecordKeys]) -> dict[str, pa.Array]:
        if self.mechanism is None:
            return {}
        given = self.rules.shape.given
        named = zip(self.rules.shape.keys, part.keys, strict=True)
        columns: dict[str, pa.Array] = {name: as_given(key, given[name]) for name, key in named}
        heads = self._heads(part, keys, self.mechanism)
        for name in self.rules.project.reads:
            values, shows = part.values[name], part.free[name] & heads[name]
            columns[name] = kept(values, shows)
            columns.update(_missing(self.rules.project, name, values, shows))
        return columns

    def _heads(
        self, part: Part, keys: Mapping[str, RecordKeys], mechanism: Mechanism
    ) -> dict[str, Mask]:
        """Whether each row's coin, in the row's own epoch, lets out its value of each attribute."""
        heads = {n: np.zeros(part.batch.num_rows, dtype=bool) for n in self.rules.project.reads}
        for epoch, rows in part.epochs.items():
            row_codes = {
                n: codes if rows is None else codes[rows] for n, codes in part.codes.items()
            }
            coins = Coins(self.master, epoch, keys[epoch], self.draw)
            shown = mechanism.let_out(self.domain, row_codes, coins)
            for name, mask in heads.items():
                mask[... if rows is None else rows] = shown[name]
        return heads


def delivered(batch: pa.RecordBatch) -> pa.RecordBatch:
    """What of it is released."""
    names = [name for name in batch.schema.names if not name.startswith(OURS)]
    return batch.select(names).replace_schema_metadata(None)


def epoch_of(batch: pa.RecordBatch) -> str:
    """Whose rows a batch has, where each epoch is by itself."""
    (epoch,) = tallies_of(batch)
    return epoch


def records_of(batch: pa.RecordBatch) -> Records:
    """The numbers of every record of it."""
    keys: Words = np.frombuffer(batch.column(KEY).buffers()[1], np.uint64)
    first, rows = batch.column(KEY).offset, batch.num_rows
    numbers = {}
    for name in batch.schema.names:
        if name.startswith(VALUE.format("")):
            column = batch.column(name)
            words: Words = np.frombuffer(column.buffers()[1], np.uint64).reshape(-1, 2)
            numbers[name.removeprefix(VALUE.format(""))] = words[column.offset :][:rows]
    return Records(keys[first : first + rows], numbers)


def within(batch: pa.RecordBatch, parts: Sequence[Words], prints: Prints) -> pa.RecordBatch | None:
    """The rows of it that have one of these keys, sorted in each part; None: there is none."""
    records = records_of(batch)
    held = np.zeros(len(records), np.bool_)
    for keys in parts:
        held |= found(keys, records.keys)[1]
    if not held.any():
        return None
    some, (tally,) = records.taken(held), tallies_of(batch).values()
    tally = tally._replace(rows=len(some), sums=prints.sums(some), labels=())
    return tallied(taken(batch, np.flatnonzero(held)), {prints.epoch: tally})


def found(keys: Words, wanted: Words) -> tuple[Codes, Mask]:
    """Where each of these is among keys that are sorted, if it is; and whether it is."""
    places = np.searchsorted(keys, wanted)
    places[places == len(keys)] = 0
    return places, keys[places] == wanted


def _missing(project: Project, name: str, values: pa.Array, shows: Mask) -> dict[str, pa.Array]:
    rule = project.attributes[name].missing
    if rule == "never":
        return {}
    absent = values.is_null()
    public = rule == "public"
    known = absent if public else kept(absent, shows)
    return {missing(name): known}
