"""What counts leave possible given each value of a context, all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unspoken.core.beliefs import Belief, Joint
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.domain import Value
from unspoken.core.types.premise import Premise
from unspoken.tables.learning.counts.contexts import ContextCounts
from unspoken.tables.learning.counts.counting import shares
from unspoken.tables.learning.intervals import confidence
from unspoken.tables.learning.intervals.noise_law import reach_of_sum

__all__ = ["given_sets", "values_of_sets"]

MOST = 20_000  # combinations of labels up to which there is a box
ROWS = 0.1  # of the chance to miss: for how many rows each value has, where counts are noisy


def given_sets(
    given: ContextCounts, events: Mapping[str, Sequence[Value]], level: float | None
) -> list[tuple[float, Belief]]:
    """[(rows, belief), ...], one for each value: a box, and all of them hold at this ``level``;
    what was learned, where there is none, or nothing to hold. Of noisy counts the rows of a value
    are known to so many only; one of few rows has a wide box, and is never left out.
    """
    size = given.joint[0].size
    if level is None or not _boxed(given, events, level):
        return [(given.rows[value], belief) for value, belief in given.beliefs.items()]
    many, missed = len(given.values), confidence.chance_to_miss(level)
    rest = missed if given.scale is None else missed * (1.0 - ROWS)
    off = 0 if given.scale is None else reach_of_sum(size, given.scale, missed * ROWS / many)
    found: list[tuple[float, Belief]] = []
    for counts, rows in zip(given.counted, given.joint, strict=True):
        total = int(counts.sum())
        box = confidence.box(
            counts,
            _law(given, rows),
            events,
            rows=max(total + off, 1),
            fewest=max(total - off, 0),
            scale=given.scale,
            confidence=1.0 - rest / many,
            premise=Premise.box(level),
        )
        found.append((max(float(rows.sum()), 1.0), box))
    return found


def values_of_sets(
    given: ContextCounts, events: Mapping[str, Sequence[Value]], level: float | None
) -> tuple[str, ...]:
    """The value of the context that each of these is about."""
    return given.values if _boxed(given, events, level) else tuple(given.beliefs)


def _boxed(
    given: ContextCounts, events: Mapping[str, Sequence[Value]], level: float | None
) -> bool:
    return level is not None and bool(events) and given.joint[0].size <= MOST


def _law(given: ContextCounts, rows: Array) -> Joint:
    """What was learned of these rows; of none, of all."""
    counts = rows if rows.any() else given.joint.sum(0)
    names, values = tuple(given.labels), tuple(given.labels.values())
    return Joint(shares(counts), names, values, Premise.learned(round(float(np.sum(rows)))))
