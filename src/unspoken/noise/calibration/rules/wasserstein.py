"""The Wasserstein mechanism (Song, Wang and Chaudhuri): how far the sum has to be carried.

W_inf of two laws is the least w such that one can be turned into the other by moving every bit of
mass by w at most; of numbers it is the largest distance of their quantiles. With W the largest
W_inf of P(S | x_i = a) and P(S | x_i = b), Laplace noise of scale W / limit keeps the limit: mass
moved by w changes no likelihood by more than e^(w / scale). For those who know nothing else.
"""

from __future__ import annotations

import itertools

import numpy as np

from unspoken.core.errors import NotKnown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import quotient_up
from unspoken.noise.calibration.exact.separation import Separation
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["distance", "wasserstein"]

# Where two cumulative probabilities are so near they count as one, unless that leaks too much.
TIE = 1e-12


def wasserstein(problem: NoiseProblem) -> float:
    """max W_inf / limit, over the variables and their values."""
    if len(problem.queries) != 1:
        raise NotKnown('method "wasserstein": one number at a time; use "exact" or "mean"')
    names = problem.belief.domain.names
    each = problem.worked_out_once.sums_of_each(names, problem.queries)
    sums = [each] if each else [problem.worked_out_once.sums([n], problem.queries) for n in names]
    laws = [Separation.of(law) for law in sums]
    most = max(_widest(law, TIE) for law in laws)
    if most and max(float(law.at(most / problem.limit).max()) for law in laws) > problem.limit:
        most = max(_widest(law, 0.0) for law in laws)
    return quotient_up(most, problem.limit)


def distance(points: Array, p: Array, q: Array, tie: float = 0.0) -> float:
    """W_inf of two laws on these points, ascending: max over u of |Q_1(u) - Q_2(u)|."""
    first, second = np.cumsum(p), np.cumsum(q)
    levels = np.unique(np.concatenate([np.zeros(1), first[:-1], second[:-1], np.ones(1)]))
    levels = levels[levels <= 1.0]
    middle = (levels[1:] + levels[:-1])[np.diff(levels) > tie] / 2
    top = len(points) - 1
    at = [np.minimum(np.searchsorted(total, middle), top) for total in (first, second)]
    return float(np.abs(points[at[0]] - points[at[1]]).max(initial=0.0))


def _widest(law: Separation, tie: float) -> float:
    laws = np.exp(law.laws) if law.in_logs else law.laws
    widest = 0.0
    for row in laws.transpose(2, 1, 0):
        possible = row[row.sum(1) > 0.5]
        for p, q in itertools.combinations(possible, 2):
            widest = max(widest, distance(law.points, p, q, tie))
    return widest
