"""What one noisy sum tells about each of many variables, from one pass over the belief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unspoken.core.beliefs import Belief
from unspoken.core.mechanisms.parts import ANSWER, Query
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.types.channel import Output
from unspoken.core.types.noise import rounded, through
from unspoken.core.types.secret import Secret
from unspoken.core.types.sums import answers_off
from unspoken.core.views import FiniteView, Seen

__all__ = ["points_of_each"]


def points_of_each(
    belief: Belief, names: Sequence[str], query: Query
) -> Iterator[FiniteView] | None:
    """For every target the view at the support points, where sup-measures are largest.

    None where the belief has nothing quicker than one view after the other. As many at a time as
    there is room for.
    """
    room = belief.each_at_once([query.weights])
    several = [names[k : k + room] for k in range(0, len(names), room)] if room else []
    return (view for some in several for view in _points(belief, some, query)) if room else None


def _points(belief: Belief, names: Sequence[str], query: Query) -> list[FiniteView]:
    """Targets stand where contexts usually do: the first axis of the law."""
    sums = belief.sums_of_each(names, [query.weights])
    assert sums is not None
    nodes = query.noise.nodes(sums.points[0])
    bins = [query.noise.at_least(nodes)]
    seen = through(sums.bare(), sums.points, bins)
    in_belief = belief.rounding(belief.domain.names) + Rounding(sums.rounded)
    behind = in_belief + rounded(
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
