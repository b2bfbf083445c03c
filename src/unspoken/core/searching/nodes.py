"""The exact leakage of a noisy sum to every adversary (i, K) at once: all n 2^(n-1) of them.

Let U be what the adversary does not know beside the target. The tables

    T_U[x_rest, s] = P(x_rest, S_U = s),     T_{U + j} = sum_{x_j} T_U shifted by w_j x_j,

do not depend on the target, so each U is summed and filtered once and serves every i in the rest
(theory of PDP, paper 003, section V; cost O(n^2 (d+1)^n) instead of a view for each node).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unspoken.core.beliefs import Joint
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import CELLS, Array
from unspoken.core.numerics.ring import RANGE
from unspoken.core.types.sums import Weight, term

__all__ = ["Nodes", "pdp_nodes"]


@dataclass(frozen=True)
class Nodes:
    """``leaks[i, mask]``: the max-log-ratio about variable i for somebody who knows the variables
    in ``mask`` (bit j for variable j); NaN where i is among them.
    """

    names: tuple[str, ...]
    leaks: Array

    def leak(self, target: str, known: Sequence[str] = ()) -> float:
        """The leakage about one variable to somebody who knows these."""
        mask = sum(1 << self.names.index(name) for name in known)
        return float(self.leaks[self.names.index(target), mask])

    def worst(self) -> tuple[float, str, tuple[str, ...]]:
        """The largest leakage, its target and what that adversary knows."""
        i, mask = np.unravel_index(int(np.nanargmax(self.leaks)), self.leaks.shape)
        known = tuple(name for j, name in enumerate(self.names) if int(mask) >> j & 1)
        return float(self.leaks[i, mask]), self.names[int(i)], known


def pdp_nodes(belief: Joint, weights: Sequence[Weight], scale: float) -> Nodes:
    """Every adversary's leakage from sum_i f_i(x_i) + Laplace(scale)."""
    names, sizes = belief.domain.names, belief.domain.sizes
    if len(weights) != len(names) or not 0 < scale < math.inf:
        raise InputError(f"nodes: {len(weights)} weights for {len(names)} variables, scale {scale}")
    terms = [term(belief.domain, w, name) for w, name in zip(weights, names, strict=True)]
    if sum(float(np.ptp(term)) for term in terms) > RANGE * scale:
        raise InputError(f"nodes: sums range over more than {RANGE:g} times the noise")
    if math.prod(size + 1 for size in sizes) > CELLS:
        raise TooLarge(f"nodes: {len(names)} variables have too many adversaries to list")
    leaks = np.full((len(names), 2 ** len(names)), math.nan)
    everything = 2 ** len(names) - 1
    for unknown in _unknowns(belief.table, terms, 1 / scale):
        for axis, i in enumerate(unknown.rest):
            known = everything ^ unknown.mask ^ (1 << i)
            leaks[i, known] = unknown.leak(axis, terms[i])
    return Nodes(names, leaks)


@dataclass(frozen=True)
class UnknownSet:
    """T_U: ``table`` has an axis for each variable of ``rest``, then one for the sums ``points``.

    ``rate`` is one over the noise's scale.
    """

    mask: int
    rest: tuple[int, ...]
    points: Array
    table: Array
    rate: float
    shifted: dict[bytes, list[Array]] = field(default_factory=dict)

    def adding(self, axis: int, term: Array) -> UnknownSet:
        """T_{U+j}: sum over x_j, each value shifting the sums by its term."""
        shifted = self.points[None, :] + term[:, None]
        points, code = np.unique(shifted, return_inverse=True)
        code = code.reshape(shifted.shape)
        parts = np.moveaxis(self.table, axis, 0)
        table = np.zeros((*parts.shape[1:-1], len(points)))
        for part, at in zip(parts, code, strict=True):
            table[..., at] += part
        j = self.rest[axis]
        rest = self.rest[:axis] + self.rest[axis + 1 :]
        return UnknownSet(self.mask | 1 << j, rest, points, table, self.rate)

    def leak(self, axis: int, term: Array) -> float:
        """The largest log f(r|a, x_K) / f(r|b, x_K) over x_K, a, b and the support points r.

        An impossible value is NaN, which fmax passes over: settled targets leak nothing.
        """
        shifted = self._shifted(term)
        rows = [log[(slice(None),) * axis + (a,)] for a, log in enumerate(shifted)]
        distances = (np.abs(log_a - log_b) for log_a, log_b in itertools.combinations(rows, 2))
        return max(
            (float(np.fmax.reduce(d, axis=None, initial=0.0)) for d in distances), default=0.0
        )

    def _shifted(self, term: Array) -> list[Array]:
        """log f(r | x_rest) for r = s + term_a at all s and a, for each value of the target."""
        key = term.tobytes()
        if key not in self.shifted:
            at = np.unique(self.points[:, None] + term)
            self.shifted[key] = [self.log_likelihood(at - moved) for moved in term]
        return self.shifted[key]

    def log_likelihood(self, at: Array) -> Array:
        """log sum_s P(s | x_rest) e^-|r - s| at each r of ``at``; NaN where x_rest cannot be."""
        before = np.searchsorted(self.points, at, side="right")
        after = np.minimum(before, len(self.points) - 1)
        from_left = self._left_after(np.where(before > 0, at - self.points[before - 1], math.inf))
        inside = before < len(self.points)
        from_right = self._left_after(np.where(inside, self.points[after] - at, math.inf))
        left, right = self._messages
        with np.errstate(divide="ignore", invalid="ignore"):
            likelihood = left[..., before - 1] * from_left + right[..., after] * from_right
            log: Array = np.log(likelihood / self.table.sum(-1, keepdims=True))
        return log

    def _left_after(self, way: Array) -> Array:
        fallen: Array = np.exp(-self.rate * way)
        return fallen

    @cached_property
    def _messages(self) -> tuple[Array, Array]:
        """What the points up to each one, and those from it on, send there."""
        way = np.exp(self.rate * (self.points - self.points[0]))
        left = np.cumsum(self.table * way, axis=-1) / way
        right = np.cumsum((self.table / way)[..., ::-1], axis=-1)[..., ::-1] * way
        return left, right


def _unknowns(table: Array, terms: Sequence[Array], rate: float) -> Iterator[UnknownSet]:
    """Every U but the full set, each made once, from the one without its largest member."""
    stack = [UnknownSet(0, tuple(range(table.ndim)), np.zeros(1), table[..., None], rate)]
    while stack:
        unknown = stack.pop()
        yield unknown
        for axis, j in enumerate(unknown.rest):
            if unknown.mask >> j == 0 and len(unknown.rest) > 1:
                stack.append(unknown.adding(axis, terms[j]))
