"""The worst interval of a Markov chain whose memory fades, by how far the interval reaches.

All that is said in chains.py holds: who is worst knows all but an interval around the target, whose
ends have neighbours of values u and v. What is beyond a run of h variables to one side adds little
if what lies h + 1 steps off says little: who is told x_e, e = i + h + 1, learns at least what
anybody does whose run goes beyond e, say to x_w. With f(. | a, u, v) for the answer if u and v are
known,

    log P(x_e = v, answer | a, u, x_w) / P(x_e = v, answer | b, u, x_w)
        = log f(. | a, u, v) / f(. | b, u, v) + log P(x_e = v | a, x_w) / P(x_e = v | b, x_w),

the last of which is log P(x_e = v | a) / P(x_e = v | b) + log P(x_w | b) / P(x_w | a), and x_w says
no more of a and b than x_e can. So runs of up to h variables are looked at exactly, longer ones as
runs of h with both at their largest added (over all targets); likewise on the other side. Where a
longer one could be the worst, h is doubled. As in chains.py, runs are bounded one side after the
other first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.runs import (
    AllRuns,
    Direction,
    Edges,
    TargetRuns,
    log_ratios,
    with_edge,
)

__all__ = ["TIE", "Stretches", "count"]

# Bounds that are larger by less than this share are so by rounding.
TIE = 1e-12
# Numbers that are kept of all runs, and that are worked on side by side.
ROOM, AT_ONCE = 2**24, 2**20
# Pairs of runs of which it is remembered that they were looked at.
REMEMBERED = 2**26


Site = tuple[int, TargetRuns, TargetRuns]


@dataclass(frozen=True)
class Stretches:
    """The search. ``moved(i, law)``: with the target's own term added; ``gaps[i][a, b]``: how far
    that moves the answer by itself, in units of the noise.
    """

    names: Sequence[str]
    left: Direction
    right: Direction
    targets: Sequence[int]
    edges: Edges
    moved: Callable[[int, Array], Array]
    gaps: Sequence[Array]

    def steps(self, best: Certificate) -> Iterator[Certificate]:
        """Certificates; all steps of the last one are done, unless there was no room for more."""
        while self.left.kept + self.right.kept <= ROOM:
            settled, best = self.looked(best)
            if settled:
                how = f"the worst of {count(self.targets, len(self.names)):,} intervals"
                how += " that may be unknown"
                yield replace(best, high=best.low, done=best.total, how=how)
                return
            yield best
            wider = min(2 * self.left.gap + 1, len(self.names) - 1)
            while self.left.gap < wider and self.left.kept + self.right.kept <= ROOM:
                self.left.grow()
                self.right.grow()
                self.edges.grow()

    def looked(self, best: Certificate) -> tuple[bool, Certificate]:
        """With runs of these lengths; whether nobody who is left can be worse."""
        behind, ahead = self.edges.say()
        left, right = AllRuns(self.left, behind), AllRuns(self.right, ahead)
        sites = self.sites(left, right)
        bounds = [self.bounds(*site) for site in sites]
        tops = np.array([bound.max(initial=0.0) for bound in bounds])
        best = replace(best, high=max(best.low, min(best.high, float(tops.max()))))
        seen = self.memory()
        for at in np.argsort(-tops, kind="stable").tolist():
            look = Look(self, sites[at], bounds[at], (behind, ahead), seen)
            settled, best = look.around(best)
            if not settled:
                return False, best
        return True, best

    def sites(self, left: AllRuns, right: AllRuns) -> list[Site]:
        """Of targets that are alike as far as runs go, one."""
        last, found = len(self.names) - 1, dict[bytes, Site]()
        for i in self.targets:
            site = i, left.beside(last - i), right.beside(i)
            alike = site[1].key + site[2].key + self.right.terms[i].tobytes()
            found.setdefault(alike + (self.gaps[i] >= 0).tobytes(), site)
        return list(found.values())

    def bounds(self, i: int, left: TargetRuns, right: TargetRuns) -> Array:
        """The bound for every run to the left and every one to the right, over all a and b."""
        bounds = np.full((len(left.numbers), len(right.numbers)), -np.inf)
        for a, b in np.argwhere(self.gaps[i] > -np.inf).tolist():
            # What one side tells for certain, the other excludes.
            with np.errstate(invalid="ignore"):
                sums = np.add.outer(left.most[:, a, b], right.most[:, a, b])
            np.fmax(bounds, self.gaps[i][a, b] + sums, out=bounds)
        return bounds

    def memory(self) -> Mask | None:
        """Which pairs of runs were looked at, where all targets move the answer alike."""
        cells = 4 * len(self.left.laws) * len(self.right.laws)
        if cells > REMEMBERED or (self.right.terms != self.right.terms[0]).any():
            return None
        return np.zeros((2 * len(self.left.laws), 2 * len(self.right.laws)), dtype=bool)

    def ratios(self, i: int, lefts: Codes, rights: Codes) -> Array:
        """log f(answer | a, u, v) / f(answer | b, u, v) at most, as [pair, u, v, a, b]."""
        one = _padded([self.left.laws[k] for k in lefts.tolist()])[:, :, None]
        other = _padded([self.right.laws[k] for k in rights.tolist()])[:, None]
        if one.shape[-1] > other.shape[-1]:
            one, other = other, one
        d, width = self.left.ends.size, other.shape[-1]
        law = np.zeros((len(lefts), d, d, d, one.shape[-1] + width - 1))
        for k in range(one.shape[-1]):
            law[..., k : k + width] += one[..., k, None] * other
        return log_ratios(self.moved(i, law), self.left.rate)


@dataclass(frozen=True)
class Look:
    """One target: pairs of runs in the order of their ``bounds``."""

    search: Stretches
    site: Site
    bounds: Array
    edges: tuple[Array, Array]
    seen: Mask | None

    def around(self, best: Certificate) -> tuple[bool, Certificate]:
        """The worst so far; False where somebody with longer runs may be worse."""
        _, left, right = self.site
        above = np.flatnonzero(self.bounds > best.low * (1 + TIE))
        order = above[np.argsort(-self.bounds.ravel()[above], kind="stable")]
        if self.seen is not None and len(order):
            order = order[~self.seen[np.ix_(*self.places)].ravel()[order]]
        size = 1
        while len(order) and self.bounds.flat[order[0]] > best.low * (1 + TIE):
            lefts, rights = np.divmod(order[:size], self.bounds.shape[1])
            leaks = self.leaks(lefts, rights)
            longer = left.longer[lefts] | right.longer[rights]
            top = int(np.where(longer, -np.inf, leaks).argmax())
            if not longer[top] and leaks[top] > best.low:
                best = self.found(best, float(leaks[top]), lefts[top], rights[top])
            if (leaks[longer] > best.low * (1 + TIE)).any():
                return False, replace(best, high=max(best.low, best.high))
            if self.seen is not None:
                self.seen[self.places[0][lefts], self.places[1][rights]] = True
            order, size = order[size:], 2 * size
        return True, best

    def found(self, best: Certificate, low: float, k: int, m: int) -> Certificate:
        i, left, right = self.site
        names = self.search.names
        hidden = frozenset(names[i - left.lengths[k] : i + right.lengths[m] + 1]) - {names[i]}
        return replace(best, low=low, target=names[i], unknown=hidden)

    @property
    def places(self) -> tuple[Codes, Codes]:
        """Where it is remembered that a run was looked at; as a longer one it is another."""
        _, left, right = self.site
        lefts, rights = len(self.search.left.laws), len(self.search.right.laws)
        return left.numbers + left.longer * lefts, right.numbers + right.longer * rights

    def leaks(self, lefts: Codes, rights: Codes) -> Array:
        """The largest log-ratio of each pair of runs, over the values beyond them."""
        i, left, right = self.site
        runs = self.search.left.laws, self.search.right.laws
        pairs = left.numbers[lefts], right.numbers[rights]
        width = sum(
            max(laws[k].shape[-1] for k in numbers.tolist())
            for laws, numbers in zip(runs, pairs, strict=True)
        )
        at_once, leaks = max(1, AT_ONCE // (len(self.edges[0]) ** 3 * width)), list[Array]()
        for first in range(0, len(lefts), at_once):
            few = slice(first, first + at_once)
            ratios = self.search.ratios(i, pairs[0][few], pairs[1][few])
            beyond, after = left.longer[lefts[few]], right.longer[rights[few]]
            ratios[beyond] = with_edge(ratios[beyond], self.edges[0][:, None])
            ratios[after] = with_edge(ratios[after], self.edges[1][None])
            leaks.append(ratios.reshape(len(ratios), -1).max(-1))
        return np.concatenate(leaks)


def count(targets: Collection[int], n: int) -> int:
    """The intervals around these."""
    return sum((i + 1) * (n - i) for i in targets)


def _padded(laws: Sequence[Array]) -> Array:
    width = max(law.shape[-1] for law in laws)
    padded = np.zeros((len(laws), *laws[0].shape[:-1], width))
    for row, law in zip(padded, laws, strict=True):
        row[..., : law.shape[-1]] = law
    return padded
