"""Policy closure: what tells too much by being released at all becomes sensitive itself.

A released value shows P(secret | value) whatever its release probability, so no plan helps against
one that multiplies a secret's odds beyond the cap: it must not be released, or not count. Making it
sensitive makes it a secret too, which others may tell; so this is repeated until nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unsaid.adversary import Adversary
from unsaid.beliefs import Belief, Joint
from unsaid.display import Shown
from unsaid.errors import InputError
from unsaid.mechanisms import OneSided
from unsaid.types.bound import exp_or_inf
from unsaid.types.domain import Value
from unsaid.types.posteriors import Posteriors
from unsaid.views import FiniteView

__all__ = ["Closure", "Told", "closure"]

SLACK = 1e-12  # in log odds: a factor that is the cap but for rounding keeps it

Sensitive = Mapping[str, Sequence[Value]]


@dataclass(frozen=True)
class Told:
    """``label`` of ``attribute``, released alone, multiplies the odds of a secret by ``factor``.

    The secret is that ``target`` is one of ``secret``. ``share``: how much of the rows it is.
    """

    attribute: str
    label: Value
    target: str
    secret: tuple[Value, ...]
    factor: float
    share: float

    def __str__(self) -> str:
        secret = " or ".join(str(value) for value in self.secret)
        return (
            f"{self.attribute} {self.label} ({self.share:.2%} of the rows): "
            f"odds of {self.target} {secret} x {self.factor:.4g}"
        )


@dataclass(frozen=True, repr=False)
class Closure(Shown):
    """``sensitive``: the closed sets. ``rounds``: what each added, and why, the worst first."""

    sensitive: Mapping[str, tuple[Value, ...]]
    rounds: tuple[tuple[Told, ...], ...]

    @property
    def added(self) -> dict[str, tuple[Value, ...]]:
        """The labels that became sensitive, attribute by attribute."""
        names = dict.fromkeys(told.attribute for round_ in self.rounds for told in round_)
        return {
            name: tuple(t.label for round_ in self.rounds for t in round_ if t.attribute == name)
            for name in names
        }

    def facts(self) -> list[tuple[str, str]]:
        if not self.rounds:
            return [("closed", "as it is: no value tells too much by itself")]
        return [
            (f"round {number}", str(told))
            for number, round_ in enumerate(self.rounds, 1)
            for told in round_
        ]


def closure(
    belief: Belief,
    sensitive: Sensitive,
    odds_cap: float,
    released: Collection[str] | None = None,
) -> Closure:
    """Make sensitive what tells too much, until no free label of ``released`` (all) does.

    All labels that do so in a round are added together, so that no order of attributes matters.
    It ends: sets only grow. At worst an attribute ends up with nothing that may be released.
    """
    if not odds_cap >= 1:
        raise InputError(f"closure.odds_cap: {odds_cap} must be 1 or more (a factor on odds)")
    names = belief.domain.names
    for name, values in sensitive.items():
        belief.domain.axis(name, "closure.sensitive")
        for value in values:
            belief.domain.code(name, value, "closure.sensitive")
    hidden = {name: _ordered(belief, name, sensitive.get(name, ())) for name in names}
    pairs = _pairs(belief, names if released is None else tuple(released))
    rounds = []
    while found := _telling(pairs, hidden, math.log(odds_cap) + SLACK):
        for told in found:
            own = (*hidden[told.attribute], told.label)
            hidden[told.attribute] = _ordered(belief, told.attribute, own)
        rounds.append(found)
    return Closure(hidden, tuple(rounds))


def _ordered(belief: Belief, name: str, some: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(value for value in belief.domain.values_of(name) if value in some)


def _pairs(belief: Belief, released: Sequence[str]) -> dict[tuple[str, str], Joint]:
    """What is believed of each attribute that is released together with each that may depend."""
    for name in released:
        belief.domain.axis(name, "closure.released")
    both = [pair for a, b in belief.pairs() for pair in ((a, b), (b, a)) if pair[0] in released]
    domain = belief.domain
    return {
        pair: Joint(
            belief.marginal(pair), pair, [domain.values_of(n) for n in pair], belief.premise
        )
        for pair in both
    }


def _telling(
    pairs: Mapping[tuple[str, str], Joint], hidden: Mapping[str, tuple[Value, ...]], most: float
) -> tuple[Told, ...]:
    """The free labels beyond the cap, each with the secret it tells most of."""
    worst: dict[tuple[str, Value], Told] = {}
    for (name, target), belief in pairs.items():
        for told in _of_pair(belief, name, target, hidden, most):
            before = worst.get((name, told.label))
            if before is None or told.factor > before.factor:
                worst[name, told.label] = told
    order = sorted(worst.values(), key=lambda told: (-told.factor, -told.share, told.attribute))
    return tuple(order)


def _of_pair(
    belief: Joint, name: str, target: str, hidden: Mapping[str, tuple[Value, ...]], most: float
) -> Iterator[Told]:
    """What each free label of ``name`` says about ``target``, where that is too much.

    A value shown says the same whatever its release probability, so any will do.
    """
    if not hidden[target]:
        return
    own = {n: hidden[n] for n in (name, target)}
    adversary = Adversary(target, secret=hidden[target], sees=[name])
    view = OneSided({name: 1.0}, own).view(belief, adversary)
    if not isinstance(view, FiniteView):
        return
    events: list[tuple[Value, ...]] = [(value,) for value in hidden[target]]
    events += [hidden[target]] if len(hidden[target]) > 1 else []
    factors = np.array([_log_factors(view.posteriors, view.classes, event) for event in events])
    shares = belief.marginal([name])
    for outcome, label in enumerate(view.seen[name]):
        if label in hidden[name] or label not in belief.domain.values_of(name):
            continue
        best = int(np.argmax(factors[:, outcome]))
        if factors[best, outcome] > most:
            factor = exp_or_inf(float(factors[best, outcome]))
            share = float(shares[belief.domain.code(name, label)])
            yield Told(name, label, target, events[best], factor, share)


def _log_factors(
    after: Posteriors, classes: Sequence[Value], event: Sequence[Value]
) -> list[float]:
    """By outcome, the log factor on the odds that the secret is one of ``event``."""
    inside = np.array([one in event for one in classes])
    factors: list[float] = after.log_odds_factor(inside)[0].tolist()
    return factors
