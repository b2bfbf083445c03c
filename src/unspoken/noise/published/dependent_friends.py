"""The friend model of paper 002 as it is used there: DS = DeltaQ (1 + rho times friends)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from unspoken.core.errors import InputError, unknown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.roots import least_scale
from unspoken.core.types.bound import Estimate
from unspoken.noise.models.friends import READINGS, Neighbour
from unspoken.noise.models.friendships import Friendships

__all__ = ["dpm_friends"]

Models = Neighbour | Mapping[tuple[str, str], Neighbour]


def dpm_friends(
    edges: Friendships, friends: Models, *, limit: float, reach: float, reading: str = "B"
) -> Estimate:
    """The scale that solves sigma limit = reach (1 + max_i sum_c n(i, c) rho[own, c](sigma)).

    ``friends``: one law for all, or {(own class, friend's class): law}; ``reach`` is DeltaQ.
    """
    laws, places = _laws(edges, friends)
    if reading not in READINGS:
        raise unknown("reading", reading, READINGS)
    if not (0 < number(limit) < math.inf and 0 < number(reach) < math.inf):
        raise InputError(f"dpm_friends: limit {limit} and reach {reach} must be positive")

    def leak(sigma: float) -> float:
        rho: Array = np.array([law.coefficient(sigma, reading) for law in laws])[places]
        return reach * (1 + edges.growth(rho)) / sigma

    low = reach / limit
    scale = least_scale(leak, limit, low, leak(low) / limit * low)
    why = (
        "eq. 23 over friends only: friends of friends depend on one another too, so on a connected "
        "graph it is no guarantee (at limit 1 a line of 12 friends in two places leaks 1.87)"
    )
    return Estimate(scale, "scale", why)


def _laws(edges: Friendships, friends: Models) -> tuple[list[Neighbour], np.ndarray]:
    """The different laws, and which one each pair of classes has."""
    size = len(edges.classes)
    if isinstance(friends, Neighbour):
        return [friends], np.zeros((size, size), dtype=np.intp)
    table = []
    for code in edges.classes:
        for other in edges.classes:
            if (code, other) not in friends:
                raise unknown("friends, law of the classes", (code, other), friends)
            table.append(friends[code, other])
    laws = list({id(law): law for law in table}.values())
    places = [next(k for k, law in enumerate(laws) if law is wanted) for wanted in table]
    return laws, np.array(places, dtype=np.intp).reshape(size, size)
