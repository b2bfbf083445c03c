"""Which labels the declared rules make possible, whatever rows there are.

Labels of a belief that is handed on must not tell which rows there are: that a label exists, since
one row has it, is that row. So a cell is split into a free and a sensitive label where the rules
let both occur, not where both do. What a predicate makes of a declared value is found by asking it;
of a bin, by asking it at one number of each piece in which it cannot turn. Where that cannot be
said, both are possible: a label that never occurs costs little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from unspoken.tables.engines.column_info import kind_of
from unspoken.tables.engines.protocol import Table
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.learning.marks.labels import Labelling
from unspoken.tables.learning.marks.marking import Marker

__all__ = ["possible_labels"]


def possible_labels(cells: Sequence[CellRule], table: Table) -> list[Labelling]:
    """The labels of each attribute, by its rules alone."""
    return [Labelling.of(rule, dict.fromkeys(_marks(rule, table), 1)) for rule in cells]


def _marks(cells: CellRule, table: Table) -> set[int]:
    """The marks (2 x cell + sensitive) that a row may have."""
    every = range(len(cells.names))
    if cells.sensitive is None:
        return {2 * cell for cell in every}
    asked = _asked(cells, table)
    if asked is None:
        return {2 * cell + hidden for cell in every for hidden in range(1 + cells.can_hide(cell))}
    marker = Marker([cells], table.columns, {}, table.timezone)
    row = RowSQL(table.columns, table.title, table.timezone)
    (marks,) = marker.marks(row.held(cells.name, asked))
    return {int(mark) for mark in marks if mark // 2 in every}


def _asked(cells: CellRule, table: Table) -> Sequence[object] | None:
    """Values that have every mark there can be; None: nobody knows."""
    predicate = cells.sensitive
    if predicate is None or set(predicate.columns) != {cells.name}:
        return None
    if cells.edges is None:
        return cells.values
    row = RowSQL(table.columns, table.title, table.timezone)
    turns = row.turns(predicate)
    if turns is None or kind_of(table.columns[cells.name]) not in ("integer", "number"):
        return None
    return list(_pieces({*turns, *map(float, cells.edges)}))


def _pieces(points: Iterable[float]) -> Iterable[float]:
    """The points, one number between any two of them, and one beyond either end."""
    ordered = sorted(points)
    yield from ordered
    yield from (low / 2 + high / 2 for low, high in pairwise(ordered))
    yield from (ordered[0] - max(1.0, abs(ordered[0])), ordered[-1] + max(1.0, abs(ordered[-1])))
