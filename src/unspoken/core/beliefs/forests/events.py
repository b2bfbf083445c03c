"""What one event tells, in two parts (types/channel.py): P(event, bound | x) = P(bound | x) c + E.

Two messages about the same x, with parts (W, c, E) and (V, d, F), are together

    W V c d + [W c F + E (V d + F)],        through a law P:   (P W) c + P E,

every term >= 0. So a leakage of 1e-12 keeps its digits beside a common part near 1, and a common
part of e^-100,000 is a logarithm. On plain numbers E is scaled by a power of two, which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.core.beliefs.forests.messages import mixed, side_by_side
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.ring import LOG2, RANGE, OutOfRange, Ring, logarithm
from unspoken.core.types.channel import Channel

__all__ = ["Events", "Evidence"]

# A common part below e^-RANGE of a sum of 1 is left out where all else is above e^-NEAR of it.
NEAR = 500.0


@dataclass
class Evidence:
    """What an event says of x, in its two parts.

    ``weight`` and ``excess``: [x, bound]; the excess is ``excess`` 2^``exponent``.
    """

    bound: tuple[int, ...]
    weight: Array
    excess: Array
    log_common: float = 0.0
    exponent: int = 0

    def logs(self, ring: Ring) -> Array:
        """log E."""
        if ring.in_logs:
            return self.excess
        return logarithm(self.excess) + self.exponent * LOG2

    def in_range(self, ring: Ring) -> bool:
        """Whether both parts are plain numbers that products can be made of."""
        logs = np.append(self.logs(ring), self.log_common)
        return bool((np.abs(logs[logs > -np.inf]) <= RANGE).all())


@dataclass(frozen=True)
class Events:
    """``events``: of some variables, the likelihood of what was seen (channels of one output)."""

    events: Mapping[int, Channel]
    sizes: list[int]
    ring: Ring

    @cached_property
    def _certain(self) -> Array:
        return self.ring.of(np.ones((1, 1)))

    def local(self, v: int, below: Evidence | None) -> Evidence:
        ring, event = self.ring, self.events.get(v)
        if event is None:
            return below or Evidence((), self._certain, ring.of(np.zeros((self.sizes[v], 1))))
        evidence = Evidence((), self._certain, ring.of(event.excess), float(event.log_common[0]))
        return evidence if below is None else self.times(below, evidence)

    def indicator(self, v: int) -> Evidence:
        size, ring = self.sizes[v], self.ring
        return Evidence((v,), ring.of(np.eye(size)), ring.of(np.zeros((size, size))))

    def through(self, law: Array, message: Evidence) -> Evidence:
        weight = message.weight
        if message.bound:  # else every row is 1, and stays so
            weight = mixed(law, weight, self.ring)
        excess = mixed(law, message.excess, self.ring)
        return Evidence(message.bound, weight, excess, message.log_common, message.exponent)

    def times(self, left: Evidence, right: Evidence) -> Evidence:
        ring = self.ring
        left_common, right_common = self._common(left), self._common(right)
        left_silent = ring.times(left.weight, left_common)
        right_whole = ring.plus(ring.times(right.weight, right_common), right.excess)
        excess = ring.plus(
            side_by_side(left_silent, right.excess, ring),
            side_by_side(left.excess, right_whole, ring),
        )
        return self._scaled(
            Evidence(
                left.bound + right.bound,
                side_by_side(left.weight, right.weight, ring),
                excess,
                left.log_common + right.log_common,
                left.exponent + right.exponent,
            )
        )

    def rows(
        self, message: Evidence, bound: tuple[int, ...], rows: Codes | None = None
    ) -> Evidence:
        shape = np.broadcast_shapes(message.weight.shape, message.excess.shape)
        weight, excess = (
            np.broadcast_to(part, shape).reshape(-1, 1) for part in (message.weight, message.excess)
        )
        if rows is not None:
            weight, excess = weight[rows], excess[rows]
        return replace(message, bound=bound, weight=weight, excess=excess)

    def _common(self, message: Evidence) -> float:
        """The common part as the ring's number, on the scale of the excess."""
        relative = message.log_common - message.exponent * LOG2
        if self.ring.in_logs:
            return relative
        if relative < -RANGE:
            small = message.excess < math.exp(-NEAR) * message.weight
            if relative > -math.inf and small.any():
                raise OutOfRange
            return 0.0
        return math.exp(relative)

    def _scaled(self, message: Evidence) -> Evidence:
        """With the larger part near 1."""
        if self.ring.in_logs:
            return message
        top = float(message.excess.max())
        exponent = message.exponent + math.frexp(top)[1] if top > 0 else -math.inf
        exponent = max(exponent, message.log_common / LOG2)
        if exponent == -math.inf:
            return message
        by = math.ceil(exponent) - message.exponent
        if by:
            message.excess = np.ldexp(message.excess, -by)
            message.exponent += by
        return message
