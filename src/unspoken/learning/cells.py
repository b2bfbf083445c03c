"""How an attribute's values become cells: bins, declared values, or its own few values. Plain data.

Which cell a value falls into, and whether it is sensitive, is found by one kernel (marking.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from unspoken.engines.columns import kind_of
from unspoken.engines.protocol import Table, named
from unspoken.engines.row_sql import RowSQL
from unspoken.engines.sql import Expression
from unspoken.errors import InputError
from unspoken.learning.columns import held
from unspoken.policy import Attribute, Project
from unspoken.policy.columns import KINDS, MOST_VALUES
from unspoken.policy.project import Missing
from unspoken.types.column import Cell

__all__ = ["MISSING", "CellRule", "noted"]

MISSING = "missing"
# The types in which values of a column of each kind can be declared.
FITTING: dict[str, set[type]] = {
    "boolean": {bool},
    "date": {str},
    "integer": {int},
    "number": {int, float},
    "text": {str},
}


@dataclass(frozen=True)
class CellRule:
    """The cells of attribute ``name``: bins between ``edges`` or, where these are None, ``values``.

    ``names``: of the cells in this order, last that of missing values unless there ``never`` are
    any. ``sensitive``: the holder's predicate over the row; None: never.
    """

    name: str
    edges: tuple[float, ...] | None
    values: tuple[Cell, ...]
    names: tuple[str, ...]
    missing: Missing
    sensitive: Expression | None

    @classmethod
    def of(cls, project: Project, attribute: Attribute, table: Table, row: RowSQL) -> CellRule:
        """Settle an attribute's cells; its predicate is checked before any row is read."""
        name = named(table, attribute.name, project.at("attribute", attribute.name))
        predicate = None
        if attribute.sensitive is not None:
            where = project.at("attribute", name, "sensitive")
            predicate = row.read(attribute.sensitive, where, condition=True)
        values: Sequence[Cell] = ()
        if attribute.bins is not None:
            _refuse_bins(project, attribute, table)
            names = _bins(attribute.bins)
        else:
            values = _values(project, attribute, table, row)
            names = tuple(map(_text, values))
        if attribute.missing != "never":
            names = (*names, MISSING if MISSING not in names else noted(MISSING, "no value", names))
        return cls(name, attribute.bins, tuple(values), names, attribute.missing, predicate)

    @property
    def absent(self) -> int:
        """The cell of missing values; beyond the last one where there never are any."""
        return len(self.names) - (self.missing != "never")

    @property
    def strange(self) -> int:
        """The number for a value that is none of the declared ones: no cell."""
        return len(self.names) + 1

    @property
    def marks(self) -> int:
        """A mark is 2 x cell + sensitive; so many there are, with those of no cell."""
        return 2 * len(self.names) + 4

    def can_hide(self, cell: int) -> bool:
        """Whether a value of this cell may be sensitive at all."""
        public = self.missing == "public" and cell == self.absent
        return self.sensitive is not None and not public


def noted(name: str, note: str, taken: Collection[str]) -> str:
    """The name with a note in brackets, as often as it takes to be nobody else's."""
    with_note = f"{name} ({note})"
    return with_note if with_note not in taken else noted(with_note, note, taken)


def _refuse_bins(project: Project, attribute: Attribute, table: Table) -> None:
    kind = kind_of(table.columns[attribute.name])
    if kind not in ("integer", "number"):
        where = project.at("attribute", attribute.name, "bins")
        raise InputError(
            f"{where}: {attribute.name} holds {KINDS[kind]}, and only numbers fall into bins"
        )


def _values(project: Project, attribute: Attribute, table: Table, row: RowSQL) -> Sequence[Cell]:
    """The declared values, which must fit the column; else its own, if they are few."""
    name, where = attribute.name, project.at("attribute", attribute.name)
    kind = kind_of(table.columns[name])
    if kind == "other":
        raise InputError(
            f"{where}: {name} is {table.columns[name]}, which has no values to list; cast it in "
            "[source] sql"
        )
    if attribute.values is None:
        values = held(table, name, MOST_VALUES + 1, where, row)
        if len(values) > MOST_VALUES:
            raise InputError(
                f"{where}: has more than {MOST_VALUES} different values; "
                + ("give bins" if kind in ("integer", "number") else "list its values")
                + ", or put it into fewer groups in [source] sql"
            )
        return values
    if not {type(value) for value in attribute.values} <= FITTING.get(kind, set()):
        where = project.at("attribute", name, "values")
        raise InputError(f"{where}: {name} holds {KINDS[kind]}; write its values as {KINDS[kind]}")
    return attribute.values


def _bins(edges: Sequence[float]) -> tuple[str, ...]:
    """(-inf, e1), [e1, e2) ... [em, inf): "below 8", "8-9", ..., "12 or more"."""
    shown = [_text(edge) for edge in edges]
    dash = "-" if edges[0] >= 0 else " to "
    between = [f"{lower}{dash}{upper}" for lower, upper in pairwise(shown)]
    return (f"below {shown[0]}", *between, f"{shown[-1]} or more")


def _text(value: object) -> str:
    """A value as people read it: 8 for 8.0, true for True."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).lower() if type(value) is bool else str(value)
