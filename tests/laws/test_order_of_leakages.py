"""How far the averages, the guesses and the pairs lie from the largest lifts and ratios."""

from __future__ import annotations

import math
from itertools import pairwise, permutations
from typing import Any

import pytest

import unspoken
from tests.laws.cases import Question
from tests.laws.draws import Numbers, draws, each_family, numbers
from tests.laws.test_order_of_measures import below, contextless, least_lift, priors
from tests.oracle import Look, Setting
from unspoken.core.measures import MEASURES

pytestmark = pytest.mark.stress


def log_mean_exp(share: float, exponent: float) -> float:
    """log(share + (1 - share) e^exponent)."""
    return math.log1p((1 - share) * math.expm1(exponent)) if exponent < 700 else math.inf


def check_lifts(n: Numbers, fall: float, rarest: float) -> None:
    """max(I+, I-) <= E <= I+ + I-; what E allows of each; I+ <= log 1/pmin."""
    ratio, grows, either = (
        n[name] for name in ("max-log-ratio", "max-information", "max-information-two-sided")
    )
    assert math.isclose(either, max(grows, fall), rel_tol=1e-9, abs_tol=1e-13)
    assert below(either, ratio)
    assert below(ratio, grows + fall)
    assert below(grows, -log_mean_exp(rarest, -ratio))
    assert below(fall, log_mean_exp(rarest, ratio))
    assert below(grows, -math.log(rarest))


def check_averages(n: Numbers, classes: int) -> None:
    """MI <= ML <= I+, ML <= log(d e^E / (d-1 + e^E)), guesses <= ML, KLmax <= B tanh(B/2)."""
    most, ratio = n["maximal-leakage"], n["max-log-ratio"]
    either = n["max-information-two-sided"]
    assert below(n["mutual-information"], most)
    assert below(most, n["max-information"])
    assert below(most, math.log(classes) - log_mean_exp(1 / classes, -ratio))
    assert below(n["bayes-leakage"], most)
    assert math.isinf(either) or below(n["relative-entropy"], either * math.tanh(either / 2))
    assert below(n["exclusion"], ratio)
    assert 0 <= n["guessing"] <= (classes - 1) / 2 + 1e-12


@pytest.mark.slow
@each_family
def test_what_one_number_says_of_another(family: str) -> None:
    for _, setting, look in draws(family, 35):
        look = contextless(look)
        n, prior = numbers(setting, look), priors(setting, look)
        check_lifts(n, least_lift(setting, look), min(prior.values()))
        check_averages(n, len(prior))
        for name in ("bayes-leakage", "delta", "exclusion", "guessing", "maximal-leakage"):
            assert n[name] >= 0


def total_variation(setting: Setting, look: Look) -> float:
    """The largest distance between two classes' outputs, from the points of the cloud."""
    prior, points = priors(setting, look), Question(setting, look).points()
    likelihood = {s: [p.mass * p.posterior[s] / prior[s] for p in points] for s in prior}
    apart = [
        sum(abs(x - y) for x, y in zip(likelihood[a], likelihood[b], strict=True)) / 2
        for a, b in permutations(prior, 2)
    ]
    return max(apart, default=0.0)


@each_family
def test_delta_between_total_variation_and_nothing(family: str) -> None:
    """delta(0) is the largest total variation; delta falls with eps and is 0 from E on."""
    for rng, setting, look in draws(family, 36):
        look = contextless(look)
        question = Question(setting, look)
        cloud: Any = unspoken.view(question.belief, question.mechanism, question.adversary)
        ratio = MEASURES["max-log-ratio"].of(cloud).value
        steps = [0.0, *sorted(rng.uniform(0, 3, 3).tolist())]
        found = [MEASURES["delta"].of(cloud, eps=eps).value for eps in steps]
        assert math.isclose(found[0], total_variation(setting, look), rel_tol=1e-9, abs_tol=1e-14)
        assert all(b <= a for a, b in pairwise(found))
        for eps, delta in zip(steps, found, strict=True):
            assert delta > 0 or ratio <= eps * (1 + 1e-12) + 1e-15
        if ratio < 700:
            assert MEASURES["delta"].of(cloud, eps=ratio).value <= 1e-14
