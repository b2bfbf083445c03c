"""The belief contracted with local channels: P(y | x_keep) = sum over the rest of P(x) W(y | x).

The split of every channel into a common and an excess part (types/channel.py) is carried through:

    joint[keep, y] = P(keep) c[y] + E[keep, y],     c = product of the common parts,

so that differences between the rows of P(y | x_keep) are differences of E alone, which is as small
as the leakage. Cost: one pass an axis, at most (outputs seen) x (cells kept).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, least_positive
from unspoken.core.numerics.ring import LINEAR, LOGS, RANGE, Ring
from unspoken.core.types.channel import Channel
from unspoken.core.types.likelihood import Likelihood

__all__ = ["contract"]


@dataclass(frozen=True)
class RingChannel:
    """A channel's two parts and their sum, as the ring's numbers."""

    channel: Channel
    ring: Ring

    @cached_property
    def excess(self) -> Array:
        return self.ring.of(self.channel.excess)

    @cached_property
    def law(self) -> Array:
        law: Array = self.ring.plus(self.ring.of_logs(self.channel.log_common), self.excess)
        return law


def contract(
    table: Array, kept: int, shown: Mapping[int, Channel], summed: Sequence[Channel]
) -> Likelihood:
    """Contract ``table``: its first ``kept`` axes stay, each later one is summed out.

    ``shown`` are channels of kept axes (the target's own output). Outcomes run over the product of
    the outputs, first those of ``summed``, then those of ``shown``, the last one fastest.
    """
    table, summed = _merge(table, kept, summed)
    least = _smallest(table) + _range([*summed, *shown.values()])
    ring = LINEAR if least < RANGE else LOGS
    prior = table.reshape(*table.shape[:kept], -1).sum(-1)
    rest = ring.of(table.reshape(prior.size, *table.shape[kept:]))
    excess, log_common = None, np.zeros(1)  # nothing is seen so far
    for channel in summed:  # axis 1 is the next variable; what was seen already runs along the last
        parts = RingChannel(channel, ring)
        before = None if excess is None else ring.dot(np.moveaxis(excess, 1, -1), parts.law)
        new = ring.dot(np.moveaxis(rest, 1, -1), parts.excess)[..., None, :]
        excess = _join(ring, before, new, log_common)
        rest = ring.dot(np.moveaxis(rest, 1, -1), ring.of(np.ones((rest.shape[1], 1))))[..., 0]
        log_common = np.add.outer(log_common, channel.log_common).ravel()
    for axis, channel in shown.items():  # rest has one number a kept cell by now
        parts, before, code = RingChannel(channel, ring), None, _codes(prior.shape, axis)
        if excess is not None:
            before = ring.times(excess[:, :, None], parts.law[code][:, None, :])
        new = ring.times_rows(rest, parts.excess[code])[:, None, :]
        excess = _join(ring, before, new, log_common)
        log_common = np.add.outer(log_common, channel.log_common).ravel()
    if excess is None:
        excess = ring.of(np.zeros((*rest.shape, 1)))
    return Likelihood(prior, log_common, excess.reshape(*prior.shape, -1), ring.in_logs)


def _merge(table: Array, kept: int, summed: Sequence[Channel]) -> tuple[Array, list[Channel]]:
    """Add up values whose rows are equal (all sensitive ones): no output tells them apart."""
    merged = []
    for axis, channel in enumerate(summed, start=kept):
        group: dict[bytes, int] = {}
        code = np.array([group.setdefault(row.tobytes(), len(group)) for row in channel.excess])
        if len(group) < len(code):
            groups = (np.arange(len(group))[:, None] == code).astype(np.float64)
            table = np.moveaxis(np.tensordot(table, groups, (axis, 1)), -1, axis)
            first = np.unique(code, return_index=True)[1]
            channel = Channel(channel.outputs, channel.log_common, channel.excess[first])
        merged.append(channel)
    return table, merged


def _join(ring: Ring, before: Array | None, new: Array, log_common: Array) -> Array:
    """E'[.., (y, z)] = sum_x E[.., x, y] W[x, z] + c[y] sum_x P(.., x) e[x, z]."""
    if before is None:  # E = 0 and c = 1
        return new.reshape(*new.shape[:-2], -1)
    now: Array = ring.plus(before, ring.times(new, ring.of_logs(log_common)[:, None]))
    return now.reshape(*now.shape[:-2], -1)


def _codes(shape: tuple[int, ...], axis: int) -> Codes | slice:
    """[cell] -> the value it has along this axis."""
    if len(shape) == 1:
        return slice(None)
    return np.unravel_index(np.arange(math.prod(shape)), shape)[axis]


def _smallest(table: Array) -> float:
    """How small, in nats, the table's nonzero entries get."""
    return -math.log(least_positive(table))


def _range(channels: Sequence[Channel]) -> float:
    """How small, in nats, a product of the channels' nonzero entries can get."""
    return sum(_least(channel) for channel in channels)


def _least(channel: Channel) -> float:
    common = channel.log_common[np.isfinite(channel.log_common)]
    return -min(float(common.min(initial=0.0)), math.log(least_positive(channel.excess)))
