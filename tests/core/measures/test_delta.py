"""delta(eps): its option, its definition, and dp-accounting's hockey sticks."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

import unspoken
from tests import oracle
from tests.computed import computed
from tests.core.measures.plain import bound_of, view_of
from tests.laws.cases import Question, close
from tests.laws.draws import draws, each_family
from unspoken.core.measures import MEASURES

days = unspoken.Joint([[15, 5], [10, 70]], names="AB")
arrival = unspoken.OneSided({"A": 1.0})


@each_family
@pytest.mark.parametrize("eps", [0.01, 0.3, 1.0, 5.0])
def test_by_definition(family: str, eps: float) -> None:
    for _, setting, look in draws(family, 60):
        question = Question(setting, look)
        bound = computed(question.belief, question.mechanism, question.adversary, "delta", eps=eps)
        with mpmath.workdps(oracle.DIGITS):
            clouds = oracle.clouds(setting, look).values()
            truth = oracle.exact(max(oracle.delta(cloud, eps) for cloud in clouds))
        assert bound.low == bound.high
        assert close(bound.value, truth, atol=1e-15), (question, eps)


def test_the_option() -> None:
    look = unspoken.Adversary("B")
    ask: Any = partial(unspoken.leakage, days, arrival, look, "delta")
    assert ask().value == ask(eps=0).value == ask(eps=0.0).value > ask(eps=0.5).value > 0
    with pytest.raises(unspoken.UnspokenError, match='there is no "epss"'):
        ask(epss=1.0)
    for eps in (-0.1, math.inf, math.nan):
        with pytest.raises(unspoken.UnspokenError, match="delta: eps must be a number from 0 on"):
            ask(eps=eps)
    with pytest.raises(unspoken.UnspokenError, match="delta: eps must be a number, got 'half'"):
        ask(eps="half")
    with pytest.raises(unspoken.UnspokenError, match='odds: takes no options; leave out "eps"'):
        unspoken.leakage(days, arrival, look, "odds", eps=1.0)


def test_many_classes_are_refused_before_memory_is(monkeypatch: pytest.MonkeyPatch) -> None:
    cloud: Any = view_of([0.25] * 4, np.eye(4))
    monkeypatch.setattr("unspoken.core.measures.delta.CLASSES", 3)
    with pytest.raises(unspoken.UnspokenError, match="compares every two of 4 classes; 3 at most"):
        MEASURES["delta"].of(cloud)


def test_what_the_prior_rules_out_is_compared_with_nothing() -> None:
    matrix = np.array([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])
    for name, measure in MEASURES.items():
        nothing = 1.0 if name == "odds" else 0.0
        cloud: Any = view_of([0.4, 0.6, 0.0], matrix)
        assert measure.of(cloud).value == nothing, name
        hidden: Any = view_of([0.4, 0.6, 0.0], matrix, secret=[2])
        assert measure.of(hidden).value == nothing, name


def test_it_is_the_same_for_every_prior() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.dirichlet(np.ones(4), 5)
    for name in ("delta", "max-log-ratio", "exclusion"):
        assert MEASURES[name].prior_free
        values = [bound_of(rng.dirichlet(np.ones(5)), matrix, name).value for _ in range(5)]
        assert values == pytest.approx([values[0]] * 5, rel=1e-12)


class Compared:
    """A cloud whose prior nobody knows."""

    prior_known = False

    def __init__(self, cloud: Any) -> None:
        self.sup, self.mean = cloud.sup, cloud.mean


def test_without_a_prior_only_pairs_are_compared() -> None:
    cloud: Any = Compared(view_of([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]))
    for name, measure in MEASURES.items():
        if measure.prior_free:
            assert measure.of(cloud).value > 0
        else:
            with pytest.raises(unspoken.UnspokenError, match=f"{name}: needs the prior"):
                measure.of(cloud)


STEPS = (0.0, 0.2, 0.5, 0.9, 1.5)


def bracket(one: np.ndarray, other: np.ndarray, eps: float) -> tuple[float, float]:
    """dp-accounting's delta of one law over another, rounded down and rounded up."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    with np.errstate(divide="ignore"):
        laws = [dict(enumerate(np.log(law).tolist())) for law in (other, one)]
    ends = [
        pld.from_two_probability_mass_functions(
            *laws, pessimistic_estimate=up, value_discretization_interval=1e-5
        ).get_delta_for_epsilon(eps)
        for up in (False, True)
    ]
    return float(ends[0]), float(ends[1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_random_pairs_of_laws(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.ones(6), 2)
    for eps in STEPS:
        delta = bound_of([0.5, 0.5], matrix, "delta", eps=eps).value
        ends = [bracket(matrix[a], matrix[1 - a], eps) for a in (0, 1)]
        low, high = (max(end) for end in zip(*ends, strict=True))
        assert low - 1e-12 <= delta <= high + 1e-12
        assert high - low <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.1, 0.5, 0.9])
def test_randomised_response(noise: float) -> None:
    """k answers, a uniform one with probability ``noise``: exact, and within their rounding."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    k = 4
    matrix = np.full((k, k), noise / k) + np.eye(k) * (1 - noise)
    theirs = pld.from_randomized_response(noise, k, value_discretization_interval=1e-5)
    for eps in STEPS:
        delta = bound_of(np.full(k, 1 / k), matrix, "delta", eps=eps).value
        exact = max(0.0, matrix[0, 0] - math.exp(eps) * matrix[1, 0])
        assert delta == pytest.approx(exact, rel=1e-12, abs=1e-16)
        assert delta - 1e-12 <= theirs.get_delta_for_epsilon(eps) <= delta + 2e-5


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_discrete_laplace(alpha: float) -> None:
    """Counts 0 and 1 with discrete Laplace noise; clamping merges answers that say the same."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    theirs = pld.from_discrete_laplace_mechanism(alpha, value_discretization_interval=1e-5)
    outputs = np.arange(-3, 5)
    weight = math.tanh(alpha / 2)
    rows = []
    for count in (0, 1):
        row = weight * np.exp(-alpha * np.abs(outputs - count))
        row[0] = np.exp(-alpha * (count - outputs[0])) / (1 + math.exp(-alpha))
        row[-1] = np.exp(-alpha * (outputs[-1] - count)) / (1 + math.exp(-alpha))
        rows.append(row)
    for eps in STEPS:
        delta = bound_of([0.5, 0.5], rows, "delta", eps=eps).value
        assert delta - 1e-12 <= theirs.get_delta_for_epsilon(eps) <= delta + 2e-5
