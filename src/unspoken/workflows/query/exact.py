"""The exact numbers, in memory only: noise is added to them before anything else is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Counts
from unspoken.noise.discrete_laplace import MOST
from unspoken.tables.engines.protocol import ContributionBound, Table
from unspoken.tables.engines.sql import Expression
from unspoken.workflows.query.attribute_cells import AttributeCells
from unspoken.workflows.query.question import Question
from unspoken.workflows.query.select import WHERE

__all__ = ["ONE", "Exact"]

ONE = Expression("1", "BIGINT", ())


@dataclass(frozen=True)
class Exact:
    """``groups``: rows of keys' values, which are public, as is how many ``rows`` each has.

    ``sums``: of each number, one for each group. They are not shown, not even by mistake.
    """

    groups: Sequence[tuple[Any, ...]]
    rows: Counts
    sums: Sequence[Counts] = field(repr=False)

    @classmethod
    def of(cls, question: Question, table: Table, chosen: ContributionBound | None) -> Exact:
        """Read the table; a row that has no value it may have is an error."""
        rows = reduce(lambda held, condition: held.only(condition, True), question.where, table)
        alike: dict[tuple[str, ...], list[int]] = {}
        for place, number in enumerate(question.numbers):
            alike.setdefault(number.names, []).append(place)
        alone = [places[0] for places in alike.values() if len(places) == 1]
        odd = [cells.odd for cells in question.reads.values()]
        sums = [question.numbers[place].sql(question.reads) for place in alone]
        numbers = [ONE, *odd, *sums]
        found = rows.totals(numbers, question.groups, WHERE, chosen)
        _refuse_large(question, found["n0"])
        totals = [
            np.asarray(found[f"n{place}"].to_numpy(), np.int64) for place in range(len(numbers))
        ]
        for cells, total in zip(question.reads.values(), totals[1:], strict=False):
            if total.any():
                _refuse_odd(cells, rows, chosen)
        groups = _keys(found, len(question.groups))
        summed = dict(zip(alone, totals[1 + len(odd) :], strict=True))
        for names, places in alike.items():
            if len(places) > 1:  # several sums, a CASE each, cost more than one count by cells
                of, cell, counts = _by_cells(question, rows, names, chosen, groups)
                for at in places:
                    adds = np.array(question.numbers[at].adds, np.int64)[cell]
                    summed[at] = np.zeros(len(groups), np.int64)
                    np.add.at(summed[at], of[adds != 0], (adds * counts)[adds != 0])
        return cls(groups, totals[0], [summed[at] for at in range(len(question.numbers))])


def _keys(found: pa.Table, groups: int) -> list[tuple[Any, ...]]:
    """What is grouped by, of each row; of no groups the one that all rows are."""
    keys = [found.column(f"g{place}").to_pylist() for place in range(groups)]
    return list(zip(*keys, strict=True)) if keys else [()] * len(found)


def _by_cells(
    question: Question,
    rows: Table,
    names: Sequence[str],
    chosen: ContributionBound | None,
    groups: Sequence[tuple[Any, ...]],
) -> tuple[Codes, Codes, Counts]:
    """How many rows are of which of the groups, and in which combination of cells of attributes,
    numbered as `Number.adds` has them, as far as they occur.
    """
    each = [question.reads[name] for name in names]
    shape = [len(cells.rule.names) for cells in each]
    codes = [
        Expression(cells.sql(range(size)), "BIGINT", (cells.name,))
        for cells, size in zip(each, shape, strict=True)
    ]
    first = len(question.groups)
    found = rows.totals([ONE], [*question.groups, *codes], WHERE, chosen)
    place = {_same(group): at for at, group in enumerate(groups)}
    of = [place[_same(group)] for group in _keys(found, first)]
    cells = tuple(found[f"g{first + k}"].to_numpy() for k in range(len(codes)))
    return np.array(of, np.intp), np.ravel_multi_index(cells, shape), found["n0"].to_numpy()


def _same(group: tuple[Any, ...]) -> tuple[Any, ...]:
    """NaN is one group, though it is not equal to itself."""
    return tuple("NaN" if value != value else value for value in group)


def _refuse_large(question: Question, rows: pa.ChunkedArray | pa.Array) -> None:
    """By what keys say, and before there is any charge: no noise is drawn for such sums."""
    largest = max((max(map(abs, number.adds)) for number in question.numbers), default=0)
    if largest * max(rows.to_pylist(), default=0) > MOST:
        raise InputError(
            f"{WHERE}: its sums may have more than {MOST:,} steps, too many to draw noise for; "
            "round the values, or ask of fewer rows, such as by GROUP BY"
        )


def _refuse_odd(cells: AttributeCells, rows: Table, chosen: ContributionBound | None) -> None:
    """Say what is wrong with some row."""
    strange = cells.strange()
    found = rows.totals(list(strange.values()), (), WHERE, chosen)
    for place, what in enumerate(strange):
        if count := found[f"n{place}"][0].as_py():
            raise InputError(
                f"attribute.{cells.name}: {what} in {count:,} of the rows; correct them, or say in "
                "the project file what they are, and count again"
            )
