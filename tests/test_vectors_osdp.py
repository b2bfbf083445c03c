"""The published numbers on one-sided privacy, reached through public names only."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import unspoken
from tests.computed import computed
from unspoken import NOT_SENSITIVE, RELEASED, WITHHELD
from unspoken.core.types.bound import LOG2

VECTORS = json.loads((Path(__file__).parent / "vectors" / "osdp.json").read_text())["vectors"]
REL = 1e-9
MI: Final = "mutual-information"

TESTED: set[str] = set()


def kind(*names: str) -> pytest.MarkDecorator:
    TESTED.update(names)
    chosen = [vector for vector in VECTORS if vector["kind"] in names]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def same(got: float, expected: Any, rel: float = REL) -> None:
    assert got == pytest.approx(float(expected), rel=rel, abs=0.0 if float(expected) else 1e-15)


def single(theta: float) -> unspoken.Joint:
    return unspoken.Joint([theta, 1 - theta], names="A")


def pair(inputs: Mapping[str, float]) -> unspoken.Joint:
    """The joint of (X_i, X_j), called I and J, from theta_j, d1 and d2."""
    theta, d1, d2 = (inputs[key] for key in ("theta_j", "d1", "d2"))
    table = [[d1 * theta, d2 * (1 - theta)], [(1 - d1) * theta, (1 - d2) * (1 - theta)]]
    return unspoken.Joint(table, names="IJ")


def binary(inputs: Mapping[str, Any]) -> tuple[unspoken.Joint, str]:
    names = "ABCD"[: inputs["n"]]
    table = np.reshape(inputs["joint_numerators"], (2,) * inputs["n"]) / inputs["joint_denominator"]
    return unspoken.Joint(table, names=names), names


def bits(names: str, epsilon: Mapping[str, Any], coins: Any = "fresh") -> unspoken.OneSided:
    """The papers' mechanism: 0 is sensitive everywhere, only the bit is seen."""
    numbers = {name: float(eps) for name, eps in epsilon.items()}
    return unspoken.OneSided(numbers, {name: [0] for name in names}, shows="bit", coins=coins)


def factor(belief: Any, mechanism: Any, adversary: Any, **outcome: Any) -> float:
    bound = unspoken.odds(belief, mechanism, adversary, outcome=outcome)
    assert (bound.status, bound.unit) == ("ok", "odds")
    same(bound.low, bound.high)
    return bound.value


def nats(belief: Any, mechanism: Any, target: str, sees: Any = None) -> float:
    return unspoken.leakage(
        belief, mechanism, unspoken.Adversary(target, sees=sees), measure=MI
    ).value


def posterior(belief: Any, mechanism: Any, adversary: Any, **outcome: Any) -> Mapping[Any, float]:
    cloud: Any = unspoken.view(belief, mechanism, adversary)
    (after,) = [p.posterior for p in cloud.outcomes() if dict(p.outcome) == outcome]
    return dict(after)


def check_event(
    vector: Mapping[str, Any], belief: Any, mechanism: Any, adversary: Any, **outcome: Any
) -> None:
    """Factor, posterior odds and posterior of one event."""
    expected = vector["expected"]
    prior = float(np.asarray(belief.marginal([adversary.target]))[0])
    moved = factor(belief, mechanism, adversary, **outcome)
    same(moved, expected["odds_factor"])
    same(moved * prior / (1 - prior), expected["posterior_odds"])
    if "posterior" in expected:
        after = posterior(belief, mechanism, adversary, **outcome)
        same(after[0], expected["posterior"])
        same(after[NOT_SENSITIVE], 1 - expected["posterior"])


@kind("theorem1")
def test_theorem_1(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    belief, adversary = single(v["theta"]), unspoken.Adversary("A", asks=v["n"])
    mechanism = bits("A", {"A": v["eps"]})
    check_event(vector, belief, mechanism, adversary, A=WITHHELD)
    assert factor(belief, mechanism, adversary, A=RELEASED) == 0


@kind("theorem2", "corollary1")
def test_theorem_2_and_corollary_1(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    adversary = unspoken.Adversary("J", sees=["I"], asks={"I": v["n"]})
    mechanism = bits("IJ", {"I": v["eps"], "J": 1.0})
    check_event(vector, pair(v), mechanism, adversary, I=WITHHELD)


@kind("theorem3")
def test_theorem_3(vector: dict[str, Any]) -> None:
    """A release tells the same however often one asks and whatever epsilon is."""
    v = vector["inputs"]
    for asks, eps in ((1, v["eps"]), (4, v["eps"]), (2, 0.01)):
        adversary = unspoken.Adversary("J", asks=asks)
        check_event(vector, pair(v), bits("IJ", {"I": eps}), adversary, I=RELEASED)


@kind("theorem4")
def test_theorem_4(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    mechanism = bits("IJ", {"I": v["eps_i"], "J": v["eps_j"]})
    adversary = unspoken.Adversary("J", asks={"I": v["n_i"], "J": v["n_j"]})
    before = v["theta_j"] / (1 - v["theta_j"])
    for i, j in product((0, 1), repeat=2):
        seen = {"I": (WITHHELD, RELEASED)[i], "J": (WITHHELD, RELEASED)[j]}
        same(
            before * factor(pair(v), mechanism, adversary, **seen),
            vector["expected"][f"odds_{i}{j}"],
        )


@kind("cancellation")
def test_cancellation(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    mechanism = bits("IJ", {"I": v["eps_i"], "J": v["eps_j"]})
    seen = {"I": WITHHELD, "J": WITHHELD}
    same(factor(pair(v), mechanism, unspoken.Adversary("J"), **seen), expected["odds_factor_00"])
    same(nats(pair(v), mechanism, "J"), expected["I_joint"])
    same(nats(pair(v), mechanism, "J", ["J"]), expected["I_Mj_only"])


@kind("mi_self", "mi_pair")
def test_mutual_information(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    own = vector["kind"] == "mi_self"
    belief, target, seen = (single(v["theta"]), "A", "A") if own else (pair(v), "J", "I")
    mechanism = bits(target + seen, {seen: v["eps"]})
    adversary = unspoken.Adversary(target, asks=v["n"])
    bound = computed(belief, mechanism, adversary, measure=MI)
    assert bound.unit == "nat"
    same(bound.value, vector["expected"]["nats"])
    same(bound.low, vector["expected"]["nats"])
    same(bound.bits, vector["expected"]["bits"])


@kind("collusion")
def test_collusion(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    belief, names = binary(v)
    mechanism = bits(names, dict(zip(names, v["eps"], strict=True)), v["coins"])
    target, sees = names[v["target"]], [names[i] for i in v["colluders"]]
    asks = dict(zip(names, v["repeats"], strict=True))

    def told(about: str, coalition: list[str], measure: Any = MI) -> float:
        adversary = unspoken.Adversary(about, sees=coalition, asks=asks)
        return unspoken.leakage(belief, mechanism, adversary, measure=measure).value

    same(told(target, sees), expected["I_joint"])
    same(sum(told(target, [name]) for name in sees), expected["pairwise_sum"])
    same(sum(told(name, [name]) for name in sees), expected["self_sum_bound"])
    same(told(target, sees, "odds"), expected["max_odds_factor"])

    adversary = unspoken.Adversary(target, sees=sees, asks=asks)
    factors = {}
    for seen in product((WITHHELD, RELEASED), repeat=len(sees)):
        outcome = dict(zip(sees, seen, strict=True))
        bound = unspoken.odds(belief, mechanism, adversary, outcome=outcome)
        if bound.status == "ok":
            factors[seen] = bound.value
    prior = float(np.asarray(belief.marginal([target]))[0])
    silence = (WITHHELD,) * len(sees)
    same(factors[silence] * prior / (1 - prior), expected["odds_all_suppressed"])
    same(max(factors.values()), expected["max_odds_factor"])
    same(min(factors.values()), expected["min_odds_factor"])


@kind("memoised")
def test_memoised(vector: dict[str, Any]) -> None:
    """A persistent coin leaks once what fresh ones leak a hundred times."""
    v, expected = vector["inputs"], vector["expected"]
    adversary = unspoken.Adversary("A", asks=v["n"])
    for coins, word in (("fresh", "fresh"), ("persistent", "memo")):
        mechanism = bits("A", {"A": v["eps"]}, coins)
        moved = factor(single(v["theta"]), mechanism, adversary, A=WITHHELD)
        same(moved, expected[f"odds_factor_{word}"])
        told = unspoken.leakage(single(v["theta"]), mechanism, adversary, measure=MI)
        same(told.value, expected[f"mi_{word}"])


@kind("domain")
def test_domain(vector: dict[str, Any]) -> None:
    """Wide domains; a target with no sensitive value: every value is a class of its own."""
    v, expected = vector["inputs"], vector["expected"]
    table = np.array(v["joint_numerators"]) / v["denominator"]
    belief = unspoken.Joint(table, names="JI")
    sensitive = {"I": v["sensitive_cols"]}
    for shows, key in (("bit", "I_Vj_Mi"), ("value", "I_Vj_Yi")):
        mechanism = unspoken.OneSided({"I": v["eps"]}, sensitive, shows=shows)  # type: ignore[arg-type]
        same(nats(belief, mechanism, "J"), expected[key])
    mechanism = unspoken.OneSided({"I": v["eps"]}, sensitive, shows="bit")
    classes = range(len(table))
    after = {}
    for symbol, word in ((WITHHELD, "suppressed"), (RELEASED, "released")):
        seen = posterior(belief, mechanism, unspoken.Adversary("J"), I=symbol)
        after[word] = [seen[label] for label in classes]
        for got, wanted in zip(after[word], expected[f"posterior_given_{word}"], strict=True):
            same(got, wanted)
    moved = np.array(after["suppressed"]) / table.sum(1)
    same(float(moved.max() / moved.min()), expected["suppressed_max_odds"])


@kind("stale_coin")
def test_stale_coin(vector: dict[str, Any]) -> None:
    """A cell released and, changed since, now withheld.

    With a fresh coin the two readings are two variables. With the stale coin the first answer
    shows how the coin lies: the second reading is released for certain unless it is sensitive.
    """
    v, expected = vector["inputs"], vector["expected"]
    theta = v["theta"]
    belief = unspoken.Joint(np.multiply.outer([theta, 1 - theta], [theta, 1 - theta]), names="AB")
    seen = {"A": RELEASED, "B": WITHHELD}
    for eps, key in ((v["eps"], "P_X2_sensitive_fresh"), ("inf", "P_X2_sensitive_stale")):
        mechanism = bits("AB", {"A": v["eps"], "B": eps})
        same(posterior(belief, mechanism, unspoken.Adversary("B"), **seen)[0], expected[key])


def plan_of(v: Mapping[str, Any], objective: Any) -> unspoken.Plan:
    n = v["n"]
    belief, names = binary({**v, "n": n})
    return unspoken.plan(
        belief,
        limit_bits=math.nextafter(v["T"] / LOG2, 0.0),  # T in nats, never above
        sensitive={name: [0] for name in names},
        objective=objective,
        weights=dict(zip(names, v["weights"], strict=True)),
        caps={name: float(cap) for name, cap in zip(names, v["caps"], strict=True)},
        odds_cap=None,
        account="bit",
    )


@kind("opt_sum_wp")
def test_most_released(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    plan = plan_of(v, "released")
    same(plan.bound.low, expected["objective"])
    same(plan.bound.high, expected["dual_bound"])
    assert plan.bound.low <= expected["dual_bound"] * (1 + 1e-12)
    assert plan.bound.high >= expected["objective"] * (1 - 1e-12)
    same(plan.total, expected["I_total"])
    assert plan.total <= v["T"]
    assert not plan.unbounded
    assert plan.multiplier == pytest.approx(expected["lambda_"], rel=1e-6)
    for name, p, eps in zip("ABCD", expected["p"], expected["eps"], strict=False):
        assert plan.p[name] == pytest.approx(p, rel=1e-6, abs=1e-9)
        assert plan.epsilon[name] == pytest.approx(eps, rel=1e-6, abs=1e-9)


@kind("opt_sum_eps")
def test_most_epsilon(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    plan = plan_of(v, "epsilon")
    if expected.get("unbounded"):
        assert plan.unbounded
        assert math.isinf(plan.bound.low)
        assert math.isinf(sum(plan.epsilon.values()))
        return
    assert not plan.unbounded
    same(plan.bound.low, expected["objective"], rel=1e-7)
    assert plan.bound.low <= expected["bnb_upper_bound"] * (1 + 1e-9)
    assert plan.bound.high >= expected["objective"] * (1 - 1e-12)
    same(plan.total, expected["I_total"], rel=1e-7)
    assert plan.total <= v["T"]
    reached = sum(w * plan.epsilon[name] for name, w in zip("ABCD", v["weights"], strict=False))
    same(plan.bound.low, reached)
