"""The edges of the weighted hierarchical graph, and the chain rule over them (paper 003, V).

What the adversary (i, K' + j) gains by forgetting x_j (eq. 9 and 10; the printed formulas are lost
in the text we have, and these are rebuilt from the theorems): the set, over x_K', values a > b of
x_i (that is, w_i a > w_i b) and sigma = 1, -1, of

    e = sigma log  <P(x_j | a, x_K'), e^(sigma w_j x_j/lambda)> / <P(x_j | b, x_K'), same>.

A node is min over j of max over e of |node below + e| (eq. 11), so of each set only the least and
the largest e matter.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs import Joint
from unspoken.core.numerics.arrays import Array
from unspoken.core.searching.upper import partial_sums

__all__ = ["Forgetting"]


@dataclass(frozen=True)
class Forgetting:
    """``least[i, j, mask]`` and ``largest``: over all gains of i by forgetting j, down to ``mask``.

    NaN where nobody compares two values of x_i: whoever knows x_K' knows it too. ``reach`` is
    D_j / lambda, what the strongest adversary learns (Theorem 4).
    """

    least: Array
    largest: Array
    reach: Array

    @classmethod
    def of(cls, belief: Joint, weights: Sequence[float], scale: float) -> Forgetting:
        """All n (n - 1) 2^(n - 2) of them."""
        pairs = zip(weights, belief.domain.names, strict=True)
        terms = [w * belief.domain.numbers(name) / scale for w, name in pairs]
        n = len(terms)
        least, largest = np.full((2, n, n, 2**n), math.nan)
        for unknown, cells in partial_sums(belief.table):
            rest = [i for i in range(n) if not unknown >> i & 1]
            for i, j in itertools.permutations(rest, 2):
                known = 2**n - 1 ^ unknown ^ (1 << i | 1 << j)
                gains = _gains(np.moveaxis(cells, (i, j), (0, 1)), terms[i], terms[j])
                least[i, j, known] = np.fmin.reduce(gains, axis=None, initial=math.nan)
                largest[i, j, known] = np.fmax.reduce(gains, axis=None, initial=math.nan)
        return cls(least, largest, np.array([float(np.ptp(term)) for term in terms]))

    def gain(self, stronger: float, i: int, j: int, known: int) -> float:
        """The edge's value e: the gain that makes |stronger + e| largest (eq. 11)."""
        ends = float(self.largest[i, j, known]), float(self.least[i, j, known])
        return max(ends, key=lambda e: abs(stronger + e))

    def weaker(self, stronger: float, i: int, j: int, known: int) -> float:
        """The node above, by this edge; 0 where nobody compares two values."""
        gain = self.gain(stronger, i, j, known)
        return 0.0 if math.isnan(gain) else abs(stronger + gain)

    def search(self, k: int | None = None) -> Array:
        """Every node's value as printed, [i, mask of K]; NaN where none is made.

        With k only the k largest nodes of a layer make the next one (the fast search).
        """
        n = len(self.reach)
        values = np.full((n, 2**n), math.nan)
        layer = {(i, 2**n - 1 ^ 1 << i): float(reach) for i, reach in enumerate(self.reach)}
        while layer:
            for node, value in layer.items():
                values[node] = value
            kept = layer if k is None else heapq.nlargest(k, layer, key=lambda node: layer[node])
            above: dict[tuple[int, int], float] = {}
            for i, known in kept:
                for j in (j for j in range(n) if known >> j & 1):
                    fewer = known ^ 1 << j
                    made = self.weaker(layer[i, known], i, j, fewer)
                    above[i, fewer] = min(made, above.get((i, fewer), math.inf))
            layer = above
        return values


def _gains(cells: Array, target: Array, forgotten: Array) -> Array:
    """Every e for cells P(x_i, x_j, x_K'); ``target``: w_i x_i / lambda, ``forgotten``: w_j x_j."""
    order = np.argsort(target, kind="stable")
    joint = cells.reshape(*cells.shape[:2], -1)[order]
    high, low = np.tril_indices(len(target), -1)
    centred = forgotten - (forgotten.min() + forgotten.max()) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = joint / joint.sum(axis=1, keepdims=True)
        logs = [
            sigma * np.log(np.einsum("ijc,j->ic", shares, np.exp(sigma * centred)))
            for sigma in (1, -1)
        ]
    return np.stack([log[high] - log[low] for log in logs])
