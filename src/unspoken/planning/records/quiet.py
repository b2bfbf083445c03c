"""Of all tables that show most, one that tells little: a second solution of the program.

Optima are seldom alone. Among those within a ten-millionth of the best, the sum over events of
sum_y max(0, P(y | s) - P(y | not s)), their total variation, is made least; it is taken if it tells
fewer bits, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unspoken.planning.records.bits import BitLimit, nats
from unspoken.planning.records.model import FIXED, Model
from unspoken.planning.records.program import cap_rows
from unspoken.planning.records.solver import Coefficients, Constraints, Solved

__all__ = ["quieter"]

LARGEST = 10_000  # pairs up to which it is looked for


def quieter(model: Model, solved: Solved, limits: Sequence[BitLimit]) -> Solved:
    """A solution that shows as much and tells fewer bits, all these taken together; the same one
    where there is none, or the program is large, or held by limits on bits.
    """
    count = len(model.values)
    if count > LARGEST or model.bits is not None or not limits or not model.layout.stated:
        return solved
    events = [each for each in model.layout.watched if not each.condition.knowing]
    if not replace(model.layout, watched=tuple(events)).stated:  # only rows of what is known beside
        return solved
    program, first = model.program, len(solved.x)
    excess = cap_rows(replace(model.layout, watched=tuple(events)), slack=1.0)  # s . W_y - o . W_y
    lines, weights = excess.rows.coefficients.lines, np.concatenate(excess.scales)
    at = np.arange(lines)
    nothing = Coefficients(lines, at[:0], at[:0], weights[:0])
    program.add_columns(-weights, nothing, np.zeros(lines), np.full(lines, np.inf))
    above = Coefficients(lines, at, first + at, np.full(lines, -1.0))
    program.add_rows(Constraints.at_most(excess.rows.coefficients.beside(above), 0.0))
    shown = np.flatnonzero(model.values)
    worth = Coefficients(1, np.zeros(len(shown), np.intp), shown, model.values[shown])
    program.add_rows(Constraints.at_least(worth, solved.objective * (1 - FIXED)))
    program.change_worth(np.concatenate([np.zeros(first), -weights]))
    found = program.solve(model.work)
    quiet = replace(solved, x=found.x[:first])

    def leaked(each: Solved) -> float:
        shares = np.clip(each.x[:count], 0.0, 1.0)
        cells, pairs = model.layout.cells, model.layout.pairs
        return sum(nats(cells, pairs, shares, limit) for limit in limits)

    return quiet if found.optimal and leaked(quiet) < leaked(solved) else solved
