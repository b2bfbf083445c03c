"""What the rows of a table say: cells, how often each mark occurs, and so labels; or why not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from unspoken.core.errors import InputError, in_rows
from unspoken.core.numerics.arrays import Array, Codes, Counts
from unspoken.tables.engines.arrow import numbers, plain
from unspoken.tables.engines.column_info import kind_of
from unspoken.tables.engines.protocol import BATCH, Scan, Table, named
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression, identifier, name_in_sql
from unspoken.tables.learning.counts.contexts import Contexts, contexts_of
from unspoken.tables.learning.counts.counting import Combinations
from unspoken.tables.learning.counts.of_unit import Habit, OfUnit, Previous, UnitNumbers
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.learning.marks.labels import Labelling
from unspoken.tables.learning.marks.marked import (
    REAL,
    Marked,
    counts_in,
    infinite,
    infinite_in,
    marks_in,
)
from unspoken.tables.learning.marks.marking import Marker
from unspoken.tables.policy import Project

__all__ = ["cells_of", "count", "counted_contexts", "labelled"]

GROUPED = {"boolean", "date", "integer", "text"}  # the kinds of columns that an engine groups by
GROUPS = 2**14
ONE = Expression("1", "INTEGER", ())
Add = Callable[[Sequence[Codes], Counts | None], Codes | None]
AT_ONCE = 2 * BATCH  # rows: fewer questions to the embedded DuckDB, and still in the cache


def cells_of(project: Project, table: Table) -> list[CellRule]:
    """The cells of each attribute; refused, before rows are counted, if they cannot be."""
    attributes = project.attributes.values()
    places = {a.name: project.at("attribute", a.name) for a in attributes}
    for name, place in places.items():
        named(table, name, place)
    # Their values are listed before rows are counted, and NaN is none of them.
    valued = [a.name for a in attributes if not a.grouped and table.columns[a.name] in REAL]
    if valued:
        counts = Counter[str]()
        for batch in table.batches(Scan(valued, ordered=False, places=places)):
            counts.update(infinite(batch, valued, table.columns))
        _refuse_infinite(counts, places)
    row = RowSQL(table.columns, table.title, table.timezone)
    return [CellRule.of(project, attribute, table, row) for attribute in attributes]


def count(
    project: Project,
    cells: Sequence[CellRule],
    table: Table,
    add: Add,
    contexts: Contexts | None = None,
) -> None:
    """Count in all rows by their marks, and in their ``contexts``; refuse NaN and infinity.

    ``add`` says which combination of marks each row has, where contexts are counted.
    """
    places = {attribute.name: project.at("attribute", attribute.name) for attribute in cells}
    marker = Marker(cells, table.columns, places, table.timezone)
    kept = tuple(dict.fromkeys(contexts.reads if contexts else ()))
    work = Marked(tuple(cells), dict(table.columns), places, table.timezone, kept)
    reads = list(dict.fromkeys([*marker.reads, *kept]))
    groups = None if kept else _groups(project, cells, table, reads)
    if groups is not None:
        rows, counts = groups
        add(marker.marks(rows), counts)
        return
    if contexts is not None and contexts.ordered:
        batches = work(table.batches(Scan(reads, True, AT_ONCE, places)))
    else:
        batches = table.through(work, Scan(reads, False, AT_ONCE, places))
    strange = Counter[str]()
    for batch in batches:
        strange.update(infinite_in(batch))
        marks = marks_in(batch, len(cells))
        which = add(marks, counts_in(batch))
        if contexts is not None and which is not None:
            contexts.add(batch, marks, which)
    _refuse_infinite(strange, places)


def _groups(
    project: Project, cells: Sequence[CellRule], table: Table, reads: Sequence[str]
) -> tuple[pa.RecordBatch, Counts] | None:
    """The different rows, and how often each occurs, as the engine says; None: there may be many.

    Reals are left out: 0 and -0 are the same to an engine, and not to every predicate.
    """
    listed = {rule.name: len(rule.names) for rule in cells if rule.edges is None}
    kinds = {name: kind_of(table.columns[name]) for name in reads}
    if not ({*reads} <= {*listed} and {*kinds.values()} <= GROUPED):
        return None
    if math.prod(listed.values()) > GROUPS:
        return None
    exactly = {name: ' COLLATE "binary"' for name in reads if table.columns[name] == "VARCHAR"}
    same = [
        Expression(identifier(name) + exactly.get(name, ""), table.columns[name], (name,))
        for name in reads
    ]
    found = table.totals([ONE], same, project.at("source"))
    columns = [plain(found.column(f"g{place}")) for place in range(len(reads))]
    return pa.RecordBatch.from_arrays(columns, list(reads)), numbers(plain(found.column("n0")))


def counted_contexts(
    project: Project, cells: Sequence[CellRule], table: Table, joint: Combinations
) -> Contexts:
    """What counts the rows within each context of a project; its habits are looked at here."""
    units = UnitNumbers(project.source.unit)
    place = {name: k for k, name in enumerate(project.attributes)}
    of_unit: dict[str, OfUnit] = {}
    for name, context in project.contexts.items():
        if context.previous is not None:
            k = place[context.previous]
            of_unit[name] = Previous(k, cells[k].marks)
        elif context.habit is not None:
            of_unit[name] = habit = Habit(place[context.habit], context.edges)
            _count_habit(project, cells[habit.place], table, units, habit)
    return Contexts(contexts_of(project, table), joint, of_unit=of_unit, units=units)


def _count_habit(
    project: Project, cells: CellRule, table: Table, units: UnitNumbers, habit: Habit
) -> None:
    """How many rows each unit has, and in how many of them the attribute is sensitive."""
    places = {cells.name: project.at("attribute", cells.name)}
    marker = Marker([cells], table.columns, places, table.timezone)
    reads = dict.fromkeys([*marker.reads, *units.keys])
    for batch in table.batches(Scan(list(reads), False, AT_ONCE, places)):
        habit.add(units.of(batch), marker.marks(batch)[0])


def _refuse_infinite(counts: Mapping[str, int], places: Mapping[str, str]) -> None:
    for name, count in counts.items():
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
        _labelling(project.at("attribute", attribute.name), attribute, single)
        for attribute, single in zip(cells, counts, strict=True)
    ]


def _labelling(place: str, cells: CellRule, counts: Array) -> Labelling:
    absent, strange = (
        int(counts[2 * cell] + counts[2 * cell + 1]) for cell in (cells.absent, cells.strange)
    )
    if absent and cells.missing == "never":
        raise InputError(
            f'{place}: is missing in {in_rows(absent)}; write missing = "value" if that may '
            'tell something, or missing = "public" if anybody may know it'
        )
    if strange:
        hold, column = "holds" if strange == 1 else "hold", name_in_sql(cells.name)
        raise InputError(
            f"{place}: {in_rows(strange)} {hold} none of its values; list every value that "
            f"occurs. To see them, with t for the table: SELECT {column}, count(*) FROM t "
            f"GROUP BY {column}"
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
