"""Blocks of variables with more pooled answers than can be listed, or that are known in pairs only.

Two sound plans, of which the better one is taken: release only a few of the variables, so that
their answers can be listed; or release all of them a little, by the bound of views/heads.py,

    I(S; Y) <= sum over sets A of P(exactly A shows heads) I(S; A released) + P(another set) H(S),

a polynomial in p whose numbers are worked out once. It does not bound odds, so with an odds cap
only the first kind is left. What no plan exceeds comes from groups of variables looked at on their
own, and from the targets next to them: seeing less is post-processing, so each group keeps the
limits too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.numerics.arrays import Array, Mask
from unspoken.planning.block import Block
from unspoken.planning.frontier import Frontier, fill, furthest
from unspoken.planning.joint_law import JointLaw, entropy

__all__ = ["search_block"]

# Variables in a group for the certificate; sets of coins listed a target; the gap a group is given;
# how many views of one variable each it may cost to confirm a plan that is only bounded.
GROUP, SETS, ROUGH, VIEWED = 4, 300, 1e-2, 2000


def search_block(block: Block, gap: float) -> Frontier:
    """The best p for a block of any size; where it is wide, one of the plans described above."""
    if not block.limited:
        return Frontier.of(block.weights, block.caps, 0.0)
    if block.certifiable:
        return block.certified(gap)
    groups = [block.near(names) for names in _groups(block)]
    parts = [_rough(group) for group in groups]
    upper = math.fsum(part.upper for part in parts)
    worth = {
        name: weight * p
        for group, part in zip(groups, parts, strict=True)
        for name, weight, p in zip(group.names, group.weights, part.p, strict=True)
    }
    few = _few(block, sorted(block.names, key=lambda name: -worth[name]))
    start = _spread(block, few, few.certified(gap).p if few.names else np.zeros(0))
    plans = [start, *_everywhere(block, start)]
    best = max(plans, key=lambda p: float(block.weights @ p))
    return Frontier.of(block.weights, best, upper)


def _groups(block: Block) -> Iterator[tuple[str, ...]]:
    """The names in groups the belief knows jointly with every target, or one by one."""
    for first in range(0, len(block.names), GROUP):
        names = block.names[first : first + GROUP]
        if block.near(names).small:
            yield names
        else:
            yield from ((name,) for name in names)


def _rough(group: Block) -> Frontier:
    """What a group could release at best; all of it where not even that can be searched."""
    if group.certifiable:
        return group.certified(ROUGH)
    return Frontier(np.zeros_like(group.caps), 0.0, float(group.weights @ group.caps))


def _few(block: Block, order: Sequence[str]) -> Block:
    """As many names as can be listed, those worth most first."""
    few = block.only([])
    for name in order:
        longer = block.only([*few.names, name])
        few = longer if longer.small else few
    return few


def _spread(block: Block, part: Block, p: Array) -> Array:
    """The p of some of the block's names; nothing of the others."""
    chosen = dict(zip(part.names, p.tolist(), strict=True))
    return np.array([chosen.get(name, 0.0) for name in block.names])


def _everywhere(block: Block, start: Array) -> list[Array]:
    """Plans that release something of every variable, where what they tell can be bounded."""
    if block.listable and block.limits.exceed == 0:
        excess = block.limit_set().excess
    elif math.isinf(block.limits.odds_cap) and len(block.targets) * len(block.names) <= VIEWED:
        excess = Heads.of(block).excess
    else:
        return []
    ray = furthest(excess, np.zeros_like(block.caps), block.caps, 1e-4)
    starts = [ray, *([start] if excess(start) <= 0 else [])]
    return [fill(block.weights, block.caps, excess, p, 1e-4) for p in starts]


@dataclass(frozen=True)
class Heads:
    """The bound above, for one plan of a block: per target the sets listed and what they tell."""

    sets: tuple[Mask, ...]  # of each target, [set, name]: which coins show heads
    information: tuple[Array, ...]  # of each target, [set]: I(S; these names released)
    entropy: Array  # [target]: H(S)
    limits: Array  # [target]

    @classmethod
    def of(cls, block: Block) -> Heads:
        sets, information, most = [], [], []
        for target, secrets in block.targets.items():
            small = list(itertools.islice(_sets(block, target), SETS))
            about = {target: secrets}
            joints = [JointLaw.of(block.belief, block.sensitive, about, names) for names in small]
            rows = [[name in names for name in block.names] for names in small]
            sets.append(np.array(rows, dtype=bool).reshape(-1, len(block.names)))
            released = [joint.at(np.ones(len(joint.names))) for joint in joints]
            information.append(np.array([float(answers.information[0]) for answers in released]))
            most.append(entropy(block.belief, target, secrets))
        limits = np.array([block.limits.about(target) for target in block.targets])
        return cls(tuple(sets), tuple(information), np.array(most), limits)

    def excess(self, p: Array) -> float:
        worst = -1.0
        for k, (sets, heads) in enumerate(zip(self.sets, self.information, strict=True)):
            shares = np.where(sets, p, 1.0 - p).prod(1)
            rest = max(0.0, 1.0 - float(shares.sum()) - float((1.0 - p).prod()))
            most = float(self.entropy[k])
            high = min(most, float(shares @ heads) + rest * most) * (1 + 1e-11)
            limit = float(self.limits[k])
            if high > 0:
                worst = max(worst, high / limit - 1.0 if limit > 0 else math.inf)
        return worst


def _sets(block: Block, target: str) -> Iterator[tuple[str, ...]]:
    """Single names and pairs that the belief knows jointly with the target."""
    for count in (1, 2):
        for names in itertools.combinations(block.names, count):
            if block.knows(target, names):
                yield names
