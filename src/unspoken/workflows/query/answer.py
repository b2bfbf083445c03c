"""What is said of an answer: how far off it may be, before it is paid for; then what was drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import compress
from typing import Any

import pyarrow as pa

from unspoken.core.display import Framed, Shown
from unspoken.core.errors import unknown
from unspoken.core.numerics.arrays import Counts
from unspoken.core.pictures import Bar, Picture, bars
from unspoken.workflows.query.exact import Exact
from unspoken.workflows.query.intervals import ErrorBar
from unspoken.workflows.query.noise import CHANCE, AnswerNoise
from unspoken.workflows.query.numbers import Number
from unspoken.workflows.query.question import AnswerColumn, Question, Term

__all__ = ["NoisyAnswer", "Promised", "as_asked", "assembled", "with_error"]

FIRST = 10  # rows of an answer, where it is printed
Noisy = Sequence[tuple[Number, float]]  # numbers of one part of a column, each with its step


@dataclass(frozen=True, repr=False)
class Promised(Shown):
    """Known before anything is charged, and a function of what is public or was paid for.

    ``errors``: by column how far off the worst of its numbers may be, of an average over a noisy
    count what it is made of; ``all_within``: the same for all numbers of that column at once; each
    but with ``chance``.
    ``middles``: attributes whose bins are added up, and how far from the middle of its bin a row is
    at most, which no error has in it.
    ``groups``: rows of the answer, whether keys or cells make them.
    ``epsilon``: for one record, ``unit_epsilon`` for all rows of one unit that enter. ``all_left``:
    whether that is all that the limits leave, since nobody said how much; ``less``: what smaller
    epsilons would be off by, in the first column.
    """

    query: str
    epsilon: float
    unit_epsilon: float
    rows_per_unit: int | None
    errors: Mapping[str, Sequence[float]]
    all_within: Mapping[str, Sequence[float]]
    scales: Mapping[str, Sequence[float]]
    groups: int
    chance: float = CHANCE
    free: str = ""
    middles: Mapping[str, float] = field(default_factory=dict)
    all_left: bool = False
    less: Mapping[float, Sequence[float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        question: Question,
        noise: AnswerNoise | None,
        counted: Sequence[int],
        rows: int | None,
        free: str = "",
    ) -> Promised:
        """``counted``: rows of each group, which keys say; ``rows``: of one unit, at most."""
        groups = len(counted) * len(question.kept)
        if noise is None:
            return cls(question.text, 0.0, 0.0, rows, {}, {}, {}, groups, free=free)
        found: dict[str, dict[str, list[float]]] = {"one": {}, "all": {}, "scale": {}}
        fewest = max(1, min(counted, default=1))
        for title, column in question.asked:
            parts = [part for part in map(_noisy, (column.above, column.below)) if part]
            by = fewest if column.public_below else 1
            of = [[(question.numbers[p], float(step) / by) for p, step in part] for part in parts]
            if of:
                found["one"][title] = _widest(noise.error, of)
                found["all"][title] = _widest(partial(noise.error, counts=groups), of)
                found["scale"][title] = _widest(noise.scale, of)
        epsilon = noise.epsilon
        return cls(
            question.text,
            epsilon,
            epsilon * (rows or 1),
            rows,
            found["one"],
            found["all"],
            found["scale"],
            groups,
            free=free,
            middles=_by_middles(question),
        )

    @property
    def first(self) -> Sequence[float]:
        """How far off the worst number of the first column that has noise may be."""
        return next(iter(self.errors.values()))

    def lines(self) -> list[str]:
        """In words."""
        sure = f"{100 * (1 - self.chance):.0f} %"
        said = [
            f"{title}: {_errors(errors)} with {sure}; all {self.groups:,} groups at once "
            f"{_errors(self.all_within[title])}"
            if self.groups > 1
            else f"{title}: {_errors(errors)} with {sure}"
            for title, errors in self.errors.items()
        ]
        if any(len(errors) > 1 for errors in self.errors.values()):
            said.append("Each average of the answer has one error, for its sum and count together")
        said += [
            f"{name} counts by the middles of its bins, up to {_written(off)} off for each row: "
            "the error beside each number of the answer has that in it. A value beyond the bounds "
            "counts as the nearest bound, and how far off that is nobody knows"
            for name, off in self.middles.items()
        ]
        if self.free:
            return [*said, self.free]
        cost = f"costs eps {self.epsilon:.4g} for one record"
        if self.rows_per_unit is not None and self.rows_per_unit > 1:
            cost += f", {self.unit_epsilon:.4g} for {self.rows_per_unit:,} rows of one unit"
        said.append(f"{cost}, on the account of whoever is given it")
        return [*said, self._all_left()] if self.all_left else said

    def _all_left(self) -> str:
        """What there is in place of it, where nobody said how much it may cost."""
        said = "That is all that the limits leave: another question, or a release, has nothing left"
        if not self.less:
            return said
        each = [f"{epsilon:g} is {_errors(errors)}" for epsilon, errors in self.less.items()]
        return f"{said}. For less: epsilon {', '.join(each)}; or a share of what is left"

    def facts(self) -> list[tuple[str, str]]:
        return [("query", self.query), *(("promise", line) for line in self.lines())]

    def as_json(self) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "unit_epsilon": self.unit_epsilon,
            "rows_per_unit": self.rows_per_unit,
            "groups": self.groups,
            "confidence": 1 - self.chance,
            "scale": {title: list(each) for title, each in self.scales.items()},
            "error": {title: list(each) for title, each in self.errors.items()},
            "error_of_all": {title: list(each) for title, each in self.all_within.items()},
            "middles": list(self.middles),
            "off_by_middles": dict(self.middles),
            "all_left": self.all_left,
            "less": [
                {"epsilon": epsilon, "error": list(errors)} for epsilon, errors in self.less.items()
            ],
        }


@dataclass(frozen=True, repr=False)
class NoisyAnswer(Shown, Framed):
    """``rows`` of the columns that ``titles`` name: None is an average of no rows.

    ``bars``: the same rows, with an `ErrorBar` in the place of each value that is no group.
    ``again``: whether it was drawn before, so that it is free; ``number``: of the event that was
    charged, None where nothing is.
    """

    promised: Promised
    titles: Sequence[str]
    rows: Sequence[Sequence[Any]]
    bars: Sequence[Sequence[Any]]
    again: bool = False
    number: int | None = None

    @classmethod
    def of(
        cls,
        promised: Promised,
        question: Question,
        rows: Sequence[Sequence[Any]],
        bars: Sequence[Sequence[Any]],
        again: bool = False,
        number: int | None = None,
    ) -> NoisyAnswer:
        """``rows``, ``bars``: as they are kept."""
        titles, listed = as_asked(question, rows)
        return cls(promised, titles, listed, as_asked(question, bars)[1], again, number)

    @property
    def table(self) -> pa.Table:
        columns = [[row[place] for row in self.rows] for place in range(len(self.titles))]
        return pa.Table.from_arrays([pa.array(each) for each in columns], list(self.titles))

    @property
    def value(self) -> Any:
        """The one number, of an answer that is one."""
        ((value,),) = self.rows
        return value

    @property
    def error(self) -> Any:
        """How far off the one number is at most, of an answer that is one, with 95 %."""
        ((bar,),) = self.bars
        return bar.error

    def largest_errors(self) -> dict[str, tuple[float, float]]:
        """The largest error of each column of numbers: of one alone, and of all at once."""
        columns = zip(self.titles, zip(*self.bars, strict=True), strict=False)
        each = {
            title: [bar for bar in bars if bar.value is not None]
            for title, bars in columns
            if isinstance(bars[0], ErrorBar)
        }
        return {
            title: (
                max(bar.error or 0.0 for bar in bars),
                max(bar.all.error(bar.value) or 0.0 for bar in bars),
            )
            for title, bars in each.items()
            if bars
        }

    def records(self) -> list[dict[str, Any]]:
        """Row by row, as `to_frame` has them."""
        return [dict(zip(self.titles, row, strict=True)) for row in self.rows]

    def plot(self, column: str | None = None) -> Picture:
        """The rows as bars, drawn through to where the number may begin, pale to where it may end.

        ``column``: which of those that have an error bar; None: the first.
        """
        noisy = dict.fromkeys(self.promised.errors)
        title = next(iter(noisy), "") if column is None else column
        if title not in noisy:
            raise unknown("plot, column", title, noisy)
        at, keys = list(self.titles).index(title), [t not in noisy for t in self.titles]
        rows = [
            _bar(", ".join(map(_plainly, compress(row, keys))), bars[at])
            for row, bars in zip(self.rows, self.bars, strict=True)
        ]
        sure = f"with noise: beyond its pale end each is in {100 * self.promised.chance:.0f} %"
        return Picture(bars(rows, self.promised.query, sure, title))

    def facts(self) -> list[tuple[str, str]]:
        charged = "nothing" if self.number is None else f"event {self.number}"
        free = " (drawn before: free)" if self.again else ""
        return [
            *self.promised.facts(),
            ("rows", f"{len(self.rows):,} of {', '.join(self.titles)}"),
            *(("", ", ".join(map(_plainly, row))) for row in self.bars[:FIRST]),
            ("charged", charged + free),
        ]


def _bar(name: str, bar: ErrorBar) -> Bar:
    if bar.value is None:
        return Bar(name, math.nan, math.nan, "no rows")
    return Bar(name, *bar.interval, with_error(bar))


def with_error(bar: ErrorBar) -> str:
    """A value and how far off it is at most, in words."""
    if bar.value is None:
        return "from {:.6g} to {:.6g}".format(*bar.interval)
    if not bar.error:
        return _plainly(bar.value)
    written = "not known" if math.isinf(bar.error) else _written(bar.error)
    return f"{_plainly(bar.value)} ±{written}"


def _plainly(value: Any) -> str:
    if isinstance(value, ErrorBar):
        return with_error(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _by_middles(question: Question) -> dict[str, float]:
    """The attributes of which sums and averages are those of bins, and how far these are off."""
    names = sorted({column.of for column in question.columns if column.of in question.reads})
    cells = {name: question.reads[name] for name in names}
    return {name: each.off for name, each in cells.items() if each.rule.edges is not None}


def _errors(errors: Sequence[float]) -> str:
    """The error in words; of an average that of its sum and of its count."""
    if len(errors) == 1:
        return f"±{_written(errors[0])}"
    return f"its sum ±{_written(errors[0])} and its count ±{_written(errors[1])}"


def _written(error: float) -> str:
    """Whole numbers as they are; of others three digits at least, and never less than they are."""
    if error >= 100 or error == int(error):
        return f"{math.ceil(error):,}"
    unit = 10.0 ** (math.floor(math.log10(error)) - 2)
    return f"{math.ceil(error / unit) * unit:,.3g}"


def _noisy(terms: Sequence[Term]) -> list[tuple[int, Fraction]]:
    """Those that have noise: which number, and its step."""
    return [(term.place, abs(term.step)) for term in terms if term.place is not None]


def _widest(of: Callable[[Number], float], parts: Sequence[Noisy]) -> list[float]:
    """Of each part the one that is farthest off."""
    return [max(of(number) * step for number, step in part) for part in parts]


def assembled(
    question: Question, exact: Exact, noisy: Sequence[Counts]
) -> tuple[list[str], list[list[Any]]]:
    """Titles and rows as they are kept, of noisy numbers and of what is public."""
    groups = [at for at in range(len(question.select.groups)) if at not in question.places]
    rows = []
    for at, key in enumerate(exact.groups):
        for cell, labels in enumerate(question.labels):
            named = dict(zip(groups, map(_plain, key), strict=True))
            named |= dict(zip(question.places, labels, strict=True))
            values = [_value(column, cell, at, exact, noisy) for column in question.columns]
            whole = [*(named[place] for place in range(len(named))), *values]
            rows.append(whole)
    return [*question.select.titles, *(column.title for column in question.columns)], rows


def as_asked(
    question: Question, rows: Sequence[Sequence[Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Titles and rows with the columns, in the order and by the names, that this query writes."""
    listed = _sorted(question, rows)
    titles = [title for title, _ in question.shown]
    return titles, [[row[at] for _, at in question.shown] for row in listed]


def _sorted(question: Question, rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    """By its groups, the one that is written first before all: rows are kept in another order, by
    keys and then by cells. What is missing comes last.
    """
    by, places = question.select.sorted_by, question.places
    if list(by) == [*(at for at in range(len(by)) if at not in places), *places]:
        return rows
    cells = {
        place: {label: number for number, label in enumerate(own.rule.names)}
        for place, own in zip(places, question.by, strict=True)
    }

    def order(row: Sequence[Any]) -> list[tuple[bool, bool, Any]]:
        values = [cells[at][row[at]] if at in cells else row[at] for at in by]
        return [(x is None, isinstance(x, str), x if x is not None else 0) for x in values]

    return sorted(rows, key=order)


def _value(column: AnswerColumn, cell: int, at: int, exact: Exact, noisy: Sequence[Counts]) -> Any:
    above = _of_term(column.above[cell], at, exact, noisy)
    if column.below:
        below = _of_term(column.below[cell], at, exact, noisy)
        return float(above / below) if below > 0 else None
    return int(above) if above.denominator == 1 else float(above)


def _of_term(term: Term, at: int, exact: Exact, noisy: Sequence[Counts]) -> Fraction:
    counted = exact.rows if term.place is None else noisy[term.place]
    return int(counted[at]) * term.step


def _plain(value: Any) -> Any:
    """A key as JSON has it, which has neither NaN nor infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
