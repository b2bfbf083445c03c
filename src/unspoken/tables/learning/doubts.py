"""Predicates that may be slips: true in no row, or in every one, or about a value no row has.

A misspelt secret protects nothing, and every number about it is fine.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow.compute as pc

from unspoken.core.errors import InputError, shown
from unspoken.tables.column import FEW_ROWS
from unspoken.tables.engines.arrow import plain
from unspoken.tables.engines.column_info import kind_of
from unspoken.tables.engines.protocol import Scan, Table
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning.lasting import Tallies, changing, common, lasting
from unspoken.tables.learning.learned import Learned
from unspoken.tables.policy import Project

__all__ = ["Doubt", "doubts", "refuse_idle"]

MOST = 1000  # different values of a column that are looked through
WRITTEN = ("text", "integer", "date")  # one value is written in one way
LISTED = 8  # of these, how many are shown


@dataclass(frozen=True)
class Doubt:
    """What is odd about a predicate. ``idle``: it protects nothing, or not what it seems to, and
    nobody said that it may.
    """

    text: str
    idle: bool = False

    def __str__(self) -> str:
        return self.text


def doubts(project: Project, table: Table, learned: Learned) -> tuple[Doubt, ...]:
    """What is odd about the predicates of a project, by what its table has."""
    tallies = Tallies(project, table, learned)
    of_units = (*lasting(tallies), *changing(project, table))
    return (
        *(
            doubt
            for name in project.attributes
            for doubt in _Predicate(project, table, learned, name).doubts()
        ),
        *(Doubt(text, idle=True) for text in of_units),
        *(Doubt(text) for text in common(tallies)),
    )


def refuse_idle(doubts: Iterable[Doubt]) -> None:
    """Refuse secrets that protect nothing, unless somebody said that they may."""
    for doubt in doubts:
        if doubt.idle:
            raise InputError(str(doubt))


@dataclass(frozen=True)
class _Predicate:
    project: Project
    table: Table
    learned: Learned
    name: str

    def doubts(self) -> Iterator[Doubt]:
        predicate = self.learned.labelling[self.name].cells.sensitive
        if predicate is None:
            return
        place = self.project.at("attribute", self.name, "sensitive")
        hints = list(self._hints(predicate, place))
        if not self._true_somewhere(predicate, place):
            yield self._of_no_row(place, hints)
            return
        if self.learned.sensitive_share(self.name) == 1.0:
            text = f"{place}: is true or NULL in every row, so nothing of it is ever released"
            yield Doubt("; ".join([text, *hints]))
        elif hints:
            yield Doubt(f"{place}: {'; '.join(hints)}")

    def _of_no_row(self, place: str, hints: list[str]) -> Doubt:
        """Somebody has said so, where a declared label without rows stands for what is to come."""
        text = f"{place}: is true in no row of {self.table.title}"
        counts = dict(zip(self.learned.labels[self.name], self._counts, strict=True))
        declared = any(not counts[label] for label in self.learned.sensitive[self.name])
        if declared or self.project.attributes[self.name].none_yet:
            return Doubt("; ".join([f"{text}, so it protects nothing yet", *hints]))
        said = "; ".join([f"{text}, so it protects nothing", *hints])
        return Doubt(
            f"{said}{'' if said.endswith('?') else '.'} Correct it, or, if none is sensitive yet, "
            "give what will be a place in values or bins, or write none_yet = true",
            idle=True,
        )

    @property
    def _counts(self) -> tuple[int, ...]:
        return self.learned.counts[self.name]

    def _true_somewhere(self, predicate: Expression, place: str) -> bool:
        """Whether it is true in some row; where it is NULL its cell is sensitive too."""
        labelling = self.learned.labelling[self.name]
        absent = labelling.code[2 * labelling.cells.absent :][:2]
        if any(
            count and code not in absent and label in labelling.sensitive
            for code, (label, count) in enumerate(zip(labelling.names, self._counts, strict=True))
        ):
            return True
        row = RowSQL(self.table.columns, self.table.title, self.table.timezone)
        names = list(predicate.columns) or list(self.table.keys[:1])  # it may read none: false
        places = dict.fromkeys(names, place)
        for batch in self.table.batches(Scan(names, ordered=False, places=places)):
            held = row.over(batch, {"true": predicate}, {"true": place})["true"]
            if pc.any(held).as_py():
                return True
        return False

    def _hints(self, predicate: Expression, place: str) -> Iterator[str]:
        """Literals that no row has in the column they are compared with."""
        row = RowSQL(self.table.columns, self.table.title, self.table.timezone)
        for name, literal in row.compared(predicate):
            if kind_of(self.table.columns[name]) not in WRITTEN:
                continue
            held = plain(self.table.values(name, MOST + 1, place)).to_pylist()
            declared = self.project.attributes.get(name)
            labels = (declared and declared.values) or ()
            known = list(dict.fromkeys(map(str, (*held, *labels))))
            if len(held) > MOST or literal in known:
                continue
            named = [*dict.fromkeys([*self._common(name, place), *map(str, labels)])]
            near = difflib.get_close_matches(literal.casefold(), [k.casefold() for k in named], n=1)
            meant = next((k for k in named if near and k.casefold() == near[0]), None)
            listed = ", ".join(map(shown, sorted(named)[:LISTED]))
            hint = f": it has {listed}" if named else ""
            hint = f': did you mean "{shown(meant)}"?' if meant else hint
            yield f'{name} is never "{shown(literal)}"{hint}'

    def _common(self, name: str, place: str) -> list[str]:
        """The values of a column that FEW_ROWS rows or more have; others are not printed."""
        rows = Counter[str]()
        for batch in self.table.batches(Scan([name], ordered=False, places={name: place})):
            counted = plain(batch.column(0)).drop_null().value_counts().to_pylist()
            rows.update({str(each["values"]): each["counts"] for each in counted})
        return [value for value, n in rows.items() if n >= FEW_ROWS]
