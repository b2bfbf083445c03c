"""How an attribute's values become cells: bins, declared values, or its own values. Plain data.

Which cell a value falls into, and whether it is sensitive, is found by one kernel (marking.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from unspoken.core.errors import InputError
from unspoken.tables.column import Cell
from unspoken.tables.engines.column_info import ZONED, kind_of
from unspoken.tables.engines.protocol import Table, named
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning.marks.casts import held
from unspoken.tables.policy import Attribute, Project
from unspoken.tables.policy.bin_edges import bin_names, edge_text
from unspoken.tables.policy.column_checks import KINDS, MOST_EXACT, MOST_VALUES
from unspoken.tables.policy.declared import Missing
from unspoken.tables.policy.schema import EXACT

__all__ = ["MISSING", "CellRule", "noted"]

MISSING = "missing"
# The types in which values of a column of each kind can be declared.
FITTING: dict[str, set[type]] = {
    "boolean": {bool},
    "date": {str},
    "integer": {int},
    "number": {int, float},
    "text": {str},
    "time": {str},
    "clock": {str},
}


@dataclass(frozen=True)
class CellRule:
    """The cells of attribute ``name``: bins between ``edges`` or, where these are None, ``values``.

    Edges of dates and times are whole microseconds since 1970. Of bins a release shows the names.
    ``names``: of the cells in this order, last that of missing values unless there ``never`` are
    any. ``sensitive``: the holder's predicate over the row; None: never.
    """

    name: str
    edges: tuple[float, ...] | tuple[int, ...] | None
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
        edges = _edges(project, attribute, table, row) if attribute.grouped else None
        if edges is not None:
            names = bin_names(attribute.bins or ())
        else:
            values = _values(project, attribute, table, row)
            names = tuple(map(_text, values))
        if attribute.missing != "never":
            names = (*names, MISSING if MISSING not in names else noted(MISSING, "no value", names))
        return cls(name, edges, tuple(values), names, attribute.missing, predicate)

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


def _edges(
    project: Project, attribute: Attribute, table: Table, row: RowSQL
) -> tuple[float, ...] | tuple[int, ...]:
    """The edges of its bins as what the column holds; days begin where the table's do."""
    type_name, edges = table.columns[attribute.name], attribute.bins or ()
    kind, where = kind_of(type_name), project.at("attribute", attribute.name, "bins")
    moments = [edge for edge in edges if isinstance(edge, datetime)]
    if kind not in ("integer", "number", "date", "time"):
        raise InputError(
            f"{where}: {attribute.name} holds {KINDS[kind]}, and only numbers, dates and times "
            "fall into bins"
        )
    if (kind in ("date", "time")) != bool(moments):
        example = "[10, 20]" if moments else "[2026-01-01, 2026-02-01]"
        raise InputError(
            f"{where}: {attribute.name} holds {KINDS[kind]}; write its edges as {KINDS[kind]}, "
            f"such as {example}"
        )
    if not moments:
        return tuple(edge for edge in edges if not isinstance(edge, datetime))
    if type_name != ZONED and moments[0].tzinfo is not None:
        raise InputError(
            f"{where}: {attribute.name} is {type_name}, without a time zone; write edges without"
        )
    to = ZONED if type_name == ZONED else "TIMESTAMP"
    return tuple(row.constant(f"epoch_us(CAST('{edge}' AS {to}))", where) for edge in moments)


def _how(project: Project, table: Table) -> str:
    """How a column may be made another one: that of a frame where the frame was made."""
    handed_in = not table.files and project.source.engine == "duckdb"
    return "in the frame" if handed_in else "in [source] sql"


def _values(project: Project, attribute: Attribute, table: Table, row: RowSQL) -> Sequence[Cell]:
    """The declared values, which must fit the column; else its own, if they are few."""
    name, where = attribute.name, project.at("attribute", attribute.name)
    kind = kind_of(table.columns[name])
    if kind == "other":
        raise InputError(
            f"{where}: {name} is {table.columns[name]}, which has no values to list; cast it "
            f"{_how(project, table)}"
        )
    if attribute.values is None:
        most = MOST_EXACT if attribute.exact else MOST_VALUES
        values = held(table, name, most + 1, where, row)
        if len(values) > most:
            how = _how(project, table)
            way = "list its values" if kind in ("text", "boolean") else "give bins"
            way += f", or put it into fewer groups {how}"
            if attribute.exact:
                way = f'round them {how}, or release bins: without values = "{EXACT}"'
            raise InputError(f"{where}: has more than {most} different values; {way}")
        return values
    if not {type(value) for value in attribute.values} <= FITTING.get(kind, set()):
        where = project.at("attribute", name, "values")
        raise InputError(f"{where}: {name} holds {KINDS[kind]}; write its values as {KINDS[kind]}")
    return attribute.values


def _text(value: object) -> str:
    """A value as people read it: 8 for 8.0, true for True."""
    if isinstance(value, float):
        return edge_text(value)
    return str(value).lower() if type(value) is bool else str(value)
