"""The questions one may ask of a belief, a mechanism and an adversary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from unspoken.adversary import Adversary
from unspoken.beliefs import Belief
from unspoken.errors import InputError, unknown
from unspoken.measures import MEASURES
from unspoken.types.bound import Bound
from unspoken.types.channel import Output
from unspoken.types.posteriors import Posteriors
from unspoken.views import View

__all__ = ["leakage", "leakages", "odds", "view"]


class MakesViews(Protocol):
    """A mechanism, as far as questions are concerned."""

    def view(
        self, belief: Belief, adversary: Adversary, outcome: Mapping[str, Output] | None = None
    ) -> View: ...

    def points_of_each(self, belief: Belief, names: Sequence[str]) -> Sequence[View] | None: ...


def view(belief: Belief, mechanism: MakesViews, adversary: Adversary) -> View:
    """Everything the adversary may come to believe: the cloud of posteriors."""
    return mechanism.view(belief, adversary)


def leakage(
    belief: Belief,
    mechanism: MakesViews,
    adversary: Adversary,
    measure: str = "max-log-ratio",
    **options: float,
) -> Bound:
    """How much the adversary learns about the target's secret, by one of `MEASURES`.

    ``options`` are the measure's own: "delta" takes eps.
    """
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    return MEASURES[measure].of(mechanism.view(belief, adversary), **options)


def leakages(
    belief: Belief,
    mechanism: MakesViews,
    measure: str = "max-log-ratio",
    targets: Sequence[str] | None = None,
    **options: float,
) -> dict[str, Bound]:
    """`leakage` about every variable, or each of ``targets``, to somebody who knows nothing else.

    A bound of one's own for everybody; where a belief adds up for all of them at once (a Chain),
    it costs little more than one.
    """
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    names, of = tuple(belief.domain.names if targets is None else targets), MEASURES[measure]
    views: Iterable[View] | None = None
    if names and of.over == "sup":
        views = mechanism.points_of_each(belief, names)
    if views is None:
        views = (mechanism.view(belief, Adversary(name)) for name in names)
    return {name: of.of(own, **options) for name, own in zip(names, views, strict=True)}


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
