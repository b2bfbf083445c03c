"""Bounds for Bayesian differential privacy (Lange, Guerra-Balboa, Parra-Arnau and Strufe, 2025).

Of arXiv:2506.21308, in the form of the authors' own program; for everybody, whatever they know.

    chain      any epsilon-private answer tells of x_i at most    epsilon + 4 log gamma,
               gamma = the largest by the smallest probability of a transition
    Gaussian   a sum tells of x_i at most    (1 + m^2 / (4 (1 / rho - m + 2))) D / scale,
               rho = the largest |correlation|, m = how many depend on one another, rho (m - 2) < 1

Chain: of P(x_U | a, x_K) / P(x_U | b, x_K) the neighbours' factors are P(a | x_t-1) P(x_t+1 | a)
against those of b, gamma^2 at most, and so is what they are divided by, a mean of such factors.

Gaussian, terms of one variance: x_i has 1 + sum over unknown j of beta_j in the regression of the
sum on x_i and k known ones. |beta_j| <= rho / (1 - k rho), as the correlations of the k + 1 are
1 - k rho apart from singular at least, and m - 1 - k are unknown; the rule takes k = m - 2 in the
one and m^2 / 4 for the other. Where variances differ it is false, so it is refused there: of two
terms, one ten times as wide, beta is 10 rho.
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.errors import NotKnown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import down, quotient_up, up
from unspoken.core.types.sums import slopes
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["bdp_gaussian", "bdp_markov"]

ALIKE = 1e-9  # variances that differ by less, relatively, are one, and by how much is counted


def bdp_markov(problem: NoiseProblem) -> float:
    """max_i D_i / (limit - 4 log gamma)."""
    if problem.belief.steps is None:
        raise NotKnown('method "bdp_markov": needs a Chain; use "exact" or "group"')
    least = min((float(step.min()) for step in problem.belief.steps), default=1.0)
    most = max((float(step.max()) for step in problem.belief.steps), default=1.0)
    charged = up(4 * math.log(most / least), 16) if least else math.inf
    if not charged < problem.limit:
        raise NotKnown(
            f'method "bdp_markov": transitions alone are charged 4 log({most:.3g} / {least:.3g}) = '
            f'{charged:.3g} nat of {problem.limit:g}; use "exact" or "branches"'
        )
    return quotient_up(up(problem.reach, 4), down(problem.limit - charged, 4))


def bdp_gaussian(problem: NoiseProblem) -> float:
    """(1 + m^2 / (4 (1 / rho - m + 2))) max_i D_i / limit."""
    covariance = problem.belief.covariance
    if covariance is None:
        raise NotKnown('method "bdp_gaussian": needs a Gaussian; use "exact" or "mean"')
    spread = max(_spread(problem, np.sqrt(np.diag(covariance))))
    m = _together(covariance)
    rho = up(_correlated(covariance), 16)
    if not rho * (m - 2) < 1:
        raise NotKnown(
            f'method "bdp_gaussian": correlations up to {rho:.3g} among {m} are too strong, '
            f'{1 / (m - 2):.3g} is its end; use "exact"'
        )
    more = m**2 / (4 * down(1 / rho - (m - 2), 16)) if rho else 0.0
    return quotient_up(up(problem.reach * (1 + spread * more), 64), problem.limit)


def _correlated(covariance: Array) -> float:
    """The largest |correlation|."""
    root = np.sqrt(np.diag(covariance))
    off = np.abs(covariance / np.outer(root, root))
    np.fill_diagonal(off, 0.0)
    return float(off.max())


def _together(covariance: Array) -> int:
    """How many depend on one another: the largest set joined by correlations that are not 0."""
    joined = covariance != 0
    while True:
        further = joined @ joined
        if (further == joined).all():
            return int(joined.sum(0).max())
        joined = further


def _spread(problem: NoiseProblem, deviations: Array) -> list[float]:
    """Of each query, the largest deviation of a term by the smallest: all but one."""
    names, found = problem.belief.domain.names, list[float]()
    for query in problem.queries:
        terms = np.abs(slopes(query, names)) * deviations
        if not terms.max() <= terms.min() * (1 + ALIKE):
            raise NotKnown(
                'method "bdp_gaussian": looks at correlations alone, so every variable has to be '
                'in the sum, and all terms of one variance; use "exact"'
            )
        found.append(float(terms.max() / terms.min()))
    return found
