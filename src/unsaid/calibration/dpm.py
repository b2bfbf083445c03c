"""Dependent differential privacy's own mechanism (Liu, Chakraborty and Mittal), in sound readings.

Changing x_i from one value to another moves the others too: by how much, at scale sigma, is said by
dependence coefficients. With R_j = max - min of x_j, c either end of its range,

    rho_ij^A = sigma / R_j  max_a   log E[e^(max_c |x_j - c| / sigma) | x_i = a]
    rho_ij^B = sigma / R_j  max_a,c log E[e^(|x_j - c| / sigma)       | x_i = a]
    rho_ij^M =     1 / R_j  max_a,c     E[|x_j - c|                   | x_i = a]      M <= B <= A

and the scale is max_i (D_i + sum_j |w_j| R_j rho_ij) / limit, the sum over *all* others in its
block. Sound for linear queries and any joint law (theory of DDP, S2), for those who know nothing
else, and additive over several answers. Not sound, and not here: one end of the range only, the
pairwise form of eq. 14 for three variables and more, neighbours in a graph instead of the block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unsaid.calibration.alone import quotient_up
from unsaid.calibration.least import root
from unsaid.calibration.problem import Problem
from unsaid.conversion.rounding import up
from unsaid.errors import unknown
from unsaid.numerics.arrays import Array

__all__ = ["READINGS", "coefficient", "dpm", "mean"]


def mean(problem: Problem) -> float:
    """max_i (D_i + max_b sum_j |w_j| max_c E[|x_j - c| | x_i = b]) / limit: no fixed point.

    The mean coefficients with one b for all j (mean_joint): never more than any reading of DPM.
    """
    most = 0.0
    for i, reach in problem.reaches.items():
        sums = (own.weights @ own.means() for own in _others(problem, i))
        most = max(most, reach + float(np.max(sum(sums, np.zeros(1)))))
    return quotient_up(up(most, 4 * len(problem.reaches) + 64), problem.limit)


def dpm(problem: Problem, reading: str = "B") -> float:
    """The fixed point sigma limit = max_i (D_i + sum_j |w_j| R_j rho_ij(sigma)), its upper end.

    The right side over sigma falls strictly onto (0, inf), so there is exactly one, and it lies
    between the largest D_i / limit and the sum of all.
    """
    if reading not in READINGS:
        raise unknown("reading", reading, READINGS)
    rows = [(reach, _others(problem, i)) for i, reach in problem.reaches.items()]
    moves = READINGS[reading]

    def leak(sigma: float) -> float:
        sums = [
            reach + sum(float(own.weights @ moves(own, sigma)) for own in others)
            for reach, others in rows
        ]
        return up(max(sums) / sigma, 64 * len(rows))

    low = problem.reach / problem.limit
    if not problem.reach or leak(low) <= problem.limit:
        return low
    return root(leak, problem.limit, low, low)


def coefficient(problem: Problem, target: str, other: str, sigma: float, reading: str) -> float:
    """rho_ij of two variables, by one of `READINGS`."""
    (own,) = (own for own in _others(problem, target) if other in own.names)
    k = own.names.index(other)
    return float(READINGS[reading](own, sigma)[k] / own.ends[k].max())


@dataclass(frozen=True)
class Others:
    """P(x_j | x_i) for some j: ``laws[j, a, x]``, a running over the possible values of x_i.

    ``ends[j]``: how far each value of x_j is from either end of its range.
    """

    names: Sequence[str]
    weights: Array
    laws: Array
    ends: Array  # (j, 2, values of x_j)

    def means(self) -> Array:
        """max_c E[|x_j - c| | x_i = a] for every j and a."""
        largest: Array = (self.laws @ self.ends.swapaxes(1, 2)).max(2)
        return largest

    def mean(self, sigma: float) -> Array:
        largest: Array = self.means().max(1)
        return largest

    def farthest(self, sigma: float) -> Array:
        """sigma log E e^(distance from the farthest end / sigma)."""
        return self._moment(self.ends.max(1, keepdims=True), sigma)

    def either(self, sigma: float) -> Array:
        """The same of the end that is worse."""
        return self._moment(self.ends, sigma)

    def _moment(self, distances: Array, sigma: float) -> Array:
        peak = distances.max((1, 2), keepdims=True)
        grown = np.exp((distances - peak) / sigma)
        moments = (self.laws @ grown.swapaxes(1, 2)).max((1, 2))
        told: Array = peak[:, 0, 0] + sigma * np.log(moments)
        return told


READINGS: dict[str, Callable[[Others, float], Array]] = {
    "A": Others.farthest,
    "B": Others.either,
    "M": Others.mean,
}


def _others(problem: Problem, target: str) -> list[Others]:
    """Those in the block of the target that the answer moves with, by their number of values."""
    belief = problem.belief
    block = next(block for block in belief.blocks() if target in block)
    moving = [name for name in block if name != target and problem.reaches[name]]
    found = []
    for size in {belief.cells([name]) for name in moving}:
        names = [name for name in moving if belief.cells([name]) == size]
        joint = np.stack([belief.marginal([target, name]) for name in names])
        joint = joint[:, joint.sum((0, 2)) > 0]
        numbers = np.stack([belief.domain.numbers(name) for name in names])
        low, high = numbers.min(1, keepdims=True), numbers.max(1, keepdims=True)
        weights = [sum(abs(own.get(name, 0.0)) for own in problem.queries) for name in names]
        laws = joint / joint.sum(2, keepdims=True)
        ends = np.stack([numbers - low, high - numbers], axis=1)
        found.append(Others(names, np.array(weights), laws, ends))
    return found
