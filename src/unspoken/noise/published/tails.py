"""What the largest and smallest answers tell: a lower bound on every adversary's leakage.

Beyond the last possible sum the density of S + Laplace(lambda) at r is E[e^(S/lambda)] times
e^(-r/lambda) / 2 lambda, so far out (sigma = 1: to the right, -1: to the left) the log-ratio is

    tau(i, K) = max over x_K, a, b, sigma of  log E[e^(sigma S/lambda) | a, x_K] / E[... | b, x_K].

The means of all adversaries come from the same tables, T_{U+j} = sum_xj e^(sigma w_j x_j/lambda)
T_U: the weights of x_j that an edge of paper 003 would need are tilted by all that is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unspoken.core.beliefs import Joint
from unspoken.core.numerics.arrays import Array
from unspoken.core.searching.nodes import Nodes
from unspoken.core.searching.upper import partial_sums

__all__ = ["pdp_tails"]


def pdp_tails(belief: Joint, weights: Sequence[float], scale: float) -> Nodes:
    """tau of every adversary; the sums range over no more than 600 scales (see `pdp_nodes`)."""
    names = belief.domain.names
    n, everything = len(names), 2 ** len(names) - 1
    leaks = np.full((n, 2**n), math.nan)
    exponent = _sums(belief, weights) / scale
    tilted = [partial_sums(belief.table * np.exp(sigma * exponent)) for sigma in (1, -1)]
    for (unknown, plain), *tails in zip(partial_sums(belief.table), *tilted, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.stack([np.log(tail / plain) for _, tail in tails])
        for i in range(n):
            if not unknown >> i & 1:
                apart = np.fmax.reduce(logs, axis=i + 1) - np.fmin.reduce(logs, axis=i + 1)
                known = everything ^ unknown ^ 1 << i
                leaks[i, known] = np.fmax.reduce(apart, axis=None, initial=0.0)
    return Nodes(names, leaks)


def _sums(belief: Joint, weights: Sequence[float]) -> Array:
    """sum_i w_i x_i of every cell, counted from the middle of its range."""
    sums = np.zeros(belief.table.shape)
    for axis, (w, name) in enumerate(zip(weights, belief.domain.names, strict=True)):
        term = w * belief.domain.numbers(name)
        shape = [-1 if other == axis else 1 for other in range(sums.ndim)]
        sums = sums + (term - (term.min() + term.max()) / 2).reshape(shape)
    return sums
