"""Where the true value of each answer lies: one interval for noise, bins and quotients together.

Of a sum S and a count C, each being given half of the chance, it holds with 95 % that |S - s| <= a
and |C - c| <= b. Then the average m = s / c of what rows count as is one of

    { x / y : |x - S| <= a, |y - C| <= b, y >= 1 },    and between the least and the largest middle.

Rows count as the middles c_i of their bins [l_i, h_i]. Of shares q_i of rows with sum q_i c_i = m
the true average is sum q_i h_i at most: the concave envelope of the points (c_i, h_i) at m; and the
convex envelope of (c_i, l_i) at least. For a sum over N rows of known keys it is N times the same
at s / N, with the point (0, 0) for rows that add nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, NamedTuple

from unspoken.core.display import json_number
from unspoken.workflows.query.attribute_cells import Span
from unspoken.workflows.query.noise import CHANCE, AnswerNoise
from unspoken.workflows.query.question import AnswerColumn, Question, Term

__all__ = ["ErrorBar", "AnswerInterval", "error_bars", "intervals"]

Range = tuple[Fraction, Fraction]
NOTHING = Span(Fraction(0), Fraction(0), Fraction(0))


class AnswerInterval(NamedTuple):
    """The true value is from ``low`` to ``high``, but with the chance that is stated."""

    low: float
    high: float

    def error(self, value: float | None) -> float | None:
        """How far off a value is at most; None: there is no value."""
        return None if value is None else max(self.high - value, value - self.low, 0.0)


UNKNOWN = AnswerInterval(-math.inf, math.inf)


class ErrorBar(NamedTuple):
    """A ``value`` of an answer with its interval; ``all``: the one that holds with those of all
    rows of the answer at once.
    """

    value: int | float | None
    interval: AnswerInterval
    all: AnswerInterval

    @property
    def error(self) -> float | None:
        """How far off the value is at most."""
        return self.interval.error(self.value)

    def as_json(self) -> dict[str, Any]:
        ends = self.interval._asdict()
        each = {"error": self.error, **ends, "error_of_all": self.all.error(self.value)}
        written = {name: None if x is None else json_number(x) for name, x in each.items()}
        return {"value": self.value, **written}


@dataclass(frozen=True)
class _Drawn:
    """``numbers``: by group how many rows there are, then each number with its noise; ``noise``:
    None where there is none; ``counts``: how many intervals hold together.
    """

    question: Question
    noise: AnswerNoise | None
    numbers: Sequence[Sequence[int]]
    counts: int

    def range(self, term: Term, at: int, parts: int) -> Range:
        """Where the exact number is; ``parts``: how many of them share the chance."""
        if term.place is None or self.noise is None:
            exact = self._value(term, at)
            return exact, exact
        number = self.question.numbers[term.place]
        reach = self.noise.error(number, self.counts * parts, CHANCE) * abs(term.step)
        value = self._value(term, at)
        return value - reach, value + reach

    def rows(self, at: int) -> int:
        """How many rows a group has, as keys say."""
        return self.numbers[0][at]

    def _value(self, term: Term, at: int) -> Fraction:
        counted = self.numbers[0 if term.place is None else term.place + 1]
        return int(counted[at]) * term.step

    def interval(self, column: AnswerColumn, cell: int, at: int) -> AnswerInterval:
        """That of one number of the answer."""
        spans = column.spans[cell] if column.spans else ()
        if column.below:
            return self._of_average(column, cell, at, spans)
        low, high = self.range(column.above[cell], at, 1)
        if spans:
            low, high = _of_bins((*spans, NOTHING), self.rows(at), (low, high))
        return _outward(low, high)

    def _of_average(
        self, column: AnswerColumn, cell: int, at: int, spans: Sequence[Span]
    ) -> AnswerInterval:
        above, below = column.above[cell], column.below[cell]
        parts = sum(term.place is not None for term in (above, below))
        sums, counts = self.range(above, at, parts), self.range(below, at, parts)
        return _outward(*_of_bins(tuple(spans), 1, _quotients(sums, counts)))


def error_bars(
    question: Question,
    noise: AnswerNoise | None,
    rows: Sequence[Sequence[Any]],
    numbers: Sequence[Sequence[int]],
) -> list[list[Any]]:
    """Rows as they are kept, with an error bar in the place of each value that is no group.

    ``numbers``: as they were drawn; none of an older answer, whose errors are not known.
    """
    first = len(question.select.groups)
    alone = together = [[UNKNOWN] * len(question.columns)] * len(rows)
    if numbers:
        alone, together = (intervals(question, noise, numbers, each) for each in (False, True))
    return [
        [*row[:first], *map(ErrorBar, row[first:], one, every)]
        for row, one, every in zip(rows, alone, together, strict=True)
    ]


def intervals(
    question: Question,
    noise: AnswerNoise | None,
    numbers: Sequence[Sequence[int]],
    together: bool = False,
) -> list[list[AnswerInterval]]:
    """The intervals of an answer, row by row as they are kept, one for each column.

    ``numbers``: by group how many rows there are, then each number as it was drawn. ``together``:
    for all rows at once with the chance that is stated, not for each.
    """
    groups, cells = range(len(numbers[0])), range(len(question.kept))
    counts = len(groups) * len(cells) if together else 1
    drawn = _Drawn(question, noise, numbers, counts)
    return [
        [drawn.interval(column, cell, at) for column in question.columns]
        for at in groups
        for cell in cells
    ]


def _quotients(sums: Range, counts: Range) -> Range:
    """The ends of the quotient of any sum and any count in these ranges; a count is 1 or more."""
    fewest = max(math.ceil(counts[0]), 1)
    most = max(math.floor(counts[1]), fewest)
    low, high = sums
    return low / (fewest if low < 0 else most), high / (fewest if high > 0 else most)


def _of_bins(spans: tuple[Span, ...], rows: int, middles: Range) -> Range:
    """From what rows count as together, on average or as so many rows, to what they are."""
    if not spans or not rows:
        return middles
    least, largest = min(each.middle for each in spans), max(each.middle for each in spans)
    at = partial(_within, low=least, high=largest)
    low, high = (at(end / rows) for end in middles)
    return -rows * _highest(_mirrored(spans), -high, -low), rows * _highest(spans, low, high)


def _within(number: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return min(max(number, low), high)


@lru_cache(64)
def _mirrored(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(Span(-each.middle, -each.high, -each.low) for each in spans)


def _highest(spans: tuple[Span, ...], low: Fraction, high: Fraction) -> Fraction:
    """The largest that an average is, while that of the middles is in this range."""
    corners = _envelope(spans)
    inside = [end for middle, end in corners if low <= middle <= high]
    return max([*inside, _along(corners, low), _along(corners, high)])


@lru_cache(64)
def _envelope(spans: tuple[Span, ...]) -> tuple[Range, ...]:
    """The corners of the concave envelope of (middle, high)."""
    best = dict[Fraction, Fraction]()
    for span in spans:
        best[span.middle] = max(span.high, best.get(span.middle, span.high))
    corners = list[Range]()
    for point in sorted(best.items()):
        while len(corners) > 1 and _is_below(corners[-1], corners[-2], point):
            corners.pop()
        corners.append(point)
    return tuple(corners)


def _is_below(point: Range, before: Range, after: Range) -> bool:
    """Whether a point is on or below the line between two others."""
    (x, y), (x0, y0), (x1, y1) = point, before, after
    return (y - y0) * (x1 - x0) <= (y1 - y0) * (x - x0)


def _along(corners: Sequence[Range], x: Fraction) -> Fraction:
    """The envelope at a number between its ends."""
    for (x0, y0), (x1, y1) in _pairs(corners):
        if x <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return corners[-1][1]


def _pairs(corners: Sequence[Range]) -> Iterator[tuple[Range, Range]]:
    return zip(corners, [*corners[1:], corners[-1]], strict=True)


def _outward(low: Fraction, high: Fraction) -> AnswerInterval:
    """The interval in floats, rounded outwards."""
    down, up = float(low), float(high)
    down = math.nextafter(down, -math.inf) if Fraction(down) > low else down
    up = math.nextafter(up, math.inf) if Fraction(up) < high else up
    return AnswerInterval(down, up)
