"""The exact numbers, in memory only: noise is added to them before anything else is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from unspoken.answering.cells import Cells
from unspoken.answering.question import Question
from unspoken.answering.select import WHERE
from unspoken.engines.protocol import Chosen, Table
from unspoken.engines.sql import Expression
from unspoken.errors import InputError
from unspoken.numerics.arrays import Counts
from unspoken.numerics.noise import MOST

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
    def of(cls, question: Question, table: Table, chosen: Chosen | None) -> Exact:
        """Read the table once; a row that has no value it may have is an error."""
        rows = reduce(lambda held, condition: held.only(condition, True), question.where, table)
        odd = [cells.odd for cells in question.reads.values()]
        sums = [number.sql(question.reads) for number in question.numbers]
        numbers = [ONE, *odd, *sums]
        found = rows.totals(numbers, question.groups, WHERE, chosen)
        _refuse_large(question, found["n0"])
        totals = [
            np.asarray(found[f"n{place}"].to_numpy(), np.int64) for place in range(len(numbers))
        ]
        for cells, total in zip(question.reads.values(), totals[1:], strict=False):
            if total.any():
                _refuse_odd(cells, rows, chosen)
        keys = [found[f"g{place}"].to_pylist() for place in range(len(question.groups))]
        groups = list(zip(*keys, strict=True)) if keys else [()]
        return cls(groups, totals[0], totals[1 + len(odd) :])


def _refuse_large(question: Question, rows: pa.ChunkedArray | pa.Array) -> None:
    """By what keys say, and before there is any charge: no noise is drawn for such sums."""
    largest = max((max(map(abs, number.adds)) for number in question.numbers), default=0)
    if largest * max(rows.to_pylist(), default=0) > MOST:
        raise InputError(
            f"{WHERE}: its sums may have more than {MOST:,} steps, too many to draw noise for; "
            "round the values, or ask of fewer rows, such as by GROUP BY"
        )


def _refuse_odd(cells: Cells, rows: Table, chosen: Chosen | None) -> None:
    """Say what is wrong with some row."""
    strange = cells.strange()
    found = rows.totals(list(strange.values()), (), WHERE, chosen)
    for place, what in enumerate(strange):
        if count := found[f"n{place}"][0].as_py():
            raise InputError(
                f"attribute.{cells.name}: {what} in {count:,} of the rows; correct them, or say in "
                "the project file what they are, and count again"
            )
