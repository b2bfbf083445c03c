"""The linear program of the best release: its unknowns, its rows, its solution.

    maximise  sum_x P(x) sum_S W(S|x) worth(S, x)
    for every cell                          sum_S W(S|x) = 1
    for every condition and answer y        secret . W_y <= cap other . W_y

Rows are there only for answers that somebody with the secret may give; an answer that nobody else
gives is never shown. Caps are a millionth tighter than asked, so that rounding has room; each row
is divided by its largest number, since a solver's tolerance is absolute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.conditions import Condition, Rule
from unspoken.planning.records.solver import Coefficients, Constraints

__all__ = [
    "CapRows",
    "Layout",
    "Watched",
    "alike_rows",
    "cap_rows",
    "certain_rows",
    "share_rows",
]

SLACK = 1e-6  # of what a cap leaves above 1
LARGEST = 1e6  # a solver takes smaller numbers of a row for nothing; what is lost is a millionth


@dataclass(frozen=True)
class Watched:
    """A condition on the answers that a coalition sees."""

    condition: Rule
    answers: Answers

    def forbidden(self, pairs: Pairs) -> Mask:
        """Pairs that have the secret and whose answer nobody else gives."""
        given = np.zeros(len(self.answers), dtype=bool)
        given[self.answers.of_pair[self.condition.others[pairs.cell]]] = True
        forbidden: Mask = self.condition.holders[pairs.cell] & ~given[self.answers.of_pair]
        return forbidden


@dataclass(frozen=True)
class Layout:
    """The unknowns, and who sees what of them."""

    cells: Cells
    pairs: Pairs
    watched: tuple[Watched, ...]

    @classmethod
    def of(
        cls, cells: Cells, pairs: Pairs, coalitions: Sequence[int], rows: Sequence[Rule]
    ) -> Layout:
        """Without the pairs that no answer allows."""
        while True:
            layout = cls.over(cells, pairs, coalitions, rows)
            gone = np.zeros(len(pairs), dtype=bool)
            for watched in layout.watched:
                gone |= watched.forbidden(pairs)
            if not gone.any():
                return layout
            pairs = pairs.only(~gone)

    @classmethod
    def over(
        cls, cells: Cells, pairs: Pairs, coalitions: Sequence[int], rows: Sequence[Rule]
    ) -> Layout:
        asked = [
            (row, sees, row.knowing)
            for row in rows
            for sees in (coalitions if row.sees is None else [row.sees])
        ]
        answers = {
            key: Answers.of(cells, pairs, *key) for key in dict.fromkeys(a[1:] for a in asked)
        }
        watched = [Watched(row, answers[sees, knowing]) for row, sees, knowing in asked]
        return cls(cells, pairs, tuple(watched))

    def caps(self, rule: Rule, seen: Answers, slack: float = SLACK) -> Array:
        """The cap of the row of each answer, so much less that rounding has room.

        An answer that shows nothing beside what is out takes half of the room that is left to it:
        showing nothing more is always allowed.
        """
        cap = min(float(rule.cap), LARGEST)
        slacks = np.full(len(seen), slack)
        if self.cells.earlier.coin is not None:
            rest = self.pairs.rest.astype(np.int64).astype(object) * WHOLE
            secret, other = rule.sums(seen, self.pairs, rest)
            for y in seen.silent.tolist():
                room = 1 - secret[y] / other[y] / cap if other[y] else 0.0
                slacks[y] = min(slack, max(0.0, room / 2))
        return cap - slacks * (cap - 1)

    @property
    def stated(self) -> list[tuple[Condition, Answers]]:
        """Of single beliefs; the others are boxed.py's."""
        each = ((watched.condition, watched.answers) for watched in self.watched)
        return [(rule, seen) for rule, seen in each if isinstance(rule, Condition)]

    def values(self, worth: Array) -> Array:
        """P(x) times what the labels that a pair shows are worth [cell, attribute]."""
        shown = np.zeros(len(self.pairs))
        for i in range(worth.shape[1]):
            shows = (self.pairs.pattern >> i & 1).astype(bool)
            shown[shows] += worth[self.pairs.cell[shows], i]
        return self.cells.probability[self.pairs.cell] * shown


@dataclass(frozen=True)
class CapRows:
    """The rows of all watched conditions; for each the ``answers`` they are about, and the
    ``scales`` they were divided by.
    """

    rows: Constraints
    answers: tuple[Codes, ...]
    scales: tuple[Array, ...]

    def prices(self, layout: Layout, multipliers: Array) -> list[Array]:
        """Per watched condition, the multiplier of each answer's row before it was divided.

        Of a cap above the largest, which stood in for it, as much less: then price times cap is
        what it was.
        """
        found, start = [], 0
        parts = zip(layout.stated, self.answers, self.scales, strict=True)
        for (rule, seen), stated, scale in parts:
            price = np.zeros(len(seen))
            less = min(1.0, LARGEST / float(rule.cap))
            price[stated] = less * np.maximum(multipliers[start : start + len(stated)], 0.0) / scale
            found.append(price)
            start += len(stated)
        return found


def certain_rows(pairs: Pairs) -> Constraints:
    """Something is shown of every cell, be it nothing."""
    line = np.cumsum(pairs.rest) - 1
    at = np.arange(len(pairs))
    return Constraints.exactly(Coefficients(len(pairs.first), line, at, np.ones(len(pairs))), 1.0)


def cap_rows(layout: Layout, slack: float = SLACK) -> CapRows:
    """secret . W_y - cap other . W_y <= 0 for every answer that somebody with the secret gives."""
    parts, answers, scales = [], [], []
    for rule, seen in layout.stated:
        answer, cell = seen.of_pair, layout.pairs.cell
        numbers = rule.rates[0][cell] - layout.caps(rule, seen, slack)[answer] * rule.rates[1][cell]
        needed = np.zeros(len(seen), dtype=bool)
        needed[answer[numbers > 0]] = True
        at = np.flatnonzero(needed[answer] & (numbers != 0))
        line = (np.cumsum(needed) - 1)[answer[at]]
        coefficients, scale = Coefficients(int(needed.sum()), line, at, numbers[at]).divided()
        parts.append(coefficients)
        answers.append(np.flatnonzero(needed))
        scales.append(scale)
    return CapRows(
        Constraints.at_most(Coefficients.stacked(parts), 0.0), tuple(answers), tuple(scales)
    )


def alike_rows(layout: Layout, groups: Sequence[int]) -> Constraints:
    """What is shown of a group is as likely for all cells that agree on it."""
    cells, pairs, parts = layout.cells, layout.pairs, list[Coefficients]()
    for group in groups:
        labels_of = cells.labels(group)
        _, first, labels = np.unique(labels_of, return_index=True, return_inverse=True)
        shown = np.flatnonzero(pairs.pattern & group)
        if not len(shown):  # of these names nothing is shown of anybody
            continue
        # A kind: what is shown of the labels. A row: a kind and a cell, which is as the first is.
        keys = labels[pairs.cell[shown]] << 32 | pairs.pattern[shown] & group
        _, kind = np.unique(keys, return_inverse=True)
        is_first = first[labels[pairs.cell[shown]]] == pairs.cell[shown]
        for_first = [
            (np.flatnonzero(labels == labels[pairs.cell[shown[k]]]), kind[k], shown[k])
            for k in np.flatnonzero(is_first)
        ]
        line = [
            np.array([c * (kind.max() + 1) + k for c in alike[1:]]) for alike, k, _ in for_first
        ]
        column = [np.full(len(alike) - 1, pair) for alike, _, pair in for_first]
        others = shown[~is_first]
        lines = np.concatenate([pairs.cell[others] * (kind.max() + 1) + kind[~is_first], *line])
        numbers = np.where(np.arange(len(lines)) < len(others), 1.0, -1.0)
        different, at = np.unique(lines, return_inverse=True)
        parts.append(Coefficients(len(different), at, np.concatenate([others, *column]), numbers))
    return Constraints.exactly(Coefficients.stacked(parts), 0.0)


def share_rows(layout: Layout, shares: Sequence[int]) -> Constraints:
    """What share of all cells that an application reads is shown to it: the smallest, which is the
    unknown behind the pairs, at least.
    """
    pairs, parts = layout.pairs, list[Coefficients]()
    for mask in shares:
        shown = np.bitwise_count(pairs.pattern & mask) / mask.bit_count()
        numbers = layout.cells.probability[pairs.cell] * shown
        at = np.flatnonzero(numbers)
        column, numbers = np.append(at, len(pairs)), np.append(numbers[at], -1.0)
        parts.append(Coefficients(1, np.zeros(len(column), dtype=np.intp), column, numbers))
    return Constraints.at_least(Coefficients.stacked(parts), 0.0)
