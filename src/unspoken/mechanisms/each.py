"""What one noisy sum tells about each of many variables, from one pass over the belief."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unspoken.beliefs import Belief
from unspoken.mechanisms.parts import ANSWER, Query
from unspoken.types.likelihood import Lifts
from unspoken.types.noise import Bins, through
from unspoken.types.secret import Secret
from unspoken.views import FiniteView

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
    seen = through(sums.bare(), sums.points, [Bins.nodes(nodes, query.noise.rate)])
    lifts = seen.lifts(np.eye(seen.prior.shape[-1], dtype=bool))
    shown = {ANSWER: tuple(nodes.tolist())}
    return [
        FiniteView(
            target=name,
            classes=(secret := Secret.of(belief.domain, name, None)).labels,
            secret=secret.hidden,
            contexts=({},),
            seen=shown,
            lifts=Lifts(
                *(part[k : k + 1] for part in (lifts.prior, lifts.log_mass, lifts.log_lift))
            ),
            premise=belief.premise,
        )
        for k, name in enumerate(names)
    ]
