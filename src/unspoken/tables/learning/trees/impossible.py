"""What a predicate rules out: labels of two attributes that cannot go together, by definition.

Where a cell is split into sensitive and free rows by a predicate that reads another attribute, a
pair of their labels that no row has is impossible, as the predicate tells it. Whole joints have it
so by themselves, since no row is counted there; a tree has to keep these pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from unspoken.tables.learning.counts.pairs import PairCounts
from unspoken.tables.learning.marks.labels import Labelling

__all__ = ["ruled_out"]


def ruled_out(labels: Sequence[Labelling], pairs: PairCounts) -> list[tuple[int, int]]:
    """The pairs of attributes of which a predicate that splits one and reads the other rules out
    a pair of labels that both have rows.
    """
    found = set()
    for i, j in permutations(range(len(labels)), 2):
        predicate = labels[i].cells.sensitive
        if predicate is None or labels[j].cells.name not in predicate.columns:
            continue
        rows = pairs.pair[i, j] if i < j else pairs.pair[j, i].T
        split = rows[list(labels[i].split)]
        read = split[:, rows.sum(0) > 0]
        if not np.all(read[split.sum(1) > 0]):
            found.add((min(i, j), max(i, j)))
    return sorted(found)
