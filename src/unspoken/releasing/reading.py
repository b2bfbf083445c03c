"""Reading the source the way it is released: keys, values, and which cells may be shown at all."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from unspoken.engines.arrow import boolean, numbers, plain
from unspoken.engines.of_keys import OfKeys
from unspoken.engines.protocol import Among, Table
from unspoken.learning import Labeller, Learned
from unspoken.learning.labels import NONE, Read
from unspoken.numerics.arrays import Codes, Mask
from unspoken.policy import Project
from unspoken.types.domain import Value

__all__ = ["Part", "Reading", "missing", "taken"]


@dataclass(frozen=True)
class Part:
    """Some rows: whatever a release looks at, and nothing else.

    ``values``: what may be shown of a cell, ``free``: whether it may be, ``codes``: where its label
    is among those of the belief, or -1. ``epochs``: which rows
    belong to each, None for all. ``texts``: what the engine calls each of those, as text.
    ``batch``: keys, values and "may be shown", as the fingerprint counts them in.
    """

    keys: Sequence[pa.Array]
    values: Mapping[str, pa.Array]
    free: Mapping[str, Mask]
    codes: Mapping[str, Codes]
    epochs: Mapping[str, Codes | None]
    texts: Mapping[str, Collection[str]]
    batch: pa.RecordBatch

    def each(self) -> Iterator[tuple[str, Part]]:
        """The rows of each epoch, by themselves."""
        return ((epoch, self.taken(rows, epoch)) for epoch, rows in self.epochs.items())

    def taken(self, rows: Codes | None, epoch: str) -> Part:
        """These rows, which are of one epoch; None: all."""
        if rows is None:
            return self
        return Part(
            [taken(key, rows) for key in self.keys],
            {name: taken(column, rows) for name, column in self.values.items()},
            {name: mask[rows] for name, mask in self.free.items()},
            {name: codes[rows] for name, codes in self.codes.items()},
            {epoch: None},
            {epoch: self.texts[epoch]},
            taken(self.batch, rows),
        )


@dataclass(frozen=True)
class Reading:
    """The columns of a project's source that are read, and the labels that are never shown.

    ``depends``: the attributes on which it depends what is shown of those that are.
    """

    project: Project
    table: Table
    learned: Learned
    sensitive: Mapping[str, Sequence[Value]]
    depends: tuple[str, ...]

    def parts(
        self, batch_rows: int, ordered: bool = True, among: Collection[str] | None = None
    ) -> Iterator[Part]:
        """The source, batch by batch, sorted by key if ``ordered``.

        ``among``: only the epochs that the engine calls so, sorted by that first.
        """
        self._refuse_twins()
        places = {name: self.project.at("attribute", name) for name in self.depends}
        labellings = [self.learned.labelling[name] for name in self.depends]
        labeller = Labeller(labellings, self.table.columns, places, self.table.timezone)
        epochs = Epochs.of(self.project, self.table)
        names = dict.fromkeys([*self.table.keys, *labeller.reads])
        which = None if among is None else epochs.among(among)
        for batch in self.table.batches(list(names), ordered, batch_rows, places, which):
            yield self._part(batch, labeller.read(batch), *epochs.rows(batch))

    def columns(self) -> list[str]:
        """The columns of a release. Where a value may be missing, a second one tells whether it is:
        that is not the same as being withheld.
        """
        columns = [
            (name,) if self.project.attributes[name].missing == "never" else (name, missing(name))
            for name in self.project.reads
        ]
        return [*self.table.keys, *itertools.chain.from_iterable(columns)]

    def _refuse_twins(self) -> None:
        columns = [name.casefold() for name in self.columns()]
        for name in self.project.reads:
            if columns.count(missing(name).casefold()) > 1:
                raise self.project.error(
                    "attribute", name, "missing",
                    text=f"a release tells it in a column {missing(name)}, and there is another "
                    "one of that name; rename it in [source] sql",
                )  # fmt: skip

    def _part(
        self,
        batch: pa.RecordBatch,
        read: Mapping[str, Read],
        epochs: Mapping[str, Codes | None],
        texts: Mapping[str, Collection[str]],
    ) -> Part:
        self._refuse_undeclared(read)
        codes = {name: read[name].codes for name in self.depends}
        free = {name: self._free(name, own) for name, own in codes.items()}
        values = {name: read[name].shown for name in self.depends}
        keys = [plain(batch.column(name)) for name in self.table.keys]
        counted = {
            **{f"key {name}": key for name, key in zip(self.table.keys, keys, strict=True)},
            **{f"value {name}": column for name, column in values.items()},
            **{f"free {name}": boolean(mask) for name, mask in free.items()},
        }
        batch = pa.RecordBatch.from_pydict(counted)
        return Part(keys, values, free, codes, epochs, texts, batch)

    def _refuse_undeclared(self, read: Mapping[str, Read]) -> None:
        """What the project says of values holds for rows that nobody counted, too.

        A row beyond it would always be withheld, which tells more than any plan knows of.
        """
        for name in self.depends:
            rule, shown = self.project.attributes[name], read[name].shown
            if rule.missing == "never" and shown.null_count:
                text = 'is missing in a row; correct it, or write missing = "value" and count again'
                raise self.project.error("attribute", name, text=text)
            if rule.values is not None and (read[name].codes == NONE).any():
                text = "holds none of its values in a row; correct it, or list it and count again"
                raise self.project.error("attribute", name, text=text)

    def _free(self, name: str, codes: Codes) -> Mask:
        """Shown only where the label is known and is not one of the sensitive ones."""
        shown = [label not in self.sensitive[name] for label in self.learned.labels[name]]
        free: Mask = np.array([*shown, False])[codes]  # the last is the code of no label, -1
        return free


class Epochs:
    """Which rows belong to which epoch: one for all, or one that the holder's SQL names."""

    def __init__(self, project: Project, named: OfKeys | None) -> None:
        self._project, self._named = project, named

    @classmethod
    def of(cls, project: Project, table: Table) -> Epochs:
        """The SQL reads keys only, or epochs would tell of values."""
        text = project.epoch.of
        if text is None:
            return cls(project, None)
        idle = 'it names one epoch for all; write label = "..." instead'
        return cls(project, OfKeys.read(text, table, "an epoch", project.at("epoch", "of"), idle))

    def rows(
        self, batch: pa.RecordBatch
    ) -> tuple[dict[str, Codes | None], dict[str, Collection[str]]]:
        """The rows of each epoch, None for all, and what the engine calls it."""
        if self._named is None:
            name = self._project.epoch.label or ""
            return {name: None}, {name: ()}
        words, texts = self._named.with_texts(batch)
        names: list[str] = words.dictionary.to_pylist()
        if len(names) == 1:
            return {names[0]: None}, texts
        codes = numbers(words.indices)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(names)))[:-1]
        return dict(zip(names, np.split(order, ends), strict=True)), texts

    def among(self, texts: Collection[str]) -> Among | None:
        """The rows of the epochs that the engine calls so."""
        return None if self._named is None else Among(self._named.expression, texts)


def missing(name: str) -> str:
    """The column that tells whether a value is missing."""
    return f"{name}__missing"


def taken(rows: Any, which: Codes | None) -> Any:
    """These rows of a column or batch; None: all."""
    if which is None:
        return rows
    places = pa.py_buffer(np.ascontiguousarray(which, np.int64))
    return rows.take(pa.Array.from_buffers(pa.int64(), len(which), [None, places]))
