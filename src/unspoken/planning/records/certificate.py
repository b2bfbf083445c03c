"""What no release within the limits exceeds, from multipliers that nobody has to trust.

For any prices >= 0 of the rows, UB = sum_x max_S [P(x) worth(S) - sum price . row(S, x)] bounds
every mechanism whose answers about a record are true labels or blanks, the same to everybody, never
a sensitive label: whatever else it looks at, its average over that is a table W. All is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import UNIT
from unspoken.planning.records.program import Layout

__all__ = ["upper_bound"]

OPERATIONS = 64  # behind a worth or a number of a row, at most, and with room


def upper_bound(
    layout: Layout,
    values: Array,
    prices: Sequence[Array],
    taken: Sequence[tuple[Array, Array]] = (),
    ends: Sequence[float] = (),
) -> float:
    """``values``: P(x) worth(S) of each pair; ``prices``: of each watched condition, by answer.

    ``taken``: what other rows take off each pair, and the sum of the sizes of these terms;
    ``ends``: what the ends of those rows add.
    """
    if not values.any():  # nothing that is read may be shown
        return 0.0
    net, size = values, np.abs(values)
    for off, terms in taken:
        net, size = net - off, size + terms
    for (rule, seen), price in zip(layout.stated, prices, strict=True):
        cost = price[seen.of_pair] * rule.numbers(float(rule.cap))[layout.pairs.cell]
        net, size = net - cost, size + np.abs(cost)
    net = net + (OPERATIONS + 2 * (len(prices) + len(taken))) * UNIT * size
    starts = layout.pairs.first
    best = np.maximum.reduceat(net, starts)
    total = math.fsum([*best.tolist(), *ends])
    return math.nextafter(total, math.inf)
