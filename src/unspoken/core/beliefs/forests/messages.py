"""What the variables of a forest tell those that are kept, passed from the leaves to the roots.

A message to x says, for each value of x, all that was collected below it. Below a kept variable
nothing has to be remembered further up but its value: the message there ends as a factor, and what
goes on is "it is x", an indicator. So a factor is about a kept variable and the next kept ones
below it (its ``bound``), and the product of all factors is the answer. Kinds of messages differ in
what they collect: an event (events.py) or sums (sums.py).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import reduce
from typing import Protocol, TypeVar

import numpy as np

from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.ring import Ring

__all__ = ["Collects", "Message", "collect", "mixed", "side_by_side"]

# Larger tables are summed up term by term: a thread of its own would not report an underflow.
SMALL = 4096


class Message(Protocol):
    """For each value of a variable (rows): what is collected, for all values of ``bound``."""

    @property
    def bound(self) -> tuple[int, ...]: ...


M = TypeVar("M", bound=Message)


class Collects(Protocol[M]):
    """What messages of one kind can do."""

    def local(self, v: int, below: M | None) -> M:
        """What is below v with what v itself adds."""

    def indicator(self, v: int) -> M:
        """It is x_v, whatever else."""

    def through(self, law: Array, message: M) -> M:
        """Summed over x_v, for each value of its parent."""

    def times(self, left: M, right: M) -> M:
        """Both at once, about the same variable; the right one's bound runs faster."""

    def rows(self, message: M, bound: tuple[int, ...], rows: Codes | None = None) -> M:
        """As a factor: rows and bound are one, a row for each cell (or those wanted)."""


def collect(
    forest: Forest, keep: Sequence[int], collected: Collection[int], kind: Collects[M]
) -> M:
    """Everything collected, a row for each cell of the table of ``keep``."""
    sizes = [forest.sizes[v] for v in keep]
    count = math.prod(sizes)
    cells = dict(zip(keep, np.indices(sizes).reshape(len(keep), count), strict=True))
    factors = []
    for factor in _factors(forest, set(keep), collected, kind):
        rows = np.zeros(count, dtype=np.intp)
        for v in factor.bound:
            rows = rows * forest.sizes[v] + cells[v]
        factors.append(kind.rows(factor, (), rows))
    return reduce(kind.times, factors)


def _factors(
    forest: Forest, keep: Collection[int], collected: Collection[int], kind: Collects[M]
) -> list[M]:
    needed, tops = forest.spanning({*keep, *collected})
    waiting: dict[int, M] = {}
    factors: list[M] = []
    for v in needed:
        message = kind.local(v, waiting.pop(v, None))
        if v in keep:
            factors.append(kind.rows(message, (v, *message.bound)))
            message = kind.indicator(v)
        if v in tops:
            upward = kind.through(forest.singles[v][None], message)
            factors.append(kind.rows(upward, upward.bound))
            continue
        upward, parent = kind.through(forest.laws[v], message), forest.parents[v]
        siblings = waiting.get(parent)
        waiting[parent] = upward if siblings is None else kind.times(siblings, upward)
    return factors


def mixed(law: Array, table: Array, ring: Ring) -> Array:
    """sum_x law[p, x] table[x, ...], with ``law`` in plain numbers."""
    if not ring.in_logs and table.size < SMALL:
        if table.ndim == 2:
            plain: Array = law @ table
            return plain
        return (law @ table.reshape(len(table), -1)).reshape(len(law), *table.shape[1:])
    weights = ring.of(law).reshape(*law.shape, *[1] * (table.ndim - 1))
    return reduce(ring.plus, (ring.times(weights[:, x], row) for x, row in enumerate(table)))


def side_by_side(left: Array, right: Array, ring: Ring) -> Array:
    """Row by row, the product of every column with every column."""
    if left.shape[1] == 1 or right.shape[1] == 1:
        plain: Array = ring.times(left, right)
        return plain
    product: Array = ring.times(left[:, :, None], right[:, None, :])
    return product.reshape(len(product), -1)
