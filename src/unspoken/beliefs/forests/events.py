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

from unspoken.beliefs.forests.messages import mixed, side_by_side
from unspoken.numerics.arrays import Array, Codes
from unspoken.numerics.ring import LOG2, RANGE, OutOfRange, Ring, logarithm
from unspoken.types.channel import Channel

__all__ = ["Events", "Told"]

# A common part below e^-RANGE of a sum of 1 is left out where all else is above e^-NEAR of it.
NEAR = 500.0


@dataclass
class Told:
    """``weight`` and ``excess``: rows x, columns bound; excess stands for excess 2^exponent."""

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
    def _one(self) -> Array:
        return self.ring.of(np.ones((1, 1)))

    def own(self, v: int, below: Told | None) -> Told:
        ring, event = self.ring, self.events.get(v)
        if event is None:
            return below or Told((), self._one, ring.of(np.zeros((self.sizes[v], 1))))
        told = Told((), self._one, ring.of(event.excess), float(event.log_common[0]))
        return told if below is None else self.times(below, told)

    def kept(self, v: int) -> Told:
        size, ring = self.sizes[v], self.ring
        return Told((v,), ring.of(np.eye(size)), ring.of(np.zeros((size, size))))

    def through(self, law: Array, message: Told) -> Told:
        weight = message.weight
        if message.bound:  # else every row is 1, and stays so
            weight = mixed(law, weight, self.ring)
        excess = mixed(law, message.excess, self.ring)
        return Told(message.bound, weight, excess, message.log_common, message.exponent)

    def times(self, one: Told, other: Told) -> Told:
        ring = self.ring
        common, beside = self._common(one), self._common(other)
        silent = ring.times(one.weight, common)
        alone = ring.plus(ring.times(other.weight, beside), other.excess)
        excess = ring.plus(
            side_by_side(silent, other.excess, ring), side_by_side(one.excess, alone, ring)
        )
        return self._scaled(
            Told(
                one.bound + other.bound,
                side_by_side(one.weight, other.weight, ring),
                excess,
                one.log_common + other.log_common,
                one.exponent + other.exponent,
            )
        )

    def rows(self, message: Told, bound: tuple[int, ...], rows: Codes | None = None) -> Told:
        shape = np.broadcast_shapes(message.weight.shape, message.excess.shape)
        weight, excess = (
            np.broadcast_to(part, shape).reshape(-1, 1) for part in (message.weight, message.excess)
        )
        if rows is not None:
            weight, excess = weight[rows], excess[rows]
        return replace(message, bound=bound, weight=weight, excess=excess)

    def _common(self, message: Told) -> float:
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

    def _scaled(self, message: Told) -> Told:
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
