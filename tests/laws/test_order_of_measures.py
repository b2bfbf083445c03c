"""How the measures relate to one another on one and the same cloud."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.laws.cases import Question
from tests.laws.draws import Numbers, draws, each_family, numbers
from tests.oracle import Look, Setting

TOL = 1e-9

pytestmark = pytest.mark.stress


def below(less: float, more: float) -> bool:
    return less <= more * (1 + TOL) + 1e-13


def logarithm(factor: float) -> float:
    return math.log(factor) if factor > 0 else -math.inf


def contextless(look: Look) -> Look:
    """The relations hold context by context: nothing known, or one known value each."""
    return look if isinstance(look.knows, Mapping) else replace(look, knows=())


def priors(setting: Setting, look: Look) -> dict[object, float]:
    """The prior of each class, as the mean of the posteriors."""
    prior: dict[object, float] = {}
    for point in Question(setting, look).points():
        for label, share in point.posterior.items():
            prior[label] = prior.get(label, 0.0) + point.mass * share
    return {label: share for label, share in prior.items() if share > 0}


def least_lift(setting: Setting, look: Look) -> float:
    """The most a class can lose: max over classes and outcomes of -log P(s|y)/P(s)."""
    prior = priors(setting, look)
    points = Question(setting, look).points()
    return max(-logarithm(p.posterior[label] / prior[label]) for p in points for label in prior)


@pytest.mark.slow
@each_family
def test_means_and_sups(family: str) -> None:
    """MI <= KLmax <= I+ <= E <= I+ + I-, and I+ <= log 1/pmin."""
    for _, setting, look in draws(family, 30):
        look = contextless(look)
        n = numbers(setting, look)
        fall = least_lift(setting, look)
        chain = [n[name] for name in ("mutual-information", "relative-entropy", "max-information")]
        chain.append(n["max-log-ratio"])
        assert all(below(a, b) for a, b in pairwise(chain)), (setting, look)
        assert below(fall, n["max-log-ratio"])
        assert below(n["max-log-ratio"], n["max-information"] + fall + 1e-12)
        assert below(n["max-information"], -math.log(min(priors(setting, look).values())))


@each_family
def test_what_a_log_ratio_allows(family: str) -> None:
    """I+ <= -log(pmin + (1-pmin)/e^E); KLmax <= u - 1 - log u, u = E/(1-e^-E), and E tanh(E/2)."""
    for _, setting, look in draws(family, 31):
        look = contextless(look)
        n = numbers(setting, look)
        ratio = n["max-log-ratio"]
        rarest = min(priors(setting, look).values())
        assert below(n["max-information"], -math.log(rarest + (1 - rarest) * math.exp(-ratio)))
        if 1e-6 < ratio < math.inf:
            u = ratio / -math.expm1(-ratio)
            assert below(n["relative-entropy"], u - 1 - math.log(u))
            assert below(n["relative-entropy"], ratio * math.tanh(ratio / 2))


@each_family
def test_odds_between_lift_and_ratio(family: str) -> None:
    """An odds factor is a ratio of mixed likelihoods, so never above e^E; and above any lift."""
    for _, setting, look in draws(family, 32):
        n = numbers(setting, look)
        assert below(logarithm(n["odds"]), n["max-log-ratio"]), (setting, look)
        assert n["odds"] >= 1 - 1e-12
        whole = replace(look, secret=tuple(setting.values[look.target]))
        n = numbers(setting, whole)
        assert below(n["max-information"], logarithm(n["odds"])), (setting, look)


@pytest.mark.slow
@each_family
def test_a_yes_or_no_secret(family: str) -> None:
    """With two classes E is the larger of log odds and -log odds, and KLmax has a reverse bound."""
    for _, setting, look in draws(family, 33):
        values = tuple(setting.values[look.target])
        look = replace(contextless(look), secret=values[:1])
        n, rest = numbers(setting, look), numbers(setting, replace(look, secret=values[1:2]))
        if len(values) == 2:
            both = max(logarithm(n["odds"]), logarithm(rest["odds"]))
            assert math.isclose(both, n["max-log-ratio"], rel_tol=TOL, abs_tol=1e-14), (
                setting,
                look,
            )
        prior = priors(setting, look)
        if len(prior) == 2:
            reverse = [kl(min(1.0, p * math.exp(n["max-information"])), p) for p in prior.values()]
            assert below(min(reverse), n["relative-entropy"])


def kl(q: float, p: float) -> float:
    """The divergence of a coin with chance q from one with chance p."""
    terms = [(q, p), (1 - q, 1 - p)]
    return sum(a * math.log(a / b) for a, b in terms if a > 0)


@each_family
def test_the_worst_of_the_contexts(family: str) -> None:
    """Knowing by name is the worst over the values, for the sups and for the mean alike."""
    for _, setting, look in draws(family, 34):
        if look.knows and not isinstance(look.knows, Mapping):
            at = [setting.names.index(name) for name in look.knows]
            contexts = {
                tuple(cell[i] for i in at) for cell, count in setting.counts.items() if count
            }
            worst: Numbers = {}
            for context in contexts:
                known = dict(zip(look.knows, context, strict=True))
                for name, number in numbers(setting, replace(look, knows=known)).items():
                    worst[name] = max(number, worst.get(name, -math.inf))
            for name, number in numbers(setting, look).items():
                assert number == pytest.approx(worst[name], rel=TOL, abs=1e-14), (setting, look)
