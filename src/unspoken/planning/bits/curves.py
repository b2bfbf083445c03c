"""The leakage curves I_i of eq. 21 for many attributes at once, with two derivatives.

Write p = 1 - e^-eps, A = P(X_i=1 | V=v) for a value v of one target, q = P(X_i=1) = E[A] and
g = A - q. Then, with h of numerics.entropy,

    I(p)   = sum_v P(v) [p q h(g/q) + (1-pq) h(x)],  x = -p g / (1-pq),  1+x = (1-pA) / (1-pq)
    I'(p)  = I'(0) + (1/p) sum_v P(v) [(1-pq) h(x) + x - log(1+x)],  I'(0) = sum_v P(v) q h(g/q)
    I''(p) = sum_v P(v) g^2 / (1-pA) / (1-pq)^2

Every term is >= 0, so nothing cancels: the relative error stays near 1e-15, where the formula as
printed (a difference of two entropies) loses every digit for tiny eps or weak dependence.
Everything is a function of eps, because only so 1 - p = e^-eps keeps its digits near p = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.entropy import h, h_given

# The relative error allowed for in a leakage, slope or curvature (measured in the tests: < 1e-14).
ERROR = 1e-13
# An attribute released more rarely is taken as constant, for 1/q overflows. It hides < 1e-296 nats.
RARE = 1e-300
# From here on e^-eps is denormal or 0, so log(1-pA) is taken from eps itself where A = 1.
DEEP = 700.0


class Jet(NamedTuple):
    """I, dI/dp and d2I/dp2 of every attribute at one point."""

    leakage: Array
    slope: Array
    curvature: Array


class Terms(NamedTuple):
    """The fields of Curves, made safe to compute with.

    Terms that leak nothing have weight 0, g 0 and A 0, and q is strictly between 0 and 1.
    """

    q: Array
    weight: Array
    a: Array
    b: Array
    gap: Array


@dataclass(frozen=True)
class Curves:
    """I_i(p_i) of eq. 21 for n attributes at once, in nats.

    That is the information attribute i's bit M_i gives about itself and every dependent target.
    Terms are stored flat, attribute after attribute: attribute i owns the terms from start[i] up to
    start[i+1] (the last one owns the rest), at least one each. A term stands for one value v of one
    target; the two values of X_i itself (A = 0 and A = 1) are among them.

    q       P(X_i=1), per attribute
    start   the first term of each attribute (n entries)
    weight  P(V=v), per term
    a, b    P(X_i=1 | V=v) and P(X_i=0 | V=v), kept apart so that neither is a rounded 1 - the other
    gap     a - q, kept apart because it may be far smaller than either
    """

    q: Array
    start: Codes
    weight: Array
    a: Array
    b: Array
    gap: Array

    @property
    def n(self) -> int:
        """How many attributes."""
        return len(self.q)

    @cached_property
    def owner(self) -> Codes:
        """The attribute each term belongs to."""
        return np.repeat(np.arange(self.n), self._lengths)

    @cached_property
    def slope_at_zero(self) -> Array:
        """I'(0) = sum_v P(v) q h(g/q): the least any unit of release probability costs."""
        q, weight, _, _, gap = self._terms
        q = q[self.owner]
        return self._sums(weight * (q * h(gap / q)))

    @cached_property
    def curvature_at_zero(self) -> Array:
        """I''(0) = sum_v P(v) g^2, the variances of A: the least curvature anywhere."""
        return self._sums(self._terms.weight * self._terms.gap**2)

    def leakage(self, epsilon: Array) -> Array:
        """I_i at p = 1 - e^-epsilon; epsilon may be inf. 0 throughout where q = 0 or q = 1."""
        return self.jet(epsilon).leakage

    def total(self, epsilon: Array) -> float:
        """sum_i I_i rounded up by ERROR, so never below the truth."""
        nearest = math.fsum(self.leakage(epsilon).tolist())
        return math.nextafter(nearest * (1.0 + ERROR), math.inf) if nearest > 0.0 else 0.0

    def jet(self, epsilon: Array) -> Jet:
        """All three at once: they share the logarithms, which are what costs.

        Slope and curvature are inf at epsilon = inf where some value makes X_i = 1 certain, as its
        own does; the curvature also where it exceeds the floats (epsilon near 700).
        """
        q, weight, a, b, gap = self._terms
        owner = self.owner
        kept = np.exp(-epsilon)  # 1 - p
        p = -np.expm1(-epsilon)
        outside = (1.0 - q) + q * kept  # 1 - pq
        withheld = b + a * kept[owner]  # 1 - pA
        x = (-p / outside)[owner] * gap
        grown, logarithm = self._log(epsilon, outside, withheld, x)
        mean = self._sums(weight * h_given(x, grown, logarithm))
        # 1 - pA = 0 only where p = A = 1, and there inf is meant (a dead term: 0 * 1).
        with np.errstate(divide="ignore", over="ignore"):
            crossed = self._sums(weight * (x * logarithm))
            curvature = self._sums(weight * gap * (gap / withheld)) / outside**2
        # x - log(1+x) = x log(1+x) - h(x), of which `crossed` is the first part.
        rise = (outside * mean + (crossed - mean)) / np.where(p > 0.0, p, 1.0)
        return Jet(p * self.slope_at_zero + outside * mean, self.slope_at_zero + rise, curvature)

    def take(self, index: npt.NDArray[np.intp | np.bool_]) -> Curves:
        """The curves of some attributes, in the order given (or a mask)."""
        chosen = np.arange(self.n)[index]
        lengths = self._lengths[chosen]
        start = np.cumsum(lengths) - lengths
        terms = np.repeat(self.start[chosen] - start, lengths) + np.arange(lengths.sum())
        flat = (values[terms] for values in (self.weight, self.a, self.b, self.gap))
        part = Curves(self.q[chosen], start, *flat)
        # Known already; the part would spend as long on it as on a whole evaluation.
        part.__dict__["slope_at_zero"] = self.slope_at_zero[chosen]
        return part

    def _log(
        self, epsilon: Array, outside: Array, withheld: Array, x: Array
    ) -> tuple[Array, Array]:
        """1+x and its logarithm: from x while moderate, from (1-pA)/(1-pq) where x is near -1."""
        grown, logarithm = 1.0 + x, np.empty_like(x)
        deep = x < -0.5
        np.log1p(x, out=logarithm, where=~deep)
        there = np.flatnonzero(deep)
        mine = self.owner[there]
        grown[there] = withheld[there] / outside[mine]
        # log(a s / (1-pq)) with s underflown; a = 1 - b is 1 wherever b is 0.
        lost = (epsilon[mine] > DEEP) & (self._terms.b[there] == 0.0)
        with np.errstate(divide="ignore"):  # log 0 = -inf is meant
            far = np.log(grown[there])
        logarithm[there] = np.where(lost, -epsilon[mine] - np.log(outside[mine]), far)
        return grown, logarithm

    def _sums(self, values: Array) -> Array:
        """The sum over each attribute's terms."""
        return np.add.reduceat(values, self.start) if self.n else np.zeros(0)

    @cached_property
    def _lengths(self) -> Codes:
        """How many terms each attribute owns."""
        return np.diff(self.start, append=len(self.weight))

    @cached_property
    def _terms(self) -> Terms:
        """The fields, with everything that leaks nothing taken out of the way of 0/0."""
        varies = (self.q > RARE) & (self.q < 1.0)
        leaks = varies[self.owner] & (self.weight > 0.0) & (self.gap != 0.0)
        if leaks.all():
            return Terms(self.q, self.weight, self.a, self.b, self.gap)
        weight, a, gap = (np.where(leaks, x, 0.0) for x in (self.weight, self.a, self.gap))
        return Terms(np.where(varies, self.q, 0.5), weight, a, np.where(leaks, self.b, 1.0), gap)
