"""Which caps leave no room at all, and a table that keeps every other cap with room to spare.

Whole counts and whole caps often tie: an answer's odds are then exactly the cap, whatever is shown.
A program whose caps are a little tighter, so that rounding has room, would not show such an answer
at all. Here every row gets an unknown for its room, up to a small most, and the sum of these is
made as large as can be. What has none is an equation that every table within the caps fulfils.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.planning.records.conditions import Condition
from unspoken.planning.records.exact_rounding import Tight
from unspoken.planning.records.model import Model
from unspoken.planning.records.solver import Coefficients, Constraints, Program

__all__ = ["interior_table", "tight_answers"]

ROOM = 1e-3  # the most room of a row, of its largest number, and of a weight, that is counted
NONE = 1e-7  # less room is none


def interior_table(model: Model) -> tuple[Array, Array] | None:
    """How often each pair is shown, where every weight and every cap has room that can have some;
    and the room of each row of the caps. None where that is not solved.
    """
    caps, count = model.caps.rows, len(model.values)
    width = model.boxed.columns.count
    lines = caps.lines
    of_row = Coefficients(lines, np.arange(lines), width + np.arange(lines), np.ones(lines))
    with_room = Constraints.at_most(caps.coefficients.beside(of_row), 0.0)
    pair = np.arange(count)
    at_least = Coefficients(count, pair, pair, np.ones(count)).beside(
        Coefficients(count, pair, width + lines + pair, np.full(count, -1.0))
    )
    rooms = lines + count
    program = Program(
        np.append(np.zeros(width), np.ones(rooms)),
        Constraints.stacked(
            [with_room, *model.equations, model.boxed.rows, Constraints.at_least(at_least, 0.0)]
        ),
        np.zeros(width + rooms),
        np.concatenate([np.full(width, np.inf), np.full(rooms, ROOM)]),
        presolve=True,
    )
    found = program.solve(model.work)
    if not found.optimal:
        return None
    return found.x[:count], found.x[width : width + lines]


def tight_answers(model: Model, rooms: Array) -> Sequence[Tight]:
    """The answers whose cap leaves no room, but those that show nothing: silence gives these."""
    found, start = list[Tight](), 0
    watched = [each for each in model.layout.watched if isinstance(each.condition, Condition)]
    for each, answers in zip(watched, model.caps.answers, strict=True):
        room = rooms[start : start + len(answers)]
        start += len(answers)
        tight = answers[(room < NONE) & ~np.isin(answers, each.answers.silent)]
        found += [(each, answer) for answer in tight.tolist()]
    return found
