"""What a project would have to go by if two labels of an attribute were one.

Of all that may be merged, free labels and of bins those side by side, it is the two after which the
label that tells most of any secret tells least.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from unspoken.assessment.boxed import box_of
from unspoken.assessment.few import named
from unspoken.core.beliefs import Belief
from unspoken.core.numerics.arrays import Array, Counts
from unspoken.tables.learning import Learned
from unspoken.tables.learning.learned import learned_joint
from unspoken.tables.learning.pinned import JOINT, Pinned
from unspoken.tables.policy import Project

__all__ = ["Merged", "merged"]

Numbers = TypeVar("Numbers", Array, Counts)

NEVER = 1e-12  # a share that is nearly none, where shares are compared by their ratio


@dataclass(frozen=True)
class Merged:
    """What is learned of the merged labels, all that the counts leave possible of them, and how
    that is called.
    """

    learned: Learned
    beliefs: Belief
    called: str


def merged(project: Project, learned: Learned, pinned: Pinned | None, name: str) -> Merged | None:
    """None where there are no two, and where the table is not counted whole.

    Counts of two labels are added up: where they have noise, as if that were of one count.
    """
    pairs = _pairs(project, learned, name)
    if learned.joint is None or not pairs or project.plan.given is not None:
        return None
    axis = [*learned.labels].index(name)
    laws = _laws(learned, axis)
    first, second = min(pairs, key=lambda pair: _telling(_summed(laws, 1, pair)))
    names = learned.labels[name]
    kept = [f"{names[first]} or {names[second]}" if k == first else v for k, v in enumerate(names)]
    one = replace(learned.labelling[name], names=(*kept[:second], *kept[second + 1 :]))
    found = learned_joint(
        project,
        [one if each == name else label for each, label in learned.labelling.items()],
        _summed(learned.joint, axis, (first, second)),
    )
    counted = None
    if pinned is not None:
        table = _summed(pinned.tables[JOINT], axis, (first, second))
        counted = replace(pinned, tables={JOINT: table})
    both = [names[first], names[second]]
    said = " and ".join(both) if named(project, learned, name, both) == both else "two labels"
    return Merged(found, box_of(project, found, counted), f"with {said} merged")


def _pairs(project: Project, learned: Learned, name: str) -> list[tuple[int, int]]:
    """Free labels, but for that a value is missing, which is the last. Of two there would be one
    left, which says nothing.
    """
    declared, names = project.attributes[name], learned.labels[name]
    last = len(names) - (declared.missing != "never")
    free = [k for k, label in enumerate(names[:last]) if label not in learned.sensitive[name]]
    pairs = itertools.combinations(free, 2) if len(free) > 2 else ()
    return [(a, b) for a, b in pairs if b == a + 1 or not declared.grouped]


def _laws(learned: Learned, axis: int) -> Array:
    """P(label | nothing sensitive), and P(label | anything is)."""
    table = learned.belief.marginal([*learned.labels])
    secret = np.zeros(table.shape, dtype=bool)
    for at, (name, labels) in enumerate(learned.labels.items()):
        hidden = [k for k, label in enumerate(labels) if label in learned.sensitive[name]]
        secret |= np.isin(np.indices(table.shape, sparse=True)[at], hidden)
    others = tuple(k for k in range(table.ndim) if k != axis)
    laws = np.stack([np.where(side, table, 0.0).sum(others) for side in (~secret, secret)])
    shares: Array = laws / np.maximum(laws.sum(1, keepdims=True), NEVER)
    return shares


def _telling(laws: Array) -> tuple[float, float]:
    """How far the two laws of labels are apart: at most, and on average."""
    apart = np.abs(np.log(np.maximum(laws[0], NEVER) / np.maximum(laws[1], NEVER)))
    return float(apart.max()), float(laws.mean(0) @ apart)


def _summed(table: Numbers, axis: int, pair: Sequence[int]) -> Numbers:
    """The second label's numbers added to the first's."""
    first, second = pair
    summed = np.moveaxis(table, axis, 0).copy()
    summed[first] += summed[second]
    return np.moveaxis(np.delete(summed, second, axis=0), 0, axis)
