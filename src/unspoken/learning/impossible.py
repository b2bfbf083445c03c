"""What a predicate rules out: labels of two attributes that cannot go together, by definition.

Where a cell is split into sensitive and free rows by a predicate that reads another attribute, a
pair of their labels that no row has is impossible, as the predicate tells it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unspoken.learning.labels import Labelling
from unspoken.learning.pairs import Pairs
from unspoken.numerics.arrays import Array, Mask

__all__ = ["Predicates"]


@dataclass(frozen=True)
class Predicates:
    """What is split by which predicates."""

    labels: Sequence[Labelling]

    def in_pairs(self, pairs: Pairs) -> dict[tuple[int, int], Mask]:
        """Of every two attributes of which one is split by a predicate that reads the other."""
        return {pair: self._of(pair, pairs.pair[pair]) for pair in self._readers()}

    def _readers(self) -> list[tuple[int, int]]:
        """The pairs of which one is split by a predicate that reads the other."""
        return [
            (i, j)
            for i, j in combinations(range(len(self.labels)), 2)
            if self._split(i, j) or self._split(j, i)
        ]

    def _split(self, i: int, j: int) -> bool:
        """Whether a predicate that reads attribute j splits a cell of attribute i."""
        predicate = self.labels[i].cells.sensitive
        if predicate is None or not self.labels[i].split:
            return False
        return self.labels[j].cells.name in predicate.columns

    def _of(self, pair: tuple[int, int], counts: Array) -> Mask:
        """Unseen pairs of a label that a predicate has split and one of the attribute it reads.

        Of labels that no row has a predicate tells nothing here: each label of one attribute goes
        with some label of the other, so that no label that can occur has probability 0.
        """
        mask = np.zeros(counts.shape, dtype=bool)
        for axis, (i, j) in enumerate([pair, pair[::-1]]):
            if self._split(i, j):
                split = np.isin(np.arange(counts.shape[axis]), self.labels[i].split)
                mask |= (counts == 0) & np.expand_dims(split, 1 - axis)
        return mask & np.outer(counts.sum(1) > 0, counts.sum(0) > 0)
