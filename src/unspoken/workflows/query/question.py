"""A query bound to a project: which numbers are added up, over which rows, for which groups.

What the keys say is public: conditions and groups over keys touch no secret, and a number that
keys alone decide needs no noise. A condition on an attribute becomes part of what its cells add.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from unspoken.core.errors import InputError, unknown
from unspoken.core.numerics.arrays import Counts, Mask
from unspoken.tables.engines.of_keys import OfKeys
from unspoken.tables.engines.protocol import Shaped, Table
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project
from unspoken.workflows.query.attribute_cells import AttributeCells, Span
from unspoken.workflows.query.numbers import Number
from unspoken.workflows.query.select import WHERE, Aggregate, Fragment, Select

__all__ = ["PUBLIC", "AnswerColumn", "Question", "Term", "bound", "read_select"]

Shown = tuple[tuple[str, int], ...]  # columns of an answer: titles and places
CELLS = 400  # combinations of cells of several attributes: each may be a sum of its own
PUBLIC = None  # in the place of a number: rows, which the keys count


class Term(NamedTuple):
    """So many ``step``s, as the number at this place says."""

    place: int | None
    step: Fraction = Fraction(1)


@dataclass(frozen=True)
class AnswerColumn:
    """A column of the answer: for each cell that rows are grouped by (one, if by none) the term
    that it is, and of an average what that is divided by. ``of``: the attribute that is added up,
    in which ``spans``.
    """

    title: str
    kind: str
    above: tuple[Term, ...]
    below: tuple[Term, ...] = ()
    of: str = ""
    spans: tuple[tuple[Span, ...], ...] = ()

    @property
    def public_below(self) -> bool:
        """Whether it is an average over rows that keys count."""
        return bool(self.below) and all(term.place is None for term in self.below)


@dataclass(frozen=True)
class Question:
    """``by``: the attributes whose cells, of several all combinations, are rows of the answer, and
    which ``places`` among the groups they have; ``kept``: which cells. ``groups``: the others, over
    keys; ``where``: conditions on those. ``columns``: each once, in an order of their own;
    ``shown``: the columns of the answer as they are asked for, with titles: groups by their place,
    columns after those.
    """

    select: Select
    numbers: tuple[Number, ...]
    columns: tuple[AnswerColumn, ...]
    groups: tuple[Expression, ...]
    where: tuple[Expression, ...]
    by: tuple[AttributeCells, ...]
    places: tuple[int, ...]
    kept: tuple[tuple[int, ...], ...]
    reads: Mapping[str, AttributeCells]
    shown: Shown
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that it looks at."""
        return tuple(sorted({name for number in self.numbers for name in number.names}))

    @property
    def asked(self) -> list[tuple[str, AnswerColumn]]:
        """The columns that are no groups, as they are asked for."""
        first = len(self.select.groups)
        return [(title, self.columns[at - first]) for title, at in self.shown if at >= first]

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """What the cells of each row of the answer are called; () where it is grouped by none."""
        return [
            tuple(cells.rule.names[k] for cells, k in zip(self.by, each, strict=True))
            for each in self.kept
        ]

    def described(self) -> dict[str, Any]:
        """What makes it the same question, however it is spelled."""
        return {
            "groups": [fragment.sql for fragment in self.select.groups],
            "where": sorted({fragment.sql for fragment in self.where}),
            "columns": [_written(column) for column in self.columns],
            "cells": [_one_or_all(each) for each in self.labels if each],
            "numbers": [[_one_or_all(n.names), list(n.adds)] for n in self.numbers],
            "rules": {name: list(cells.rule.names) for name, cells in sorted(self.reads.items())},
        }

    def digest(self, *more: Any) -> str:
        """64 hexadecimal digits that name it, with whatever else tells requests apart."""
        written = json.dumps([self.described(), *more], sort_keys=True)
        return hashlib.sha256(written.encode()).hexdigest()


def bound(
    project: Project, table: Table, learned: Learned, text: str, reader: str | None = None
) -> Question:
    """The query as this project answers it; refused by name where it does not.

    For ``reader`` there are the keys, and what it reads: of other columns it is told nothing, not
    even by a condition that holds for all of their values, or for none.
    """
    select = read_select(project, table, text, reader)
    return replace(_Binder(project, table, learned, select).question(), text=" ".join(text.split()))


def read_select(project: Project, table: Shaped, text: str, reader: str | None) -> Select:
    """The query as it is written, once all that it names may be asked about by this reader.

    No row is read for that, so a query that is refused by a name costs next to nothing.
    """
    columns, whose = list(table.columns), ""
    if reader is not None:
        reads = {*table.keys, *project.serving(reader).reads}
        columns, whose = [name for name in columns if name in reads], f" that {reader} reads"
    select = Select.read(text, columns, whose)
    _refuse_table(project, select.table)
    return select


def _refuse_table(project: Project, asked: str) -> None:
    file, name, stem = project.source.file, project.source.name, project.source.stem
    known = ["source", name, *([] if project.source.table is None else [project.source.table])]
    known += [] if file is None else [stem or "", file.stem, file.name, str(file)]
    if asked.casefold() not in {name.casefold() for name in known}:
        raise unknown(f"{WHERE}: FROM", asked, dict.fromkeys([stem or name]))


class _Binder:
    """Puts the numbers together, each once."""

    def __init__(self, project: Project, table: Table, learned: Learned, select: Select) -> None:
        self.project, self.table, self.select = project, table, select
        self.cells = {
            name: AttributeCells(project, labelling.cells, table.columns[name])
            for name, labelling in learned.labelling.items()
        }
        self.row = partial(RowSQL, title=table.title, timezone=table.timezone)
        self.numbers: list[Number] = []

    def question(self) -> Question:
        select = self.select
        public, only = self._parted(select.where)
        by = self._by()
        kept = self._kept([*by.values()], only)
        columns, shown = self._alike(
            [self._column(a, only, [*by.values()], kept) for a in select.aggregates]
        )
        groups = [self._public(p, "GROUP BY") for i, p in enumerate(select.groups) if i not in by]
        names = {name for number in self.numbers for name in number.names}
        return Question(
            select,
            tuple(self.numbers),
            tuple(columns),
            tuple(groups),
            tuple(self._condition(fragment) for fragment in public),
            tuple(by.values()),
            tuple(by),
            tuple(kept),
            {name: self.cells[name] for name in sorted(names)},
            shown,
            "",
        )

    def _alike(self, columns: Sequence[AnswerColumn]) -> tuple[list[AnswerColumn], Shown]:
        """Numbers and columns in an order that does not depend on which was asked for first."""
        order = sorted(self.numbers, key=lambda number: (number.names, number.adds))
        to = {place: order.index(number) for place, number in enumerate(self.numbers)}
        self.numbers = order
        moved = [replace(c, above=_moved(c.above, to), below=_moved(c.below, to)) for c in columns]
        kept = {json.dumps(_written(column)): column for column in reversed(moved)}
        listed, first = sorted(kept), len(self.select.groups)
        places = [first + listed.index(json.dumps(_written(column))) for column in moved]
        shown = tuple(
            (title, at if at < first else places[at - first]) for title, at in self.select.shown
        )
        return [kept[key] for key in listed], shown

    # ------------------------------------------------------------ conditions

    def _parted(self, conditions: Sequence[Fragment]) -> tuple[list[Fragment], list[Fragment]]:
        """Those over keys, and those on an attribute."""
        public, only = list[Fragment](), list[Fragment]()
        for fragment in conditions:
            strangers = [name for name in fragment.columns if name not in self.table.keys]
            if not strangers:
                public.append(fragment)
                continue
            self._attribute(strangers[0])
            if len(fragment.columns) > 1:
                raise InputError(
                    f"{WHERE}: WHERE {fragment.sql}: is about {' and '.join(fragment.columns)} at "
                    "once; write conditions on keys, and on one attribute each, and join them by "
                    "AND; or make it an attribute of its own, by [source] sql"
                )
            only.append(fragment)
        return public, only

    def _attribute(self, name: str) -> AttributeCells:
        if name in self.cells:
            return self.cells[name]
        raise InputError(
            f"{WHERE}: {name} is neither a key nor declared; declare attribute.{name}, with bins "
            f"or values, or ask about {', '.join(self.cells)}"
        )

    def _condition(self, fragment: Fragment) -> Expression:
        row = self.row(self.table.columns)
        return row.read(fragment.sql, f"{WHERE}: WHERE {fragment.sql}", condition=True, steady=True)

    def _public(self, fragment: Fragment, where: str) -> Expression:
        for name in fragment.columns:
            if name not in self.table.keys:
                self._attribute(name)
                raise InputError(
                    f"{WHERE}: {where} {fragment.sql}: calculates with {name}, which is no key; "
                    f"group by {name} itself: its declared bins or values"
                )
        idle = "it groups nothing; take it out"
        return OfKeys.read(
            fragment.sql, self.table, "a group", f"{WHERE}: {where}", idle
        ).expression

    # ------------------------------------------------------------ groups

    def _by(self) -> dict[int, AttributeCells]:
        """The attributes that rows are grouped by, by where they stand."""
        found = dict[int, AttributeCells]()
        for place, fragment in enumerate(self.select.groups):
            name = fragment.columns[0] if len(fragment.columns) == 1 else ""
            if not name or name in self.table.keys or fragment.sql.strip('"') != name:
                continue
            found[place] = self._attribute(name)
            if not found[place].declared:
                raise InputError(
                    f"{WHERE}: GROUP BY {name}: its values are not declared, and those of the rows "
                    f"are not for groups; {found[place].to_declare}"
                )
        return found

    def _kept(
        self, by: Sequence[AttributeCells], only: Sequence[Fragment]
    ) -> list[tuple[int, ...]]:
        """The cells, of several attributes their combinations, that are rows of the answer."""
        holds = [self._holds(cells, only) for cells in by]
        return [*itertools.product(*(np.flatnonzero(held).tolist() for held in holds))]

    def _holds(self, cells: AttributeCells, only: Sequence[Fragment]) -> Mask:
        """In which cells of an attribute the conditions on it hold."""
        mine = [cells.where(f, self.row) for f in only if f.columns[0] == cells.name]
        return np.asarray(np.all([[True] * len(cells.rule.names), *mine], axis=0))

    # ------------------------------------------------------------ aggregates

    def _column(
        self,
        asked: Aggregate,
        where: Sequence[Fragment],
        by: Sequence[AttributeCells],
        kept: Sequence[tuple[int, ...]],
    ) -> AnswerColumn:
        of_keys, only = self._parted(asked.only)
        if of_keys:
            raise InputError(
                f"{WHERE}: {asked.title}: FILTER is about keys; write it as WHERE, in a query of "
                "its own, or GROUP BY it"
            )
        only = [*where, *only]
        added = self._added(asked)
        names = {fragment.columns[0] for fragment in only} | {cells.name for cells in by}
        names |= set() if added is None else {added.name}
        if not names:
            return AnswerColumn(asked.title, "count", (Term(PUBLIC),) * len(kept))
        cells = [self.cells[name] for name in sorted(names)]
        _refuse_many(asked, cells)
        holds = [self._holds(each, only) for each in cells]
        rows = [dict(zip((each.name for each in by), each, strict=True)) for each in kept]
        return self._made(asked, added, [_within(cells, holds, row) for row in rows], cells)

    def _added(self, asked: Aggregate) -> AttributeCells | None:
        """The attribute whose values it looks at; None: it counts rows."""
        if asked.column is None:
            return None
        if asked.column in self.table.keys:
            if asked.kind != "count":
                raise InputError(
                    f"{WHERE}: {asked.title}: keys are public; take it from the released keys"
                )
            return None
        cells = self._attribute(asked.column)
        return None if asked.kind == "count" and all(cells.present) else cells

    def _made(
        self,
        asked: Aggregate,
        added: AttributeCells | None,
        each: Sequence[Mask],
        cells: Sequence[AttributeCells],
    ) -> AnswerColumn:
        """``each``: in which combinations of these cells a row of the answer has rows."""
        names = [own.name for own in cells]
        if added is None:
            return AnswerColumn(asked.title, "count", self._counts(names, each))
        along = _along(cells, added)
        there = [mask & along(added.present).astype(bool) for mask in each]
        counted = self._counts(names, there) if asked.kind != "sum" else ()
        if asked.kind == "count":
            return AnswerColumn(asked.title, "count", counted)
        axes = tuple(axis for axis, own in enumerate(cells) if own is not added)
        held = [mask.any(axes).tolist() for mask in there]
        values = zip(there, map(added.values, held), strict=True)
        above = tuple(self._term(names, mask * along(v), step) for mask, (v, step) in values)
        spans = tuple(map(added.spans, held))
        return AnswerColumn(asked.title, asked.kind, above, counted, added.name, spans)

    def _counts(self, names: Sequence[str], each: Iterable[Mask]) -> tuple[Term, ...]:
        return tuple(self._term(names, mask.astype(np.int64)) for mask in each)

    def _term(self, names: Sequence[str], adds: Counts, step: Fraction = Fraction(1)) -> Term:
        """Of each number there is one; what every row adds alike is counted by keys."""
        number = Number.of(names, adds)
        if not number.reach:
            return Term(PUBLIC, number.adds[0] * step)
        if number not in self.numbers:
            self.numbers.append(number)
        return Term(self.numbers.index(number), step)


def _refuse_many(asked: Aggregate, cells: Sequence[AttributeCells]) -> None:
    many = math.prod(len(each.rule.names) for each in cells)
    if len(cells) > 1 and many > CELLS:
        raise InputError(
            f"{WHERE}: {asked.title}: depends on {' and '.join(each.name for each in cells)} "
            f"together, which have {many:,} combinations, more than {CELLS:,}; ask of fewer of "
            "them, or give them fewer bins"
        )


def _within(cells: Sequence[AttributeCells], holds: Sequence[Mask], row: Mapping[str, int]) -> Mask:
    """The combinations of cells in which conditions hold, and which are those of a row."""
    each = [
        held & (np.arange(len(held)) == row[own.name]) if own.name in row else held
        for own, held in zip(cells, holds, strict=True)
    ]
    return functools.reduce(np.logical_and.outer, each)


def _along(
    cells: Sequence[AttributeCells], own: AttributeCells
) -> Callable[[Sequence[int]], Counts]:
    """What each cell of one attribute has, for all combinations with those of the others."""
    shape = [-1 if each is own else 1 for each in cells]
    return lambda each: np.array(each, np.int64).reshape(shape)


def _one_or_all(names: Sequence[str]) -> str | list[str]:
    """As it was written while there could be no more than one."""
    return names[0] if len(names) == 1 else list(names)


def _moved(terms: Sequence[Term], to: Mapping[int, int]) -> tuple[Term, ...]:
    return tuple(t if t.place is None else t._replace(place=to[t.place]) for t in terms)


def _written(column: AnswerColumn) -> list[Any]:
    """What it is made of."""
    terms = [[[str(t.place), str(t.step)] for t in part] for part in (column.above, column.below)]
    return [column.kind, *terms]
