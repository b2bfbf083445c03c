"""Functions of a user's own over every kind of view: against integrals and listed outcomes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import local, noisy
from unspoken.core.types.bound import Bound
from unspoken.core.views import BandView, FiniteView, HeadsView, NoisyView

Function = Callable[[Any], Any]


def q_log_q(q: np.ndarray) -> np.ndarray:
    return np.asarray(q * np.log(np.where(q > 0, q, 1.0)))


def divergence(p: Any) -> Any:
    """The plain formula, which loses digits near the prior."""
    ratio = np.where(p.posterior > 0, p.posterior / np.where(p.prior > 0, p.prior, 1.0), 1.0)
    return (p.posterior * np.log(ratio)).sum(-1)


CONVEX: dict[str, Function] = {
    "minus entropy": lambda p: q_log_q(p.posterior).sum(-1),
    "best guess": lambda p: p.posterior.max(-1),
    "divergence": divergence,
    "q log q": lambda p: q_log_q(p.posterior[..., 0]),
    "distance": lambda p: np.abs(p.posterior - p.prior).sum(-1),
    "squares, tiny": lambda p: 1e-12 * (p.posterior**2).sum(-1),
    "squares, huge": lambda p: 1e200 * (p.posterior**2).sum(-1),
    "gain": lambda p: (2 * p.posterior[..., 0] - 1).clip(min=0),
}
CONCAVE: dict[str, Function] = {
    "entropy": lambda p: -q_log_q(p.posterior).sum(-1),
    "Bayes error": lambda p: 1 - p.posterior.max(-1),
    "Gini": lambda p: 1 - (p.posterior**2).sum(-1),
    "root": lambda p: np.sqrt(p.posterior[..., 0]),
    "away from 0.4": lambda p: -((p.posterior[..., 0] - 0.4) ** 2),
}
AFFINE: dict[str, Function] = {
    "a probability": lambda p: p.posterior[..., 0],
    "steep": lambda p: 1e6 * (p.posterior[..., 0] - p.prior[..., 0]),
    "constant": lambda p: 0 * p.posterior[..., 0] + 7.0,
}
NEITHER: dict[str, Function] = {
    "waves": lambda p: np.sin(20 * p.posterior[..., 0]),
    "a cusp": lambda p: np.abs(p.posterior[..., 0] - 0.5) ** 0.5,
    "a difference": lambda p: p.posterior.max(-1) - 2 * (p.posterior[..., 0] - 0.5) ** 2,
    "a cube": lambda p: (p.posterior[..., 0] - 0.4) ** 3,
    "steps": lambda p: np.round(4 * p.posterior[..., 0]),
}
SOUND = {**CONVEX, **CONCAVE, **AFFINE}
SMOOTH_OR_KINKED = sorted(SOUND)


def joint(seed: int) -> np.ndarray:
    """P(mine, brother's) of two values each, wide enough for every function above."""
    rng = np.random.default_rng(seed)
    diagonal, other = rng.uniform(0.3, 0.45, 2), rng.uniform(0.05, 0.15, 2)
    table = np.array([[diagonal[0], other[0]], [other[1], diagonal[1]]])
    return np.asarray(table / table.sum())


def density(table: np.ndarray, scale: float, r: float) -> np.ndarray:
    """P(mine = a, answer = r) where the answer is the sum of both and Laplace noise."""
    law = np.zeros(2)
    for a, b in itertools.product(range(2), range(2)):
        law[a] += table[a, b] * math.exp(-abs(r - a - b) / scale) / (2 * scale)
    return law


def point(f: Function, prior: np.ndarray, posterior: np.ndarray) -> float:
    return float(f(SimpleNamespace(prior=prior, posterior=posterior)))


def integrated(f: Function, table: np.ndarray, scale: float) -> float:
    """The mean of f over answers: quadrature between all kinks; beyond 0 and 2 nothing changes."""
    prior = table.sum(1)

    def added(r: float) -> float:
        law = density(table, scale, r)
        return float(law.sum()) * point(f, prior, law / law.sum())

    def share(r: float) -> float:
        law = density(table, scale, r)
        return float(law[0] / law.sum())

    kinks = [0.0, 1.0, 2.0]
    for level in (0.5, float(prior[0])):
        for left, right in ((0.0, 1.0), (1.0, 2.0)):
            if (share(left) - level) * (share(right) - level) < 0:
                kinks.append(brentq(lambda r, at=level: share(r) - at, left, right, xtol=1e-15))
    inside = sum(
        quad(added, left, right, epsabs=0, epsrel=1e-12)[0]
        for left, right in itertools.pairwise(sorted(kinks))
    )
    return float(inside + scale * (added(0.0) + added(2.0)))


def holds(bound: Bound, truth: float, slack: float = 1e-11) -> None:
    """The truth lies between the ends, to the digits it is known to."""
    off = slack * abs(truth)
    assert bound.low <= bound.high
    assert bound.low - off <= truth <= bound.high + off, (bound.low, truth, bound.high)


def noisy_view(table: np.ndarray, scale: float, **who: Any) -> NoisyView:
    belief = unspoken.Joint(table, names=["mine", "brother"])
    view = unspoken.view(belief, unspoken.Laplace(scale), unspoken.Adversary("mine", **who))
    assert isinstance(view, NoisyView)
    return view


def entropy(law: Any) -> float:
    return -math.fsum(p * math.log(p) for p in law if p > 0)


@pytest.mark.parametrize("name", SMOOTH_OR_KINKED)
@pytest.mark.parametrize("scale", [0.3, 3.0])
@pytest.mark.parametrize("seed", range(2))
def test_a_mean_over_noisy_answers(seed: int, scale: float, name: str) -> None:
    table, f = joint(seed), SOUND[name]
    bound = noisy_view(table, scale).mean(f)
    truth = integrated(f, table, scale)
    if name == "steep":  # the mean is 0: digits of the values, which are as large as a million
        assert bound.low <= 1e-9
        assert -1e-9 <= bound.high <= bound.low + 1e-6
        return
    holds(bound, truth)
    assert bound.high - bound.low <= 1e-9 * abs(truth)
    assert "this is no proof" in bound.why


@pytest.mark.parametrize(("scale", "truth"), [(0.3, 0.239310044), (1.0, 0.531629727)])
def test_the_entropy_that_a_noisy_answer_leaves(scale: float, truth: float) -> None:
    """Taken for a convex function it was 0.1916 and 0.5129."""
    table = np.array([[8, 2], [2, 8]]) / 20
    view = noisy_view(table, scale)
    bound = view.mean(CONCAVE["entropy"])
    assert bound.value == pytest.approx(truth, abs=1e-8)
    told = unspoken.leakage(
        unspoken.Joint(table, names=["mine", "brother"]),
        unspoken.Laplace(scale),
        unspoken.Adversary("mine"),
        "mutual-information",
    )
    assert bound.low <= math.log(2) - told.low
    assert math.log(2) - told.high <= bound.high
    assert not bound.exact


def test_the_entropy_that_a_thousand_steps_leave() -> None:
    """Taken for a convex function it was that of the prior, 0.6730."""
    chain = unspoken.Chain([0.6, 0.4], [[0.8, 0.2], [0.3, 0.7]], length=1000)
    coins = unspoken.OneSided(dict.fromkeys(chain.domain.names, 1.0))
    adversary = unspoken.Adversary("x500")
    view = unspoken.view(chain, coins, adversary)
    assert isinstance(view, HeadsView)
    bound = view.mean(CONCAVE["entropy"])
    assert bound.value == pytest.approx(0.3018951476, abs=1e-9)
    told = unspoken.leakage(chain, coins, adversary, "mutual-information")
    prior = entropy(chain.marginal(["x500"]))
    assert bound.low <= prior - told.low
    assert prior - told.high <= bound.high
    assert not bound.exact


@pytest.mark.parametrize("name", sorted({**CONCAVE, **CONVEX}))
@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_the_largest_value_over_noisy_answers(scale: float, name: str) -> None:
    """A concave function may be largest between the answers without noise."""
    table, f = joint(5), {**CONCAVE, **CONVEX}[name]
    prior = table.sum(1)
    ends = [density(table, scale, r) for r in (0.0, 1.0, 2.0)]
    t = np.linspace(0, 1, 40_001)[:, None]
    sides = itertools.pairwise(end / end.sum() for end in ends)
    grid = np.concatenate([(1 - t) * left + t * right for left, right in sides])
    values = np.asarray(f(SimpleNamespace(prior=prior, posterior=grid)))
    bound = noisy_view(table, scale).sup(f)
    largest, spread = float(values.max()), float(np.ptp(values))
    assert largest <= bound.high
    assert bound.low <= largest + 1e-4 * spread
    assert bound.high - bound.low <= 1e-9 * max(abs(largest), spread)


@pytest.mark.parametrize("name", sorted(NEITHER))
def test_what_is_neither_is_refused_where_outcomes_are_not_listed(name: str) -> None:
    view = noisy_view(joint(1), 0.3)
    with pytest.raises(InputError, match="neither convex nor concave on this cloud") as refused:
        view.mean(NEITHER[name])
    assert str(refused.value).isprintable()
    assert "give a convex or a concave function" in str(refused.value)


def test_waves_are_answered_where_the_cloud_is_short_enough() -> None:
    """What counts is how the function bends on this cloud, not elsewhere."""
    table = joint(1)
    bound = noisy_view(table, 30.0).mean(NEITHER["waves"])
    holds(bound, integrated(NEITHER["waves"], table, 30.0))


@pytest.mark.parametrize("name", sorted({**SOUND, **NEITHER}))
@pytest.mark.parametrize("seed", range(2))
def test_any_function_where_all_outcomes_are_listed(seed: int, name: str) -> None:
    table, f = joint(seed), {**SOUND, **NEITHER}[name]
    belief = unspoken.Joint(table, names=["mine", "brother"])
    response = unspoken.RandomizedResponse("brother", 1.3)
    view = unspoken.view(belief, response, unspoken.Adversary("mine"))
    assert isinstance(view, FiniteView)
    law = np.array([[math.exp(1.3), 1.0], [1.0, math.exp(1.3)]]) / (1 + math.exp(1.3))
    seen = table @ law
    values = [point(f, table.sum(1), seen[:, y] / seen[:, y].sum()) for y in range(2)]
    mean, largest = view.mean(f), view.sup(f)
    assert mean.exact == (name != "steep")  # whose mean is 0 but for its rounding
    assert largest.exact
    off = 1e-9 if name == "steep" else 0.0
    assert (
        mean.low - off
        <= math.fsum(v * m for v, m in zip(values, seen.sum(0), strict=True))
        <= mean.high + off
    )
    holds(largest, max(values), 1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({**CONVEX, **CONCAVE}))
@pytest.mark.parametrize("seed", range(4))
def test_a_coalition_too_large_to_list(
    seed: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The truth is had by listing; then there is no room for it."""
    rng, f = np.random.default_rng(seed), {**CONVEX, **CONCAVE}[name]
    table = rng.dirichlet(np.full(27, 0.3)).reshape(3, 3, 3)
    belief = unspoken.Joint(table, names="ABC")
    coins = unspoken.OneSided({n: float(rng.exponential()) for n in "ABC"}, {"A": [0], "B": [1]})
    asked = belief, coins, unspoken.Adversary("A", knows=["C"] if seed % 2 else [])
    exact = unspoken.view(*asked)
    assert isinstance(exact, FiniteView)
    monkeypatch.setattr(local, "CELLS", 40)
    view = unspoken.view(*asked)
    assert isinstance(view, HeadsView)
    truth, bound = exact.mean(f), view.mean(f)
    assert bound.low <= truth.high
    assert truth.low <= bound.high
    if name in CONVEX:
        assert view.sup(f).low <= exact.sup(f).high
        assert exact.sup(f).low <= view.sup(f).high
    elif name != "root":  # which rises all the way, so that it is quasi-convex
        with pytest.raises(InputError, match="concave, and where it is largest"):
            view.sup(f)
    with pytest.raises(InputError, match="neither convex nor concave"):
        view.mean(NEITHER["waves"])


@pytest.mark.parametrize("name", sorted({**CONVEX, **CONCAVE}))
@pytest.mark.parametrize("scale", [0.8, 20.0])
def test_noisy_answers_too_many_to_list(
    scale: float, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = {**CONVEX, **CONCAVE}[name]
    table = np.random.default_rng(3).dirichlet(np.full(8, 0.5)).reshape(2, 2, 2)
    belief = unspoken.Joint(table, names="ABC")
    both = [unspoken.Laplace(scale), unspoken.Laplace(2 * scale, {"A": 1.0, "B": 1.0})]
    asked = belief, unspoken.Together(both), unspoken.Adversary("A")
    exact = unspoken.view(*asked)
    assert isinstance(exact, NoisyView)
    truth = exact.mean(f)
    assert truth.low < truth.high <= truth.low + 2e-2 * max(1.0, abs(truth.low))
    monkeypatch.setattr(noisy, "CELLS", 20)
    view = unspoken.view(*asked)
    assert isinstance(view, BandView)
    bound = view.mean(f)
    assert bound.low <= truth.high
    assert truth.low <= bound.high
    with pytest.raises(InputError, match="neither convex nor concave"):
        view.mean(NEITHER["waves"])
