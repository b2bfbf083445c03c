"""What a coalition sees: the answer of each pair of a cell and a pattern, as a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Codes
from unspoken.planning.records.cells import Cells, Pairs

__all__ = ["Answers", "maximal"]


@dataclass(frozen=True)
class Answers:
    """Of the coalition that reads ``sees`` (a bit mask): the answer of each pair, 0 .. count - 1.

    ``silent``: those that show nothing: one, or, where something of the record is known, one for
    each label; or nothing beside what is out, which is part of every answer. ``first``: a pair that
    gives each answer.
    """

    sees: int
    of_pair: Codes
    first: Codes
    silent: Codes

    @classmethod
    def of(cls, cells: Cells, pairs: Pairs, sees: int, knowing: int = 0) -> Answers:
        keys = np.zeros(len(pairs), dtype=np.int64)
        for i, radix in enumerate(cells.radix.tolist()):
            if sees >> i & 1:
                labels = (cells.codes[:, i] + 1) * radix
                keys += np.where(pairs.pattern >> i & 1, labels[pairs.cell], 0)
        _, first, of_pair = np.unique(keys, return_index=True, return_inverse=True)
        beside = [cells.earlier.seen(sees)]
        if knowing:
            known = sum(
                cells.codes[:, i] * r for i, r in enumerate(cells.radix) if knowing >> i & 1
            )
            beside.append(np.unique(known, return_inverse=True)[1])
        for place in filter(np.any, beside):
            _, first, of_pair = np.unique(
                of_pair * len(place) + place[pairs.cell], return_index=True, return_inverse=True
            )
        return cls(sees, of_pair, first, np.unique(of_pair[pairs.first]))

    def __len__(self) -> int:
        return len(self.first)

    def named(self, cells: Cells, pairs: Pairs, answer: int) -> dict[str, object]:
        """The labels that an answer shows, by name."""
        pair = self.first[answer]
        return cells.named(int(pairs.cell[pair]), int(pairs.pattern[pair]) & self.sees)


def maximal(coalitions: Sequence[int]) -> tuple[int, ...]:
    """Those that are part of no other: what fewer see is a function of what more do."""
    different = dict.fromkeys(coalitions)
    return tuple(a for a in different if not any(a != b and a & b == a for b in different))
