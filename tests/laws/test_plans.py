"""Accounts bound what coalitions learn, and plans keep them: recomputed, never out-done."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pytest

import unspoken
from tests import oracle
from tests.computed import computed
from tests.laws.cases import FAMILIES, Question, dirichlet, random_mechanism, shape, table_of
from tests.laws.draws import each_family
from unspoken.core.types.bound import LOG2

pytestmark = pytest.mark.slow

MI: Final = "mutual-information"
BOTH: tuple[Any, ...] = ("bit", "value")


def about(belief: Any, mechanism: Any, target: str, sees: Any) -> float:
    return computed(belief, mechanism, unspoken.Adversary(target, sees=list(sees)), MI).value


def bits_of(rng: np.random.Generator, family: str) -> tuple[Any, Any, list[str], list[str]]:
    """A belief, a mechanism that shows bits, its outputs, and the attributes with a secret."""
    setting = random_mechanism(rng, table_of(FAMILIES[family](rng, shape(rng)), rng))
    belief = Question(setting, oracle.Look(setting.names[0])).belief
    sensitive = {name: list(values) for name, values in setting.sensitive.items()}
    mechanism = unspoken.OneSided(dict(setting.epsilon), sensitive, shows="bit")
    return belief, mechanism, list(setting.epsilon), list(setting.sensitive)


@each_family
def test_own_terms_bound_every_coalition(family: str) -> None:
    """I(S_j; M_C) <= sum over C of I(X_i; M_i), XOR and exact copies included."""
    rng = np.random.default_rng([40, list(FAMILIES).index(family)])
    for _ in range(12):
        belief, mechanism, outputs, secrets = bits_of(rng, family)
        own = {name: self_term(belief, mechanism, name) for name in outputs}
        for target in secrets:
            for group in oracle.coalitions(outputs):
                joint = about(belief, mechanism, target, group)
                assert joint <= sum(own[name] for name in group) + 1e-14
                assert joint >= max(about(belief, mechanism, target, [n]) for n in group) - 1e-14


def self_term(belief: Any, mechanism: Any, name: str) -> float:
    """I(X_i; M_i): nothing is sensitive, then the bit is a coin that says nothing."""
    return about(belief, mechanism, name, [name]) if name in mechanism.sensitive else 0.0


def random_binary(rng: np.random.Generator, n: int) -> np.ndarray:
    table = dirichlet(rng, (2,) * n)
    return np.asarray(table / table.sum())


def account(belief: Any, mechanism: Any, names: Any) -> float:
    """sum_i I_i, with I_i = the sum over every j of I(X_j; M_i)."""
    return math.fsum(about(belief, mechanism, j, [i]) for i in names for j in names)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("objective", ["released", "epsilon"])
def test_a_plan_keeps_its_account(seed: int, objective: Any) -> None:
    """What a plan says it spends is what its mechanism leaks, pair by pair, within the limit."""
    rng = np.random.default_rng([41, seed])
    n = int(rng.integers(2, 5))
    names = tuple("ABCD"[:n])
    belief = unspoken.Joint(random_binary(rng, n), names=names)
    sensitive = {name: [0] for name in names}
    most = account(
        belief, unspoken.OneSided(dict.fromkeys(names, math.inf), sensitive, shows="bit"), names
    )
    limit = float(rng.uniform(0.05, 0.9)) * most
    caps = dict.fromkeys(names, float(rng.uniform(0.5, 4)))
    plan = unspoken.plan(
        belief,
        limit_bits=limit / LOG2,
        sensitive=sensitive,
        objective=objective,
        caps=caps,
        odds_cap=None,
        account="bit",
    )
    mechanism = unspoken.OneSided(plan.epsilon, sensitive, shows="bit")
    spent = account(belief, mechanism, names)
    assert spent == pytest.approx(plan.total, rel=1e-9, abs=1e-15)
    assert spent <= limit * (1 + 1e-12)
    assert not plan.unbounded
    for name in names:
        assert 0 <= plan.epsilon[name] <= caps[name] * (1 + 1e-12)
        assert plan.p[name] == pytest.approx(-math.expm1(-plan.epsilon[name]), rel=1e-12, abs=0)
        for group in oracle.coalitions(names):
            assert about(belief, mechanism, name, group) <= limit * (1 + 1e-12)
    weights = dict.fromkeys(names, 1.0)
    if objective == "released":
        weights = {n: float(np.asarray(belief.marginal([n]))[1]) for n in names}
    reached = math.fsum(
        weights[n] * (plan.p if objective == "released" else plan.epsilon)[n] for n in names
    )
    assert reached == pytest.approx(plan.bound.low, rel=1e-9)
    assert plan.bound.low <= plan.bound.high


@pytest.mark.parametrize("seed", range(6))
def test_no_other_choice_beats_the_certificate(seed: int) -> None:
    """Random probabilities within the limit never release more than the certified upper bound."""
    rng = np.random.default_rng([42, seed])
    names = ("A", "B", "C")
    belief = unspoken.Joint(random_binary(rng, 3), names=names)
    sensitive = {name: [0] for name in names}
    limit = float(rng.uniform(0.05, 0.6))
    plan = unspoken.plan(
        belief, limit_bits=limit / LOG2, sensitive=sensitive, odds_cap=None, account="bit"
    )
    released = {n: float(np.asarray(belief.marginal([n]))[1]) for n in names}
    tried = 0
    for p in rng.random((60, 3)) * rng.random((60, 1)):
        epsilon = dict(zip(names, (-np.log1p(-p)).tolist(), strict=True))
        if account(belief, unspoken.OneSided(epsilon, sensitive, shows="bit"), names) <= limit:
            tried += 1
            assert sum(released[n] * p[i] for i, n in enumerate(names)) <= plan.bound.high * (
                1 + 1e-12
            )
    assert tried > 5


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("word", ["bit", "value"])
def test_an_odds_cap_holds_for_every_answer(word: Any, seed: int) -> None:
    """With the default cap nobody's odds on another's secret bit grow more than fourfold."""
    rng = np.random.default_rng([43, seed])
    names = ("A", "B", "C")
    belief = unspoken.Joint(random_binary(rng, 3), names=names)
    sensitive = {name: [0] for name in names}
    plan = unspoken.plan(belief, limit_bits=5.0 / LOG2, sensitive=sensitive, account=word)
    mechanism = unspoken.OneSided(plan.epsilon, sensitive, shows=word)
    assert plan.odds.value <= 4
    for name in names:
        worst = unspoken.leakage(belief, mechanism, unspoken.Adversary(name), measure="odds")
        assert worst.value <= 4 * (1 + 1e-9), (word, plan.epsilon)


@pytest.mark.parametrize("seed", range(6))
def test_the_value_account_limits_every_target(seed: int) -> None:
    """account="value": for every target the joint leakage of everybody's values is in the limit."""
    rng = np.random.default_rng([44, seed])
    table = dirichlet(rng, (2, 3, 2))
    belief = unspoken.Joint(table / table.sum(), names="ABC")
    sensitive = {"A": [0], "B": [0, 2], "C": [1]}
    plan = unspoken.plan(
        belief, limit_bits=0.05 / LOG2, sensitive=sensitive, odds_cap=None, account="value"
    )
    mechanism = unspoken.OneSided(plan.epsilon, sensitive, shows="value")
    assert plan.total <= 0.05
    for name in "ABC":
        assert about(belief, mechanism, name, "ABC") <= 0.05 * (1 + 1e-9)


@pytest.mark.parametrize("cap", [None, 4.0])
@each_family
def test_no_other_choice_beats_the_value_certificate(family: str, cap: float | None) -> None:
    """Random probabilities that keep limit and cap never release more than certified."""
    rng = np.random.default_rng([45, list(FAMILIES).index(family)])
    setting = random_mechanism(rng, table_of(FAMILIES[family](rng, (2, 3)), rng))
    names = setting.names
    sensitive = {name: [setting.values[name][0]] for name in names}
    belief = Question(setting, oracle.Look("A")).belief
    plan = unspoken.plan(
        belief, limit_bits=0.2 / LOG2, sensitive=sensitive, odds_cap=cap, account="value"
    )
    released = {n: 1 - float(np.asarray(belief.marginal([n]))[0]) for n in names}

    def keeps(epsilon: Any, slack: float) -> bool:
        mechanism = unspoken.OneSided(epsilon, sensitive)
        fine = [about(belief, mechanism, name, names) <= 0.2 * slack for name in names]
        for name in names if cap else ():
            worst = unspoken.leakage(belief, mechanism, unspoken.Adversary(name), measure="odds")
            fine.append(worst.value <= (cap or math.inf) * slack)
        return all(fine)

    assert keeps(plan.epsilon, 1 + 1e-9)
    reached = sum(released[n] * plan.p[n] for n in names)
    assert reached == pytest.approx(plan.bound.low, rel=1e-9, abs=1e-12)
    for p in rng.random((40, 2)) * rng.random((40, 1)):
        epsilon = dict(zip(names, (-np.log1p(-p)).tolist(), strict=True))
        if keeps(epsilon, 1 - 1e-12):
            offered = sum(released[n] * p[i] for i, n in enumerate(names))
            assert offered <= plan.bound.high * (1 + 1e-9)


def test_one_free_value_is_one_bit() -> None:
    """Binary data, 0 sensitive: the value shown is the bit, so both accounts face one odds cap."""
    rng = np.random.default_rng(46)
    belief = unspoken.Joint(random_binary(rng, 2), names="AB")
    sensitive = {"A": [0], "B": [0]}
    bit, value = (
        unspoken.plan(belief, limit_bits=9.0 / LOG2, sensitive=sensitive, account=a) for a in BOTH
    )
    assert bit.bound.low <= value.bound.high * (1 + 1e-9)
    assert value.bound.low <= bit.bound.high * (1 + 1e-9)
