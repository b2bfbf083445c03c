"""How far the share of a label would have to move before it is said to be another one.

Of few rows, or few units, intervals are wide, and that nothing was found says little. A move is
found if the interval of the rows that came since, were this share what they have, leaves the one of
the rows that were counted. It does so the sooner the further the share moves, so the least move is
looked for by halves: among a thousand shares, up and down. Rows that come of such a law have as
many of the label or fewer, about as often: so a move as far is found about every second time.

Where no move of one label would be found, one of two together may be: their share was less. It is
asked whether any is, were all rows of them, or none.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.assessment.samples import Axes, Sample
from unspoken.core.numerics.arrays import Array
from unspoken.storage.prose import percent
from unspoken.tables.learning.intervals.confidence import Clusters

__all__ = ["Moves", "moves"]

STEPS = 1000  # of a share


@dataclass(frozen=True)
class Moves:
    """``least``: of all rows, what the label that is seen best has to move by; ``most``: the one
    that is seen worst. Infinite: no move of it would be found, not even to all rows or to none.
    ``pairs``: whether one of two labels together would be.
    """

    least: float
    most: float
    pairs: bool

    @property
    def none(self) -> bool:
        """Whether nothing could be found, whatever the rows had."""
        return math.isinf(self.least) and not self.pairs

    def in_words(self, units: Clusters | None, unit: str) -> str:
        """What could have been found, of rows of which nothing was."""
        of = "" if units is None else f" (counted by {unit}, {units.count:,} of them)"
        if self.none:
            return f"That says nothing: they are too few{of} for any difference to be found"
        if math.isinf(self.least):
            return (
                f"That says next to nothing: they are too few{of} for any move of one value to be "
                "found, and of two together the largest alone would be"
            )
        worst = f"and by {percent(self.most)} where it is seen worst"
        if math.isinf(self.most):
            worst = "and of some values no move would be"
        return (
            f"To be found every second time{of}, the share of a value has to move by "
            f"{percent(self.least)} of the rows at least, {worst}"
        )


def moves(then: Sample, since: Sample, level: float, axes: Sequence[int] | None = None) -> Moves:
    """Of each attribute by itself, up or down, whichever is seen sooner; ``axes``: of these
    attributes; None: all. ``level``: the chance to find something where there is nothing.
    """
    sets, found = then.sets(axes), list[float]()
    missed = level / (2 * len(sets))
    for some in (each for each in sets if len(each) == 1):
        law = np.clip(then.shares(some), 0.0, 1.0)
        low, up = then.ends(some, missed)
        one = _One(since, some, law, missed)
        found += [one.least(k, float(low[k]), float(up[k])) for k in range(law.size)]
    pairs = any(_seen(then, since, some, missed) for some in sets if len(some) > 1)
    return Moves(min(found), max(found), pairs)


def _seen(then: Sample, since: Sample, some: Axes, missed: float) -> bool:
    """Whether it would be found that all rows have some labels together, or none has: those that
    fewest had, and those that most had.
    """
    low, up = then.ends(some, missed)
    fewest, most = int(np.argmin(up)), int(np.argmax(low))
    all_rows = np.zeros(up.shape, np.int64)
    all_rows.flat[fewest] = since.rows
    if since.ends(some, missed, all_rows)[0].flat[fewest] > up.flat[fewest]:
        return True
    others = np.clip(then.shares(some), 0.0, 1.0)
    others.flat[most] = 0.0
    none_of_it = np.rint(others / (others.sum() or 1.0) * since.rows).astype(np.int64)
    return bool(since.ends(some, missed, none_of_it)[1].flat[most] < low.flat[most])


@dataclass(frozen=True)
class _One:
    """Rows that came since, of one attribute, of which the law was this."""

    since: Sample
    axes: Axes
    law: Array
    missed: float

    def least(self, k: int, low: float, up: float) -> float:
        """How far label k has to move to leave an interval."""
        share = float(self.law[k])

        def above(step: int) -> bool:
            return self.ends(k, step / STEPS)[0] > up

        def below(step: int) -> bool:
            return self.ends(k, 1.0 - step / STEPS)[1] < low

        return min(_first(above) - share, _first(below) - (1.0 - share))

    def ends(self, k: int, share: float) -> tuple[float, float]:
        """The interval of label k, were so many of the rows of it."""
        others = np.delete(self.law, k)
        whole = float(others.sum())
        law = np.full(self.law.size, (1.0 - share) / max(1, others.size))
        if whole:
            law = self.law * (1.0 - share) / whole
        law[k] = share
        counts = np.rint(law * self.since.rows).astype(np.int64)
        low, up = self.since.ends(self.axes, self.missed, counts)
        return float(low[k]), float(up[k])


def _first(found: Callable[[int], bool]) -> float:
    """The least share at which this is so, as it is at every larger one; infinite if at none."""
    if not found(STEPS):
        return math.inf
    step = bisect_left(range(STEPS), True, key=found)
    return step / STEPS
