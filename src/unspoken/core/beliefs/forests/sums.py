"""The law of sums: for each value of x, how likely each answer is from what was added up below.

A variable's own term shifts the law, row by row; messages side by side are convolved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs.forests.convolution import convolved
from unspoken.core.beliefs.forests.messages import mixed
from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.ring import Ring

__all__ = ["Adding", "Dense", "Law", "Sparse", "shifted"]


@dataclass(frozen=True)
class Law:
    """``table[x, bound, k]``: the probability of the answer ``codes[k]`` (types of lattice.py)."""

    bound: tuple[int, ...]
    table: Array
    codes: Codes


@dataclass(frozen=True)
class Adding(ABC):
    """``steps``: how many units each value of a variable adds; who is not named adds nothing."""

    steps: Mapping[int, Codes]
    sizes: list[int]
    ring: Ring

    def local(self, v: int, below: Law | None) -> Law:
        whole = below or self._nothing((), np.ones((self.sizes[v], 1)))
        return self.shifted(whole, self.steps[v]) if v in self.steps else whole

    def indicator(self, v: int) -> Law:
        return self._nothing((v,), np.eye(self.sizes[v]))

    def through(self, law: Array, message: Law) -> Law:
        return Law(message.bound, mixed(law, message.table, self.ring), message.codes)

    def times(self, left: Law, right: Law) -> Law:
        """Rows are alike, or one row stands for all."""
        rows = max(len(left.table), len(right.table))
        wide, high = left.table.shape[1], right.table.shape[1]
        left_law = np.broadcast_to(left.table[:, :, None], (rows, wide, high, len(left.codes)))
        right_law = np.broadcast_to(right.table[:, None], (rows, wide, high, len(right.codes)))
        table, codes = self.added(
            Law((), left_law.reshape(-1, 1, len(left.codes)), left.codes),
            Law((), right_law.reshape(-1, 1, len(right.codes)), right.codes),
        )
        return Law(left.bound + right.bound, table.reshape(rows, wide * high, -1), codes)

    def rows(self, message: Law, bound: tuple[int, ...], rows: Codes | None = None) -> Law:
        flat = message.table.reshape(-1, 1, len(message.codes))
        return Law(bound, flat if rows is None else flat[rows], message.codes)

    def _nothing(self, bound: tuple[int, ...], weight: Array) -> Law:
        return Law(bound, self.ring.of(weight[:, :, None]), np.zeros(1, dtype=np.int64))

    @abstractmethod
    def shifted(self, law: Law, steps: Codes) -> Law:
        """Row x moved by ``steps[x]``."""

    @abstractmethod
    def added(self, left: Law, right: Law) -> tuple[Array, Codes]:
        """The table and the answers of the sum of both, row by row."""


class Dense(Adding):
    """All answers from 0 on are listed, whether they occur or not."""

    def shifted(self, law: Law, steps: Codes) -> Law:
        return Law(law.bound, *shifted(law.table, steps, self.ring))

    def added(self, left: Law, right: Law) -> tuple[Array, Codes]:
        table = convolved(left.table[:, 0], right.table[:, 0], self.ring)
        return table, np.arange(table.shape[1])


class Sparse(Adding):
    """Only the answers that occur are listed, ascending."""

    def shifted(self, law: Law, steps: Codes) -> Law:
        self._affords(law.table[:, :, 0].size * len(law.codes) * len(np.unique(steps)))
        codes, at = np.unique(np.add.outer(steps, law.codes), return_inverse=True)
        table = np.full((*law.table.shape[:2], len(codes)), self.ring.zero)
        for x, place in enumerate(at.reshape(len(steps), -1)):
            table[x, :, place] = law.table[x].T
        return Law(law.bound, table, codes)

    def added(self, left: Law, right: Law) -> tuple[Array, Codes]:
        self._affords(len(left.table) * len(left.codes) * len(right.codes))
        codes, at = np.unique(np.add.outer(left.codes, right.codes), return_inverse=True)
        table = np.full((len(left.table), len(codes)), self.ring.zero)
        for k, place in enumerate(at.reshape(len(left.codes), -1)):  # no two of these are alike
            product = self.ring.times(left.table[:, 0, k, None], right.table[:, 0])
            table[:, place] = self.ring.plus(table[:, place], product)
        return table, codes

    def _affords(self, cells: int) -> None:
        if cells > CELLS:
            raise TooLarge(
                f"sum over {len(self.steps)} variables: {cells:,} cells for its different answers, "
                f"more than {CELLS:,}; use coarser weights or values, best whole numbers"
            )


def shifted(table: Array, steps: Codes, ring: Ring) -> tuple[Array, Codes]:
    """``table[x, ..., k]`` moved to k + steps[x], and the answers from 0 on."""
    width = table.shape[-1]
    moved = np.full((*table.shape[:-1], width + int(steps.max())), ring.zero)
    for x, step in enumerate(steps.tolist()):
        moved[x, ..., step : step + width] = table[x]
    return moved, np.arange(moved.shape[-1])
