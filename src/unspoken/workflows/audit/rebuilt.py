"""Reconstruction: many sums over a table, and the table that fits them best (Dinur, Nissim, 2003).

    minimise sum_j |y_j - q_j . x|    with 0 <= x_i <= 1

a linear program. Each answer alone tells at most epsilon of a bit; all of them give the table away,
unless a ledger adds them up and refuses what is over the limit.
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.planning.records.solver import Coefficients, Constraints, Program
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.judging import ClaimedBound
from unspoken.workflows.audit.trials import Trials
from unspoken.workflows.audit.worlds import World

__all__ = ["fitted", "rebuilt"]


def rebuilt(bits: int, answers: int, epsilon: float, limit: float) -> World:
    """Fair bits, sums over random halves with Laplace noise of scale 1 / epsilon.

    ``limit``: a ledger answers while the epsilons add up to no more; infinite: there is none,
    and the holder claims what one answer tells. A trial is a bit of a table, as the program has it.
    """
    free = math.isinf(limit)
    asked = answers if free else min(answers, int(limit / epsilon + 1e-9))
    bound = epsilon if free else asked * epsilon

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        seen, secret = [], []
        for _ in range(max(1, trials // bits)):
            truth = rng.integers(0, 2, bits)
            queries = rng.integers(0, 2, (asked, bits)).astype(float)
            said = queries @ truth + rng.laplace(scale=1 / epsilon, size=asked)
            seen.append(fitted(queries, said))
            secret.append(truth == 1)
        return Trials(np.concatenate(seen)[:, None], np.concatenate(secret))

    why = "what one answer tells" if free else f"{asked} answers, then the ledger refuses"
    claim = ClaimedBound("max-log-ratio", bound, 0.5, why=why)
    return World(claim, PublicKnowledge(lambda seen: seen[:, 0], (0,)), draw)


def fitted(queries: Array, said: Array) -> Array:
    """x of the least sum of |said - queries x|; columns: x, what answers are off up, and down."""
    asked, bits = queries.shape
    rows, columns = np.nonzero(queries)
    off = np.arange(asked)
    coefficients = Coefficients(
        asked,
        np.concatenate([rows, off, off]),
        np.concatenate([columns, bits + off, bits + asked + off]),
        np.concatenate([queries[rows, columns], np.ones(asked), -np.ones(asked)]),
    )
    worth = np.concatenate([np.zeros(bits), -np.ones(2 * asked)])
    upper = np.concatenate([np.ones(bits), np.full(2 * asked, np.inf)])
    solved = Program(
        worth, Constraints.exactly(coefficients, said), np.zeros(len(worth)), upper
    ).solve()
    return solved.x[:bits]
