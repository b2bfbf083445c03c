"""One group of dependent variables, with everything a plan for it has to respect."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.adversary import Adversary
from unspoken.beliefs import Belief
from unspoken.mechanisms import OneSided
from unspoken.numerics.arrays import CELLS, Array
from unspoken.planning.clouds import Cloud, releases, rows
from unspoken.planning.exempt import search_exempt
from unspoken.planning.frontier import Frontier, search
from unspoken.planning.limits import Limits
from unspoken.planning.pooled import Allowed, Pooled
from unspoken.types.channel import Channel
from unspoken.types.domain import Value
from unspoken.views import View

__all__ = ["Block"]

# Up to how many numbers tangents (cuts.py), and up to how many mere evaluations, are affordable.
TANGENTS, LISTED = 2**24, 2**22
# Boxes looked at, times how long one takes (measured: size^0.75): about ten seconds.
WORK = 3e6


@dataclass(frozen=True)
class Block:
    """``names`` may be released (``weights`` and ``caps`` > 0), but no ``sensitive`` values.

    ``targets``: {name: its secrets}. What is withheld need not be a secret.
    """

    belief: Belief
    sensitive: Mapping[str, tuple[Value, ...]]
    targets: Mapping[str, tuple[Value, ...]]
    names: tuple[str, ...]
    weights: Array
    caps: Array
    limits: Limits
    beside: Mapping[str, frozenset[str]]  # what may depend on each variable, by pairs

    def only(self, names: Sequence[str]) -> Block:
        """The same block with nothing but these names released."""
        chosen = [self.names.index(name) for name in names]
        return replace(
            self, names=tuple(names), weights=self.weights[chosen], caps=self.caps[chosen]
        )

    def near(self, names: Sequence[str]) -> Block:
        """Only these names, looked at for them and what is beside them alone: fewer limits."""
        close = set(names).union(*(self.beside.get(name, ()) for name in names))
        return self.only(names).about(close)

    def about(self, some: Collection[str]) -> Block:
        """The same block with no other targets than these."""
        return replace(self, targets={n: own for n, own in self.targets.items() if n in some})

    def cloud(self) -> Cloud:
        return Cloud.of(self.belief, self.sensitive, self.targets, self.names)

    @property
    def allowed(self) -> Allowed:
        """The limits as arrays."""
        return Allowed.of(self.limits, self.targets)

    @property
    def bound(self) -> bool:
        """Whether there is any limit to keep."""
        informed = any(math.isfinite(self.limits.about(target)) for target in self.targets)
        return informed or math.isfinite(self.limits.odds_cap)

    @cached_property
    def channels(self) -> dict[str, Channel]:
        """What the names show when their coins show heads."""
        return releases(self.belief, self.sensitive, self.names)

    def known(self, target: str, names: Sequence[str]) -> bool:
        """Whether the belief can tell what these names say about a target, and it can be listed."""
        seen = {name: self.channels[name] for name in names}
        return self.belief.effort([target], seen) <= CELLS

    @cached_property
    def answers(self) -> int:
        """How many numbers the law of the pooled answers has, all targets together."""
        return rows(self.targets) * math.prod(len(own.outputs) for own in self.channels.values())

    @cached_property
    def size(self) -> int:
        """How many numbers the tangents are made from: tails count as an answer of their own."""
        return rows(self.targets) * math.prod(
            1 + len(own.outputs) for own in self.channels.values()
        )

    @property
    def certifiable(self) -> bool:
        """Whether the block can be searched with tangents."""
        return self.size <= TANGENTS and self._known

    @property
    def small(self) -> bool:
        """Whether such a search is a matter of seconds."""
        return self.certifiable and self.size <= TANGENTS // 8

    @property
    def listable(self) -> bool:
        """Whether all answers can be listed at many p."""
        return self.answers <= LISTED and self._known

    @cached_property
    def _known(self) -> bool:
        """Whether every target is `known` with all names."""
        return all(self.known(target, self.names) for target in self.targets)

    def views(self, p: Array) -> dict[str, View]:
        """What an adversary who sees everything released may believe of each target."""
        with np.errstate(divide="ignore"):
            epsilon = -np.log1p(-p)
        # What is never released says nothing; left out, it does not have to be listed.
        chosen = {n: e for n, e in zip(self.names, epsilon.tolist(), strict=True) if e > 0}
        mechanism = OneSided(chosen, self.sensitive)
        return {
            name: mechanism.view(self.belief, Adversary(name, secret=secrets))
            for name, secrets in self.targets.items()
        }

    def certified(self, gap: float) -> Frontier:
        """The best p within the limits, with a certificate, for a block that is `certifiable`."""
        pooled = Pooled(self.cloud(), self.allowed, self.weights)
        budget = int(min(max(WORK / self.size**0.75, 30), 1500))
        seek = search_exempt if self.limits.exceed > 0 else search
        return seek(self.weights, self.caps, pooled, budget, gap)
