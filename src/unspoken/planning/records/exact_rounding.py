"""A table of whole numbers, near a solution in floats, that keeps equations and caps exactly.

Options such as ``own_reads`` ask that what is shown of some attributes be exactly as likely for all
records that agree on them. Rounded one by one, the weights would break these equations, and mending
one breaks a cap or another equation. So the equations are solved first: some weights are rounded,
the others follow from them (`SolutionSpace`). Caps that leave no room, because the odds of an
answer are the cap whatever is shown, are equations too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.records.conditions import Condition
from unspoken.planning.records.program import Layout, Watched
from unspoken.planning.records.rounding import BELOW, IntegerTable, broken
from unspoken.planning.records.solution_space import SolutionSpace

__all__ = ["Tight", "equal_shares", "table_at_the_cap", "table_with_equal_shares"]

Equation = dict[int, int]
Tight = tuple[Watched, int]  # an answer whose odds are to be exactly the cap

LAPS = 200
LEAST = 1e-10  # weights below are none: a solver leaves such where it means 0
LARGEST_STEP = 2**36  # of weights, which are out of 2^62
SHRINK = 1e-9  # the first part of all that is shown that is given up for a cap on showing nothing
MOST_SHRUNK = 0.5


def table_with_equal_shares(layout: Layout, shares: Array, groups: Sequence[int]) -> IntegerTable:
    """A table near these shares that keeps every row, and in which what is shown of each of the
    ``groups`` of attributes is equally likely for all cells that agree on it.

    Answers whose cap rounding would break are not given any more.
    """
    found = _Rounding.of(layout, shares, groups).find_table()
    nothing = np.zeros(len(layout.pairs), dtype=object)
    return found or IntegerTable(layout.cells, layout.pairs, nothing).filled()


def table_at_the_cap(
    layout: Layout, shares: Array, groups: Sequence[int], tight: Sequence[Tight]
) -> IntegerTable | None:
    """A table with equal shares in which the ``tight`` answers have odds of exactly the cap.

    So have other answers whose cap rounding would break. None where no such table is near these
    shares, in weights out of 2^62.
    """
    return _Rounding.of(layout, shares, groups, tight).find_table()


@dataclass
class _Rounding:
    """The equations so far, and the values that are rounded within them."""

    layout: Layout
    space: SolutionSpace
    ties: bool
    shrink: float = SHRINK

    @classmethod
    def of(
        cls,
        layout: Layout,
        shares: Array,
        groups: Sequence[int],
        tight: Sequence[Tight] | None = None,
    ) -> _Rounding:
        values = np.where(layout.pairs.rest | (shares < LEAST), 0.0, shares * BELOW)
        equations = [*equal_shares(layout, values, groups)]
        equations += [cap_equation(layout, values, *each) for each in tight or ()]
        space = SolutionSpace(values)
        for equation in sorted(equations, key=len):
            space.add(equation)
        return cls(layout, space, ties=tight is not None)

    def find_table(self) -> IntegerTable | None:
        """That keeps every row; None where too many equations are in the way."""
        for _ in range(LAPS):
            steps = self.space.steps()
            if max(steps.values(), default=1) > LARGEST_STEP:
                return None
            table = self._nearest_table(steps)
            if table is None:
                continue
            broken_answers = [(each, broken(table, each)) for each in self.layout.watched]
            if not any(len(answers) for _, answers in broken_answers):
                shown = table.pairs.rest | (table.weights > 0).astype(bool)
                return IntegerTable(table.cells, table.pairs.only(shown), table.weights[shown])
            for watched, answers in broken_answers:
                self._mend(watched, answers)
        return None

    def _nearest_table(self, steps: Mapping[int, int]) -> IntegerTable | None:
        """None, and the values mended, where a pair would be shown less than never, or a cell shows
        more than always.
        """
        weights = self.space.nearest_solution(WHOLE, steps)
        negative = np.flatnonzero((weights < 0).astype(bool))
        table = IntegerTable(self.layout.cells, self.layout.pairs, weights).filled()
        over = (table.weights[self.layout.pairs.first] < 0).astype(bool).any()
        if len(negative):
            self._never(negative)
        elif over:
            self._show_less()
        return None if over or len(negative) else table

    def _mend(self, watched: Watched, answers: Codes) -> None:
        """So that the caps on these answers hold. What shows nothing is given more often."""
        silent = np.isin(answers, watched.answers.silent)
        if silent.any():
            self._show_less()
        for answer in answers[~silent].tolist():
            if self.ties and isinstance(watched.condition, Condition):
                self.space.add(cap_equation(self.layout, self.space.values, watched, answer))
            else:
                self._never(np.flatnonzero(watched.answers.of_pair == answer))

    def _never(self, pairs: Codes) -> None:
        for pair in pairs.tolist():
            self.space.values[pair] = 0.0
            self.space.add({pair: 1})

    def _show_less(self) -> None:
        self.space.values *= 1 - self.shrink
        self.shrink = min(2 * self.shrink, MOST_SHRUNK)


def equal_shares(layout: Layout, values: Array, groups: Sequence[int]) -> Iterator[Equation]:
    """Of each group: what is shown of it as likely for a cell as for the first that agrees on it.

    Only of pairs that have a value; where a cell has none of those, no other may have any.
    """
    cells, pairs = layout.cells, layout.pairs
    for group in groups:
        labels_of = cells.labels(group)
        agreeing: dict[int, list[int]] = {}
        for cell, labels in enumerate(labels_of.tolist()):
            agreeing.setdefault(labels, []).append(cell)
        shown: dict[tuple[int, int], dict[int, list[int]]] = {}  # (labels, what is shown): by cell
        for pair in np.flatnonzero((values > 0) & ((pairs.pattern & group) != 0)).tolist():
            cell = int(pairs.cell[pair])
            kind = int(labels_of[cell]), int(pairs.pattern[pair]) & group
            shown.setdefault(kind, {}).setdefault(cell, []).append(pair)
        for (labels, _), by_cell in shown.items():
            sums = [by_cell.get(cell, []) for cell in agreeing[labels]]
            first = min(sums, key=len)
            for other in sums:
                if other is not first:
                    yield {**dict.fromkeys(other, 1), **dict.fromkeys(first, -1)}


def cap_equation(layout: Layout, values: Array, watched: Watched, answer: int) -> Equation:
    """secret . W_y = cap other . W_y, of the pairs that have a value."""
    rule, pairs = watched.condition, layout.pairs
    assert isinstance(rule, Condition)
    at = np.flatnonzero((watched.answers.of_pair == answer) & (values > 0)).tolist()
    found = {}
    for pair in at:
        cell = pairs.cell[pair]
        secret, other = rule.secret[cell], rule.other[cell]
        found[pair] = int(secret * rule.cap.denominator - other * rule.cap.numerator)
    return found
