"""The three questions one may ask of a belief, a mechanism and an adversary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from unsaid.adversary import Adversary
from unsaid.beliefs import Belief
from unsaid.errors import InputError, unknown
from unsaid.measures import MEASURES
from unsaid.types.bound import Bound
from unsaid.types.channel import Output
from unsaid.types.posteriors import Posteriors
from unsaid.views import View

__all__ = ["leakage", "odds", "view"]


class MakesViews(Protocol):
    """A mechanism, as far as questions are concerned."""

    def view(
        self, belief: Belief, adversary: Adversary, outcome: Mapping[str, Output] | None = None
    ) -> View: ...


def view(belief: Belief, mechanism: MakesViews, adversary: Adversary) -> View:
    """Everything the adversary may come to believe: the cloud of posteriors."""
    return mechanism.view(belief, adversary)


def leakage(
    belief: Belief, mechanism: MakesViews, adversary: Adversary, measure: str = "max-log-ratio"
) -> Bound:
    """How much the adversary learns about the target's secret, by one of `MEASURES`."""
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    return MEASURES[measure].of(mechanism.view(belief, adversary))


def odds(
    belief: Belief, mechanism: MakesViews, adversary: Adversary, outcome: Mapping[str, Output]
) -> Bound:
    """The factor on the odds "secret : not secret" after one event.

    ``outcome`` says what is seen of each variable: WITHHELD (every time it was asked for),
    RELEASED (at least once) or the value released. Theorems 1-4 and Corollary 1 are special cases.
    """
    after = mechanism.view(belief, adversary, outcome)
    bound = after.sup(_secret_odds)
    if bound.status == "impossible":
        return Bound.impossible("odds", bound.premise, f"{dict(outcome)} cannot happen")
    return Bound.of_odds(bound.low, bound.high, bound.premise, bound.why)


def _secret_odds(after: Posteriors) -> np.ndarray:
    if after.secret.all():
        raise InputError(
            "odds of the secret: every value of the target is one; say which are, "
            "with Adversary(target, secret=[...])"
        )
    return after.log_odds_factor(after.secret)
