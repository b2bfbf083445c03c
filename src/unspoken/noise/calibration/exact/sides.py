"""What one side of a window tells of the variable in its middle.

A node x_t is followed by x_t+1, ..., x_t+gap. With

    law[m, v, a, k] = P(x_t+gap = v, what lies between adds k units | x_t = a)      for node m

one step more multiplies by the step's matrix, and shifts k by what the value adds. The value v at
the edge is either told together with the noisy sum, or was known before (then it is a context, and
the largest of all contexts counts):

    E[m, a, b] = max over v and answers r of log f(v, r | a) / f(v, r | b).

Who knows something, x_w, further off than the edge x_e that is told, has

    P(x_e = v | a, x_w) = P(x_e = v | a) P(x_w | x_e = v) / P(x_w | a),

which adds log P(x_w | b) / P(x_w | a): at most the largest log P(x_e = v | b) / P(x_e = v | a).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.searching.blurring import blurred

__all__ = ["Reach", "ChainSide"]


@dataclass(frozen=True)
class Reach:
    """``ratio[m, a, b]``: the largest E so far; ``gap``: how far off the edge is where it is."""

    ratio: Array
    gap: Codes

    @classmethod
    def nothing(cls, shape: tuple[int, ...]) -> Reach:
        return cls(np.full(shape, -np.inf), np.ones(shape, dtype=np.intp))

    def include(self, nodes: Codes, ratio: Array, gap: int) -> None:
        self.gap[nodes] = np.where(ratio > self.ratio[nodes], gap, self.gap[nodes])
        self.ratio[nodes] = np.maximum(self.ratio[nodes], ratio)


@dataclass(frozen=True)
class ChainSide:
    """``moves[t][a, b]`` = P(x_t+1 = b | x_t = a), ``adds[t, a]``: what x_t = a adds, in units."""

    moves: Array
    adds: Codes

    def reach(self, nodes: Codes, rate: float, width: int, anybody: bool) -> Reach:
        """E of what comes after each node, edges told ``width`` steps away; ``anybody``: nearer
        ones may be known. ``rate``: of the noise, per unit.
        """
        size, end, going = self.moves.shape[1], len(self.adds), np.arange(len(nodes))
        reach = Reach.nothing((len(nodes), size, size))
        law, group = np.eye(size)[None, :, :, None], np.zeros(len(nodes), dtype=np.intp)
        for gap in range(1, width + 1):
            at = nodes[going] + gap - 1
            keys = group * (1 + int(self.kinds.max())) + self.kinds[at]
            first, now = np.unique(keys, return_index=True, return_inverse=True)[1:]
            law, group, at = law[group[first]], now, at[first]
            moved = law if gap == 1 else _added(law, self.adds[at])
            ended = at == end - 1
            if ended.any():  # there is no edge: nobody is told the last value
                summed = moved[ended].sum(1, keepdims=True)
                there, place = ended[group], np.cumsum(ended) - 1
                log_ratios = _log_ratios(summed, rate, edge_is_told=False)
                reach.include(going[there], log_ratios[place[group[there]]], gap)
                going, moved, at = going[~there], moved[~ended], at[~ended]
                group = (np.cumsum(~ended) - 1)[group[~there]]
            if not going.size:
                return reach
            law = np.einsum("mvak,mvw->mwak", moved, self.moves[at])
            if anybody and gap < width:
                log_ratios = _log_ratios(law, rate, edge_is_told=False)
                reach.include(going, log_ratios[group], gap)
        log_ratios = _log_ratios(law, rate, edge_is_told=True)
        if anybody:
            with np.errstate(invalid="ignore"):  # of a value that cannot be nothing is said
                log_ratios = np.where(log_ratios == -np.inf, log_ratios, log_ratios + _beyond(law))
        reach.include(going, log_ratios[group], width)
        return reach

    @cached_property
    def kinds(self) -> Codes:
        """A number for each step and what is added before it: nodes before which and beyond whom
        all is alike have one law, which is worked out once.
        """
        known: dict[bytes, int] = {}
        last = [self.adds[-1].tobytes()]
        each = (a.tobytes() + m.tobytes() for a, m in zip(self.adds, self.moves, strict=False))
        kinds = [known.setdefault(key, len(known)) for key in itertools.chain(each, last)]
        return np.array(kinds)


def _added(law: Array, adds: Codes) -> Array:
    """law[m, v, a, k] with k moved by adds[m, v]."""
    moved = np.zeros((*law.shape[:3], law.shape[3] + int(adds.max())))
    for v in range(adds.shape[1]):
        for units in np.unique(adds[:, v]).tolist():
            nodes = adds[:, v] == units
            moved[nodes, v, :, units : units + law.shape[3]] = law[nodes, v]
    return moved


def _beyond(law: Array) -> Array:
    """The most that what is known beyond the edge may add, as [m, a, b]."""
    mass = law.sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(mass)
        ratios = logs[:, :, None, :] - logs[:, :, :, None]
    most: Array = np.fmax.reduce(ratios, axis=1, initial=0.0)
    return most


def _log_ratios(law: Array, rate: float, *, edge_is_told: bool) -> Array:
    """E[m, a, b]; a value that is told and that b rules out tells a for certain."""
    mass = law.sum(-1)
    possible = mass > 0
    given = np.divide(law, mass[..., None], out=np.zeros(law.shape), where=possible[..., None])
    with np.errstate(divide="ignore"):
        logs = np.log(blurred(given, rate))
        logs += np.log(mass)[..., None] if edge_is_told else 0.0
    ratios = np.full((len(law), law.shape[2], law.shape[2]), -np.inf)
    for a, b in itertools.permutations(range(law.shape[2]), 2):
        both = possible[:, :, a] & possible[:, :, b]
        with np.errstate(invalid="ignore"):
            ratio = np.where(both, (logs[:, :, a] - logs[:, :, b]).max(-1), -np.inf)
        if edge_is_told:
            ratio = np.where(possible[:, :, a] & ~possible[:, :, b], np.inf, ratio)
        ratios[:, a, b] = ratio.max(1)
    return ratios
