"""Answers that add nothing up: with which epsilon whatever is private keeps a limit.

K-means, an SVM, the degrees of a graph: of such an answer often no more is known than that no bit
x_i changes its likelihood f by more than e^eps. Let the bits go together,

    P(x) P(y) <= P(x and y) P(x or y)        for all x, y, perhaps once some bits are turned over,

as on any tree of bits, or in a group that has something in common. Then of all such answers the sum
with Laplace noise of scale 1 / eps, which is one of them, tells most. For write g = e^(eps sum x)
and f = g h: h falls in every bit, and of a bit x_i, whatever else is known,

    E[f | x_i = 1] / E[f | 0]  =  E[g | 1] / E[g | 0]  times
                                  (E[g h | 1] / E[g | 1]) / (E[g h | 0] / E[g | 0]).

Laws weighted by a product like g still go together, so the one given 1 lies above the one given 0
(Fortuin, Kasteleyn and Ginibre; Holley), and the mean of h is no larger there: the last factor is
at most 1. The first one is what the noisy sum tells far out. Likewise downward.
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.numbers import positive
from unspoken.core.numerics.rounding import down
from unspoken.core.types.kinds import expect
from unspoken.noise.calibration.calibrated import calibrate
from unspoken.noise.calibration.knowledge import Knows

__all__ = ["private_epsilon"]

# A law that misses the inequality by this share becomes one that keeps it once every P(x) is
# multiplied by e^(MISSED times the pairs of ones in x), and no ratio moves by more than twice that.
MISSED = 1e-12
MOST = 10  # bits of which all pairs of cases are looked at


def private_epsilon(belief: Belief, *, limit: float, knows: Knows = "anything") -> float:
    """The largest epsilon with which no epsilon-private answer tells more of any bit, in nats.

    ``limit`` and ``knows`` as for `calibrate`. An answer is epsilon-private if replacing one bit
    changes no likelihood by more than e^epsilon. Largest among rules that look at epsilon alone:
    a sum with noise reaches the limit. Refused where bits do not go together, or where it cannot
    be seen.
    """
    expect(belief, Belief, "private_epsilon.belief", A_BELIEF)
    nats = positive("private_epsilon.limit", limit)
    return min(_of_one(member, nats, knows) for member in belief.candidates)


def _of_one(belief: Belief, limit: float, knows: Knows) -> float:
    names = belief.domain.names
    if {*belief.domain.sizes} != {2}:
        raise NotKnown(
            "private_epsilon: variables have more than two values; use dp_budget(limit, belief), "
            'or calibrate(..., method="group")'
        )
    signs = _together(belief)
    terms = {
        name: dict(zip(belief.domain.values_of(name), (0, sign), strict=True))
        for name, sign in zip(names, signs, strict=True)
    }
    left = limit - MISSED * max(map(len, belief.blocks())) ** 2
    if left <= 0:
        raise InputError(f"private_epsilon.limit: {limit:g} is less than rounding of the belief")
    return down(1.0 / calibrate(belief, terms=terms, limit=left, knows=knows).scale, 2)


def _together(belief: Belief) -> list[int]:
    """For each bit 1, or -1 where it is turned over; then all go together."""
    if belief.forest is not None:
        return _along(belief.forest)
    ones = belief.ones
    blocks = [] if ones is not None else belief.blocks()
    longest = max(map(len, blocks), default=0)
    if longest > MOST:
        raise NotKnown(
            f"private_epsilon: {longest} bits that depend on one another are too many to see "
            "whether they go together, but of a Tree, a Chain or an Exchangeable; use "
            "dp_budget(limit, belief)"
        )
    held = [_case_by_case(belief.marginal(block).ravel()) for block in blocks]
    if ones is not None:
        held = [_number_of_ones(ones.plain())]
    if not all(held):
        raise NotKnown(
            "private_epsilon: these bits do not go together, P(x) P(y) > P(x and y) P(x or y) for "
            "some; use dp_budget(limit, belief), which holds for any"
        )
    return [1] * len(belief.domain.names)


def _along(forest: Forest) -> list[int]:
    """On a tree a bit is turned over where it goes against its parent."""
    signs = [1] * len(forest.parents)
    for v in forest.order:
        parent, law = forest.parents[v], forest.laws[v]
        if parent >= 0:
            against = law[0, 0] * law[1, 1] < law[0, 1] * law[1, 0]
            signs[v] = -signs[parent] if against else signs[parent]
    return signs


def _number_of_ones(counts: Array) -> bool:
    """P(x) = counts[c] / C(n, c) has to be convex in logs, or all bits to be the same."""
    if not counts[1:-1].any():
        return True
    n = len(counts) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(counts) - [math.log(math.comb(n, c)) for c in range(n + 1)]
        return bool((counts > 0).all() and (np.diff(logs, 2) >= -MISSED).all())


def _case_by_case(law: Array) -> bool:
    """The bits of a place in the table are the values. In logs: of two rare cases the product is
    below all floats, and what comes with both may be known."""
    places = np.arange(len(law))
    x, y = np.meshgrid(places, places, indexing="ij")
    with np.errstate(divide="ignore"):
        logs = np.log(law)
    return bool((logs[x] + logs[y] <= logs[x & y] + logs[x | y] + MISSED).all())
