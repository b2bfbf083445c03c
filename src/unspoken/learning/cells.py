"""How an attribute's values become cells: bins, declared values, or its own few values.

The number of a row's cell is SQL over the row. Whether its value is sensitive is the lowest bit of
its *mark*, 2 x cell + sensitive, so that one GROUP BY over the marks of all attributes counts
everything that is learned.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from unspoken.engines.duckdb import Table
from unspoken.engines.sql import literal
from unspoken.errors import InputError
from unspoken.policy import Attribute, Project
from unspoken.policy.columns import KINDS, MOST_VALUES

__all__ = ["MISSING", "Cells", "noted"]

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
class Cells:
    """``names`` of the cells; ``mark`` is SQL, ``reads`` the columns that decide what is sensitive.

    Two marks beyond those of the cells say that a value is missing though it never may be, and that
    it is none of the declared ones.
    """

    attribute: Attribute
    column: str
    names: tuple[str, ...]
    mark: str
    reads: frozenset[str]
    place: str

    @classmethod
    def of(cls, project: Project, attribute: Attribute, table: Table) -> Cells:
        """Settle an attribute's cells; its predicate is checked before anything is read."""
        place = project.at("attribute", attribute.name)
        column = table.column(attribute.name, place)
        free, reads = "TRUE", frozenset[str]()
        if attribute.sensitive is not None:
            where = project.at("attribute", attribute.name, "sensitive")
            predicate = table.expression(attribute.sensitive, where, condition=True)
            # Free is what is known not to be sensitive: NULL is not known.
            free, reads = f"({predicate.sql} IS FALSE)", predicate.columns
        names, cell = _cells(project, attribute, table, column)
        if attribute.missing != "never":
            names = (*names, MISSING if MISSING not in names else noted(MISSING, "no value", names))
        absent = len(names) - 1 if attribute.missing != "never" else len(names)
        if attribute.missing == "public":
            free = f"({column} IS NULL OR {free})"
        stranger = len(names) + 1
        number = f"CASE WHEN {column} IS NULL THEN {absent} ELSE coalesce({cell}, {stranger}) END"
        mark = f"(2 * CAST({number} AS BIGINT) + CAST(NOT {free} AS INTEGER))"
        return cls(attribute, column, names, mark, reads, place)

    def can_hide(self, cell: int) -> bool:
        """Whether a value of this cell may be sensitive at all."""
        public = self.attribute.missing == "public" and cell == len(self.names) - 1
        return self.attribute.sensitive is not None and not public

    def check(self, counts: Mapping[int, int], table: Table) -> None:
        """Refuse values that are missing or undeclared, given how often each mark occurs."""
        absent, strange = (
            sum(counts.get(2 * cell + bit, 0) for bit in (0, 1))
            for cell in (len(self.names), len(self.names) + 1)
        )
        if absent:
            raise InputError(
                f'{self.place}: is missing in {_rows(absent)}; write missing = "value" if that may '
                'tell something, or missing = "public" if anybody may know it'
            )
        if strange:
            one = f"CASE WHEN {self.mark} >= {2 * len(self.names) + 2} THEN {self.column} END"
            value = table.values(one, 1, self.place)[0]
            hold = "holds" if strange == 1 else "hold"
            raise InputError(
                f'{self.place}: {_rows(strange)} {hold} none of its values, such as "{value}"; '
                "list every value that occurs"
            )


def noted(name: str, note: str, taken: Collection[str]) -> str:
    """The name with a note in brackets, as often as it takes to be nobody else's."""
    own = f"{name} ({note})"
    return own if own not in taken else noted(own, note, taken)


def _cells(
    project: Project, attribute: Attribute, table: Table, column: str
) -> tuple[tuple[str, ...], str]:
    """The names of the cells, and SQL for the number of a value's cell (NULL: none of them)."""
    name, kind = attribute.name, table.kind(attribute.name)
    if attribute.bins is not None:
        if kind not in ("integer", "number"):
            where = project.at("attribute", name, "bins")
            raise InputError(
                f"{where}: {name} holds {KINDS[kind]}, and only numbers fall into bins"
            )
        return _bins(attribute.bins, f"CAST({column} AS DOUBLE)")
    if kind == "other":
        raise InputError(
            f"{project.at('attribute', name)}: {name} is {table.columns[name]}, which has no "
            "values to list; cast it in [source] sql"
        )
    values: Sequence[object] = attribute.values or ()
    if attribute.values is None:
        values = table.values(_shown(column, kind), MOST_VALUES + 1, project.at("attribute", name))
        if len(values) > MOST_VALUES:
            raise InputError(
                f"{project.at('attribute', name)}: has more than {MOST_VALUES} different values; "
                + ("give bins" if kind in ("integer", "number") else "list its values")
                + ", or put it into fewer groups in [source] sql"
            )
    elif not {type(value) for value in values} <= FITTING.get(kind, set()):
        where = project.at("attribute", name, "values")
        raise InputError(f"{where}: {name} holds {KINDS[kind]}; write its values as {KINDS[kind]}")
    tests = [f"WHEN {_constant(value)} THEN {cell}" for cell, value in enumerate(values)]
    found = f"CASE {_shown(column, kind)} {' '.join(tests)} END" if tests else "NULL"
    return tuple(map(_text, values)), found


def _bins(edges: Sequence[float], column: str) -> tuple[tuple[str, ...], str]:
    """(-inf, e1), [e1, e2) ... [em, inf): "below 8", "8-9", ..., "12 or more"."""
    shown = [_text(edge) for edge in edges]
    dash = "-" if edges[0] >= 0 else " to "
    between = [f"{lower}{dash}{upper}" for lower, upper in pairwise(shown)]
    tests = (f"WHEN {column} < {_constant(edge)} THEN {i}" for i, edge in enumerate(edges))
    names = (f"below {shown[0]}", *between, f"{shown[-1]} or more")
    return names, f"CASE {' '.join(tests)} ELSE {len(edges)} END"


def _shown(column: str, kind: str) -> str:
    """A column in the type its values are compared in: dates as text, numbers as doubles."""
    wanted = {"date": "VARCHAR", "number": "DOUBLE"}.get(kind)
    return f"CAST({column} AS {wanted})" if wanted else column


def _constant(value: object) -> str:
    """A value in SQL."""
    if isinstance(value, str):
        return literal(value)
    return f"CAST('{value}' AS DOUBLE)" if isinstance(value, float) else str(value)


def _text(value: object) -> str:
    """A value as people read it: 8 for 8.0, true for True."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).lower() if type(value) is bool else str(value)


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count > 1 else ''}"
