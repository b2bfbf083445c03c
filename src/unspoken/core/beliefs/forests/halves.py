"""The law of a sum beside every variable of a path in turn, by halving it.

Of a stretch of variables l, ..., r - 1 two things are known: what is in it, and what is beside it,

    T(a, b, k) = P(x_{r-1} = b, k steps in it | x_{l-1} = a)
    O(a, b, k) = P(x_{l-1} = a, k steps outside | x_{r-1} = b), of what is before and after it

A half is beside what the stretch is beside and beside the other half, so O_left is O and T_right,
O_right O and T_left, summed over the end they share and convolved. So n variables and n answers
take n^2 log n products, where a convolution for each of them takes n^3.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.beliefs.forests.convolution import convolved
from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.ring import Ring

__all__ = ["Stretch", "is_path", "operations", "whole"]


def is_path(forest: Forest) -> bool:
    """Whether each variable is the parent of the next."""
    return list(forest.parents) == list(range(-1, len(forest.parents) - 1))


def operations(forest: Forest, size: int) -> float:
    """Behind each number: of both factors of each product, so more than where one is short.

    With k values e(m) = 2 e(m/2) + (points of a half) + k + 1 behind what is in m variables, and
    what is beside one is a product of such, of disjoint stretches.
    """
    n = len(forest.parents)
    return (n + size) * (max(forest.sizes) + 3.0 + math.log2(n))


def whole(forest: Forest, steps: Mapping[int, Codes], ring: Ring) -> Stretch:
    """``steps``: how many units each value of a variable adds, if any."""
    return Stretch(forest, steps, ring, 0, len(forest.parents))


@dataclass(frozen=True, eq=False)
class Stretch:
    """The variables from ``first`` up to ``last``, which is not in it."""

    forest: Forest
    steps: Mapping[int, Codes]
    ring: Ring
    first: int
    last: int

    @cached_property
    def halves(self) -> tuple[Stretch, Stretch]:
        """The two that it is made of."""
        given, middle = (self.forest, self.steps, self.ring), (self.first + self.last) // 2
        return Stretch(*given, self.first, middle), Stretch(*given, middle, self.last)

    @cached_property
    def inside(self) -> Array:
        """T[a, b, k]; before the first variable of all there is one a."""
        if self.last - self.first > 1:
            left, right = self.halves
            return self._joined(left.inside[:, :, None], right.inside[None], 1)
        v = self.first
        law = self.forest.laws[v] if v else self.forest.singles[v][None]
        steps = self.steps.get(v, np.zeros(law.shape[1], dtype=np.intp))
        table = np.full((*law.shape, int(steps.max()) + 1), self.ring.zero)
        table[:, np.arange(law.shape[1]), steps] = self.ring.of(law)
        return table

    def each(self, wanted: Collection[int]) -> Iterator[tuple[int, Array]]:
        """For each of these, ascending, how likely each value is beside k steps: [x, k]."""
        ends = self.forest.sizes[self.last - 1]
        waiting = [(self, self.ring.of(np.ones((1, ends, 1))))]
        listed = np.array(sorted(set(wanted)))
        while waiting:
            stretch, beside = waiting.pop()
            start, end = np.searchsorted(listed, (stretch.first, stretch.last))
            if start == end:
                continue
            if stretch.last - stretch.first == 1:
                yield stretch.first, self._joined(beside, stretch.inside, 0)
                continue
            left, right = stretch.halves
            waiting.append((right, self._joined(left.inside[:, :, None], beside[:, None], 0)))
            waiting.append((left, self._joined(beside[:, None], right.inside[None], 2)))

    def _joined(self, one: Array, other: Array, shared: int) -> Array:
        """Convolved, for all values that their first axes have, and summed over one of these."""
        values = np.broadcast_shapes(one.shape[:-1], other.shape[:-1])
        flat = [
            np.broadcast_to(table, (*values, table.shape[-1])).reshape(-1, table.shape[-1])
            for table in (one, other)
        ]
        joined = convolved(flat[0], flat[1], self.ring).reshape(*values, -1)
        summed: Array = self.ring.plus.reduce(joined, axis=shared)
        return summed
