"""Contexts: what anybody may know of a row beside what is released of it, such as its weekday.

A context is a function of the keys, which every release shows, or of the other rows of a row's unit
(of_unit.py). Rows are counted in each of its
values, in the pass that counts them without, and each context in a table of its own: P(x | k) for
each value k of one context.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from unspoken.core.beliefs import Joint
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import Array, Codes, Counts
from unspoken.core.types.premise import Premise
from unspoken.tables.engines.arrow import numbers
from unspoken.tables.engines.of_keys import OfKeys, columns_of
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning.counts.counting import Combinations, shares
from unspoken.tables.learning.counts.of_unit import NONE, OfUnit, UnitNumbers
from unspoken.tables.learning.marks.cells import noted
from unspoken.tables.learning.marks.labels import Labelling
from unspoken.tables.policy import Context, Project
from unspoken.tables.policy.bin_edges import bin_names

__all__ = ["VALUES", "Contexts", "ContextCounts", "Within", "contexts_of", "given_of"]

VALUES = 64  # of a context


@dataclass(frozen=True)
class Within:
    """Rows by the value of one context and the marks of all attributes, as far as they occur.

    ``codes``: the place among ``values``; ``marks`` and ``counts`` as in `Counted`.
    """

    values: tuple[str, ...]
    codes: Codes
    marks: Sequence[Codes]
    counts: Counts

    def frequent(self, least: int, most: int) -> Within:
        """Only the values that so many rows have at least, and of these the ``most`` frequent."""
        rows = np.bincount(self.codes, self.counts, len(self.values))
        kept = [k for k in np.argsort(-rows, kind="stable")[:most].tolist() if rows[k] >= least]
        place = np.full(len(self.values), -1)
        place[kept] = np.arange(len(kept))
        here = place[self.codes] >= 0
        return Within(
            tuple(self.values[k] for k in kept),
            place[self.codes][here],
            [mark[here] for mark in self.marks],
            self.counts[here],
        )


class Contexts:
    """Counts the rows of a project in each value of each of its contexts."""

    def __init__(
        self,
        named: Mapping[str, OfKeys],
        joint: Combinations,
        most: int = VALUES,
        dropping: bool = False,
        of_unit: Mapping[str, OfUnit] | None = None,
        units: UnitNumbers | None = None,
        pairs: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """``joint``: what the rows are counted in beside. ``dropping``: a context of more values
        than ``most`` is left out, in place of refused. ``pairs``: two of ``named`` together, while
        both are there and no more than ``most`` values of theirs occur together.
        """
        self._named, self._most, self._dropping = dict(named), most, dropping
        self._of_unit, self._units = of_unit or {}, units or UnitNumbers(())
        self._pairs = {
            pair: (both, Combinations([most, most])) for pair, both in (pairs or {}).items()
        }
        self._values: dict[str, dict[str, int]] = {name: {} for name in named}
        values = {
            **dict.fromkeys(named, most),
            **{name: each.values for name, each in self._of_unit.items()},
            **dict.fromkeys(self._pairs, most),
        }
        self._joint = joint
        self._tables = {name: Combinations([0, size]) for name, size in values.items()}

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that they need."""
        return (*columns_of(self._named.values()), *(self._units.keys if self._of_unit else ()))

    @property
    def ordered(self) -> bool:
        """Whether rows have to come in the order of keys."""
        return any(each.ordered for each in self._of_unit.values())

    def add(self, batch: pa.RecordBatch, marks: Sequence[Codes], which: Codes) -> None:
        """Count in some rows; ``which`` combination of marks each is."""
        values = self._of_keys(batch)
        values |= self._together(values)
        units = self._units.of(batch) if self._of_unit else np.zeros(0, np.intp)
        for name, each in self._of_unit.items():
            values[name] = each.codes(units, marks[each.place])
        for name, codes in values.items():
            self._tables[name].add([which, codes], first=len(self._joint.counts))

    def _of_keys(self, batch: pa.RecordBatch) -> dict[str, Codes]:
        """[row] -> which of the values of each function of keys."""
        codes = {}
        for name, words in OfKeys.words(batch, self._named).items():
            known = self._values[name]
            places = [known.setdefault(word, len(known)) for word in words.dictionary.to_pylist()]
            if len(known) <= self._most:
                codes[name] = np.array(places, np.intp)[numbers(words.indices)]
                continue
            if not self._dropping:
                raise InputError(
                    f"{self._named[name].where}: has more than {self._most} values; take a coarser "
                    "one, such as the month in place of the day"
                )
            del self._named[name], self._tables[name], self._values[name]
        return codes

    def _together(self, values: Mapping[str, Codes]) -> dict[str, Codes]:
        """[row] -> which of the pairs of values that occur, of each two that are both there."""
        codes = {}
        for name, ((one, other), seen) in list(self._pairs.items()):
            if one in values and other in values:
                codes[name] = seen.add([values[one], values[other]])
            if name not in codes or len(seen.counts) > self._most:
                codes.pop(name, None)
                del self._pairs[name], self._tables[name]
        return codes

    def held(self) -> dict[str, Within]:
        """Of each context what was counted, its values in order; of marks, by their number."""
        return {name: self._within(name) for name in self._tables}

    def values_of(self, name: str) -> list[tuple[str, ...]]:
        """What the values of a pair, which are numbered, are of each of its two."""
        both, seen = self._pairs[name]
        known = [list(self._values[one]) for one in both]
        return [(known[0][i], known[1][j]) for i, j in zip(*seen.marks, strict=True)]

    def _within(self, name: str) -> Within:
        (which, codes), counts = self._tables[name].held()
        marks = [mark[which] for mark in self._joint.marks]
        if name in self._of_unit:
            return Within(tuple(map(str, range(self._of_unit[name].values))), codes, marks, counts)
        if name in self._pairs:
            numbered = range(len(self._pairs[name][1].counts))
            return Within(tuple(map(str, numbered)), codes, marks, counts)
        known = self._values[name]
        values = sorted(known, key=_in_order)
        place = np.zeros(len(known), np.intp)
        place[[known[value] for value in values]] = np.arange(len(known))
        return Within(tuple(values), place[codes], marks, counts)


def contexts_of(project: Project, table: Table) -> dict[str, OfKeys]:
    """The contexts of a project, their SQL checked."""
    return {
        name: OfKeys.read(
            context.of or "", table, "a context", project.at("context", name, "of"),
            "it says nothing of a row; write SQL over a key",
        )
        for name, context in project.contexts.items()
        if context.of is not None
    }  # fmt: skip


def given_of(
    project: Project, counted: Mapping[str, Within], labels: Sequence[Labelling], most: int
) -> dict[str, ContextCounts]:
    """What rows say given each context, once labels are known; of ``most`` cells each."""
    known = dict(zip(project.attributes, labels, strict=True))
    return {
        name: ContextCounts.of(name, _named(project.contexts[name], within, known), known, most)
        for name, within in counted.items()
    }


def _named(context: Context, within: Within, labels: Mapping[str, Labelling]) -> Within:
    """With words for values: the label of a mark, the class of a share."""
    if context.of is not None:
        return within
    if context.previous is None:
        names, code = bin_names(context.edges), tuple(range(len(within.values)))
    else:
        known = labels[context.previous]
        names, code = known.names, (*known.code, len(known.names))
    none = NONE if NONE not in names else noted(NONE, "no row before", names)
    codes = np.array(code)[within.codes]
    return replace(within, values=(*names, none), codes=codes)


def _in_order(value: str) -> tuple[bool, int, str]:
    """Whole numbers as numbers, before other words."""
    whole = value.lstrip("-").isdecimal()
    return (not whole, int(value) if whole else 0, value)


@dataclass(frozen=True)
class ContextCounts:
    """What rows say given each value of a context: ``joint[k, x]`` counts rows of value k and
    labels x. Nothing is smoothed. ``noisy``: as they were drawn, with noise of this ``scale``;
    None: the counts are exact.
    """

    name: str
    values: tuple[str, ...]
    joint: Array
    labels: Mapping[str, tuple[str, ...]]
    noisy: Counts | None = None
    scale: float | None = None

    @classmethod
    def of(
        cls, name: str, within: Within, labels: Mapping[str, Labelling], most: int
    ) -> ContextCounts:
        """By labels, once they are known; refused if that makes more than ``most`` cells."""
        shape = (len(within.values), *(len(labelling.names) for labelling in labels.values()))
        if math.prod(shape) > most:
            raise TooLarge(
                f"context.{name}: {shape[0]} values times {math.prod(shape[1:]):,} combinations of "
                f"labels are more than {most:,}; take a context of fewer values"
            )
        joint = np.zeros(shape)
        both = zip(labels.values(), within.marks, strict=True)
        codes = [labelling.codes(mark) for labelling, mark in both]
        np.add.at(joint, (within.codes, *codes), within.counts)
        names = {attribute: labelling.names for attribute, labelling in labels.items()}
        return cls(name, within.values, joint, names)

    @property
    def counted(self) -> Counts:
        """Whole numbers, as they were counted."""
        return np.rint(self.joint).astype(np.int64) if self.noisy is None else self.noisy

    @property
    def rows(self) -> dict[str, int]:
        """The rows of each value."""
        counts = self.joint.reshape(len(self.values), -1).sum(1)
        return dict(zip(self.values, map(round, counts), strict=True))

    @cached_property
    def belief(self) -> Joint:
        """About the context and all attributes: of whoever ``knows`` the context, by its name."""
        names, values = (self.name, *self.labels), (self.values, *self.labels.values())
        return Joint(shares(self.joint), names, values, self._premise)

    @cached_property
    def beliefs(self) -> dict[str, Joint]:
        """About the attributes, given each value that some row has."""
        names, values = tuple(self.labels), tuple(self.labels.values())
        return {
            value: Joint(shares(counts), names, values, self._premise)
            for value, counts in zip(self.values, self.joint, strict=True)
            if counts.any()
        }

    @property
    def _premise(self) -> Premise:
        return Premise.learned(round(self.joint.sum()))
