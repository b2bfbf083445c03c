"""One noisy answer of a continuous belief: what it says of two values, held from both sides.

For one value the answer is S = N(0, v) + Laplace(b), for the other S + d. The density g of S is
log-concave, so the larger the answer, the larger rho = g(r - d) / g(r), from e^(-d/b) to e^(d/b).
With F(p, q) what an outcome adds to the mean if its probabilities are p and q (convex, and
F(cp, cq) = c F(p, q)):

- Cut anywhere. Told only on which side the answer lies one learns less: F of both sides.
- An outcome between two cuts is a mixture of two with the ratios at the cuts, so the mean is at
  most alpha F(rho_0, 1) + beta F(rho_1, 1), where alpha and beta have the cell's p and q.

A hockey-stick divergence is F = (p - e^eps q)_+, at least 0 and linear but where p = e^eps q. Cut
there, the first is exact, P(S + d > t) - e^eps P(S > t); with two cuts close by, the second differs
by the square of how close. Every divergence of this kind grows with d (beliefs/gaussian.py): the
widest pair is the worst.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.gauss_laplace import erfcx, log_ratio
from unspoken.core.types.posteriors import Posteriors
from unspoken.core.views.view import Convex

__all__ = ["RANGE", "Shifted", "tail"]

# With d / b up to RANGE and cuts REACH spreads further, no tail leaves the range of floats.
RANGE, REACH = 200.0, 30.0
# The relative error of a tail and of a ratio: what exponents up to 700 leave of the last digits.
TAIL = 1e-12
# So many places for the cut are tried, then so many times nearer ones.
PLACES, CLOSER = 17, 13
# How far on both sides of the cut nodes are set, as parts of the answer's spread.
BESIDE = (1e-4, 1e-5, 1e-6, 1e-7)


@dataclass(frozen=True)
class Shifted:
    """``apart``: d > 0, ``variance``: v, ``scale``: b."""

    apart: float
    variance: float
    scale: float

    def mean(self, f: Convex) -> tuple[float, float]:
        """The mean of the worst of f's functions, from below and from above.

        Turned round at d / 2 the two values change places, and so do two of the functions: cuts
        are set on both sides.
        """
        best, low = self._best_cut(f)
        sigma, high = math.sqrt(self.variance), math.inf
        spread = self.scale * sigma / (self.scale + sigma) if sigma else self.scale
        for beside in BESIDE:
            near = [best - beside * spread, best + beside * spread, self._far]
            nodes = np.unique([*near, *(self.apart - at for at in near)])
            high = min(high, self._above(f, nodes))
        return max(low, 0.0), high

    def _best_cut(self, f: Convex) -> tuple[float, float]:
        left, right = self.apart / 2, self._far
        for _ in range(CLOSER):
            places = np.linspace(left, right, PLACES)
            leaked = [self._below(f, at) for at in places.tolist()]
            k = int(np.argmax(leaked))
            best, low = float(places[k]), leaked[k]
            left, right = float(places[max(k - 1, 0)]), float(places[min(k + 1, PLACES - 1)])
        return best, low

    @property
    def _far(self) -> float:
        """Beyond it the tail is below e^-REACH."""
        return self.apart + REACH * (self.scale + math.sqrt(self.variance))

    def _tails(self, at: float) -> tuple[float, float]:
        """P(S + d > at) and P(S > at)."""
        v, b = self.variance, self.scale
        return tail(at - self.apart, v, b), tail(at, v, b)

    def _below(self, f: Convex, cut: float) -> float:
        """Which side of the cut; the tails' last digits turned against it, either way."""
        up, down = self._tails(cut), self._tails(self.apart - cut)[::-1]
        p, q = np.array([[up[0], down[0]], [up[1], down[1]]])
        first = _value(f, p * (1 - TAIL), q * (1 + TAIL)).sum(0)
        other = _value(f, p * (1 + TAIL), q * (1 - TAIL)).sum(0)
        return float(np.minimum(first, other).max())

    def _above(self, f: Convex, nodes: Array) -> float:
        """At the nodes and at both infinities, each cell's mass where it can be: F >= 0."""
        v, b, most = self.variance, self.scale, self.apart / self.scale
        logs = [log_ratio(at, self.apart, 0.0, v, b) for at in nodes.tolist()]
        rho = np.exp(np.array([-most, *logs, most]))
        low, high = rho[:-1] * (1 - TAIL), rho[1:] * (1 + TAIL)
        at_low, at_high = _value(f, low, np.ones(len(low))), _value(f, high, np.ones(len(high)))
        (least_p, most_p), (least_q, most_q) = self._cells(nodes, self.apart), self._cells(nodes, 0)
        alpha = np.clip((high * most_q - least_p) / (high - low), 0.0, most_q)[:, None]
        beta = np.clip((most_p - low * least_q) / (high - low), 0.0, most_q)[:, None]
        ends = most_q[:, None] * np.maximum(at_low, at_high)
        return float(np.minimum(alpha * at_low + beta * at_high, ends).sum(0).max())

    def _cells(self, nodes: Array, shift: float) -> tuple[Array, Array]:
        """P(S + shift in cell), at least and at most: differences of tails on their own side."""
        right = np.array([1.0, *(self._tail(at - shift) for at in nodes.tolist()), 0.0])
        left = np.array([0.0, *(self._tail(shift - at) for at in nodes.tolist()), 1.0])
        above = np.concatenate([[-math.inf], nodes]) >= shift
        cells = np.where(above, right[:-1] - right[1:], left[1:] - left[:-1])
        off = 2 * TAIL * np.where(above, right[:-1], left[1:])
        return np.maximum(cells - off, 0.0), np.maximum(cells, 0.0) + off

    def _tail(self, at: float) -> float:
        return tail(at, self.variance, self.scale)


def tail(t: float, variance: float, scale: float) -> float:
    """P(N(0, v) + Laplace(b) > t), to a relative error of TAIL above 1e-300.

    For t >= 0 it is [erfc(t / sqrt(2v)) - T(-t) / 2 + T(t) / 2] / 2 with T(t) = e^(v/2b^2 - t/b)
    erfc((v/b - t) / sqrt(2v)); what is subtracted is at most half of what it is taken from.
    """
    if t < 0:
        return 1.0 - tail(-t, variance, scale)
    if variance == 0:
        return math.exp(-t / scale) / 2
    far = math.erfc(t / math.sqrt(2 * variance)) - _term(-t, variance, scale) / 2
    return (far + _term(t, variance, scale) / 2) / 2


def _term(t: float, variance: float, scale: float) -> float:
    """T(t); with a square completed where its factors are far from 1 (numerics/gauss_laplace)."""
    z = (variance / scale - t) / math.sqrt(2 * variance)
    if z <= 0:
        return math.exp((variance / (2 * scale) - t) / scale) * math.erfc(z)
    return math.exp(-t * t / (2 * variance)) * erfcx(z)


def _value(f: Convex, p: Array, q: Array) -> Array:
    """F(p, q), a row for each outcome, a column for each function."""
    mass = (p + q) / 2
    lift = np.log(np.stack([p, q], axis=-1)) - np.log(mass)[:, None]
    after = Posteriors(np.array([[[0.5, 0.5]]]), lift[None], np.ones(2, dtype=bool))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.asarray(f(after), dtype=np.float64)[0]
    added: Array = values.reshape(len(mass), -1) * mass[:, None]
    return added
