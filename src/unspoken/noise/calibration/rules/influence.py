"""Influence matrices on chains (Ghosh and Kleinberg, *Inferential Privacy Guarantees*, 2017).

gamma_ij is half of what a neighbour x_j can do to the odds of x_i, the other one being whatever it
is: 1/2 max over a, r, r' of log P(x_i = a | x_j = r, other) / P(x_i = a | x_j = r', other). Where
the powers of Gamma add up, an answer that D_j / scale protects x_j leaks of x_i at most

    2 sum_j Phi_ij D_j / scale,    Phi = (1 - Gamma)^-1 = 1 + Gamma + Gamma^2 + ...

Sound here for everybody, whatever they know, and twice what is needed: on an edge r <= 4 gamma
(core/searching/branches.py), so what its branch adds is E <= tanh(r / 4) H <= gamma H, and H is the
own move and what the next edge adds. Put in one after the other that is a part of Phi alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unspoken.core.errors import NotKnown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import quotient_up, up
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["influence"]


def influence(problem: NoiseProblem) -> float:
    """max_i 2 (Phi D)_i / limit."""
    belief = problem.belief
    if belief.steps is None or belief.forest is None:
        raise NotKnown('method "influence": needs a Chain; use "branches", "mean" or "group"')
    moves = np.array([problem.reaches[name] for name in belief.domain.names])
    most = float((2 * _reached(*_gammas(belief.forest.singles[0], belief.steps), moves)).max())
    return quotient_up(up(most, 64 * len(moves)), problem.limit)


def _gammas(start: Array, steps: Sequence[Array]) -> tuple[Array, Array]:
    """gamma of each variable with the one before it, and with the one after it; 0 at the ends."""
    lefts = [start[None], *steps]
    rights = [*steps, np.ones((lefts[-1].shape[1], 1))]
    known = dict[tuple[int, int], tuple[float, float]]()  # most chains have few different steps
    for left, right in zip(lefts, rights, strict=True):
        if (id(left), id(right)) not in known:
            known[id(left), id(right)] = _both(left, right)
    both = [known[id(left), id(right)] for left, right in zip(lefts, rights, strict=True)]
    before, after = np.array(both).T
    return before, after


def _both(left: Array, right: Array) -> tuple[float, float]:
    """Of ``left[l, a]`` and ``right[a, r]``: P(a | l, r) is their product, divided by its sum."""
    law = left[:, :, None] * right
    mass = law.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(law / mass)  # NaN where l and r do not go together
    return _spread(logs, 0) / 2, _spread(logs, 2) / 2


def _spread(logs: Array, axis: int) -> float:
    with np.errstate(invalid="ignore"):
        spread = np.fmax.reduce(logs, axis=axis) - np.fmin.reduce(logs, axis=axis)
    return float(np.fmax.reduce(spread, axis=None, initial=0.0))  # -inf - -inf: cannot be at all


def _reached(before: Array, after: Array, moves: Array) -> Array:
    """(1 - Gamma)^-1 moves by elimination; the powers add up if and only if all pivots are > 0."""
    pivots, sums = np.ones_like(moves), moves.copy()
    for t in range(1, len(moves)):
        share = before[t] / pivots[t - 1]
        with np.errstate(invalid="ignore"):  # what is certain on one side: inf times 0
            pivots[t] = 1.0 - share * after[t - 1]
        if not pivots[t] > 0:
            raise NotKnown(
                'method "influence": neighbours have so much influence that its powers do not add '
                'up; use "branches" or "group"'
            )
        sums[t] += share * sums[t - 1]
    for t in reversed(range(len(moves))):
        sums[t] /= pivots[t]
        if t:
            sums[t - 1] += after[t - 1] * sums[t]
    return sums
