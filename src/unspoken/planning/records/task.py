"""A problem with its cells and rows, and how a solution becomes a table that keeps all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from unspoken.core.numerics.arrays import Array
from unspoken.planning.records.bits import BitLimit, nats
from unspoken.planning.records.cells import Cells
from unspoken.planning.records.conditions import Rule
from unspoken.planning.records.exact_rounding import table_with_equal_shares
from unspoken.planning.records.problem import RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import FINE, IntegerTable, held

__all__ = ["Task"]

Found = TypeVar("Found", IntegerTable, IntegerTable | None)


@dataclass(frozen=True)
class Task:
    """A problem with its cells, and what a table of these is held to."""

    problem: RecordProblem
    cells: Cells
    rows: Sequence[Rule]
    limits: Sequence[BitLimit]
    sees: Sequence[int]
    alike: Sequence[int]

    @classmethod
    def of(cls, problem: RecordProblem, cells: Cells) -> Task:
        rows, limits = problem.rules(cells), problem.limits(cells)
        alike = [problem.mask(group) for group in problem.alike]
        return cls(problem, cells, rows, limits, problem.sees(), alike)

    def table_near(self, layout: Layout, shares: Array) -> IntegerTable:
        """In whole numbers near these shares, with every row exactly."""
        if self.alike:
            return table_with_equal_shares(layout, shares, self.alike)
        return self.held(IntegerTable.of(self.cells, layout.pairs, shares))

    def held(self, table: IntegerTable) -> IntegerTable:
        """With every row exactly."""
        if self.alike:
            layout = Layout.over(self.cells, table.pairs, self.sees, self.rows)
            return table_with_equal_shares(layout, table.shares, self.alike)
        return held(table, self.sees, self.rows)

    def within_bits(self, with_silence: Callable[[float], Found]) -> Found:
        """With as little silence as keeps every limit on bits: mostly none.

        ``with_silence``: the table with so much of it mixed in, every row held. How much is needed
        is looked for without that, since silence breaks no row but by rounding.
        """
        table = with_silence(0.0)
        if table is None or self._keeps_bits(table):
            return table
        low, high = 0, 1
        while high < FINE and not self._keeps_bits(table.scaled(FINE - high, FINE)):
            low, high = high, 2 * high
        while high - low > max(1, high >> 10):
            middle = (low + high) // 2
            keeps = self._keeps_bits(table.scaled(FINE - middle, FINE))
            low, high = (low, middle) if keeps else (middle, high)
        found = with_silence(high / FINE)
        while high < FINE and found is not None and not self._keeps_bits(found):
            high = min(FINE, 2 * high)
            found = with_silence(high / FINE)
        return found

    def _keeps_bits(self, table: IntegerTable) -> bool:
        return all(
            nats(table.cells, table.pairs, table.shares, limit) <= limit.nats
            for limit in self.limits
        )
