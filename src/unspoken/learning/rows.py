"""What the rows of a table say: cells, how often each mark occurs, and so labels; or why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.engines.arrow import boolean, missing, numbers, plain
from unspoken.engines.protocol import BATCH, Table, named
from unspoken.engines.row_sql import RowSQL
from unspoken.errors import InputError
from unspoken.learning.cells import CellRule
from unspoken.learning.contexts import Contexts, contexts_of
from unspoken.learning.labels import Labelling
from unspoken.learning.marking import Marker
from unspoken.learning.of_unit import Habit, OfUnit, Previous, Units
from unspoken.numerics.arrays import Array, Codes
from unspoken.policy import Project

__all__ = ["cells_of", "count", "counted_contexts", "labelled"]

AT_ONCE = 2 * BATCH  # rows: fewer questions to the embedded DuckDB, and still in the cache
REAL = ("FLOAT", "DOUBLE")  # the types that have NaN and infinity


def cells_of(project: Project, table: Table) -> list[CellRule]:
    """The cells of each attribute; refused, before rows are counted, if they cannot be."""
    attributes = project.attributes.values()
    places = {a.name: project.at("attribute", a.name) for a in attributes}
    for name, place in places.items():
        named(table, name, place)
    # Their values are listed before rows are counted, and NaN is none of them.
    valued = [a.name for a in attributes if not a.grouped and table.columns[a.name] in REAL]
    if valued:
        infinite = _Infinite(valued, table.columns)
        for batch in table.batches(valued, ordered=False, places=places):
            infinite.add(batch)
        infinite.refuse(places)
    row = RowSQL(table.columns, table.title, table.timezone)
    return [CellRule.of(project, attribute, table, row) for attribute in attributes]


def count(
    project: Project,
    cells: Sequence[CellRule],
    table: Table,
    add: Callable[[Sequence[Codes]], None],
    contexts: Contexts | None = None,
) -> None:
    """Count in all rows by their marks, and in their ``contexts``; refuse NaN and infinity."""
    places = {attribute.name: project.at("attribute", attribute.name) for attribute in cells}
    marker = Marker(cells, table.columns, places, table.timezone)
    infinite = _Infinite([attribute.name for attribute in cells], table.columns)
    reads = dict.fromkeys([*marker.reads, *(contexts.reads if contexts else ())])
    ordered = contexts is not None and contexts.ordered
    for batch in table.batches(list(reads), ordered, AT_ONCE, places):
        infinite.add(batch)
        marks = marker.marks(batch)
        add(marks)
        if contexts:
            contexts.add(batch, marks)
    infinite.refuse(places)


def counted_contexts(project: Project, cells: Sequence[CellRule], table: Table) -> Contexts:
    """What counts the rows within each context of a project; its habits are looked at here."""
    units, place = (
        Units(project.source.unit),
        {name: k for k, name in enumerate(project.attributes)},
    )
    of_unit: dict[str, OfUnit] = {}
    for name, context in project.contexts.items():
        if context.previous is not None:
            k = place[context.previous]
            of_unit[name] = Previous(k, cells[k].marks)
        elif context.habit is not None:
            of_unit[name] = habit = Habit(place[context.habit], context.edges)
            _count_habit(project, cells[habit.place], table, units, habit)
    sizes = [each.marks for each in cells]
    return Contexts(contexts_of(project, table), sizes, of_unit=of_unit, units=units)


def _count_habit(
    project: Project, cells: CellRule, table: Table, units: Units, habit: Habit
) -> None:
    """How many rows each unit has, and in how many of them the attribute is sensitive."""
    places = {cells.name: project.at("attribute", cells.name)}
    marker = Marker([cells], table.columns, places, table.timezone)
    reads = dict.fromkeys([*marker.reads, *units.keys])
    for batch in table.batches(list(reads), False, AT_ONCE, places):
        habit.add(units.of(batch), marker.marks(batch)[0])


class _Infinite:
    """Counts NaN and infinity in these columns: they are no values."""

    def __init__(self, names: Sequence[str], columns: Mapping[str, str]) -> None:
        self._counts = {name: 0 for name in names if columns[name] in REAL}

    def add(self, batch: pa.RecordBatch) -> None:
        for name in self._counts:
            column = batch.column(name)
            strange = ~np.isfinite(numbers(column))
            if strange.any():
                self._counts[name] += int((strange & ~missing(column)).sum())

    def refuse(self, places: Mapping[str, str]) -> None:
        for name, count in self._counts.items():
            if count:
                raise InputError(
                    f"{places[name]}: {count:,} value{'s are' if count > 1 else ' is'} NaN or "
                    f'infinite in column {name}; write nan = "missing" under [source], or correct '
                    "what is infinite"
                )


def labelled(
    project: Project, cells: Sequence[CellRule], table: Table, counts: Sequence[Array]
) -> list[Labelling]:
    """The labels of each attribute, given how often each of its marks occurs."""
    return [
        _labelling(project.at("attribute", attribute.name), attribute, table, single)
        for attribute, single in zip(cells, counts, strict=True)
    ]


def _labelling(place: str, cells: CellRule, table: Table, counts: Array) -> Labelling:
    absent, strange = (
        int(counts[2 * cell] + counts[2 * cell + 1]) for cell in (cells.absent, cells.strange)
    )
    if absent and cells.missing == "never":
        raise InputError(
            f'{place}: is missing in {_rows(absent)}; write missing = "value" if that may '
            'tell something, or missing = "public" if anybody may know it'
        )
    if strange:
        hold = "holds" if strange == 1 else "hold"
        raise InputError(
            f"{place}: {_rows(strange)} {hold} none of its values, such as "
            f'"{_stranger(place, cells, table)}"; list every value that occurs'
        )
    labels = Labelling.of(cells, {int(mark): int(counts[mark]) for mark in np.flatnonzero(counts)})
    occurring = {labels.code[mark] for mark in np.flatnonzero(counts)}
    if len(occurring) == 1:
        only = labels.names[max(0, *occurring)]
        raise InputError(
            f'{place}: is "{only}" in every row, so there is nothing to learn or to protect; '
            "take it out, or tell its values apart by other bins"
        )
    return labels


def _stranger(place: str, cells: CellRule, table: Table) -> Any:
    """The least value that is none of the declared ones: they are read once more."""
    marker = Marker([cells], table.columns, {cells.name: place}, table.timezone)
    least = set[Any]()
    for batch in table.batches(marker.reads, ordered=False):
        (mark,) = marker.marks(batch)
        column = plain(batch.column(cells.name))
        least |= set(pc.unique(column.filter(boolean(mark >= 2 * cells.strange))).to_pylist())
        least = {min(least)} if least else least
    return least.pop()


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count > 1 else ''}"
