"""How often each combination of marks occurs, batch by batch.

A combination is one number: its digits are the marks that occur, in mixed radix. It is looked up
which combination that is, of those that occur, and so rows are counted by small numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Counts

__all__ = ["MOST", "Combinations", "shares"]

MOST = 2**56  # combinations of marks that a number can hold
TABLE = 2**22  # of so many there is a table of which they are: 16 MB
UNSEEN = -2 * MOST  # the digit of a mark that has not occurred: any sum with it is negative


class Combinations:
    """Counts rows of attributes with so many marks each; combinations are numbered as they come.

    ``counts``: rows of each; ``marks[i]``: the mark of attribute i in each.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.counts: Counts = np.zeros(0, np.int64)
        self._marks: list[list[Codes]] = [[np.zeros(0, np.intp)] for _ in sizes]
        self._digits = [np.full(size, UNSEEN, np.intp) for size in sizes]  # times their weight
        self._seen: list[Codes] = [np.zeros(0, np.intp) for _ in sizes]  # marks by their digits
        self._radix = self._weights = [0] * len(sizes)
        self._table: Codes | None = None
        self._sorted, self._order = np.zeros(0, np.intp), np.zeros(0, np.intp)

    def add(self, marks: Sequence[Codes], counts: Counts | None = None, first: int = 0) -> Codes:
        """Count in some rows, given by the mark of each attribute; [row] -> which combination.

        ``counts``: each so often. ``first``: how many marks the first attribute has by now, if they
        become more.
        """
        more = first - len(self._digits[0])
        if more > 0:  # and room for as many again, so that this is rare
            self._digits[0] = np.append(self._digits[0], np.full(more + first, UNSEEN, np.intp))
        number = self._number(marks)
        if number.min(initial=0) < 0:
            self._note(marks)
            number = self._number(marks)
        which = self._which(number)
        if which.min(initial=0) < 0:
            self._append(number[which < 0])
            which = self._which(number)
        if counts is None:
            self.counts += np.bincount(which, minlength=len(self.counts))
        else:
            np.add.at(self.counts, which, counts)
        return which

    @property
    def marks(self) -> list[Codes]:
        whole = [np.concatenate(parts) for parts in self._marks]
        self._marks = [[part] for part in whole]
        return whole

    def held(self) -> tuple[list[Codes], Counts]:
        """The marks of each attribute in every combination that occurs, in their order, and how
        often it does.
        """
        marks = self.marks
        order = np.lexsort(marks[::-1])
        return [mark[order] for mark in marks], self.counts[order]

    def _number(self, marks: Sequence[Codes]) -> Codes:
        number = self._digits[0].take(marks[0])
        for digits, mark in zip(self._digits[1:], marks[1:], strict=True):
            number += digits.take(mark)
        return number

    def _which(self, number: Codes) -> Codes:
        """-1: it did not occur yet."""
        if self._table is not None:
            return self._table.take(number)
        places = np.minimum(np.searchsorted(self._sorted, number), len(self._sorted) - 1)
        if not len(self._sorted):
            return np.full(len(number), -1)
        return np.where(self._sorted[places] == number, self._order[places], -1)

    def _note(self, marks: Sequence[Codes]) -> None:
        """Give digits to marks that occur for the first time, and numbers anew to combinations."""
        for i, mark in enumerate(marks):
            occurring = np.flatnonzero(np.bincount(mark))
            self._seen[i] = np.append(self._seen[i], occurring[self._digits[i][occurring] < 0])
        # The first attribute may get more: its digits have the largest weight, and some room.
        radix = [1 << (len(self._seen[0]) - 1).bit_length(), *map(len, self._seen[1:])]
        self._weights = [math.prod(radix[i + 1 :]) for i in range(len(radix))]
        for digits, seen, weight in zip(self._digits, self._seen, self._weights, strict=True):
            digits[seen] = np.arange(len(seen)) * weight
        if radix != self._radix:
            self._radix = radix
            fits = math.prod(radix) <= TABLE
            self._table = np.full(math.prod(radix), -1) if fits else None
            self._look_up()

    def _append(self, numbers: Codes) -> None:
        """Combinations that occur for the first time, in some rows."""
        if self._table is None:
            new = np.unique(numbers)
        else:  # each once: that whose place is the last to be written
            places = np.arange(len(numbers))
            self._table[numbers] = places
            new = numbers[self._table[numbers] == places]
            self._table[new] = len(self.counts) + np.arange(len(new))
        for parts, seen, weight in zip(self._marks, self._seen, self._weights, strict=True):
            parts.append(seen[new // weight % len(seen)])
        self.counts = np.append(self.counts, np.zeros(len(new), np.int64))
        if self._table is None:
            self._look_up()

    def _look_up(self) -> None:
        """How the combinations that occurred are found by their numbers."""
        numbers = self._number(self.marks)
        if self._table is not None:
            self._table[numbers] = np.arange(len(numbers))
        else:
            self._order = np.argsort(numbers)
            self._sorted = numbers[self._order]


def shares(counts: Array) -> Array:
    """What a belief is made of: counts of rows as they are, of noisy ones the shares."""
    return counts if bool((counts % 1 == 0).all()) else counts / counts.sum()
