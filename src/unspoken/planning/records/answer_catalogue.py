"""Every answer that people with and without the secret may give, and what it is worth to each cell.

Of answers that the same cells may give only the largest is kept: it shows more, and keeps the same
row. Answers that nobody with the secret gives have no row, so of these a cell has its best; those
that nobody else gives are never shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Counts, Floats, Mask, Words
from unspoken.planning.records.cells import Cells, patterns_within

__all__ = ["AnswerCatalogue"]

Group = tuple[Codes, Codes, Codes]
PASS = 2**19  # places at a time
SINGLE = 2**24  # whole numbers below are exact in half of the memory


@dataclass(frozen=True)
class AnswerCatalogue:
    """Places: a cell that may give an answer, answer by answer, those with the secret first.

    ``cell``: of each place; ``start``: the first place of each answer; ``held``: how many of its
    places have the secret; ``pattern``: what it shows. ``worth``: of each place. ``free``: what a
    cell shows at best without any row, ``free_worth``: and what that is worth; 0 where nothing is.
    """

    cell: Codes
    start: Codes
    held: Codes
    pattern: Counts
    worth: Floats
    free: Counts
    free_worth: Array

    @classmethod
    def of(cls, cells: Cells, row: Array, worth: Array) -> AnswerCatalogue:
        """``row``: what a cell adds to the rows of its answers [cell], above 0 with the secret;
        ``worth``: of every label [cell, attribute].
        """
        salt = _mixed(np.arange(1, len(cells) + 1, dtype=np.uint64))
        free, free_worth = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells))
        parts, marks = list[Group](), list[Words]()
        patterns = patterns_within(cells.reads)
        ordered = patterns[np.argsort(np.bitwise_count(patterns), kind="stable")]
        for pattern in ordered.tolist():
            members, starts, held, alone = _answers(cells, row, pattern)
            shown = _shown(worth, pattern)
            better = alone[shown[alone] > free_worth[alone]]
            free[better], free_worth[better] = pattern, shown[better]
            parts.append((members, starts, held))
            marks.append(np.add.reduceat(salt[members], starts) if len(starts) else salt[:0])
        kept = _last(marks)
        cell, lengths, held = (
            np.concatenate(each) for each in zip(*_kept(parts, kept), strict=True)
        )
        counts = [int(mask.sum()) for mask in kept]
        pattern = np.repeat(ordered, counts)
        start = np.cumsum(lengths) - lengths
        whole = (worth == np.rint(worth)).all() and worth.sum(1).max(initial=0.0) < SINGLE
        total: Floats = np.zeros(len(cell), np.float32 if whole else np.float64)
        for answers, places in _passes(start, len(cell)):
            shows: Codes = np.repeat(pattern[answers], lengths[answers])
            for axis in range(worth.shape[1]):
                total[places] += worth[cell[places], axis] * (shows >> axis & 1)
        return cls(cell, start, held, pattern, total, free, free_worth)

    def __len__(self) -> int:
        return len(self.start)

    def answer(self, places: Codes) -> Codes:
        """Of each of these places."""
        return np.searchsorted(self.start, places, side="right") - 1

    @cached_property
    def lengths(self) -> Codes:
        return np.diff(np.append(self.start, len(self.cell)))

    @cached_property
    def sides(self) -> Codes:
        """Where the places with the secret start, and those without, in turn."""
        return np.stack([self.start, self.start + self.held], axis=1).ravel()

    @cached_property
    def secret(self) -> Mask:
        """Which places have the secret."""
        counts = np.stack([self.held, self.lengths - self.held], axis=1).ravel()
        return np.repeat(np.tile([True, False], len(self)), counts)

    def passes(self) -> Iterator[tuple[slice, slice]]:
        """Answers and their places, not too many at a time."""
        return _passes(self.start, len(self.cell))

    def places(self, answers: Codes) -> Codes:
        """All places of some answers."""
        lengths = self.lengths[answers]
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.repeat(self.start[answers], lengths) + within


def _passes(start: Codes, places: int) -> Iterator[tuple[slice, slice]]:
    starts = np.append(start, places)
    first = 0
    while first < len(start):
        last = int(np.searchsorted(starts, starts[first] + PASS, side="right")) - 1
        last = min(max(last, first + 1), len(start))
        yield slice(first, last), slice(int(starts[first]), int(starts[last]))
        first = last


def _answers(cells: Cells, row: Array, pattern: int) -> tuple[Codes, Codes, Codes, Codes]:
    """Of one pattern: the cells, answer by answer, where each starts, and how many have the secret;
    and the cells whose answer nobody with the secret gives.
    """
    able = np.flatnonzero((pattern & ~cells.free) == 0)
    key = cells.labels(pattern)[able] * 2 + (row[able] <= 0)
    order = np.argsort(key)
    key, able = key[order], able[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else key
    lengths, label, other = np.diff(np.append(starts, len(key))), key[starts] >> 1, key[starts] & 1
    pair = np.flatnonzero(label[:-1] == label[1:])  # with the secret, and then without
    both = np.zeros(len(starts), dtype=bool)
    both[pair], both[pair + 1] = True, True
    alone = able[np.repeat(~both & (other == 1), lengths)]
    sizes = lengths[pair] + lengths[pair + 1]
    members = able[np.repeat(both, lengths)].astype(np.int32)
    return members, np.cumsum(sizes) - sizes, lengths[pair], alone


def _shown(worth: Array, pattern: int) -> Array:
    """What a pattern is worth to each cell."""
    shown: Array = worth[:, [i for i in range(worth.shape[1]) if pattern >> i & 1]].sum(1)
    return shown


def _last(marks: list[Words]) -> list[Mask]:
    """Of answers with the same mark, which the sum over the same cells has, the last one."""
    whole = np.concatenate(marks)
    first = np.unique(whole[::-1], return_index=True)[1]
    kept = np.zeros(len(whole), dtype=bool)
    kept[len(whole) - 1 - first] = True
    return np.split(kept, np.cumsum([len(mark) for mark in marks])[:-1])


def _mixed(numbers: Words) -> Words:
    """Numbers whose sums tell sets of them from one another, but for one in 2^64 (splitmix64)."""
    mixed = numbers * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ mixed >> np.uint64(shift)) * np.uint64(factor)
    return mixed ^ mixed >> np.uint64(31)


def _kept(parts: list[Group], kept: list[Mask]) -> Iterator[Group]:
    """The cells, the lengths and the secrets of the answers that are kept."""
    for (members, starts, held), mask in zip(parts, kept, strict=True):
        lengths = np.diff(np.append(starts, len(members)))
        yield members[np.repeat(mask, lengths)], lengths[mask], held[mask]
