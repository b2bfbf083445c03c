"""The cells of an attribute: what a row in each counts as, as numbers and as SQL.

A cell is a bin or a declared value. Of bins the middle is added up, of declared values themselves,
both no further than the declared bounds; so the exact answer is a function of cells alone, and one
record changes it by max - min at most, whatever the table holds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from unspoken.core.errors import InputError
from unspoken.noise.discrete_laplace import MOST
from unspoken.tables.column import Cell
from unspoken.tables.engines.arrow import missing, numbers
from unspoken.tables.engines.column_info import kind_of
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression, identifier, literal
from unspoken.tables.learning.marks.casts import cast_of
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.policy import Project
from unspoken.tables.policy.quoting import toml_key
from unspoken.workflows.query.select import WHERE, Fragment

__all__ = ["AttributeCells", "Span"]

FLOATS = ("FLOAT", "DOUBLE")


class Span(NamedTuple):
    """What a row of a cell counts as, and from where to where its value is, within the bounds."""

    middle: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class AttributeCells:
    """The cells of an attribute, as SQL and as numbers; ``type``: DuckDB's, of its column."""

    project: Project
    rule: CellRule
    type: str

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def declared(self) -> bool:
        """Whether the project says which there are; else they are those of the table."""
        attribute = self.project.attributes[self.name]
        return attribute.grouped or (attribute.values is not None and not attribute.exact)

    @property
    def to_declare(self) -> str:
        """What to write in the project file where cells are not declared."""
        kind = kind_of(self.type)
        bins = "bins = [10, 20], the edges that part them" if kind in ("integer", "number") else ""
        first = {"date": "2026-01-01", "boolean": "true"}.get(kind, "1" if bins else '"a"')
        more = {"date": "2026-01-02", "boolean": "false"}.get(kind, "2" if bins else '"b"')
        every = f"values = [{first}, {more}], with every one there may be"
        return (
            f"write {f'{bins}, or {every}' if bins else every}, under "
            f"[attribute.{toml_key(self.name)}] in the project file; where rows were counted "
            "before, then unspoken learn --again and unspoken plan --adopt"
        )

    @property
    def present(self) -> list[bool]:
        """Of each cell, whether its rows have a value."""
        return [cell != self.rule.absent for cell in range(len(self.rule.names))]

    def values(self, holds: Sequence[bool]) -> tuple[list[int], Fraction]:
        """The values themselves, in steps of a fraction; 0 where there is none, and outside the
        cells that ``hold``.
        """
        shown = [
            span.middle if span is not None and held else Fraction(0)
            for span, held in zip(self._spans(), holds, strict=True)
        ]
        whole = [number for number in shown if number]
        step = _common(whole) if whole else Fraction(1)
        if any(abs(number) > MOST * step for number in whole):
            raise InputError(
                f"{WHERE}: {self.name}: its values are up to {float(max(map(abs, whole))):g} in "
                f"steps of {float(step):g}, too many steps to draw noise for; round its values"
            )
        return [int(number / step) for number in shown], step

    def spans(self, holds: Sequence[bool]) -> tuple[Span, ...]:
        """Those of the cells that ``hold`` and have a value."""
        each = zip(self._spans(), holds, strict=True)
        return tuple(span for span, held in each if span is not None and held)

    def _spans(self) -> list[Span | None]:
        """What a row of each cell counts as; None: it has no value."""
        place, bounds = f"{WHERE}: {self.name}", self.project.query.bounds.get(self.name)
        if not self.declared:
            raise InputError(
                f"{place}: its values are not declared, so nothing says how far one row moves a "
                f"sum; {self.to_declare}"
            )
        low, high = (None, None) if bounds is None else map(_exact, bounds)
        if self.rule.edges is not None:
            found = self._of_bins(low, high, place)
        else:
            if any(isinstance(x, bool) or not isinstance(x, int | float) for x in self.rule.values):
                raise InputError(
                    f"{place}: holds no numbers, so SUM and AVG say nothing; COUNT(*) with "
                    f"GROUP BY {self.name} counts each of its values"
                )
            found = [Span(*[_exact(float(value))] * 3) for value in self.rule.values]
        if low is not None and high is not None:
            found = [Span(*(min(max(x, low), high) for x in span)) for span in found]
        return [*found, *[None] * (len(self.rule.names) - len(found))]

    @property
    def off(self) -> float:
        """How far a row between the bounds is from what it counts as, at most."""
        if self.rule.edges is None:
            return 0.0
        low, high = self.project.query.bounds[self.name]
        return float(max(b - a for a, b in pairwise([low, *self.rule.edges, high]))) / 2

    def _of_bins(self, low: Fraction | None, high: Fraction | None, place: str) -> list[Span]:
        edges = self.project.attributes[self.name].bins or ()
        if not all(isinstance(edge, float) for edge in edges):
            raise InputError(
                f"{place}: dates are not added up; COUNT(*) with GROUP BY {self.name} counts its "
                "bins"
            )
        if low is None or high is None:
            raise InputError(
                f"{place}: has no bounds, so nothing says how far one row moves a sum; write "
                f"[query] bounds = {{ {self.name} = [LEAST, LARGEST] }}"
            )
        ends = [low, *(_exact(edge) for edge in edges if isinstance(edge, float)), high]
        return [Span((a + b) / 2, min(a, b), max(a, b)) for a, b in pairwise(ends)]

    def where(self, condition: Fragment, row: Callable[[Mapping[str, str]], RowSQL]) -> list[bool]:
        """In which cells a condition on this attribute alone holds; it must not part a cell."""
        where = f"{WHERE}: WHERE {condition.sql}"
        over = partial(row, {self.name: "DOUBLE" if self.rule.edges is not None else self.type})
        if self.rule.edges is not None:
            return self._in_bins(condition, over, where)
        read = over().read(condition.sql, where, condition=True, steady=True)
        return self._holds(over(), read, self.rule.values, where)

    def _in_bins(self, condition: Fragment, over: Callable[[], RowSQL], where: str) -> list[bool]:
        """Bins begin at an edge: looked at there, and between."""
        edges = list(self.project.attributes[self.name].bins or ())
        listed = ", ".join(self.rule.names)
        plain = all(isinstance(edge, float) for edge in edges)
        read = over().read(condition.sql, where, condition=True, steady=True) if plain else None
        turns = None if read is None else over().turns(read)
        if read is None or turns is None or not {*turns} <= {*edges}:
            raise InputError(
                f"{where}: parts a bin of {self.name}, which are {listed}; compare it with their "
                f"edges, such as {self.name} >= {_shown(edges[0])}, or GROUP BY {self.name}"
            )
        at = [float(edge) for edge in edges if isinstance(edge, float)]
        between = [
            at[0] - 1,
            *((a + b) / 2 for a, b in pairwise(at)),
            at[-1] + 1,
        ]
        inside = self._holds(over(), read, between, where)
        begin = self._holds(over(), read, at, where)
        if begin[: len(at)] != inside[1 : len(at) + 1]:
            raise InputError(
                f"{where}: parts a bin of {self.name}, which begin at their edges; write >= or < "
                "in place of > or <="
            )
        return inside

    def _holds(
        self, over: RowSQL, condition: Expression, values: Sequence[object], where: str
    ) -> list[bool]:
        batch = over.held(self.name, values)
        answered = over.over(batch, {"c": condition}, {"c": where})["c"]
        held = (numbers(answered) != 0) & ~missing(answered)
        absent = [bool(held[-1])] if len(self.rule.names) > len(values) else []
        return [*held[:-1].tolist(), *absent]

    # ------------------------------------------------------------ as SQL

    def sql(self, adds: Sequence[int | str]) -> str:
        """What a row adds, a number or more SQL; NULL where it is in no cell."""
        cases = [
            f"WHEN {test} THEN {number}"
            for test, number in zip(self._tests(), self._in_order(adds), strict=True)
        ]
        last = f" ELSE {adds[self._bins - 1]}" if self.rule.edges is not None else ""
        return f"(CASE {' '.join(cases)}{last} END)"

    @property
    def _bins(self) -> int:
        return self.rule.absent

    def _in_order(self, adds: Sequence[int | str]) -> list[int | str]:
        """Missing first: NULL is below and above no edge."""
        absent: list[int | str] = [*adds[self.rule.absent :][:1]]
        there = adds[: self._bins - (self.rule.edges is not None)]
        return [*(absent or ["NULL"]), *there]

    def _tests(self) -> list[str]:
        cast = cast_of(self.name, self.type, self.rule.edges is not None)
        column = identifier(self.name)
        value = column if cast is None else cast.sql
        if self.rule.edges is not None:
            tests = [f"{value} < {_written(edge)}" for edge in self.rule.edges]
        else:
            tests = [f"{value} = {_written(label)}" for label in self.rule.values]
        return [f"{column} IS NULL", *tests]

    @property
    def odd(self) -> Expression:
        """1 where a row has no cell, or no number that is one; `strange` says which it is."""
        tests = [f"{self.sql([1] * len(self.rule.names))} IS NULL"]
        if self.type in FLOATS:
            tests.append(f"NOT isfinite({identifier(self.name)})")
        sql = f"(CASE WHEN {' OR '.join(tests)} THEN 1 ELSE 0 END)"
        return Expression(sql, "BIGINT", (self.name,))

    def strange(self) -> dict[str, Expression]:
        """What there must be no row of: {what is wrong: 1 where it is so}."""
        found = {
            "is missing": f"{identifier(self.name)} IS NULL"
            if self.rule.missing == "never"
            else "false",
            "holds none of its values": f"{identifier(self.name)} IS NOT NULL AND "
            f"{self.sql([1] * len(self.rule.names))} IS NULL",
            "is NaN or infinite": f"NOT isfinite({identifier(self.name)})"
            if self.type in FLOATS
            else "false",
        }
        return {
            what: Expression(f"(CASE WHEN {sql} THEN 1 ELSE 0 END)", "BIGINT", (self.name,))
            for what, sql in found.items()
            if sql != "false"
        }


def _exact(number: float) -> Fraction:
    """The number as it is written."""
    return Fraction(repr(float(number)))


def _common(numbers: Sequence[Fraction]) -> Fraction:
    """The largest step all of these are multiples of."""
    below = math.lcm(*(number.denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * below) for number in numbers)), below)


def _written(value: Cell) -> str:
    """A value in SQL; reals through text, which loses nothing."""
    if isinstance(value, str):
        return literal(value)
    return f"CAST('{value!r}' AS DOUBLE)" if isinstance(value, float) else json.dumps(value)


def _shown(edge: object) -> str:
    return f"{edge:g}" if isinstance(edge, float) else str(edge)
