"""Reading the source the way it is released: keys, values, and which cells may be shown at all."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Mask
from unspoken.core.types.domain import Value
from unspoken.tables.engines.arrow import array, flags, numbers, plain, texts
from unspoken.tables.engines.of_keys import OfKeys
from unspoken.tables.engines.protocol import Among, Scan, Shape, Shaped, Table
from unspoken.tables.learning import Labeller, Learned
from unspoken.tables.learning.marks.labels import NONE, Labelling, Read
from unspoken.tables.policy import Project

__all__ = ["EPOCHS", "Looking", "Part", "Reading", "Rules", "missing", "taken", "too_many"]

EPOCHS = 10_000  # epochs a source may have: each has a fingerprint an attribute in the ledger


@dataclass(frozen=True)
class Part:
    """Some rows: whatever a release looks at, and nothing else.

    ``values``: what may be shown of a cell, ``free``: whether it may be, ``codes``: where its label
    is among those of the belief, or -1. ``epochs``: which rows
    belong to each, None for all. ``texts``: what the engine calls each of those, as text.
    ``batch``: values and "may be shown", as the fingerprint counts them in beside the keys.
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
class Rules:
    """What a release looks at in rows of this shape: plain data, for wherever the rows are.

    ``labellings``: of the attributes on which it depends what is shown of those that are read;
    ``sensitive``: the labels that are never shown.
    """

    project: Project
    shape: Shape
    labellings: tuple[Labelling, ...]
    sensitive: Mapping[str, Sequence[Value]]

    @property
    def depends(self) -> tuple[str, ...]:
        return tuple(labelling.cells.name for labelling in self.labellings)

    @cached_property
    def places(self) -> dict[str, str]:
        """{column: what a message about it begins with}, found once: batches are many."""
        return dict.fromkeys(self.shape.keys, self.of_keys) | {
            name: self.project.at("attribute", name) for name in self.depends
        }

    @cached_property
    def of_keys(self) -> str:
        """What a message about keys begins with."""
        return self.project.at("source", "keys")

    @property
    def needs(self) -> list[str]:
        """The columns that are looked at."""
        return list(dict.fromkeys([*self.shape.keys, *self._labeller().reads]))

    @property
    def combinations(self) -> tuple[int, ...]:
        """How many labels each of these attributes has, and no label at all."""
        return tuple(len(labelling.names) + 1 for labelling in self.labellings)

    def combined(self, codes: Mapping[str, Codes]) -> npt.NDArray[np.signedinteger[Any]]:
        """One number for the labels of each row, -1 for no label being the last of its kind."""
        weight, rows = math.prod(self.combinations), len(next(iter(codes.values())))
        short = weight <= np.iinfo(np.int16).max  # a quarter of the memory to walk through
        kind: type[np.signedinteger[Any]] = np.int16 if short else np.intp
        combined = np.zeros(rows, kind)
        for name, size in zip(self.depends, self.combinations, strict=True):
            weight //= size
            place = (np.arange(size) * weight).astype(kind)
            combined += place.take(codes[name])  # -1 takes the last
        return combined

    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Part]:
        """What these batches say."""
        labeller, epochs = self._labeller(), Epochs.of(self.project, self.shape)
        for batch in batches:
            yield self._part(batch, labeller.read(batch), *epochs.rows(batch))

    def _labeller(self) -> Labeller:
        return Labeller(self.labellings, self.shape.columns, self.places, self.shape.timezone)

    def _part(
        self,
        batch: pa.RecordBatch,
        read: Mapping[str, Read],
        epochs: Mapping[str, Codes | None],
        texts: Mapping[str, Collection[str]],
    ) -> Part:
        self._refuse_undeclared(read)
        codes = {name: read[name].codes for name in self.depends}
        free = {name: self._free(name, label_codes) for name, label_codes in codes.items()}
        values = {name: read[name].shown for name in self.depends}
        keys = [plain(batch.column(name)) for name in self.shape.keys]
        counted = {
            **{f"value {name}": column for name, column in values.items()},
            **{f"free {name}": flags(mask) for name, mask in free.items()},
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
        labels = next(
            labelling.names for labelling in self.labellings if labelling.cells.name == name
        )
        shown = [label not in self.sensitive[name] for label in labels]
        free: Mask = np.array([*shown, False]).take(codes)  # the last is the code of no label, -1
        return free


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

    @cached_property
    def rules(self) -> Rules:
        labellings = tuple(self.learned.labelling[name] for name in self.depends)
        return Rules(self.project, Shape.of(self.table), labellings, dict(self.sensitive))

    def through(
        self, work: Looking, rows: int, ordered: bool = True, among: Among | None = None
    ) -> Iterator[pa.RecordBatch]:
        """What is made of the source, batch by batch, sorted by key if ``ordered``."""
        self._refuse_twins()
        rules = self.rules
        if self.table.away:
            meant = None if among is None else among.texts
            work = work.sent(
                epoch
                for epoch, texts in self.epochs.items()
                if meant is None or not texts.isdisjoint(meant)
            )
        return self.table.through(work, Scan(rules.needs, ordered, rows, rules.places, among))

    def among(self, texts: Collection[str] | None) -> Among | None:
        """The rows of the epochs that the engine calls so, one after the other; None: of all."""
        return Epochs.of(self.project, self.table).among(texts)

    @cached_property
    def epochs(self) -> Mapping[str, set[str]]:
        """The epochs that there are, by the keys alone, and what the engine calls each."""
        if self.project.epoch.of is None:
            return {self.project.epoch.label or "": set()}
        naming, found = Naming(self.project, self.rules.shape), dict[str, set[str]]()
        for batch in self.table.through(
            naming, Scan(naming.reads, False, places=self.rules.places)
        ):
            for row in batch.to_pylist():
                found.setdefault(row["epoch"], set()).add(row["text"])
            if len(found) > EPOCHS:
                raise too_many(self.project)
        return found

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


@dataclass(frozen=True)
class Naming:
    """Work that names the epochs of rows, and what the engine calls them, each once a batch."""

    project: Project
    shape: Shape

    @property
    def reads(self) -> list[str]:
        """The keys that it looks at."""
        return Epochs.of(self.project, self.shape).reads

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        epochs = Epochs.of(self.project, self.shape)
        for batch in batches:
            named = epochs.rows(batch)[1].items()
            pairs = [(epoch, text) for epoch, found in named for text in found]
            columns = {"epoch": [epoch for epoch, _ in pairs], "text": [text for _, text in pairs]}
            yield pa.RecordBatch.from_pydict(
                {name: texts(column) for name, column in columns.items()}
            )


class Looking(Protocol):
    """Work that needs keys, some of which it can take along to other processes."""

    def __call__(self, batches: Iterator[pa.RecordBatch], /) -> Iterator[pa.RecordBatch]: ...

    def sent(self, epochs: Iterable[str]) -> Looking: ...


class Epochs:
    """Which rows belong to which epoch: one for all, or one that the holder's SQL names."""

    def __init__(self, project: Project, named: OfKeys | None) -> None:
        self._project, self._named = project, named

    @classmethod
    def of(cls, project: Project, table: Shaped) -> Epochs:
        """The SQL reads keys only, or epochs would tell of values."""
        text = project.epoch.of
        if text is None:
            return cls(project, None)
        idle = 'it names one epoch for all; write label = "..." instead'
        return cls(project, OfKeys.read(text, table, "an epoch", project.at("epoch", "of"), idle))

    @property
    def reads(self) -> list[str]:
        """The keys that name them."""
        return [] if self._named is None else [*self._named.expression.columns]

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

    def among(self, texts: Collection[str] | None) -> Among | None:
        """The rows of the epochs that the engine calls so; None: of all."""
        return None if self._named is None else Among(self._named.expression, texts)


def too_many(project: Project) -> InputError:
    """That there are more epochs than a source may have."""
    return project.error(
        "epoch", "of", text=f"gives more than {EPOCHS:,} epochs; take a coarser one, "
        "such as the month",
    )  # fmt: skip


def missing(name: str) -> str:
    """The column that tells whether a value is missing."""
    return f"{name}__missing"


def taken(rows: Any, which: Codes | None) -> Any:
    """These rows of a column or batch; None: all."""
    if which is None:
        return rows
    return rows.take(array(pa.int64(), which.astype(np.int64)))
