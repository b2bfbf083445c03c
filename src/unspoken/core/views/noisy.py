"""The cloud of noisy answers: a continuum, held between two clouds that can be listed.

Nodes tell at least as much as the answers do, cells at most as much (types/noise.py). Whatever is
largest is so at a node, exactly; a mean lies between the cells' and the nodes', and nodes are added
where the two differ until they agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from unspoken.core.errors import InputError, NotKnown
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.rounding import ROUNDED, UNIT, gamma
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.noise import Bins, Noise
from unspoken.core.types.posteriors import Functional, Posteriors
from unspoken.core.types.sums import Sums
from unspoken.core.views.base import BaseView
from unspoken.core.views.blurred import RANGE, Shifted
from unspoken.core.views.finite import LOST, FiniteView
from unspoken.core.views.quadrature import Quadrature
from unspoken.core.views.segments import Evaluation, Segments, largest_of_concave
from unspoken.core.views.user_functions import (
    AT_ONCE,
    concave_sup_refused,
    refuse_nan,
    some_of,
    values_of,
)
from unspoken.core.views.view import Outcome

__all__ = ["NoisyView"]

# A mean is refined until its interval is this narrow, relative to itself ...
AGREED = 2e-10
# ... or until so many nodes are looked at, or more of them gain next to nothing (rounding).
NODES, GAINED = 2**18, 0.7
# By how much, relatively, rounding may turn the means over nodes and cells round.
SIDES = 1e-12
# Into how many pieces a cell is cut at once.
PIECES = 32
# The error of Gauss's rule that is tried first, and how much less is tried next, so many times.
DIGITS, FURTHER, ATTEMPTS = 1e-17, 64.0, 3


class NoisySource(Protocol):
    """What lists a cloud for any choice of bins."""

    @property
    def blurred(self) -> bool: ...
    @property
    def noises(self) -> tuple[Noise, ...]: ...
    @property
    def sums(self) -> Sums: ...
    def nodes(self, nodes: Sequence[Array]) -> tuple[Bins, ...]: ...
    def cells(self, nodes: Sequence[Array]) -> tuple[Bins, ...]: ...
    def room(self) -> float: ...
    def listed(self, bins: Sequence[Bins]) -> FiniteView: ...


@dataclass(frozen=True, repr=False, eq=False)
class NoisyView(BaseView):
    """``source`` lists the answers' clouds; ``points``: the noise-free values of each answer."""

    source: NoisySource
    points: tuple[Array, ...]

    @property
    def prior_known(self) -> bool:
        """Whether values have probabilities (of a continuous variable two are compared)."""
        return not self.source.blurred

    @property
    def events(self) -> list[tuple[Value, ...]]:
        return self.at_points.events

    @cached_property
    def at_points(self) -> FiniteView:
        return self.source.listed(self.source.nodes(self.points))

    def samples(self) -> Iterator[Posteriors]:
        """What answers without noise tell; all others are mixtures of neighbours among them."""
        yield self.at_points.posteriors

    def segments(self) -> Segments:
        """Of one answer, the segments that make up the cloud; otherwise some within it."""
        if self.source.blurred:
            raise NotKnown(
                "view: this belief compares two values without knowing their probabilities, so a "
                'function of posteriors has no value; ask for "max-log-ratio" or "delta"'
            )
        own = self._own_segments if len(self._open) == 1 else None
        return some_of(own) if own is not None and len(own) else super().segments()

    def _sup(self, f: Functional) -> Bound:
        if f.curvature == "piecewise":
            return self._sup_on_segments(f)
        bound = self.at_points.sup(f)
        if not self.source.blurred:
            return bound
        return replace(bound, why="approached, never reached, by answers far out on either side")

    def _worst(self, f: Functional) -> Outcome | None:
        return self.at_points.worst(f)

    def outcomes(self) -> list[Outcome]:
        """The possible points at which a measure can be largest."""
        return self.at_points.outcomes()

    def _mean(self, f: Functional) -> Bound:
        if self.source.blurred:
            return self._blurred_mean(f)
        smooth = self._smooth_mean(f) if f.reads == "divergence" else None
        if smooth is not None:
            return smooth
        nodes, before = self.points, math.inf
        while True:
            held = self._held(nodes, f)
            finer = self._finer(nodes, held) if AGREED * held.size < held.apart < before else None
            if finer is None:
                counts = " x ".join(f"{len(at)} nodes" for at in nodes)
                why = f"between {counts} and the cells between them"
                ends = min(held.low, held.high), held.high
                outer = self._outer(f, held) if f.outer else None
                return Bound.rounded(ends, outer, self.at_points.premise, why)
            nodes, before = finer, GAINED * held.apart if len(self._open) == 1 else math.inf

    def _outer(self, f: Functional, held: Enclosure) -> tuple[float, float]:
        above, below = held.off()
        above = above if math.isfinite(held.high) else 0.0
        below = below if math.isfinite(held.low) else 0.0
        high = held.high + above
        high = self.at_points.at_most(f, high) if above > LOST else high
        return max(min(held.low, held.high) - below, f.least), high

    def _smooth_mean(self, f: Functional) -> Bound | None:
        """By Gauss's rule, of one answer with Laplace noise; None where nodes do as well.

        The error that is allowed shrinks with what is found.
        """
        if len(self._open) != 1 or self.source.noises[self._open[0]].whole:
            return None
        (c,), allowed = self._open, DIGITS
        for _ in range(ATTEMPTS):
            rule = Quadrature.of(self.points[c], self.source.noises[c].rate, allowed)
            bins = list(self.source.nodes(self.points))
            if rule is None:
                return None
            bins[c] = rule.bins
            if math.prod(map(len, bins)) > self.source.room():
                return None
            view = self.source.listed(bins)
            means, moved = view.means(f)
            if not means.max() > 0:
                return None
            off = rule.error(view.lifts.prior)[:, None] + ROUNDED * means
            if float((means + off).max() - (means - off).max()) <= 4 * ROUNDED * means.max():
                why = f"at {len(rule.bins)} answers, by Gauss's rule"
                low, high = max(0.0, float((means - off).max())), float((means + off).max())
                outer = None
                if f.outer:
                    off += moved + self._misplaced(c) * (means + np.sqrt(2.0 * means))
                    outer = max(0.0, float((means - off).max())), float((means + off).max())
                return Bound.rounded((low, high), outer, self.at_points.premise, why)
            allowed = min(allowed, ROUNDED * float(means.max())) / FURTHER
        return None

    def _misplaced(self, c: int) -> float:
        """By how much Gauss's points are off, in noise scales: sums of three, as large as answers.

        Where likelihoods move by so much of themselves, D does by that times D + sqrt(2 D).
        """
        return 8.0 * UNIT * self.source.noises[c].rate * float(np.abs(self.points[c]).max())

    def _blurred_mean(self, f: Functional) -> Bound:
        """Of one answer: of the widest pair. Measures of the cloud compare classes two by two.

        A class of several values is a mixture, of which no more is told; from below it is not it.
        """
        high, premise = self.at_points.mean(f).high, self.at_points.premise
        rates = [noise.rate for noise in self.source.noises]
        apart = float(np.ptp(self.points[0]))
        if len(rates) > 1 or not 0 < rates[0] * apart < RANGE:
            why = "at most: told the answer but for the noise; from below nothing was looked for"
            return Bound(min(0.0, high), high, "nat", premise, why)
        sums, scale = self.source.sums, 1 / rates[0]
        (blur,), (off,) = sums.blur, sums.off  # the less blurred and the further apart, the more
        smooth, sharp = (blur.variance * math.exp(side * blur.eta) for side in (1, -1))
        low = Shifted(max(apart - 2 * off, 0.0), smooth, scale).mean(f)[0] if apart > 2 * off else 0
        above = Shifted(apart + 2 * off, sharp, scale).mean(f)[1]
        high = min(high, above)
        values = self.source.sums.table.size // len(self.points[0])
        low = low if len(self.at_points.classes) == values else 0.0
        why = "two values as far apart as any: between two answers told apart, and the nodes"
        return Bound(min(low, high), high, "nat", premise, why)

    @cached_property
    def _own_segments(self) -> Segments:
        """Of one answer: between neighbours of what it tells without noise, which all answers are
        mixtures of; for every context and whatever else is seen.
        """
        (c,), lifts = self._open, self.at_points.lifts
        after = math.prod(map(len, self.points[c + 1 :]))
        contexts, _, classes = lifts.log_lift.shape
        shape = (contexts, -1, len(self.points[c]), after)
        log_lift = lifts.log_lift.reshape(*shape, classes)
        possible = lifts.log_mass.reshape(shape) > -np.inf
        both = possible[:, :, 1:] & possible[:, :, :-1]
        prior = np.broadcast_to(lifts.prior[:, None, None, None], log_lift[:, :, 1:].shape)
        return Segments(
            prior[both], log_lift[:, :, :-1][both], log_lift[:, :, 1:][both], self.at_points.secret
        )

    def _sup_on_segments(self, f: Functional) -> Bound:
        """The largest of a function that is quasi-convex on some segments and concave on others."""
        if len(self._open) != 1:
            raise concave_sup_refused()
        at_ends = self.at_points.sup(replace(f, curvature="any")).outward()
        low, high = at_ends.low, at_ends.high
        for part in self._own_segments.chunks(AT_ONCE):
            looked_at = Evaluation.of(partial(values_of, f), part)
            between: Mask = np.asarray((looked_at.excess("quasi-convex") > 0).any(-1))
            if (looked_at.excess("concave")[between] > 0).any():
                raise concave_sup_refused()
            for k in range(looked_at.values.shape[-1] if between.any() else 0):
                below, above = largest_of_concave(partial(values_of, f, k=k), part.part(between))
                low, high = max(low, below), max(high, above)
        why = f"the largest on {len(self._own_segments)} segments that make up the cloud"
        return Bound(low, max(low, high), "nat", self.at_points.premise, why)

    def facts(self) -> list[tuple[str, str]]:
        return [*self.at_points.facts(), ("noise", "largest values lie at the answers listed")]

    @property
    def _open(self) -> list[int]:
        """Which answers are not listed one by one."""
        pairs = enumerate(zip(self.source.noises, self.points, strict=True))
        return [c for c, (noise, at) in pairs if not noise.lists(at)]

    def _held(self, nodes: tuple[Array, ...], f: Functional) -> Enclosure:
        """The mean between these nodes and their cells; cell by cell, if one answer is open.

        Of a convex function nodes have the larger mean, of a concave one cells.
        """
        at_least, at_most = self.source.nodes(nodes), self.source.cells(nodes)
        concave = f.curvature == "concave"
        if len(self._open) != 1:
            views = [self.source.listed(bins) for bins in (at_least, at_most)]
            (above, above_off), (below, below_off) = (
                view.means(f) for view in (views[::-1] if concave else views)
            )
            off = float(above_off.max()), float(below_off.max())
            held = Enclosure(float(above.max()), float(below.max()), np.zeros(0), 1, lambda: off)
            _check_sides(f, np.array([held.apart]), np.array([held.size]))
            return held
        (c,) = self._open
        sides = [_Shares(self.source.listed(bins), f, bins, c) for bins in (at_least, at_most)]
        gaps = self._gaps(nodes[c], at_least[c], (sides[0].of_bins, sides[1].of_bins), f)
        over, under = sides[::-1] if concave else sides
        high, low = (float(side.of_bins.sum(-1).max()) for side in (over, under))
        leading = over.of_bins.sum(-1) >= min(low, high)
        gaps = np.maximum(gaps[leading].max(0), 0.0)
        functions = sides[0].values.shape[-1]
        return Enclosure(high, low, gaps, functions, lambda: (over.off, under.off))

    @staticmethod
    def _gaps(nodes: Array, bins: Bins, shares: tuple[Array, Array], f: Functional) -> Array:
        """By how much the mean of each cell may be off, for each context and function.

        A cell's part of the nodes' mean is tanh(k width / 2) / 2 of each end's, for its own mass.
        """
        at_nodes, inside = shares
        # The weight is 0 where nodes are too near for noise so wide.
        ends = np.divide(at_nodes, bins.weight, out=np.zeros_like(at_nodes), where=bins.weight > 0)
        half = np.tanh(bins.rate * np.diff(nodes) / 2) / 2
        with np.errstate(invalid="ignore"):
            outside = half * (ends[:, 1:] + ends[:, :-1])
            gaps: Array = outside - inside[:, 1:-1]
        gaps = -gaps if f.curvature == "concave" else gaps
        if f.noise is None:
            return gaps
        _check_sides(f, gaps, np.abs(outside) + np.abs(inside[:, 1:-1]))
        finite: Array = np.where(np.isfinite(gaps), gaps, 0.0)
        return finite

    def _finer(self, nodes: tuple[Array, ...], held: Enclosure) -> tuple[Array, ...] | None:
        """More nodes, where they matter, as far as there is room."""
        noises, present = self.source.noises, math.prod(len(at) + 1 for at in nodes)
        room = min(NODES, self.source.room() / held.functions)
        allowed, single = AGREED * held.size / 2, len(self._open) == 1
        while allowed > 0:
            pieces = [np.ones(len(at) - 1, dtype=np.intp) for at in nodes]
            for c in self._open:
                widths = noises[c].rate * np.diff(nodes[c])
                wide = widths > widths.max(initial=0.0) / 2  # of several: all become equally wide
                pieces[c] = _split(held.gaps, allowed) if single else 1 + wide
            finer = tuple(
                noise.finer(at, p) for noise, at, p in zip(noises, nodes, pieces, strict=True)
            )
            wanted = math.prod(len(at) + 1 for at in finer)
            if wanted <= room or wanted <= present or not single:
                return finer if present < wanted <= room else None
            allowed *= 2
        return None


@dataclass(frozen=True)
class Enclosure:
    """A mean between two, by how much each cell keeps them apart, and for how many functions;
    ``off``: how far rounding may have moved either.
    """

    high: float
    low: float
    gaps: Array
    functions: int
    off: Callable[[], tuple[float, float]]

    @property
    def apart(self) -> float:
        return self.high - self.low

    @property
    def size(self) -> float:
        return max(abs(self.high), abs(self.low))


def _split(gaps: Array, allowed: float) -> Codes:
    """Into how many pieces to cut each cell, so that the gaps add up to what is allowed.

    A gap cut into m falls to gap / m^2 in all; the fewest pieces are m ~ gap^(1/3). Far from that
    regime more are of no use yet.
    """
    root = np.cbrt(gaps)
    pieces: Codes = np.ceil(root * np.sqrt(root.sum() / allowed)).astype(np.intp)
    return np.clip(pieces, 1, PIECES)


def _check_sides(f: Functional, gaps: Array, sizes: Array) -> None:
    """Refuse a user's function whose means over nodes and cells lie the wrong way round: it is not
    what it was taken for between the points that were looked at.
    """
    if f.noise is None:
        return
    with np.errstate(invalid="ignore"):
        wrong = gaps < -(SIDES * sizes + 64 * f.noise)
    if wrong.any():
        raise InputError(
            f"view.mean: the function looked {f.curvature} on the segments that were checked, but "
            f"by {-float(gaps[wrong].min()):.3g} it is not between closer points; give a convex or "
            "a concave function"
        )


class _Shares:
    """What each bin of answer c adds to the mean of f, for every context and function of f."""

    def __init__(self, view: FiniteView, f: Functional, bins: Sequence[Bins], c: int) -> None:
        mass = view.lifts.mass
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.asarray(f(view.posteriors), dtype=np.float64)
        values = values if values.ndim == 3 else np.broadcast_to(values, mass.shape)[..., None]
        if f.noise is not None:
            refuse_nan(values, view.posteriors, mass > 0)
        weighted = np.where(mass[..., None] > 0, values * mass[..., None], 0.0)
        after = math.prod(map(len, bins[c + 1 :]))
        shape = (len(mass), -1, len(bins[c]), after, values.shape[-1])
        shares = np.moveaxis(weighted.reshape(shape).sum((1, 3)), 1, -1)
        self.view, self.f, self.values = view, f, values
        self.of_bins = shares.reshape(-1, len(bins[c]))

    @property
    def off(self) -> float:
        """How far their sums may be off: those over what else is seen are no pairwise ones."""
        off = self.view.off(self.f, self.values, self.view.posteriors).max()
        beside = self.values.shape[1] / self.of_bins.shape[1]
        return float(off + gamma(beside) * np.abs(self.of_bins).sum(-1).max())
