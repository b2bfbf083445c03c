"""Counts of rows by label, and between what the share of each label is: of a table, or of pairs.

Of a joint table every two attributes are sums of its cells; of a tree they were counted each by
itself, and nothing else was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Counts
from unspoken.noise.discrete_laplace import scale_of
from unspoken.tables.learning.intervals.confidence import Clusters, ends, off_by_noise
from unspoken.tables.learning.pinned import JOINT, Pinned, of_pair

__all__ = ["Axes", "Sample", "axes_of", "by_labels"]

ROUNDING = 1e-9
Axes = tuple[int, ...]


@dataclass(frozen=True)
class Sample:
    """Rows by label, in tables of some axes each; each count with noise of this ``scale``, None:
    none. ``units``: whose they are, where one has several.
    """

    tables: Mapping[Axes, Counts]
    rows: int
    scale: float | None
    units: Clusters | None

    @classmethod
    def pinned(cls, pinned: Pinned, names: Sequence[str]) -> Sample:
        """What was counted, once."""
        tables = {axes: pinned.tables[title] for axes, title in axes_of(pinned, names).items()}
        scale = scale_of(pinned.sensitivity, pinned.epsilon)
        return cls(tables, pinned.rows, scale, pinned.units)

    def less(self, other: Sample) -> Sample:
        """These rows without those, which are among them."""
        tables = {axes: counts - other.tables[axes] for axes, counts in self.tables.items()}
        return Sample(tables, self.rows - other.rows, other.scale, self.units)

    def sets(self, axes: Sequence[int] | None = None) -> list[Axes]:
        """Each attribute, and every two: of these; None: of all."""
        every = range(1 + max(max(held) for held in self.tables))
        looked = every if axes is None else axes
        return [some for k in (1, 2) for some in combinations(looked, k)]

    def shares(self, axes: Sequence[int]) -> Array:
        """Of the rows, as they were counted."""
        counts, _ = self._summed(axes)
        shares: Array = counts / self.rows
        return shares

    def ends(
        self, axes: Sequence[int], missed: float, if_had: Counts | None = None
    ) -> tuple[Array, Array]:
        """Of the shares of the labels of some attributes; ``if_had``: were these the counts."""
        counts, terms = self._summed(axes)
        counts = counts if if_had is None else if_had
        return ends(counts, missed, rows=self.rows, scale=self.scale, units=self.units, terms=terms)

    def near(self, other: Sample, axes: Sequence[int], missed: float) -> bool:
        """Whether the shares that others have are so near, for all that noise may be, that they are
        between `ends` of these rows and of those for sure; at no more than a glance.

        Exact shares are a law, and their ends have it between them. If none is further from what
        was counted here than the noise, neither do these ends leave out that law.
        """
        counts, terms = self._summed(axes)
        theirs, _ = other._summed(axes)
        if other.scale is not None or theirs.min() < 0 or theirs.sum() != other.rows:
            return False
        off = off_by_noise(counts, missed, rows=self.rows, scale=self.scale, terms=terms)
        apart = np.abs(counts - theirs * (self.rows / other.rows)).max()
        return bool(apart <= off * (1.0 - ROUNDING))

    def _summed(self, axes: Sequence[int]) -> tuple[Counts, int]:
        """Their counts, and of how many cells each is the sum: of the table where these are few."""
        held = min(
            (each for each in self.tables if {*axes} <= {*each}),
            key=lambda each: self.tables[each].size,
        )
        counts = self.tables[held]
        others = tuple(k for k, axis in enumerate(held) if axis not in axes)
        return counts.sum(others), math.prod(counts.shape[k] for k in others)


def axes_of(pinned: Pinned, names: Sequence[str]) -> dict[Axes, str]:
    """The tables that were counted of these attributes: which axes each has, and its title."""
    if JOINT in pinned.tables:
        return {tuple(range(len(names))): JOINT}
    pairs = combinations(range(len(names)), 2)
    return {(i, j): of_pair(names[i], names[j]) for i, j in pairs}


def by_labels(
    pinned: Pinned, labels: Mapping[str, Sequence[str]], codes: Mapping[str, Codes], counts: Counts
) -> dict[Axes, Counts]:
    """The same tables of rows of which so many (``counts``) have the labels of these ``codes``; of
    an attribute without codes, all are taken to have the first.
    """
    names, found = list(labels), dict[Axes, Counts]()
    none = np.zeros(len(counts), np.intp)
    for axes in axes_of(pinned, names):
        among = [names[axis] for axis in axes]
        table = np.zeros([len(labels[name]) if name in codes else 1 for name in among], np.int64)
        np.add.at(table, tuple(codes.get(name, none) for name in among), counts)
        found[axes] = table
    return found
