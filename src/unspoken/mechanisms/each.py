"""What one noisy sum tells about each of many variables, from one pass over the belief."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unspoken.beliefs import Belief
from unspoken.mechanisms.parts import ANSWER, Query
from unspoken.numerics.rounding import Rounding
from unspoken.types.channel import Output
from unspoken.types.noise import Bins, rounded, through
from unspoken.types.secret import Secret
from unspoken.types.sums import answers_off
from unspoken.views import FiniteView, Seen

__all__ = ["points_of_each"]


def points_of_each(belief: Belief, names: Sequence[str], query: Query) -> list[FiniteView] | None:
    """For every target the view at the support points, where sup-measures are largest.

    None where the belief has nothing quicker than one view after the other. Targets stand where
    contexts usually do: the first axis of the law.
    """
    sums = belief.sums_of_each(names, [query.weights])
    if sums is None:
        return None
    nodes = query.noise.nodes(sums.points[0])
    bins = [Bins.nodes(nodes, query.noise.rate)]
    seen = through(sums.bare(), sums.points, bins)
    own = belief.rounding(belief.domain.names) + Rounding(sums.rounded)
    behind = own + rounded(
        sums.points, bins, [answers_off(belief.domain, query.weights, sums.share)]
    )
    lifts = seen.lifts(np.eye(seen.prior.shape[-1], dtype=bool), behind)
    shown: dict[Seen, Sequence[Output]] = {ANSWER: tuple(nodes.tolist())}
    return [
        FiniteView(
            target=name,
            classes=(secret := Secret.of(belief.domain, name, None)).labels,
            secret=secret.hidden,
            contexts=({},),
            seen=shown,
            lifts=lifts.of_context(k),
            premise=belief.premise,
        )
        for k, name in enumerate(names)
    ]
