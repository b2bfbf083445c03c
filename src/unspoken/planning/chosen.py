"""What an account chose, before it is put in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import Premise
from unspoken.planning.supports import Telling

__all__ = ["Chosen", "worst_odds"]


def worst_odds(odds: Mapping[str, Bound], premise: Premise) -> Bound:
    """The largest of the targets' odds, saying whose it is."""
    if not odds:
        return Bound.of_odds(0.0, 0.0, premise, "nothing is sensitive")
    about, worst = max(odds.items(), key=lambda item: item[1].nats)
    return replace(worst, why=f"about {about}: {worst.why}")


@dataclass(frozen=True)
class Chosen:
    """``epsilon`` per variable, the objective reached and what no plan exceeds, the leakage of the
    account (nats), and the price of the limit (NaN where it is not known).
    """

    epsilon: Array
    objective: float
    upper: float
    total: float
    multiplier: float
    odds: Bound
    information: Mapping[str, Bound] = field(default_factory=dict)
    exceeded: Mapping[str, float] = field(default_factory=dict)
    telling: tuple[Telling, ...] = ()

    @property
    def p(self) -> Array:
        return np.asarray(-np.expm1(-self.epsilon))
