"""Noise with one or two exponential tails, as finite channels that tell exactly as much, or nearly.

Let the noise-free answer s lie in a finite set. Between two neighbours u < v of any set of nodes
that contains it, the likelihood of an answer r is

    e^{-k|r-s|} = [sinh k(v-r) e^{-k|u-s|} + sinh k(r-u) e^{-k|v-s|}] / sinh k(v-u)   for every s,

so what r tells is a mixture of what u and v tell: *nodes* (seeing u or v in its place, with the
mass these mixtures give them) tell at least as much as the answer, and *cells* (seeing only that r
lies between u and v) at most as much. Both are finite; they meet as nodes are added. A quasi-convex
measure is largest at a node, and since the supports are nodes, its largest value is exact.

Geometric noise on whole answers *is* the nodes at all whole numbers: there nothing is lost at all,
and new nodes between them would be wrong: they lead to Laplace noise, which tells less.

Of noise that only takes away, e^{-k(s-r)} for r <= s, an answer r in (u, v] is impossible for s
<= u and e^{-k(v-r)} times as likely as v for every other s: it tells what v tells. So the
noise-free answers *are* what is seen, v with (1 - e^{-k(v-u)}) e^{-k(s-v)}, and nothing is lost.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.ring import RANGE
from unspoken.core.numerics.rounding import UNIT, Rounding
from unspoken.core.types.likelihood import Likelihood

__all__ = ["Bins", "Noise", "rounded", "through"]

# Up to here what noise takes away is small, and kept as such: 1 - e^{-kd} has the digits of d.
NEAR = 1.0
# In logs, so many nats from point to point are added up at a time.
STRETCH = 32.0
# Whole answers are listed one by one while there are at most so many.
WHOLE = 2**16


@dataclass(frozen=True)
class Bins:
    """What is seen instead of a noisy answer: ``weight`` e^{-rate distance}, to [low, high].

    ``one_sided``: of noise-free answers at or above them only.
    """

    low: Array
    high: Array
    weight: Array
    rate: float
    one_sided: bool = False

    @classmethod
    def nodes(cls, nodes: Array, rate: float) -> Bins:
        """One of these numbers; a half-line beyond the outermost tells what its end tells."""
        shares = np.tanh(np.concatenate([[math.inf], rate * np.diff(nodes), [math.inf]]) / 2)
        return cls(nodes, nodes, (shares[:-1] + shares[1:]) / 2, rate)

    @classmethod
    def cells(cls, nodes: Array, rate: float) -> Bins:
        """Between which of these numbers the answer lies."""
        ends = np.concatenate([[-math.inf], nodes, [math.inf]])
        return cls(ends[:-1], ends[1:], -np.expm1(-rate * np.diff(ends)) / 2, rate)

    @classmethod
    def below(cls, nodes: Array, rate: float) -> Bins:
        """Up to which of these numbers the answer comes, where noise only takes away."""
        return cls(nodes, nodes, -np.expm1(-rate * np.diff(nodes, prepend=-math.inf)), rate, True)

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True)
class Noise:
    """Density or mass proportional to e^{-rate |r - s|}; ``whole``: on whole numbers only.

    ``one_sided``: it only takes away, so that no r is above s.
    """

    rate: float
    whole: bool = False
    one_sided: bool = False

    @property
    def moves(self) -> float:
        """By how much a likelihood may move, in nats, as s does by 1."""
        return math.inf if self.one_sided else self.rate

    def kernel(self, away: Array) -> Array:
        """What r - s is as likely as, but for a factor."""
        fallen: Array = np.exp(-self.rate * np.abs(away))
        return np.where(away > 0, 0.0, fallen) if self.one_sided else fallen

    def at(self, answer: float, points: Array) -> Array | None:
        """What one answer tells as much as; None: it cannot be, from any of these points."""
        if not self.one_sided:
            return np.clip([answer], points[0], points[-1])  # further out no more is told
        return points[points >= answer][:1] if answer <= points[-1] else None

    def nodes(self, points: Array) -> Array:
        """Where the largest value of a measure is to be looked for.

        Of whole answers all, while they are few: then they are what is seen, and means exact too.
        """
        if self.one_sided or not self.whole or points[-1] - points[0] >= WHOLE:
            return points
        return np.arange(points[0], points[-1] + 1)

    def sample(self, rng: np.random.Generator, rows: int) -> Array:
        """Draws of the noise alone, for simulation."""
        if self.one_sided:
            taken = rng.geometric(-math.expm1(-self.rate), size=rows)
            return np.asarray(1 - taken, dtype=np.float64)
        if not self.whole:
            drawn: Array = rng.laplace(scale=1 / self.rate, size=rows)
            return drawn
        up, down = rng.geometric(-math.expm1(-self.rate), size=(2, rows))
        whole: Array = (up - down).astype(np.float64)
        return whole

    def finer(self, nodes: Array, pieces: Codes) -> Array:
        """Each cell in so many equal ones; of whole answers into whole numbers."""
        first = np.repeat(np.cumsum(pieces) - pieces, pieces)
        along = np.arange(len(first)) - first
        new = np.repeat(nodes[:-1], pieces) + along * np.repeat(np.diff(nodes) / pieces, pieces)
        return np.unique(np.append(np.floor(new) if self.whole else new, nodes[-1]))

    def lists(self, nodes: Array) -> bool:
        """Whether the nodes are the answers themselves."""
        return self.one_sided or (self.whole and bool((np.diff(nodes) <= 1).all()))

    def at_least(self, nodes: Array) -> Bins:
        """What tells at least as much as the answer."""
        return (Bins.below if self.one_sided else Bins.nodes)(nodes, self.rate)

    def at_most(self, nodes: Array) -> Bins:
        """What tells at most as much: all nodes, if they are the answers, else cells.

        A whole answer can be blurred into Laplace's, of which cells tell no more.
        """
        return self.at_least(nodes) if self.lists(nodes) else Bins.cells(nodes, self.rate)


def through(law: Likelihood, points: Sequence[Array], bins: Sequence[Bins]) -> Likelihood:
    """What is seen of the noisy queries: ``law`` keeps (variables ..., s_1, ..., s_q), shows y.

    Outcomes of the result run over y, then over the bins of each query, the last one fastest.
    """
    kept = law.prior.ndim - len(points)
    queries = tuple(range(kept, law.prior.ndim))
    prior = law.prior.sum(queries)
    log_weight = np.zeros(1)
    with np.errstate(divide="ignore"):  # a bin too narrow for noise so wide has weight 0
        for axis_bins in bins:
            log_weight = np.add.outer(log_weight, np.log(axis_bins.weight)).ravel()
    spans = sum(
        axis_bins.rate * (at[-1] - at[0]) for at, axis_bins in zip(points, bins, strict=True)
    )
    if law.in_logs or spans + _smallest(law.prior) > RANGE:
        return _in_logs(law, points, bins, log_weight)
    mass = law.prior[..., None] * np.exp(law.log_common) + law.excess
    mass = np.moveaxis(mass, -1, kept)  # (kept ..., y, s_1, ..., s_q)
    near = spans <= NEAR and not any(axis_bins.one_sided for axis_bins in bins)
    seen, lost = mass, np.zeros_like(mass) if near else None
    for axis, (at, axis_bins) in enumerate(zip(points, bins, strict=True), start=kept + 1):
        seen, taken = _spread(seen, axis, at, axis_bins, near)
        if lost is not None and taken is not None:
            lost = np.repeat(lost.sum(axis, keepdims=True), len(axis_bins), axis) + taken
    flat = (*seen.shape[: kept + 1], -1)
    if lost is not None:
        parts = law.excess.sum(queries)[..., None] - lost.reshape(flat)
        log_common = np.add.outer(law.log_common, log_weight).ravel()
    else:
        parts = seen.reshape(flat)
        log_common = np.full(parts.shape[-1] * parts.shape[-2], -np.inf)
    excess = (parts * np.exp(log_weight)).reshape(*prior.shape, -1)
    return Likelihood(prior, log_common, excess, in_logs=False)


def rounded(
    points: Sequence[Array],
    bins: Sequence[Bins],
    off: Sequence[float],
    beside: Rounding | None = None,
) -> Rounding:
    """What is behind `through`, beyond the law's own numbers; ``off``: of each query's points,
    ``beside``: what is behind channels that are seen too.

    Running sums over the points of a query, on both sides; what is lost or seen is e^-x or 1 -
    e^-x, x up to ``reach`` noise scales rounded three times, thrice (in logs a stretch is added and
    taken off). Points that are off by delta change every e^-x by rate delta of itself at both ends,
    absolutely where 1 - e^-x is kept. What wide noise takes is subtracted from what channels tell,
    and both are at most e of what is left: that is off by twice as much of the whole.
    """
    spans = sum(
        axis_bins.rate * (at[-1] - at[0]) for at, axis_bins in zip(points, bins, strict=True)
    )
    reach = spans if spans <= RANGE else 0.0
    whole = (
        sum(2.0 * axis_bins.rate * each for axis_bins, each in zip(bins, off, strict=True)) / UNIT
    )
    parts = 2.0 * math.prod(map(len, points)) + 12.0 + 9.0 * reach
    if beside is not None and spans <= NEAR:
        whole += 6.0 * (parts + beside.parts)
    gaps = [axis_bins.rate * np.diff(at) for at, axis_bins in zip(points, bins, strict=True)]
    logs = sum(min(STRETCH, float(gap[gap <= STRETCH].sum())) for gap in gaps)
    return Rounding(parts, whole, logs)


def _smallest(prior: Array) -> float:
    return float(-np.log(prior[prior > 0].min()))


def _spread(
    mass: Array, axis: int, points: Array, bins: Bins, near: bool
) -> tuple[Array, Array | None]:
    """sum_s P(s) e^{-k d(s, bin)}, and sum_s P(s) (1 - e^{-k d(s, bin)}) without a difference.

    The second only where noise is wide (``near``): elsewhere nobody needs it.
    """
    mass = np.moveaxis(mass, axis, -1)
    if bins.one_sided:
        above = len(points) - np.searchsorted(points, bins.low)
        right = Arrivals.of(mass[..., ::-1], -points[::-1], -bins.high, above, bins.rate)
        return np.moveaxis(right.seen(), -1, axis), None
    before = np.searchsorted(points, bins.low, side="right")  # how many points lie on the left
    left = Arrivals.of(mass, points, bins.low, before, bins.rate)
    after = len(points) - before
    right = Arrivals.of(mass[..., ::-1], -points[::-1], -bins.high, after, bins.rate)
    seen = np.moveaxis(left.seen() + right.seen(), -1, axis)
    return seen, np.moveaxis(left.lost() + right.lost(), -1, axis) if near else None


@dataclass(frozen=True)
class Arrivals:
    """What the points on the left of each place send there; ``steps`` between points, in nats.

    At the points themselves L_i = sum_{j <= i} P_j e^{-k(s_i - s_j)} is a running sum, and what is
    lost on the way, U_i = sum_{j <= i} P_j - L_i, too: a step takes (1 - e^{-k step}) of what was
    left.
    """

    at_points: Array
    steps: Array
    last: Codes
    way: Array  # from the last point on the left; infinite where there is none

    @classmethod
    def of(cls, mass: Array, points: Array, at: Array, before: Codes, rate: float) -> Arrivals:
        """The first ``before`` points lie on the left of ``at``."""
        from_first = rate * (points - points[0])
        arrived = np.cumsum(mass * np.exp(from_first), axis=-1)
        arrived *= np.exp(-from_first)
        last = np.maximum(before - 1, 0)
        way = rate * np.where(before > 0, at - points[last], math.inf)
        return cls(arrived, rate * np.diff(points), last, way)

    def seen(self) -> Array:
        here: Array = self.at_points[..., self.last] * np.exp(-self.way)
        return here

    def lost(self) -> Array:
        taken = np.cumsum(self.at_points[..., :-1] * -np.expm1(-self.steps), axis=-1)
        lost = np.concatenate([np.zeros_like(self.at_points[..., :1]), taken], axis=-1)
        further = lost[..., self.last] - self.at_points[..., self.last] * np.expm1(-self.way)
        return np.where(np.isinf(self.way), 0.0, further)


def _in_logs(
    law: Likelihood, points: Sequence[Array], bins: Sequence[Bins], log_weight: Array
) -> Likelihood:
    """The same where numbers leave the range of floats; leakages are not small then."""
    kept = law.prior.ndim - len(points)
    with np.errstate(divide="ignore"):
        log_prior = np.log(law.prior)
        log_excess = law.excess if law.in_logs else np.log(law.excess)
    seen = np.moveaxis(np.logaddexp(log_prior[..., None] + law.log_common, log_excess), -1, kept)
    for axis, (at, axis_bins) in enumerate(zip(points, bins, strict=True), start=kept + 1):
        moved = np.moveaxis(seen, axis, -1)
        before = np.searchsorted(at, axis_bins.low, side="left" if axis_bins.one_sided else "right")
        after = len(at) - before
        log_excess = _log_from_left(
            moved[..., ::-1], -at[::-1], -axis_bins.high, after, axis_bins.rate
        )
        if not axis_bins.one_sided:
            left = _log_from_left(moved, at, axis_bins.low, before, axis_bins.rate)
            log_excess = np.logaddexp(left, log_excess)
        seen = np.moveaxis(log_excess, -1, axis)
    excess = seen.reshape(*seen.shape[: kept + 1], -1) + log_weight
    excess = excess.reshape(*excess.shape[:kept], -1)
    prior = law.prior.sum(tuple(range(kept, law.prior.ndim)))
    return Likelihood(prior, np.full(excess.shape[-1], -np.inf), excess, in_logs=True)


def _log_from_left(mass: Array, points: Array, at: Array, before: Codes, rate: float) -> Array:
    arrived = _log_arrived(mass, points, rate)
    last = np.maximum(before - 1, 0)
    way = rate * np.where(before > 0, at - points[last], math.inf)
    log_here: Array = np.where(before > 0, arrived[..., last] - way, -np.inf)
    return log_here


def _log_arrived(mass: Array, points: Array, rate: float) -> Array:
    """log sum_{j <= i} P_j e^{-k(s_i - s_j)}, in stretches no longer than STRETCH.

    k(s_i - s_1) is added and taken off again, and what it rounds away grows with it: from far away
    comes only what the point before sends.
    """
    gaps = rate * np.diff(points)  # not from the first point: far away near ones look the same
    far = gaps > STRETCH
    run = np.cumsum(np.where(far, 0.0, gaps)) // STRETCH
    starts = np.flatnonzero(np.append(True, far | (np.diff(run, prepend=0.0) > 0))).tolist()
    arrived = np.empty_like(mass)
    for start, end in itertools.pairwise([*starts, len(points)]):
        stretch = arrived[..., start:end]
        stretch[...] = mass[..., start:end]
        if start:
            sent = arrived[..., start - 1] - rate * (points[start] - points[start - 1])
            stretch[..., 0] = np.logaddexp(stretch[..., 0], sent)
        along = rate * (points[start:end] - points[start])
        stretch[...] = np.logaddexp.accumulate(stretch + along, axis=-1) - along
    return arrived
