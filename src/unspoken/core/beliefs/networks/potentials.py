"""Tables over a few variables, multiplied and summed, without leaving the range of floats.

A potential is table[part, row, x_scope] 2^scale[row]. Rows are separate questions asked at once.
Parts are the common and the excess part of what was seen (types/channel.py): where both factors
have them,

    (p + e)(q + f):   common p q,   excess p f + e q + e f,

every term >= 0, so that a tiny excess keeps its digits beside a common part near 1. A factor with
one part, like a law of the belief, multiplies both.

Plain numbers are scaled by powers of two, which is exact. Should a product have entries further
apart than e^600 all the same, `OutOfRange` is raised, and the caller starts again on logarithms.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import LOG2, RANGE, OutOfRange, Ring, logarithm

__all__ = ["Potential"]

# A product of two parts each has three terms.
TERMS = math.log(3.0)


@dataclass(frozen=True)
class Potential:
    """``scope`` ascending, an axis each after part and row; an axis of length 1 is repeated.

    Every positive entry lies between e^``low`` and e^``high``; logarithms need no such bounds.
    """

    scope: tuple[int, ...]
    table: Array
    ring: Ring
    low: float = 0.0
    high: float = 0.0
    scale: Array = field(default_factory=lambda: np.zeros(1))

    @classmethod
    def of(cls, scope: Sequence[int], plain: Array, ring: Ring) -> Potential:
        """From plain numbers: (part, row, an axis for each of ``scope`` in any order)."""
        order = sorted(range(len(scope)), key=scope.__getitem__)
        table = plain.transpose(0, 1, *(axis + 2 for axis in order))
        least, most = table.min(where=table > 0, initial=1.0), table.max(initial=1.0)
        low, high = math.log(least), math.log(most)
        return cls(tuple(sorted(scope)), ring.of(table), ring, low, high)

    @classmethod
    def product(cls, factors: Sequence[Potential], scope: tuple[int, ...], ring: Ring) -> Potential:
        """All of them, over a scope that has all of theirs; the small ones first."""
        if not factors:
            return cls(scope, ring.of(np.ones((1, 1, *[1] * len(scope)))), ring)
        smallest, *others = sorted(factors, key=lambda factor: factor.table.size)
        product = smallest.over(scope)
        for factor in others:
            product = product.times(factor.over(scope))
        return product

    def over(self, scope: tuple[int, ...]) -> Potential:
        """The same with an axis for every variable of ``scope``."""
        if scope == self.scope:
            return self
        length = dict(zip(self.scope, self.table.shape[2:], strict=True))
        shape = (*self.table.shape[:2], *(length.get(v, 1) for v in scope))
        table = self.table.reshape(shape)
        return Potential(scope, table, self.ring, self.low, self.high, self.scale)

    def times(self, other: Potential) -> Potential:
        """Both have the same scope; an axis may be repeated in one of them."""
        left, right = self, other
        if not self.ring.in_logs and not left._fits(right):
            left, right = left.scaled(), right.scaled()
            if not left._fits(right):
                raise OutOfRange
        table = _product(left.table, right.table, self.ring)
        high = left.high + right.high + TERMS
        scale = left.scale + right.scale
        return Potential(left.scope, table, left.ring, left.low + right.low, high, scale)

    def _fits(self, other: Potential) -> bool:
        return self.low + other.low >= -RANGE and self.high + other.high <= RANGE

    def onto(self, scope: Collection[int]) -> Potential:
        """The sum over all other variables."""
        table, axis = self.table, 2
        for kept, run in itertools.groupby(self.scope, scope.__contains__):
            length = sum(1 for _ in run)
            if kept:
                axis += length
            else:  # neighbouring axes are one long axis, and long ones are fast
                table = table.reshape(*table.shape[:axis], -1, *table.shape[axis + length :])
                table = self.ring.plus.reduce(table, axis=axis)
        high = self.high + math.log(max(1.0, self.table.size / max(1, table.size)))
        kept_scope = tuple(v for v in self.scope if v in scope)
        return Potential(kept_scope, table, self.ring, self.low, high, self.scale)

    def scaled(self) -> Potential:
        """With 1/2 <= the largest entry < 1 in every row that has any."""
        if self.ring.in_logs:
            return self
        axes = tuple(axis for axis in range(self.table.ndim) if axis != 1)
        exponent = np.frexp(self.table.max(axis=axes))[1]
        table = np.ldexp(self.table, -exponent.reshape(1, -1, *[1] * len(self.scope)))
        least = float(table.min(where=table > 0, initial=1.0))
        return Potential(self.scope, table, self.ring, math.log(least), 0.0, self.scale + exponent)

    def normal(self) -> Array:
        """The one part of the one row, with sum 1."""
        table = self.shares(None)
        normal: Array = table / table.sum()
        return normal

    def shares(self, axis: int | None) -> Array:
        """The one part of the one row as plain numbers, times a factor for each sum over ``axis``
        (None: over all), which may be any number.
        """
        table: Array = self.table[0, 0]
        if self.ring.in_logs:
            top = table.max(axis=axis, keepdims=True)
            table = np.exp(table - np.where(top > -np.inf, top, 0.0))
        return table

    def plain(self) -> Array:
        """The numbers themselves."""
        if self.ring.in_logs:
            plain: Array = np.exp(self.table)
            return plain
        exponent = self.scale.astype(np.int32).reshape(1, -1, *[1] * len(self.scope))
        return np.ldexp(self.table, exponent)

    def logs(self) -> Array:
        """Their logarithms."""
        if self.ring.in_logs:
            return self.table
        return logarithm(self.table) + LOG2 * self.scale.reshape(1, -1, *[1] * len(self.scope))


def _product(left: Array, right: Array, ring: Ring) -> Array:
    """Part by part; see the head of this file."""
    if len(left) == 1 or len(right) == 1:
        whole: Array = ring.times(left, right)
        return whole
    common = ring.times(left[0], right[0])
    excess = ring.times(left[1], ring.plus(right[0], right[1]))
    return np.stack([common, ring.plus(ring.times(left[0], right[1]), excess)])
