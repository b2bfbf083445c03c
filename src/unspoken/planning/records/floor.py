"""The floor that needs no belief: rows with a secret show nothing, others all with 1 - 1 / cap.

"Nothing" has probability 1 given any secret and 1 / cap at least otherwise; whatever is shown
excludes every secret. So no answer multiplies the odds of any secret, of any combination of them,
under any belief, in any context, for whoever knows the rest of the record or other rows, by more
than the cap. It is what every plan is compared with, and falls back to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from unspoken.mechanisms import RecordCoin
from unspoken.mechanisms.record_table import WHOLE
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.problem import RecordProblem
from unspoken.planning.records.rounding import Table
from unspoken.types.domain import Value

__all__ = ["floor_table", "is_floor"]

LARGEST = 50_000  # records that are listed; of a larger domain those that can occur
ROOM = Fraction(1, 2**40)  # for whoever rounds when looking at it


def floor_table(problem: RecordProblem) -> Table:
    """For every record of the domain, seen or not."""
    cells = problem.cells(whole=math.prod(problem.domain.sizes) <= LARGEST)
    cap = Fraction(min(problem.cap, problem.pooled_cap, math.exp(min(problem.floor, 700.0))))
    secret = np.zeros(len(cells), dtype=bool)
    for axis, labels in problem.axes().items():
        secret |= np.isin(cells.codes[:, axis], labels)
    pairs = Pairs.of(cells, np.array([cells.reads]))
    shown = (pairs.pattern != 0) & ~secret[pairs.cell]
    weights = np.zeros(len(pairs), dtype=object)
    often = (1 - 1 / cap) * (1 - ROOM) if problem.secrets else 1
    weights[shown] = int(WHOLE * often)
    return Table(cells, pairs, weights).filled()


def is_floor(coin: RecordCoin, secrets: Mapping[str, Sequence[Value]], cap: float) -> bool:
    """Whether this is such a table, for this cap, whatever it was made from."""
    (table, *more), held = coin.chain.tables, {n: v for n, v in secrets.items() if v}
    listed, domain = table.listed, table.domain
    if more or not {*held} <= {*domain.names}:  # what extends may have names of its own
        return False
    whole = sum(1 << domain.axis(name) for name in coin.delivered)
    if (listed.masks & whole != whole).any():
        return False
    for name, values in held.items():
        hidden = [code for code, v in enumerate(domain.values_of(name)) if v in values]
        if np.isin(listed.codes[:, domain.axis(name)], hidden).any():
            return False
    shown = np.add.reduceat(np.append(listed.weights, 0), listed.starts)  # the last is of no record
    often = Fraction(int(shown.max()), WHOLE)
    return not held or (1 - often) * Fraction(cap) >= 1
