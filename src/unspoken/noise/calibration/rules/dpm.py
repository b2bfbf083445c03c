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

import numpy as np

from unspoken.core.errors import among
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.roots import least_scale
from unspoken.core.numerics.rounding import quotient_up, up
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.calibration.rules.pair_laws import (
    PairLaws,
    TargetMoves,
    moves_of_targets,
    pair_laws,
)

__all__ = ["READINGS", "Moves", "coefficient", "dpm", "fixed_point", "mean"]

# How far x_j moves, for every j and target, at a scale: |w_j| R_j rho_ij without the weight.
Moves = Callable[[PairLaws, float], Array]


def mean(problem: NoiseProblem) -> float:
    """max_i (D_i + max_b sum_j |w_j| max_c E[|x_j - c| | x_i = b]) / limit: no fixed point.

    The mean coefficients with one b for all j (mean_joint): never more than any reading of DPM.
    """
    most = 0.0
    for target in moves_of_targets(problem, problem.belief.blocks()):
        means = (np.einsum("ji,jia->ia", laws.weights, laws.means) for laws in target.tables)
        most = max(most, float((target.reaches[:, None] + sum(means, np.zeros(1))).max()))
    return quotient_up(up(most, 4 * len(problem.reaches) + 64), problem.limit)


def dpm(problem: NoiseProblem, reading: str = "B") -> float:
    """The scale of one of `READINGS`, over all others in each block."""
    among("reading", reading, READINGS)
    tables = list(moves_of_targets(problem, problem.belief.blocks()))
    return fixed_point(problem, tables, READINGS[reading])


def fixed_point(problem: NoiseProblem, tables: Sequence[TargetMoves], moves: Moves) -> float:
    """sigma limit = max_i (D_i + sum_j |w_j| R_j rho_ij(sigma)), the upper end.

    The right side over sigma falls strictly onto (0, inf), so there is exactly one, and it lies
    between the largest D_i / limit and the sum of all.
    """

    def leak(sigma: float) -> float:
        most = max(float(target.total(moves, sigma).max()) for target in tables)
        return up(most / sigma, 64 * len(problem.reaches))

    low = problem.reach / problem.limit
    return least_scale(leak, problem.limit, low, low) if low else low


def coefficient(
    problem: NoiseProblem, target: str, other: str, sigma: float, reading: str
) -> float:
    """rho_ij of two variables, by one of `READINGS`."""
    laws = pair_laws(problem, [other], [target])
    return float(READINGS[reading](laws, sigma).item() / laws.ends.max())


READINGS: dict[str, Callable[[PairLaws, float], Array]] = {
    "A": PairLaws.farthest,
    "B": PairLaws.either,
    "M": PairLaws.mean,
}
