"""What may be learnt about each target, and the one predicate that says which limits views break.

A plan, the admission of a release, the release itself and its report all ask it, so they agree:

    information   I(S_j; Y) <= information_j, in nats
    odds          every answer multiplies the odds of every secret by at most odds_cap, but for
                  answers of total probability <= exceed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unspoken.measures import MEASURES
from unspoken.numerics.arrays import Array
from unspoken.types.bound import LOG2
from unspoken.types.posteriors import Functional, Off, Posteriors
from unspoken.views import FiniteView, View

__all__ = ["ROUNDING", "Broken", "Limits"]

INFORMATION, ODDS = MEASURES["mutual-information"], MEASURES["odds"]

# A limit counts as kept up to this: relative to nats and to probabilities, absolute in log odds.
# The same release looked at in another way (its variables in another order, exponents added up, a
# limit in bits) leaks the same but for less than a tenth of this. Plans are held to the limits with
# nothing allowed, at the worst half of it, so what a plan hands out passes wherever it is asked.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Broken:
    """A limit on ``target`` that is broken: what is ``reached``, what is ``allowed``.

    Both in nats: of information, or the logarithm of a factor on the odds; then ``above`` is the
    probability of the answers above the cap, 1 where it is not known.
    """

    target: str
    limit: Literal["information", "odds"]
    reached: float
    allowed: float
    above: float = 0.0

    @property
    def excess(self) -> float:
        """By how many nats."""
        return self.reached - self.allowed


@dataclass(frozen=True)
class Limits:
    """``information``: nats per target (one that is not named has no limit); see above."""

    information: Mapping[str, float]
    odds_cap: float = math.inf
    exceed: float = 0.0

    @classmethod
    def in_bits(cls, bits: Mapping[str, float], odds_cap: float, exceed: float) -> Limits:
        return cls({target: limit * LOG2 for target, limit in bits.items()}, odds_cap, exceed)

    @property
    def log_cap(self) -> float:
        return math.log(self.odds_cap)

    def about(self, target: str) -> float:
        """The nats that may be learnt of a target."""
        return self.information.get(target, math.inf)

    def broken(self, views: Mapping[str, View], rounding: float = ROUNDING) -> list[Broken]:
        """Every limit that is broken by ``views``, {target: what somebody may believe of it}."""
        broken: list[Broken] = []
        for target, view in views.items():
            learnt, allowed = INFORMATION.of(view).high, self.about(target)
            if not learnt <= allowed * (1 + rounding):
                broken.append(Broken(target, "information", learnt, allowed))
            factor = ODDS.of(view).nats
            if not factor <= self.log_cap + rounding:
                above = self.above(view)
                if self.exceed == 0 or not above <= self.exceed * (1 + rounding):
                    broken.append(Broken(target, "odds", factor, self.log_cap, above))
        return broken

    def above(self, view: View) -> float:
        """The probability of an answer that raises some odds beyond the cap; 1 where not known."""
        if ODDS.of(view).nats <= self.log_cap + ROUNDING:
            return 0.0

        def beyond(after: Posteriors) -> Array:
            return np.where(ODDS.f(after) > self.log_cap + ROUNDING, 1.0, 0.0)

        def still(value: Array, off: Off, after: Posteriors) -> Array:
            return np.zeros_like(value)  # the cap has the rounding of the odds

        # Only of listed answers: the bounds of other views hold for convex functions alone.
        count = Functional(beyond, moves=still, least=0.0)
        return view.mean(count).high if isinstance(view, FiniteView) else 1.0
