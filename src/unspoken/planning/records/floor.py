"""The floor that needs no belief: rows with a secret show nothing, others all with 1 - 1 / cap.

"Nothing" has probability 1 given any secret and 1 / cap at least otherwise; whatever is shown
excludes every secret. So no answer multiplies the odds of any secret, of any combination of them,
under any belief, in any context, for whoever knows the rest of the record or other rows, by more
than the cap. It is what every plan is compared with, and falls back to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from unspoken.core.mechanisms import RecordCoin
from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.core.numerics.arrays import Mask
from unspoken.core.types.domain import Value
from unspoken.planning.records.binding import LEAST, Binding
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.problem import RecordProblem
from unspoken.planning.records.rounding import IntegerTable
from unspoken.planning.records.routes import everything

__all__ = ["floor_binding", "floor_binds", "floor_table", "is_floor"]

ANY = "any secret"
LARGEST = 50_000  # records that are listed; of a larger domain those that can occur
ROOM = Fraction(1, 2**40)  # for whoever rounds when looking at it


def floor_table(problem: RecordProblem) -> IntegerTable:
    """For every record of the domain, seen or not."""
    cells = problem.cells(whole=math.prod(problem.domain.sizes) <= LARGEST)
    cap, secret = Fraction(_cap(problem)), _with_secret(problem, cells)
    pairs = Pairs.of(cells, np.array([cells.reads]))
    shown = (pairs.pattern != 0) & ~secret[pairs.cell]
    weights = np.zeros(len(pairs), dtype=object)
    often = (1 - 1 / cap) * (1 - ROOM) if problem.secrets else 1
    weights[shown] = int(WHOLE * often)
    return IntegerTable(cells, pairs, weights).filled()


def floor_binds(problem: RecordProblem, cells: Cells) -> tuple[Binding, ...]:
    """The answer that holds it back, if one does."""
    cap, free = _cap(problem), ~_with_secret(problem, cells)
    if not problem.secrets or cap > 1 / LEAST:
        return ()
    law = np.where(free, cells.probability, 0.0)
    return (
        floor_binding(
            everything(replace(cells, probability=law), problem.prices(cells)),
            1 / cap,
            float(law.sum()),
            problem.reads,
        ),
    )


def floor_binding(worth: float, rest: float, free: float, reads: Iterable[str]) -> Binding:
    """What binds is nothing shown: of records with anything secret always, of others with 1 / cap,
    which is ``rest``. (1 - 1 / cap) worth grows with ln cap by worth / cap.

    ``worth``: of all that is free of records with nothing secret; ``free``: how likely they are.
    """
    given = 1 - free * (1 - rest)
    price = worth * rest
    return Binding(ANY, {}, price, price, rest, given, dict.fromkeys(reads, 1.0))


def _cap(problem: RecordProblem) -> float:
    """The lowest of those it keeps."""
    return min(problem.cap, problem.pooled_cap, math.exp(min(problem.floor, 700.0)))


def _with_secret(problem: RecordProblem, cells: Cells) -> Mask:
    """The cells that have anything secret."""
    secret = np.zeros(len(cells), dtype=bool)
    for axis, labels in problem.axes().items():
        secret |= np.isin(cells.codes[:, axis], labels)
    return secret


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
