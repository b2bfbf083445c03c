"""Values that few rows have, taken together: nobody is named by a group of fewer than FEW rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.tables.column import FEW_ROWS

__all__ = ["FEW", "Grouped"]

FEW = FEW_ROWS  # rows: a smaller group is not named


@dataclass(frozen=True)
class Grouped:
    """The values of a column, rare ones as one: ``way[x, g]`` is 1 where value x is in group g."""

    name: str
    values: tuple[str, ...]
    way: Array

    @classmethod
    def of(cls, name: str, labels: Sequence[str], rows: Array) -> Grouped:
        """``rows``: how many have each label. If all rare ones are still few, the next joins."""
        order = np.argsort(rows, kind="stable")
        below = int((rows < FEW).sum())
        while 0 < below < len(labels) and rows[order[:below]].sum() < FEW:
            below += 1
        rare = sorted(order[:below].tolist())
        common = [x for x in range(len(labels)) if x not in rare]
        groups = [[x] for x in common] + ([rare] if rare else [])
        values = [labels[x] for x in common]
        way = np.zeros((len(labels), len(groups)))
        for group, members in enumerate(groups):
            way[members, group] = 1.0
        if rare:
            values.append(f"one of {len(rare)} rare values")
        return cls(name, tuple(values), way)
