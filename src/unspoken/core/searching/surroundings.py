"""The worst adversary of a tree of any size: what nobody exceeds, and the worst of those looked at.

The high end is the bound of branches.py. The low end is somebody: who knows all others (of two
values that both fit these the noise is all that hides them), who knows nothing else, and who knows
all but the variables within h arrows of the target; each after the targets with the largest bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from unspoken.core.beliefs import Belief
from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.searching.branches import OPERATIONS, BranchBounds
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.joints import AllBut

__all__ = ["worst_of_branches"]

# After so many targets somebody is looked for who does not know what is so many arrows around.
TARGETS, ARROWS = 3, (1, 2, 3, 4, 6, 8, 12, 16)
# At most so many combinations of what lies just beyond, each of which is looked at.
CONTEXTS = 2**10
# Ends that are this close, relatively, are the same but for rounding.
TIE = 1e-12

Look = Callable[[AllBut], float]


def worst_of_branches(
    belief: Belief, parts: Parts, targets: Sequence[str], look: Look
) -> Iterator[Certificate] | None:
    """Certificates of the max-log-ratio; ``look``: what somebody learns at least, by their view.

    None of no forest, and where an output shows a value for certain, which is beyond all epsilons.
    """
    if belief.forest is None:
        return None
    branches = BranchBounds(belief.forest, belief.domain)
    epsilons = branches.epsilons(parts)
    if not np.isfinite(epsilons).all():
        return None
    places = [belief.domain.axis(name) for name in targets]
    bounds = dict(zip(targets, branches.leaks(epsilons)[places].tolist(), strict=True))
    knowing_all = branches.knowing_all(epsilons)[places] * (1.0 - 4 * UNIT * OPERATIONS)
    around = partial(_around, belief, belief.forest)
    return _looking(around, bounds, dict(zip(targets, knowing_all.tolist(), strict=True)), look)


def _looking(
    around: Callable[[str], Iterator[AllBut]],
    bounds: dict[str, float],
    knowing_all: dict[str, float],
    look: Look,
) -> Iterator[Certificate]:
    order = sorted(bounds, key=lambda name: -bounds[name])
    everyone = [who for name in order[:TARGETS] for who in around(name)]
    nearest = max(knowing_all, key=knowing_all.__getitem__)
    best = Certificate(
        knowing_all[nearest],
        max(bounds[order[0]], knowing_all[nearest]),
        nearest if knowing_all[nearest] > 0 else "",
        frozenset(),
        1,
        1 + len(everyone),
        "from above by one branch after the other",
    )
    yield best
    for done, who in enumerate(everyone, start=2):
        if best.low >= best.high * (1.0 - TIE):
            break
        try:
            low = min(look(who), best.high)
        except TooLarge:
            low = 0.0
        if low > best.low:
            best = replace(best, low=low, target=who.target, unknown=frozenset(who.unknown))
        best = replace(best, done=done)
        yield best
    how = f"{best.how}; from below by the worst of {best.done} who were looked at"
    yield replace(best, done=best.total, how=how)


def _around(belief: Belief, forest: Forest, target: str) -> Iterator[AllBut]:
    """Who knows nothing else, then those who know what lies beyond some arrows."""
    names = belief.domain.names
    axis = belief.domain.axis(target)
    tree = [
        name for name, number in zip(names, forest.tree, strict=True) if number == forest.tree[axis]
    ]
    yield AllBut(target, tuple(name for name in tree if name != target), ())
    for arrows, (inner, edge) in enumerate(forest.balls([axis])):
        if not edge or arrows > ARROWS[-1]:
            return
        boundary = tuple(names[v] for v in sorted(edge))
        if arrows in ARROWS and belief.cells(boundary) <= CONTEXTS:
            yield AllBut(target, tuple(names[v] for v in sorted(inner - {axis})), boundary)
