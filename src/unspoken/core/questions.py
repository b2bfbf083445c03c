"""The questions one may ask of a belief, a mechanism and an adversary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.measures import MEASURES, Measure, MeasureName, measure_named
from unspoken.core.mechanisms import Mechanism
from unspoken.core.types.bound import Bound
from unspoken.core.types.bounds import Leakages
from unspoken.core.types.channel import Output
from unspoken.core.types.kinds import expect, items, labels
from unspoken.core.types.posteriors import Functional, Posteriors, by_log_odds
from unspoken.core.views import View

__all__ = ["check_kinds", "leakage", "leakages", "odds", "view", "views_of_each"]


A_MECHANISM = (
    "give a OneSided, Laplace, Geometric, OneSidedNoise, Finite, RandomizedResponse or Together"
)
# Of laws beside one variable, each as large as there is room for: as many as are read in an hour.
TABLES = 2
AN_ADVERSARY = "give an Adversary(target, ...)"


def view(belief: Belief, mechanism: Mechanism, adversary: Adversary) -> View:
    """Everything the adversary may come to believe: the cloud of posteriors.

    Of a set of beliefs, ``sup`` and ``mean`` hold whichever of them is true; so they do below.
    """
    check_kinds("view", belief, mechanism, adversary)
    return mechanism.view(belief, adversary)


def leakage(
    belief: Belief,
    mechanism: Mechanism,
    adversary: Adversary,
    measure: MeasureName = "max-log-ratio",
    **options: float,
) -> Bound:
    """How much the adversary learns about the target's secret, by one of `MEASURES`.

    ``options`` are the measure's own: "delta" takes eps. The ends have the rounding behind them:
    the truth lies between them to its last digit.
    """
    check_kinds("leakage", belief, mechanism, adversary)
    of = measure_named(measure)
    return _explained(of, mechanism.view(belief, adversary), **options)


def leakages(
    belief: Belief,
    mechanism: Mechanism,
    measure: MeasureName = "max-log-ratio",
    targets: Sequence[str] | None = None,
    **options: float,
) -> Leakages:
    """`leakage` about every variable, or each of ``targets``, to somebody who knows nothing else.

    A bound of one's own for everybody; where a belief adds up for all of them at once (a Chain),
    it costs little more than one. Means are asked one by one; where that takes hours it is refused.
    """
    check_kinds("leakages", belief, mechanism)
    of = measure_named(measure)
    names = belief.domain.names if targets is None else items(targets, "leakages.targets")
    for name in names:
        belief.domain.axis(name, "leakages.targets")
    clouds = zip(names, views_of_each(belief, mechanism, of, names), strict=True)
    return Leakages({name: _explained(of, cloud, **options) for name, cloud in clouds})


def _explained(of: Measure, cloud: View, **options: float) -> Bound:
    """This measure of the cloud; where an answer excludes a value, and that alone makes it
    infinite, what to ask for instead: whoever shows a true value excludes all others.
    """
    bound = of.rounded(cloud, **options).outward()
    if bound.status != "ok" or math.isfinite(bound.high) or of.unit == "odds":
        return bound
    if not cloud.prior_known:
        return bound
    grown = MEASURES["odds"].rounded(cloud).outward()
    if math.isinf(grown.odds):
        return bound
    return replace(
        bound,
        why=f"{bound.why}; an answer that excludes a value is infinite here, as every true value "
        f'that is shown excludes the others: "odds" asks how much likelier the secret becomes '
        f"({grown.odds:.3g} times the odds at most)",
    )


def views_of_each(
    belief: Belief, mechanism: Mechanism, measure: Measure, names: Sequence[str]
) -> Iterable[View]:
    """What somebody who knows nothing else may believe of each of these, as the measure asks."""
    views: Iterable[View] | None = None
    if names and measure.over == "sup":
        views = mechanism.points_of_each(belief, names)
    elif names:
        _refuse_hours(belief, mechanism, names)
    if views is None:
        views = (mechanism.view(belief, Adversary(name)) for name in names)
    return views


def _refuse_hours(belief: Belief, mechanism: Mechanism, names: Sequence[str]) -> None:
    """Where a mean takes seconds for each of thousands of variables."""
    most = TABLES * mechanism.each_at_once(belief)
    if 0 < most < len(names):
        raise TooLarge(
            f"leakages: a mean for each of {len(names):,} variables, one after the other, beside a "
            f"sum of so many takes hours; name up to {most:,} as targets, or ask for a measure "
            "that is a largest value, such as max-log-ratio"
        )


def odds(
    belief: Belief, mechanism: Mechanism, adversary: Adversary, outcome: Mapping[str, Output]
) -> Bound:
    """The factor on the odds "secret : not secret" after one event.

    ``outcome`` says what is seen of each variable: WITHHELD (every time it was asked for),
    RELEASED (at least once) or the value released. Theorems 1-4 and Corollary 1 are special cases.
    """
    check_kinds("odds", belief, mechanism, adversary)
    if not isinstance(outcome, Mapping):
        raise InputError("odds.outcome: say what is seen of each, {name: WITHHELD}")
    labels(outcome.values(), "odds.outcome")
    after = mechanism.view(belief, adversary, outcome)
    bound = after.sup(SECRET_ODDS)
    if bound.status == "impossible":
        return Bound.impossible("odds", bound.premise, f"{dict(outcome)} cannot happen")
    after_all = Bound.of_odds(bound.low, bound.high, bound.premise, bound.why, bound.outer)
    return after_all.outward()


def _secret_odds(after: Posteriors) -> np.ndarray:
    if after.secret.all():
        raise InputError(
            "odds of the secret: every value of the target is one; say which are, "
            "with Adversary(target, secret=[...])"
        )
    return after.log_odds_factor(after.secret)


SECRET_ODDS = Functional(_secret_odds, "secret", "odds", by_log_odds, outer=True)


def check_kinds(where: str, belief: object, mechanism: object, *adversary: object) -> None:
    """One line where an argument is something else altogether."""
    expect(belief, Belief, f"{where}.belief", A_BELIEF)
    expect(mechanism, Mechanism, f"{where}.mechanism", A_MECHANISM)
    for who in adversary:
        expect(who, Adversary, f"{where}.adversary", AN_ADVERSARY)
