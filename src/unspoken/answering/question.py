"""A query bound to a project: which numbers are added up, over which rows, for which groups.

What the keys say is public: conditions and groups over keys touch no secret, and a number that
keys alone decide needs no noise. A condition on an attribute becomes part of what its cells add.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from unspoken.answering.numbers import Cells, Number
from unspoken.answering.select import WHERE, Aggregate, Part, Select
from unspoken.engines.of_keys import OfKeys
from unspoken.engines.protocol import Table
from unspoken.engines.row_sql import RowSQL
from unspoken.engines.sql import Expression, name_in_sql
from unspoken.errors import InputError, unknown
from unspoken.learning import Learned
from unspoken.policy import Project

__all__ = ["PUBLIC", "Column", "Question", "Term", "bound"]

Shown = tuple[tuple[str, int], ...]  # columns of an answer: titles and places
PUBLIC = None  # in the place of a number: rows, which the keys count


class Term(NamedTuple):
    """So many ``step``s, as the number at this place says."""

    place: int | None
    step: Fraction = Fraction(1)


@dataclass(frozen=True)
class Column:
    """A column of the answer: for each cell that rows are grouped by (one, if by none) the term

    that it is, and of an average what that is divided by.
    """

    title: str
    kind: str
    above: tuple[Term, ...]
    below: tuple[Term, ...] = ()

    @property
    def public_below(self) -> bool:
        """Whether it is an average over rows that keys count."""
        return bool(self.below) and all(term.place is None for term in self.below)


@dataclass(frozen=True)
class Question:
    """``by``: of which attribute each cell is a row of the answer, if rows are grouped by one, and

    which ``place`` among the groups that has. ``groups``: the others, over keys; ``where``:
    conditions on those. ``columns``: each once, in an order of their own; ``shown``: the columns of
    the answer as they are asked for, with titles: groups by their place, columns after those.
    """

    select: Select
    numbers: tuple[Number, ...]
    columns: tuple[Column, ...]
    groups: tuple[Expression, ...]
    where: tuple[Expression, ...]
    by: Cells | None
    place: int
    kept: tuple[int, ...]
    reads: Mapping[str, Cells]
    shown: Shown
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that it looks at."""
        return tuple(sorted({number.name for number in self.numbers}))

    @property
    def asked(self) -> list[tuple[str, Column]]:
        """The columns that are no groups, as they are asked for."""
        first = len(self.select.groups)
        return [(title, self.columns[at - first]) for title, at in self.shown if at >= first]

    @property
    def labels(self) -> tuple[str, ...]:
        """What the cells are called."""
        return () if self.by is None else tuple(self.by.rule.names[cell] for cell in self.kept)

    def described(self) -> dict[str, Any]:
        """What makes it the same question, however it is spelled."""
        return {
            "groups": [part.sql for part in self.select.groups],
            "where": sorted({part.sql for part in self.where}),
            "columns": [_written(column) for column in self.columns],
            "cells": list(self.labels),
            "numbers": [[number.name, list(number.adds)] for number in self.numbers],
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
    columns, whose = list(table.columns), ""
    if reader is not None:
        reads = {*table.keys, *project.serving(reader).reads}
        columns, whose = [name for name in columns if name in reads], f" that {reader} reads"
    select = Select.read(text, columns, whose)
    _refuse_table(project, select.table)
    return replace(_Binder(project, table, learned, select).question(), text=" ".join(text.split()))


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
            name: Cells(project, labelling.cells, table.columns[name])
            for name, labelling in learned.labelling.items()
        }
        self.row = partial(RowSQL, title=table.title, timezone=table.timezone)
        self.numbers: list[Number] = []

    def question(self) -> Question:
        select = self.select
        public, only = self._parted(select.where)
        by, place = self._by()
        kept = [] if by is None else self._kept(by, only)
        columns, shown = self._alike([self._column(a, only, by, kept) for a in select.aggregates])
        groups = [self._public(p, "GROUP BY") for i, p in enumerate(select.groups) if i != place]
        names = {number.name for number in self.numbers}
        return Question(
            select,
            tuple(self.numbers),
            tuple(columns),
            tuple(groups),
            tuple(self._condition(part) for part in public),
            by,
            place,
            tuple(kept),
            {name: self.cells[name] for name in sorted(names)},
            shown,
            "",
        )

    def _alike(self, columns: Sequence[Column]) -> tuple[list[Column], Shown]:
        """Numbers and columns in an order that does not depend on which was asked for first."""
        order = sorted(self.numbers, key=lambda number: (number.name, number.adds))
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

    def _parted(self, conditions: Sequence[Part]) -> tuple[list[Part], list[Part]]:
        """Those over keys, and those on an attribute."""
        public, only = list[Part](), list[Part]()
        for part in conditions:
            strangers = [name for name in part.columns if name not in self.table.keys]
            if not strangers:
                public.append(part)
                continue
            self._attribute(strangers[0])
            if len(part.columns) > 1:
                raise InputError(
                    f"{WHERE}: WHERE {part.sql}: is about {' and '.join(part.columns)} at once; "
                    "write conditions on keys, and on one attribute, and join them by AND"
                )
            only.append(part)
        if len({part.columns[0] for part in only}) > 1:
            raise InputError(
                f"{WHERE}: WHERE is about {' and '.join(sorted({p.columns[0] for p in only}))}; "
                "counts of two attributes together are not answered: ask of one of them, or make "
                "one attribute of both in [source] sql"
            )
        return public, only

    def _attribute(self, name: str) -> Cells:
        if name in self.cells:
            return self.cells[name]
        raise InputError(
            f"{WHERE}: {name} is neither a key nor declared; declare attribute.{name}, with bins "
            f"or values, or ask about {', '.join(self.cells)}"
        )

    def _condition(self, part: Part) -> Expression:
        row = self.row(self.table.columns)
        return row.read(part.sql, f"{WHERE}: WHERE {part.sql}", condition=True, steady=True)

    def _public(self, part: Part, where: str) -> Expression:
        for name in part.columns:
            if name not in self.table.keys:
                self._attribute(name)
                raise InputError(
                    f"{WHERE}: {where} {part.sql}: calculates with {name}, which is no key; group "
                    f"by {name} itself: its declared bins or values"
                )
        idle = "it groups nothing; take it out"
        return OfKeys.read(part.sql, self.table, "a group", f"{WHERE}: {where}", idle).expression

    # ------------------------------------------------------------ groups

    def _by(self) -> tuple[Cells | None, int]:
        """The attribute that rows are grouped by, and where that stands."""
        alone = [
            (place, part.columns[0])
            for place, part in enumerate(self.select.groups)
            if len(part.columns) == 1
            and part.columns[0] not in self.table.keys
            and part.sql.strip('"') == part.columns[0]
        ]
        if not alone:
            return None, -1
        if len(alone) > 1:
            names = [name for _, name in alone]
            raise InputError(
                f"{WHERE}: GROUP BY {' and '.join(names)}: is about two attributes together; group "
                f"by one of them, or {_one_of(names)}"
            )
        ((place, name),) = alone
        by = self._attribute(name)
        if not by.declared:
            raise InputError(
                f"{WHERE}: GROUP BY {name}: its values are not declared, and those of the rows are "
                f"not for groups; list them under attribute.{name}, or give it bins, and count "
                "again"
            )
        return by, place

    def _kept(self, by: Cells, only: Sequence[Part]) -> list[int]:
        """The cells that are rows of the answer."""
        holds = self._holds(by, [part for part in only if part.columns[0] == by.name])
        return [cell for cell, held in enumerate(holds) if held]

    def _holds(self, cells: Cells, only: Sequence[Part]) -> list[bool]:
        holds = [True] * len(cells.rule.names)
        for part in only:
            mine = cells.where(part, self.row)
            holds = [a and b for a, b in zip(holds, mine, strict=True)]
        return holds

    # ------------------------------------------------------------ aggregates

    def _column(
        self, asked: Aggregate, where: Sequence[Part], by: Cells | None, kept: Sequence[int]
    ) -> Column:
        of_keys, only = self._parted(asked.only)
        if of_keys:
            raise InputError(
                f"{WHERE}: {asked.title}: FILTER is about keys; write it as WHERE, in a query of "
                "its own, or GROUP BY it"
            )
        only = [*where, *only]
        cells = self._about(asked, only, by)
        if cells is None:
            return Column(asked.title, "count", (Term(PUBLIC),))
        holds = self._holds(cells, only)
        each = [[held and cell == k for k, held in enumerate(holds)] for cell in kept]
        return self._made(asked, cells, each if by is not None else [holds])

    def _about(self, asked: Aggregate, only: Sequence[Part], by: Cells | None) -> Cells | None:
        """The one attribute that it depends on; None: keys alone count it."""
        column = asked.column
        if column in self.table.keys:
            if asked.kind != "count":
                raise InputError(
                    f"{WHERE}: {asked.title}: keys are public; take it from the released keys"
                )
            column = None
        names = {part.columns[0] for part in only} | ({by.name} if by is not None else set())
        if column is not None:
            cells = self._attribute(column)
            always = asked.kind == "count" and all(cells.present)
            names |= set() if always else {column}
        if len(names) > 1:
            raise InputError(
                f"{WHERE}: {asked.title}: depends on {' and '.join(sorted(names))} together; ask "
                f"of one attribute at a time, or {_one_of(sorted(names))}"
            )
        return self.cells[names.pop()] if names else None

    def _made(self, asked: Aggregate, cells: Cells, each: Sequence[Sequence[bool]]) -> Column:
        if asked.column in (None, *self.table.keys) or asked.column != cells.name:
            return Column(asked.title, "count", self._counts(cells, each))
        there = [[a and b for a, b in zip(holds, cells.present, strict=True)] for holds in each]
        if asked.kind == "count":
            return Column(asked.title, "count", self._counts(cells, there))
        above = tuple(self._term(*cells.values(holds)) for holds in there)
        if asked.kind == "sum":
            return Column(asked.title, "sum", above)
        return Column(asked.title, "avg", above, self._counts(cells, there))

    def _counts(self, cells: Cells, each: Iterable[Sequence[bool]]) -> tuple[Term, ...]:
        return tuple(self._term(cells.indicator(holds)) for holds in each)

    def _term(self, number: Number, step: Fraction = Fraction(1)) -> Term:
        """Of each number there is one; what every row adds alike is counted by keys."""
        if not number.reach:
            return Term(PUBLIC, number.adds[0] * step)
        if number not in self.numbers:
            self.numbers.append(number)
        return Term(self.numbers.index(number), step)


def _one_of(names: Sequence[str]) -> str:
    """How an attribute is made of several."""
    both = " || ' / ' || ".join(map(name_in_sql, names))
    named = "_".join(names)
    return (
        f"declare one of both, of {both} in [source] sql, and ask SELECT {name_in_sql(named)}, "
        "COUNT(*) (docs/answers.md: two attributes)"
    )


def _moved(terms: Sequence[Term], to: Mapping[int, int]) -> tuple[Term, ...]:
    return tuple(t if t.place is None else t._replace(place=to[t.place]) for t in terms)


def _written(column: Column) -> list[Any]:
    """All of it but its title."""
    terms = [[[str(t.place), str(t.step)] for t in part] for part in (column.above, column.below)]
    return [column.kind, *terms]
