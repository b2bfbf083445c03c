"""Who learns most from a noisy sum of Gaussian variables: the search that suits the dependence.

Variables that are independent of each other, in blocks, are searched block by block: what somebody
knows of other blocks does not matter. Within a block:
one variable alone -> its own range; who knows least learns most (T7); a tree (T8); all adversaries,
of few variables; branch and bound for the rest, which says at any time what is certified.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs import Belief
from unspoken.core.mechanisms.parts import Query
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.rounding import UNIT, down, up
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.gaussian.branching import branch_and_bound
from unspoken.core.searching.gaussian.certificates import (
    certificates,
    weakest_bounds,
    weakest_is_worst,
)
from unspoken.core.searching.gaussian.exhaustive import LISTED, exhaustive
from unspoken.core.searching.gaussian.problem import (
    KEYBOARD,
    GaussianProblem,
    WorstCoefficient,
    gaussian_problem,
)
from unspoken.core.searching.gaussian.trees import NEARLY, spanning_tree, trees
from unspoken.core.types.sums import slopes

__all__ = ["WorstGaussian", "worst_gaussian", "worst_of_gaussian"]

# How long is searched where nothing else is asked for.
SECONDS = 10.0

# Blocks of so few variables are listed at once; larger ones if branching took as long already.
FEW = 16
LISTING = 8e-9  # seconds an adversary takes
# Ends so near to each other, relatively, are one number; the first, where a search could do better.
EXACTLY, ROUGHLY = 1e-10, 1e-6


@dataclass(frozen=True)
class WorstGaussian:
    """``low``: what the adversary found learns, in nats. ``high``: nobody learns more.

    The adversary looks at variable ``target`` and knows the variables ``known``; ``how``: by what
    search, and why nobody learns more.
    """

    low: float
    high: float
    target: int
    known: tuple[int, ...]
    how: str

    @property
    def settled(self) -> bool:
        """Whether they are one number, but for rounding."""
        return self.high <= self.low * (1 + ROUGHLY)


def worst_of_gaussian(
    belief: Belief, query: Query, targets: Sequence[str], seconds: float | None = None
) -> Iterator[Certificate] | None:
    """The certificate; None of no Gaussian, and of noise in whole numbers.

    It keeps the time itself, and stops from the keyboard.
    """
    names, covariance = belief.domain.names, belief.covariance
    if covariance is None or query.noise.whole:
        return None
    worst = worst_gaussian(
        covariance,
        [float(np.ptp(belief.domain.numbers(name))) for name in names],
        slopes(query.weights, names),
        1 / query.noise.rate,
        [names.index(name) for name in targets],
        SECONDS if seconds is None else seconds,
    )
    hidden = frozenset(names) - {names[i] for i in (worst.target, *worst.known)}
    ends = down(worst.low, 4), up(worst.high, 4)  # the scale is rounded
    target = names[worst.target]
    return iter([Certificate(*ends, target, hidden, 1, 1, worst.how, outer=ends)])


def worst_gaussian(
    covariance: npt.ArrayLike,
    ranges: npt.ArrayLike,
    weights: npt.ArrayLike,
    scale: float,
    targets: Sequence[int] | None = None,
    seconds: float = SECONDS,
) -> WorstGaussian:
    """The worst adversary of sum_j w_j x_j + Laplace(scale), of all or of one about ``targets``.

    Where the time is up, or on a stop from the keyboard, low and high are what is known by then.
    """
    problem = gaussian_problem(covariance, ranges, weights, scale, targets)
    blocks = [part for part in map(problem.part, _blocks(problem.covariance)) if _leaks(part)]
    if not blocks:
        asked = 0 if targets is None or not len(targets) else int(targets[0])
        return WorstGaussian(0.0, 0.0, asked, (), "no range, no weight or no variance: no leakage")
    ends, answers = monotonic() + seconds, list[WorstCoefficient]()
    for k, part in enumerate(blocks):
        left = max(ends - monotonic(), 0.0) / (len(blocks) - k)
        answers.append(_of_block(part, left))
        ends = -math.inf if answers[-1].stopped == KEYBOARD else ends
    part, answer = max(zip(blocks, answers, strict=True), key=lambda pair: pair[1].low)
    most = max(answers, key=lambda answer: answer.high)
    return WorstGaussian(
        math.nextafter(problem.leak(answer.low), 0.0),
        math.nextafter(problem.leak(most.high), math.inf),
        int(part.indices[answer.target]),
        tuple(sorted(part.indices[list(answer.known)].tolist())),
        _why(most, len(blocks)),
    )


def _why(most: WorstCoefficient, blocks: int) -> str:
    """How the block was searched in which most may be left to be found."""
    left = "; near to singular, the rest is rounding"
    rounding = "" if most.stopped or most.within(ROUGHLY) else left
    return (f"{blocks} independent blocks; " if blocks > 1 else "") + most.how + rounding


def _blocks(covariance: Array) -> Iterator[Codes]:
    """Variables that hang together by covariances that are not 0."""
    left = np.ones(len(covariance), dtype=bool)
    joined = covariance != 0
    while left.any():
        members = np.zeros_like(left)
        new = np.zeros_like(left)
        new[left.argmax()] = True
        while new.any():
            members |= new
            new = joined[new].any(axis=0) & ~members
        left &= ~members
        yield np.flatnonzero(members)


def _leaks(part: GaussianProblem) -> bool:
    return bool(len(part.targets)) and bool(part.weights.any())


def _of_block(part: GaussianProblem, seconds: float) -> WorstCoefficient:
    if part.n == 1:
        size = float(part.ranges[0] * abs(part.weights[0]))
        why = "independent of all others: whatever is known"
        return WorstCoefficient(size * (1 - 2 * UNIT), size * (1 + 2 * UNIT), 0, (), why)
    weakest = weakest_is_worst(part)
    if weakest.within(EXACTLY):
        return weakest
    tree = spanning_tree(part)
    if tree.eta <= NEARLY:
        return trees(part, tree)
    if part.n <= FEW:
        return exhaustive(part)
    return weakest if weakest.within(ROUGHLY) else _searched(part, seconds)


def _searched(part: GaussianProblem, seconds: float) -> WorstCoefficient:
    """Branch and bound; if that takes as long as listing all would, and there is time, list."""
    bounds = np.minimum(weakest_bounds(part), certificates(part))
    listing = LISTING * part.n * 2.0 ** (part.n - 1)
    lists = part.n <= LISTED and 2 * listing < seconds
    searched = branch_and_bound(part, bounds, listing if lists else seconds)
    if not lists or searched.stopped in {"", KEYBOARD}:
        return searched
    all_of_them = exhaustive(part, seconds - listing)
    best = max(all_of_them, searched, key=lambda answer: answer.low)
    high = max(best.low, min(searched.high, all_of_them.high))
    return dataclasses.replace(best, high=high, how=all_of_them.how, stopped=all_of_them.stopped)
