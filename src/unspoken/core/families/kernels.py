"""W(y | x) of all that is seen together, outcome by outcome, over the cells of a set of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import CELLS, Array, Mask
from unspoken.core.types.kernel import Kernel

__all__ = ["Kernels"]


@dataclass(frozen=True, eq=False)
class Kernels:
    """``laws``: [cell, outcome]; ``joint``: what is seen of several variables at once, beside them.

    Outcomes are those of ``joint`` with each of those of ``laws``, the last ones fastest.
    """

    laws: Array
    joint: Kernel | None

    @classmethod
    def of(cls, laws: Sequence[Array], joint: Kernel | None, cells: int, kind: str) -> Kernels:
        """All of these [cell, outcome] at once, each with its own noise."""
        every = np.ones((cells, 1))
        for law in laws:
            size = every.size * law.shape[1]
            if size > CELLS:
                raise TooLarge(f"{kind}: {size:,} cells times outcomes; see less")
            every = (every[:, :, None] * law[:, None, :]).reshape(cells, -1)
        return cls(every, joint)

    def __len__(self) -> int:
        """How many outcomes there are."""
        outcomes = int(self.laws.shape[1])
        return outcomes if self.joint is None else outcomes * len(self.joint.outcomes)

    @property
    def cells(self) -> int:
        return len(self.laws)

    def column(self, y: int) -> Array:
        """W(y | x) of one outcome, for every cell."""
        several, outcome = divmod(y, self.laws.shape[1])
        law: Array = self.laws[:, outcome]
        return law if self.joint is None else law * self.joint.column(several)

    def columns(self) -> Iterator[Array]:
        return map(self.column, range(len(self)))

    def possible(self, cells: Mask) -> bool:
        """Whether any of these cells can show anything."""
        return any(column[cells].any() for column in self.columns())
