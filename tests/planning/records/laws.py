"""The laws of a side as rows of a linear program, written apart from the program of plans."""

from __future__ import annotations

import numpy as np

from unspoken.core.families import Side
from unspoken.planning.records.solver import Coefficients, Constraints


def laws_of(side: Side) -> Constraints:
    """low t <= Q(x) <= up t and sum_x Q(x) = 1, of the unknowns Q and t = 1 / P(side), the last."""
    size = len(side.low)
    rows = np.zeros((2 * size + 1, size + 1))
    for x in range(size):
        rows[2 * x : 2 * x + 2, x] = 1.0
        rows[2 * x : 2 * x + 2, size] = -side.up[x], -side.low[x]
    rows[-1, :size] = 1.0
    line, column = np.nonzero(rows)
    least = np.append(np.tile([-np.inf, 0.0], size), 1.0)
    most = np.append(np.tile([0.0, np.inf], size), 1.0)
    return Constraints(Coefficients(len(rows), line, column, rows[line, column]), least, most)
