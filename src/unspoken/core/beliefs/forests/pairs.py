"""The laws of pairs on a forest, for many targets at once: messages go up from them, then down.

    up      P(x_i | x_p) = sum_v P(x_v | x_p) P(x_i | x_v)    for the targets i at v or below it
    down    P(x_v | x_i) = sum_p P(x_p | x_i) P(x_v | x_p)    for all others, p being v's parent

and P(x_v | x_i) = P(x_v) P(x_i | x_v) / P(x_i) where i is at v or below. A step is one product of
matrices for all targets, so that all pairs of n variables take n products and not n^2. Everything
is a sum of positive terms; laws are divided by their sums, else rounding adds up on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.numerics.arrays import Array, Codes

__all__ = ["beside"]


@dataclass(frozen=True)
class Below:
    """``likelihood[x, i, a]`` = P(x_i = a | x_v = x), for the targets i at v or below: ``rows``."""

    rows: Codes
    likelihood: Array


def beside(forest: Forest, names: Sequence[int], targets: Sequence[int]) -> Array:
    """P(x_target, x_name): tables[name, target, x_target, x_name].

    Different names, of as many values each; so for targets.
    """
    needed, tops = forest.spanning({*names, *targets})
    below = _upward(forest, needed, tops, targets)
    prior = np.stack([forest.singles[i] for i in targets])
    place = {v: row for row, v in enumerate(names)}
    tables = np.empty((len(names), prior.size, forest.sizes[names[0]]))
    waiting = Counter(forest.parents[v] for v in needed if v not in tops)
    laws: dict[int, Array] = {}
    for v in reversed(needed):
        law = tables[place[v]] if v in place else np.empty((prior.size, forest.sizes[v]))
        if v in tops:
            law[:] = forest.singles[v]
        else:
            parent = forest.parents[v]
            np.matmul(laws[parent], forest.laws[v], out=law)
            waiting[parent] -= 1
            if not waiting[parent]:
                del laws[parent]
        _turned(below.pop(v), forest.singles[v], prior, law)
        laws[v] = law
    tables *= prior.reshape(-1, 1)
    return tables.reshape(len(names), *prior.shape, -1)


def _turned(below: Below, single: Array, prior: Array, law: Array) -> None:
    """P(x_v | x_i) for the targets at v or below by Bayes, and all rows to sum 1."""
    if below.rows.size:
        joint = np.moveaxis(below.likelihood * single[:, None, None], 0, 2)
        law.reshape(*prior.shape, -1)[below.rows] = joint
    total = law @ np.ones(len(single))
    law /= np.where(total > 0, total, 1.0)[:, None]


def _upward(
    forest: Forest, needed: Sequence[int], tops: set[int], targets: Sequence[int]
) -> dict[int, Below]:
    size = forest.sizes[targets[0]]
    place = {v: row for row, v in enumerate(targets)}
    arrived: dict[int, list[Below]] = {v: [] for v in needed}
    upward = {}
    for v in needed:
        messages = arrived.pop(v)
        if v in place:
            messages.append(Below(np.array([place[v]]), np.eye(size)[:, None]))
        if not messages:
            upward[v] = Below(np.empty(0, dtype=np.intp), np.empty((forest.sizes[v], 0, size)))
            continue
        rows = np.concatenate([message.rows for message in messages])
        likelihood = _side_by_side(messages)
        upward[v] = Below(rows, likelihood)
        if v not in tops:
            above = forest.laws[v] @ likelihood.reshape(len(likelihood), -1)
            total = above.reshape(-1, size) @ np.ones(size)
            above = (above.reshape(-1, size) / total[:, None]).reshape(-1, *likelihood.shape[1:])
            arrived[forest.parents[v]].append(Below(rows, above))
    return upward


def _side_by_side(messages: Sequence[Below]) -> Array:
    return (
        messages[0].likelihood
        if len(messages) == 1
        else np.concatenate([message.likelihood for message in messages], axis=1)
    )
