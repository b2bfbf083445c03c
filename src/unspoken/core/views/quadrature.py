"""The mean of a divergence over one noisy answer, by Gauss's rule, and how far off that is at most.

Between two possible answers u < v, in units of the noise's scale and from their middle on, a class
s has likelihood f_s(r) = A_s e^-r + B_s e^r with A_s, B_s >= 0, and so has their mean p = sum_s
pi_s f_s. The density of what an answer r tells is

    g(r) = p(r) sum_s pi_s w_s log w_s / 2,    w_s = f_s / p.

Let r be complex with |Im r| <= eta < pi / 2. Then e^-r and e^r are 2 eta apart in angle at most, so

    |A e^-r + B e^r| >= cos(eta) (A |e^-r| + B |e^r|)    for all A, B >= 0;

nothing vanishes, g is analytic, |w_s| <= 1 / (pi_s cos eta), sum_s pi_s |w_s| <= 1 / cos eta and
|arg w_s| <= 2 eta. With |w log |w|| <= |w| log (1 / (pi_s cos eta)) + 1/e that gives

    |g(r)| <= p(Re r) C / 2,    C = [2 eta - log (cos eta min_s pi_s)] / cos eta + 1/e,

where p(Re r) <= e^d at a distance d from the cell, p being at most 1 in it and growing by e at most
in each unit. A cell of width H, cut out of the middle of which all r with |Im r| <= eta are, holds
the ellipse with foci at its ends and half-axes H/2 cosh t and eta = H/2 sinh t: rho = e^t, and d =
H/2 (cosh t - 1). There the Chebyshev coefficients of g are at most 2 max |g| rho^-k; N points of
Gauss integrate the first 2N of them exactly, and of each further one get at most 4 wrong, so

    |error| <= H/2 sum_{k >= 2N} 8 max |g| rho^-k / 2 <= H C e^d rho^-2N / (1 - 1/rho).

Beyond the outermost answers what is told does not change, so the tails are had exactly. The same
holds if other outputs are seen beside the answer: their p add up to 1 at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.types.noise import Bins

__all__ = ["Quadrature"]

# The half-height of the ellipses: what is gained by more, cos(eta) loses.
HEIGHT = 1.3
# Cells are cut into pieces of this width at most, in units of the scale; so many are too many.
WIDE, PIECES = 2.0, 2**14
# Narrower ones count as that wide.
NARROW = 1e-300
# Points of one piece: of more another order of magnitude takes next to nothing.
MOST = 64


@dataclass(frozen=True)
class Quadrature:
    """``bins``: where the answer is looked at, with Gauss's weights; ``apart``: error over C."""

    bins: Bins
    apart: float

    @classmethod
    def of(cls, points: Array, rate: float, allowed: float) -> Quadrature | None:
        """With ``apart`` at most as allowed; None where that takes too many points."""
        widths = np.maximum(rate * np.diff(points), NARROW)
        pieces = np.maximum(np.ceil(widths / WIDE), 1.0)
        if not pieces.sum() <= PIECES:
            return None
        parts = pieces.astype(np.intp)
        width = np.repeat(widths / pieces, parts)
        first = np.repeat(np.cumsum(parts) - parts, parts)
        left = np.repeat(points[:-1], parts) + (np.arange(len(width)) - first) * width / rate
        log_factor, log_rho = _ellipses(width)
        wanted = (log_factor - math.log(allowed / max(len(width), 1))) / (2 * log_rho)
        counts = np.maximum(np.ceil(wanted), 1.0)
        if counts.max(initial=0.0) > MOST:
            return None
        at, weight = [points[:1], points[-1:]], [np.array([0.5]), np.array([0.5])]
        for count in np.unique(counts).astype(int).tolist():
            here = counts == count
            x, w = _gauss(count)
            at.append((left[here, None] + (width[here, None] / rate) * (x + 1) / 2).ravel())
            weight.append((width[here, None] * w / 4).ravel())
        apart = float(np.exp(log_factor - 2 * counts * log_rho).sum())
        places = np.concatenate(at)
        return cls(Bins(places, places, np.concatenate(weight), rate), apart)

    def error(self, prior: Array) -> Array:
        """By how much each context's mean may be off, given its prior over classes."""
        least = np.where(prior > 0, prior, 1.0).min(-1)
        cos = math.cos(HEIGHT)
        c: Array = (2 * HEIGHT - np.log(cos * least)) / cos + math.exp(-1)
        return self.apart * c


def _ellipses(width: Array) -> tuple[Array, Array]:
    """log [H e^d / (1 - 1/rho)] and log rho for pieces of width H."""
    sinh = 2 * HEIGHT / width
    log_rho = np.arcsinh(sinh)
    beyond = HEIGHT * np.tanh(log_rho / 2)  # H/2 (cosh t - 1), as (cosh t - 1) / sinh t = tanh t/2
    return np.log(width) + beyond - np.log1p(-np.exp(-log_rho)), log_rho


@cache
def _gauss(count: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(count)
    return x, w
