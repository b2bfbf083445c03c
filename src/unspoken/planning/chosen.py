"""What an account chose, before it is put in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from unspoken.numerics.arrays import Array
from unspoken.planning.supports import Telling
from unspoken.types.bound import Bound
from unspoken.types.premise import Premise

__all__ = ["Chosen", "worst_odds"]


def worst_odds(odds: Mapping[str, Bound], premise: Premise) -> Bound:
    """The largest of the targets' odds, saying whose it is."""
    if not odds:
        return Bound.of_odds(0.0, 0.0, premise, "nothing is sensitive")
    about, worst = max(odds.items(), key=lambda one: one[1].nats)
    return replace(worst, why=f"about {about}: {worst.why}")


@dataclass(frozen=True)
class Chosen:
    """eps per variable, the leakage reached (nats), a certified upper bound on the objective."""

    epsilon: Array
    total: float
    upper: float
    multiplier: float
    odds: Bound
    information: Mapping[str, Bound] = field(default_factory=dict)
    exceeded: Mapping[str, float] = field(default_factory=dict)
    telling: tuple[Telling, ...] = ()
