"""One group of dependent variables, with everything a plan for it has to respect."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.mechanisms import OneSided
from unspoken.core.numerics.arrays import CELLS, Array
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import Value
from unspoken.core.views import View
from unspoken.planning.joint_law import JointLaw, releases, rows
from unspoken.planning.limits import Limits
from unspoken.planning.supports import Telling, telling_values

__all__ = ["Block"]

# Up to how many numbers the law of the answers is listed.
LISTED = 2**21


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
    dependents: Mapping[str, frozenset[str]]  # what may depend on each variable, by pairs

    def only(self, names: Sequence[str]) -> Block:
        """The same block with nothing but these names released."""
        chosen = [self.names.index(name) for name in names]
        return replace(
            self, names=tuple(names), weights=self.weights[chosen], caps=self.caps[chosen]
        )

    def near(self, names: Sequence[str]) -> Block:
        """Only these names, looked at for them and their dependents alone: fewer limits."""
        close = set(names).union(*(self.dependents.get(name, ()) for name in names))
        return self.only(names).about(close)

    def about(self, some: Collection[str]) -> Block:
        """The same block with no other targets than these."""
        return replace(
            self, targets={n: secrets for n, secrets in self.targets.items() if n in some}
        )

    @cached_property
    def joint(self) -> JointLaw:
        """What the names say of the targets, for a block that is `listable`."""
        return JointLaw.of(self.belief, self.sensitive, self.targets, self.names)

    @property
    def limited(self) -> bool:
        """Whether there is any limit to keep."""
        about = [self.limits.about(target) for target in self.targets]
        return any(map(math.isfinite, [*about, self.limits.odds_cap]))

    @cached_property
    def channels(self) -> dict[str, Channel]:
        """What the names show when their coins show heads."""
        return releases(self.belief, self.sensitive, self.names)

    def knows(self, target: str, names: Sequence[str]) -> bool:
        """Whether the belief can tell what these names say about a target, and it can be listed."""
        channels = {name: self.channels[name] for name in names}
        return self.belief.effort([target], channels) <= CELLS

    @cached_property
    def answers(self) -> int:
        """How many numbers the law of the pooled answers has, all targets together."""
        outputs = [len(channel.outputs) for channel in self.channels.values()]
        return rows(self.targets) * math.prod(outputs)

    @property
    def listable(self) -> bool:
        """Whether all answers can be listed at many p."""
        return self.answers <= LISTED and all(self.knows(n, self.names) for n in self.targets)

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

    def telling(self, odds_cap: float) -> tuple[Telling, ...]:
        """The values that break the cap by being released at all."""
        return telling_values(
            self.belief, self.sensitive, self.targets, self.names, odds_cap, self.dependents
        )
