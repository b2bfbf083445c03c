"""A table of whole numbers that keeps every row exactly, near the one a solver found.

Weights out of 2^62 say how often each pattern is shown; {} takes the rest. They are rounded down,
every row is an inequality of whole numbers, and rows that are broken are mended by weights that
only ever move to patterns that show less. So it ends, at the latest where nothing is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.core.numerics.arrays import Array, Codes, Integers
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.conditions import Rule
from unspoken.planning.records.program import Layout, Watched

__all__ = ["FINE", "IntegerTable", "broken", "held", "sums"]

BELOW = 1 - 1e-12  # what the errors of floats may add to a weight
FINE = 2**40  # a mended row keeps its cap by this part of it
LAPS, TIMES = 30, 20


@dataclass(frozen=True)
class IntegerTable:
    """How often each pair is shown, out of 2^62; each cell has its {}, which takes the rest."""

    cells: Cells
    pairs: Pairs
    weights: Integers

    @classmethod
    def of(cls, cells: Cells, pairs: Pairs, shares: Array) -> IntegerTable:
        """Rounded down, and no more than there is; without pairs that are never shown."""
        kept = pairs.rest | (shares * WHOLE >= 2)
        pairs, shares = pairs.only(kept), np.clip(shares[kept], 0.0, 1.0)
        whole = np.add.reduceat(np.where(pairs.rest, 0.0, shares), pairs.first)
        shares = shares / np.maximum(whole, 1.0)[pairs.cell]
        weights = np.floor(shares * BELOW * WHOLE).astype(np.int64).astype(object)
        return cls(cells, pairs, weights).filled()

    def filled(self) -> IntegerTable:
        """{} takes what the others leave."""
        weights = self.weights.copy()
        weights[self.pairs.first] = 0
        weights[self.pairs.first] = WHOLE - np.add.reduceat(weights, self.pairs.first)
        return replace(self, weights=weights)

    def scaled(self, number: Integers | int, of: Integers | int) -> IntegerTable:
        """Weights times number / of, of each pair or of all, rounded down."""
        return replace(self, weights=self.weights * number // of).filled()

    def hiding(self, part: Integers, mask: int) -> IntegerTable:
        """S -> S minus these attributes but what is out, for a part of the weight of each pair."""
        cell, pattern = self.pairs.cell, self.pairs.pattern
        left = pattern & ~mask | self.cells.out[cell]
        pairs, order, first = Pairs.merged(np.append(cell, cell), np.append(pattern, left))
        weights = np.add.reduceat(np.append(self.weights - part, part)[order], first)
        kept = (pairs.rest | (weights > 0)).astype(bool)
        return IntegerTable(self.cells, pairs.only(kept), weights[kept])

    @property
    def shares(self) -> Array:
        """The weights as floats, W(S | x) of each pair."""
        shares: Array = (self.weights / WHOLE).astype(np.float64)
        return shares


def sums(table: IntegerTable, watched: Watched) -> tuple[Integers, Integers]:
    """Both sides of the row of each answer, times 2^62."""
    return watched.condition.sums(watched.answers, table.pairs, table.weights)


def broken(table: IntegerTable, watched: Watched) -> Codes:
    """The answers whose row is broken."""
    (secret, other), cap = sums(table, watched), watched.condition.cap
    return np.flatnonzero(secret * cap.denominator > other * cap.numerator)


def held(
    table: IntegerTable,
    coalitions: Sequence[int],
    rows: Sequence[Rule],
) -> IntegerTable:
    """A table that keeps every row exactly, near this one."""
    for _ in range(TIMES):
        for _ in range(LAPS):
            layout = Layout.over(table.cells, table.pairs, coalitions, rows)
            if not any(len(broken(table, each)) for each in layout.watched):
                return table
            for mend in (_shown, _silent):
                for watched in layout.watched:
                    table = mend(table, watched)
        table = _closed(table, coalitions, rows)
    return table.scaled(0, 1)


def _shown(table: IntegerTable, watched: Watched) -> IntegerTable:
    """Answers that are broken are shown less often where the secret is; never, if nobody else
    gives them.
    """
    at = np.setdiff1d(broken(table, watched), watched.answers.silent)
    if not len(at):
        return table
    (secret, other), cap = sums(table, watched), watched.condition.cap
    number, of = (np.full(len(watched.answers), 1, dtype=object) for _ in range(2))
    number[at] = other[at] * (cap.numerator * (FINE - 1))
    of[at] = secret[at] * (cap.denominator * FINE)
    answer, holders = watched.answers.of_pair, watched.condition.holders[table.pairs.cell]
    return table.scaled(np.where(holders, number[answer], 1), np.where(holders, of[answer], 1))


def _silent(table: IntegerTable, watched: Watched) -> IntegerTable:
    """As much of silence mixed in as mends what shows nothing: W -> (1 - t) W + t {}, for those
    the row is about: where a rare label is known, others go on as they are.

    (1 - t) (secret . W - cap other . W) <= t (cap sum(other) - sum(secret)), t a little larger, the
    sums being over the cells whose {} gives this answer. Every weight is rounded down, by less than
    1: where next to nothing shows nothing, what that adds to {} would break the row again for ever.
    """
    rule, answers = watched.condition, watched.answers
    at = np.intersect1d(broken(table, watched), answers.silent)
    if not len(at):
        return table
    secret, other = sums(table, watched)
    about = (rule.holders | rule.others)[table.pairs.cell]
    gives = answers.of_pair[table.pairs.first][table.pairs.cell]
    number, of = (np.full(len(table.pairs), 1, dtype=object) for _ in range(2))
    most = int(np.bincount(table.pairs.cell).max())  # patterns of a cell
    for answer in at.tolist():
        rest = _resting(table, watched, answer)
        excess = secret[answer] - rule.cap * other[answer]
        room = rule.cap * rest[1] - rest[0]
        rounded = Fraction(most * rest[0], WHOLE)
        left = max(Fraction(0), (room - excess / FINE - rounded) / (room + excess))
        pairs = about & (gives == answer)
        number[pairs], of[pairs] = left.numerator, left.denominator
    return table.scaled(number, of)


def _resting(table: IntegerTable, watched: Watched, answer: int) -> tuple[int, int]:
    """Both sides of an answer's row, times 2^62, where nothing new is shown of any cell."""
    if table.cells.earlier.coin is None:
        first = watched.answers.of_pair[table.pairs.first]
        secret, other = watched.condition.totals(first == answer)
        return secret * WHOLE, other * WHOLE
    of_all = sums(table.scaled(0, 1), watched)
    return of_all[0][answer], of_all[1][answer]


def _closed(table: IntegerTable, coalitions: Sequence[int], rows: Sequence[Rule]) -> IntegerTable:
    """What stays broken is hidden from those who see it; others keep their part."""
    for k in range(len(Layout.over(table.cells, table.pairs, coalitions, rows).watched)):
        watched = Layout.over(table.cells, table.pairs, coalitions, rows).watched[k]
        at = np.setdiff1d(broken(table, watched), watched.answers.silent)
        where = np.isin(watched.answers.of_pair, at)
        if where.any():
            table = table.hiding(np.where(where, table.weights, 0), watched.answers.sees)
    return table
