"""Which values tell too much by being released at all.

As p -> 0 "withheld" says nothing, so what remains of an answer's odds are those of the values it
shows. They do not depend on p: values that raise some odds beyond the cap do so however rarely they
are released.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs import Belief
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.bound import exp_or_inf
from unspoken.core.types.domain import Value
from unspoken.planning.joint_law import JointLaw
from unspoken.planning.limits import ROUNDING

__all__ = ["Telling", "telling_values", "worst_by_support", "worst_first"]


@dataclass(frozen=True)
class Telling:
    """A value that, released alone, multiplies the odds of one of a target's secrets by ``factor``.

    ``probability``: how often it occurs. Making it sensitive too (closure) usually buys more than a
    smaller p, which does not change the factor.
    """

    name: str
    value: Value
    target: str
    secret: tuple[Value, ...]
    factor: float
    probability: float

    def __str__(self) -> str:
        secret = " or ".join(str(value) for value in self.secret)
        return (
            f"{self.name} {self.value} (probability {self.probability:.3g}): "
            f"odds of {self.target} {secret} x {self.factor:.4g}"
        )


def telling_values(
    belief: Belief,
    sensitive: Mapping[str, tuple[Value, ...]],
    targets: Mapping[str, tuple[Value, ...]],
    names: Sequence[str],
    odds_cap: float,
    close: Mapping[str, Collection[str]] | None = None,
) -> tuple[Telling, ...]:
    """The values of ``names`` that alone raise a target's odds beyond the cap, the worst first.

    ``sensitive``: what is withheld. ``targets``: {name: its secrets}. ``close``: for each name the
    targets worth looking at, where not all of them are.
    """
    if math.isinf(odds_cap):
        return ()
    telling = []
    for name in names:
        near = targets if close is None else close.get(name, ())
        others = {
            target: secrets
            for target, secrets in targets.items()
            if target != name and target in near
        }
        if others:
            telling += _alone(belief, JointLaw.of(belief, sensitive, others, [name]), odds_cap)
    return worst_first(telling, lambda value: value)


def worst_first(
    telling: Iterable[Telling], kind: Callable[[Telling], Hashable]
) -> tuple[Telling, ...]:
    """The worst of each kind, and of those the worst first."""
    worst: dict[Hashable, Telling] = {}
    for value in sorted(telling, key=lambda value: (-value.factor, -value.probability)):
        worst.setdefault(kind(value), value)
    return tuple(worst.values())


def worst_by_support(joint: JointLaw) -> Array:
    """The worst log factor for each set of variables as their p -> 0, 2^n numbers.

    The sets are numbered in binary, the joint's first name in the highest place.
    """
    factors = joint.at(np.zeros(len(joint.names))).log_factors
    table = factors.max(0, initial=-math.inf).reshape(joint.outputs)
    for axis in range(table.ndim):
        # Withheld, or any value of this variable; its set may leave it out, so both are possible.
        shown = table.max(axis, keepdims=True)
        table = np.concatenate([np.take(table, [0], axis), shown], axis)
    return np.asarray(table.ravel())


def _alone(belief: Belief, joint: JointLaw, odds_cap: float) -> list[Telling]:
    """For each value of the joint's only name and each target, the event it raises most."""
    name = joint.names[0]
    factors = joint.at(np.zeros(1)).log_factors[:, 1:]
    mass = belief.marginal([name])
    telling = []
    for k, value in enumerate(joint.values[0]):
        probability = float(mass[belief.domain.code(name, value)])
        for target, label in enumerate(joint.targets):
            events = joint.events_of(target)
            worst = max(events, key=lambda e: factors[e, k], default=None)
            if worst is None or not factors[worst, k] > math.log(odds_cap) + ROUNDING:
                continue
            secret = joint.secrets(worst)
            factor = exp_or_inf(float(factors[worst, k]))
            telling.append(Telling(name, value, label, secret, factor, probability))
    return telling
