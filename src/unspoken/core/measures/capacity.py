"""Shannon capacity: the most mutual information a channel allows, whatever the prior.

Blahut and Arimoto: with D_x = KL(W(.|x) || sum_x p_x W(.|x)) every prior p gives both ends,

    I(p) = sum_x p_x D_x  <=  capacity  <=  max_x D_x,

so how p was found is no part of the proof. Here p_x <- p_x e^(step D_x): step 1 is the classical
iteration, longer ones are kept while they gain.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError, quoted
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.entropy import h
from unspoken.core.numerics.tables import as_laws
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import STATED

__all__ = ["capacity"]

ITERATIONS = 100_000
# How a step grows while it gains, and shrinks where it does not.
GROWTH, SHRINKING = 1.1, 0.5
# No input is given up for good: its probability stays a float.
LEAST = 1e-200
# What summing the terms of a divergence may add or lose, relatively.
ROUNDING = 1e-14


def capacity(channel_matrix: npt.ArrayLike, tolerance: float = 1e-9) -> Bound:
    """Bounds on the capacity of W[x, y] = P(y | x), in nats, at most ``tolerance`` apart.

    A channel that takes more than 100,000 iterations gets the bounds reached by then.
    """
    law = as_laws(channel_matrix, "capacity")
    law = law[:, law.max(0) > 0]  # outputs that never occur tell nothing
    if not (isinstance(tolerance, Real) and tolerance > 0):
        raise InputError(f"capacity: tolerance must be positive, got {quoted(tolerance)}")
    prior, iterations = _worst_prior(law, tolerance)
    output = prior @ law
    divergence = (output * h(law / output - 1.0)).sum(1)
    low = float(prior @ divergence) * (1 - ROUNDING)
    high = max(low, float(divergence.max()) * (1 + ROUNDING))
    why = f"Blahut-Arimoto, {iterations} iterations: a prior reaches the low end, none the high"
    return Bound(low, high, "nat", STATED, why)


def _worst_prior(law: Array, tolerance: float) -> tuple[Array, int]:
    """A prior whose two ends are within the tolerance, and the iterations it took."""
    with np.errstate(divide="ignore", invalid="ignore"):
        certain = np.where(law > 0, law * np.log(law), 0.0).sum(1)

    def divergences(prior: Array) -> Array:
        """D_x = sum_y W log W - sum_y W log q."""
        divergence: Array = certain - law @ np.log(np.maximum(prior @ law, np.finfo(float).tiny))
        return divergence

    prior, step = np.full(len(law), 1.0 / len(law)), 1.0
    divergence = divergences(prior)
    mean = float(prior @ divergence)
    for iteration in range(ITERATIONS):
        if divergence.max() - mean <= tolerance * (1 - 1e-3):
            return prior, iteration
        tried = np.maximum(prior * np.exp(step * (divergence - divergence.max())), LEAST)
        tried /= tried.sum()
        tried_divergence = divergences(tried)
        tried_mean = float(tried @ tried_divergence)
        if tried_mean >= mean or step == 1.0:  # a classical step never loses, but for rounding
            prior, divergence, mean = tried, tried_divergence, tried_mean
            step *= GROWTH
        else:
            step = max(1.0, step * SHRINKING)
    return prior, ITERATIONS
