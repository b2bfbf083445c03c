"""The leakage curves as functions of what is counted: eps itself, or p = 1 - e^-eps.

Everything is computed at some eps, since only so 1 - p = e^-eps keeps its digits near p = 1; u
stands for what is counted, and derivatives are by u. As a function of p every I_i is convex.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import DEEP, Curves, Jet
from unspoken.planning.problem import Objective

__all__ = ["ObjectiveCurves"]

# Beyond it 1 - p is next to denormal, <= 1e-299: as good as certain release.
CERTAIN = 690.0


@dataclass(frozen=True)
class ObjectiveCurves:
    """``objective``: "released" counts p, "epsilon" eps."""

    curves: Curves
    objective: Objective

    @property
    def n(self) -> int:
        return self.curves.n

    def take(self, index: Codes) -> ObjectiveCurves:
        """Some attributes."""
        return ObjectiveCurves(self.curves.take(index), self.objective)

    def of(self, epsilon: Array) -> Array:
        """u."""
        return epsilon if self.objective == "epsilon" else np.asarray(-np.expm1(-epsilon))

    def rate(self, epsilon: Array) -> Array:
        """du/deps."""
        ones = self.objective == "epsilon"
        return np.ones_like(epsilon) if ones else np.asarray(np.exp(-epsilon))

    def gain(self, weights: Array, epsilon: Array) -> float:
        """sum w_i u_i; a weight of 0 gains nothing, even from eps = inf."""
        with np.errstate(invalid="ignore"):
            return math.fsum(np.where(weights > 0.0, weights * self.of(epsilon), 0.0).tolist())

    def within(self, caps: Array) -> Array:
        """Caps as far as floats tell them apart."""
        return caps if self.objective == "epsilon" else np.minimum(caps, CERTAIN)

    @cached_property
    def starts_convex(self) -> Codes:
        """The attributes whose curve is convex at 0; concave there means concave for ever."""
        at_zero = self.curves.slope_at_zero if self.objective == "epsilon" else 0.0
        return np.flatnonzero(self.curves.curvature_at_zero > at_zero)

    def jet(self, epsilon: Array) -> Jet:
        """I, dI/du and d2I/du2: by eps s I' and s (s I'' - I'), s = e^-eps."""
        jet = self.curves.jet(epsilon)
        if self.objective == "released":
            return jet
        s = np.exp(-epsilon)
        with np.errstate(invalid="ignore", over="ignore"):
            slope = np.where(s > 0.0, s * jet.slope, 0.0)
            # Where s^2 is no float any more, the curve has long been concave.
            first = np.where(epsilon < DEEP, s * (s * jet.curvature), 0.0)
        return Jet(jet.leakage, slope, first - slope)
