"""What is left of a forest once some values are known: a forest again.

Each law is weighted with how likely it makes what is known below it (Bayes, arrow by arrow),

    P(x_v | x_parent, known) = P(x_v | x_parent) b_v(x_v) / sum,   b_v(x_v) = P(known below | x_v).

b_v matters up to a factor only. Where many values are known, it may be further apart for two values
than floats reach; then it is held as logarithms: what is possible must not become impossible.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.beliefs.forests.messages import mixed
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import Ring, with_all_digits

__all__ = ["given"]


def given(forest: Forest, known: Mapping[int, int]) -> Forest | None:
    """The forest of the others, in the same order; None if these values are impossible."""
    weighted = with_all_digits(lambda ring: _laws(forest, known, ring))
    if weighted is None:
        return None
    rest = [v for v in range(len(forest.laws)) if v not in known]
    number = {v: place for place, v in enumerate(rest)}
    return Forest.of([number.get(forest.parents[v], -1) for v in rest], weighted)


def _laws(forest: Forest, known: Mapping[int, int], ring: Ring) -> list[Array] | None:
    """Of those that are not known."""
    likely = _likely(forest, known, ring)
    if likely is None:
        return None
    laws = []
    for v, (parent, law) in enumerate(zip(forest.parents, forest.laws, strict=True)):
        if v not in known:
            law = law[[known[parent]]] if parent in known else law
            laws.append(_weighted(law, likely[v], ring) if v in likely else law)
    return laws


def _likely(forest: Forest, known: Mapping[int, int], ring: Ring) -> dict[int, Array] | None:
    """b_v up to a factor, for all v at or above something known."""
    likely: dict[int, Array] = {}
    for v in forest.children_first(forest.ancestors(known)):
        law, parent = forest.laws[v], forest.parents[v]
        here = likely.get(v, ring.of(np.ones(law.shape[1])))
        if v in known:
            here = np.where(np.arange(here.size) == known[v], here, ring.zero)
        upward = mixed(law, here[:, None], ring)[:, 0]
        if upward.max() == ring.zero:
            return None
        likely[v] = here
        if parent >= 0:
            upward = ring.over(upward, upward.max())
            likely[parent] = ring.times(likely[parent], upward) if parent in likely else upward
    return likely


def _weighted(law: Array, likely: Array, ring: Ring) -> Array:
    """Bayes, row by row; a row that what is known rules out can be any law, so it stays."""
    joint = ring.times(ring.of(law), likely)
    mass = ring.plus.reduce(joint, axis=1, keepdims=True)
    shares = ring.ratio(joint, mass)
    return np.where(mass > ring.zero, np.exp(shares) if ring.in_logs else shares, law)
