"""The items among which a limit is divided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import ERROR, Curves, Jet
from unspoken.planning.bits.envelope import Envelope, envelope, inverse, rise
from unspoken.planning.bits.objective_curves import ObjectiveCurves
from unspoken.planning.bits.relaxation import MEETS, Relaxed, Smooth

# e^-eps is 0 beyond it: no curve rises any more.
FARTHEST = 750.0
# Roots are found to this share of where they lie.
TIGHT = 1e-14
# What a search may cost unless told otherwise: some seconds, counted in evaluations of one term.
# And what one round of a search costs: at all, per attribute, and per term of a smooth one 1.
WORK, EACH, PER_ITEM = 5e7, 5e3, 4


@dataclass(frozen=True)
class Certified:
    """What a search hands back: a feasible point, a bound, and the price of the limit."""

    epsilon: Array
    upper: float
    price: float


@dataclass(frozen=True)
class Items:
    """The attributes that share the limit: weight > 0, some leakage, too much of it together."""

    curves: ObjectiveCurves
    weights: Array
    caps: Array
    ends: Array
    limit: float

    @classmethod
    def of(cls, curves: ObjectiveCurves, weights: Array, caps: Array, limit: float) -> Items:
        """With the ends up to which each item has to be looked at."""
        return cls(curves, weights, caps, _ends(curves, caps, limit), limit)

    @cached_property
    def smooth(self) -> Smooth:
        """The items that start convex."""
        return Smooth.of(self.curves, self.weights)

    @cached_property
    def root(self) -> Envelope:
        """The envelopes over the whole box."""
        return envelope(self.curves, np.zeros(self.curves.n), self.ends)

    @property
    def bounded(self) -> bool:
        """Whether floats can tell that every attribute without a cap ends somewhere."""
        return bool(np.all((self.ends < FARTHEST) | np.isfinite(self.caps)))

    def gain(self, epsilon: Array) -> float:
        """What a point is worth."""
        return float(self.weights @ self.curves.of(epsilon))

    def kept(self, epsilon: Array) -> Array:
        """The point, or one just inside it, so that the limit is kept in floats."""
        less = ERROR
        while self.curves.curves.total(epsilon) > self.limit:
            epsilon, less = epsilon * (1.0 - less), 2.0 * less
        return epsilon

    def completed(self, env: Envelope, at: Relaxed) -> Array:
        """The relaxation's point with one item as far up its true curve as the limit lets it go."""
        k = at.last
        if k is None:
            return at.epsilon
        room = np.array([self.limit * (1.0 - MEETS) - float(np.sum(np.delete(at.leakage, k)))])
        item, lo, hi = self.curves.take(np.array([k])), env.lo[[k]], env.hi[[k]]
        moved = at.epsilon.copy()
        moved[k] = inverse(item, room, lo, hi, TIGHT * hi)[0]
        return moved

    def affordable(self, rounds: int) -> int:
        """How many looks of so many rounds WORK allows: counted, not timed, so always the same."""
        terms = len(self.smooth.curves.curves.weight)
        return int(WORK / (rounds * (EACH + PER_ITEM * self.curves.n + terms)))


def _ends(curves: ObjectiveCurves, caps: Array, limit: float) -> Array:
    """The caps, or where the curve alone uses up the limit if that comes first; rounded up.

    I is convex in p, so I'(0) p <= I(p) <= p I(p') / p' for p <= p'; that brackets the root. Where
    envelopes are the curves themselves, it need not be near.
    """
    if curves.objective == "released":
        return farthest(curves.curves, caps, 2.0 * limit)
    most = curves.curves.leakage(caps)
    long = np.flatnonzero(most > limit)
    part, ends = curves.take(long), np.where(np.isinf(caps), FARTHEST, caps)
    aim = limit * (1.0 + MEETS)
    with np.errstate(divide="ignore"):
        least = -np.log1p(np.expm1(-caps[long]) * limit / most[long])
    high = np.minimum(farthest(part.curves, caps[long], aim), FARTHEST)

    def over(here: Jet, _: Array, __: Codes) -> tuple[Array, Array]:
        return here.leakage - aim, here.slope

    low = np.minimum(least * (1.0 - TIGHT), high)
    roots = rise(part, over, low, high, low, TIGHT * low)
    ends[long] = np.minimum(roots * (1.0 + 4.0 * TIGHT), ends[long])
    return ends


def farthest(curves: Curves, caps: Array, limit: float) -> Array:
    """No eps beyond it leaks so little, since I'(0) p <= I(p)."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        p = np.where(curves.slope_at_zero > 0.0, limit / curves.slope_at_zero, 1.0)
        return np.asarray(np.minimum(caps, -np.log1p(-np.minimum(p, 1.0)) * (1.0 + TIGHT)))
