"""The oracle against the published numbers, by direct computation: no library code is involved."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import (
    NOT_SENSITIVE,
    RELEASED,
    WITHHELD,
    Look,
    Setting,
    best,
    classes,
    clouds,
    coin,
    event_odds,
    factor,
    measure,
    posteriors,
    priors,
    to_float,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "osdp.json").read_text())["vectors"]
REL = 1e-13


def kind(*names: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in VECTORS if vector["kind"] in names]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def same(got: float | None, expected: Any, rel: float = REL) -> None:
    assert got is not None
    assert got == pytest.approx(float(expected), rel=rel, abs=0.0)


def whole(*shares: Any) -> int:
    """A common denominator of exact numbers."""
    return math.lcm(*(share.denominator for share in shares))


def setting_of(probabilities: dict[Any, Fraction], **mechanism: Any) -> Setting:
    one = whole(*probabilities.values())
    n = len(next(iter(probabilities)))
    names = tuple("ABCD"[:n])
    counts = {cell: int(share * one) for cell, share in probabilities.items()}
    return Setting(names, dict.fromkeys(names, (0, 1)), counts, **mechanism)


def pair(inputs: dict[str, float]) -> dict[tuple[int, int], Fraction]:
    """The exact joint of (X_i, X_j) from theta_j, d1, d2 as binary64 inputs."""
    theta, d1, d2 = (Fraction(inputs[key]) for key in ("theta_j", "d1", "d2"))
    return {
        (0, 0): d1 * theta,
        (1, 0): (1 - d1) * theta,
        (0, 1): d2 * (1 - theta),
        (1, 1): (1 - d2) * (1 - theta),
    }


def single(theta: float) -> dict[tuple[int], Fraction]:
    return {(0,): Fraction(theta), (1,): 1 - Fraction(theta)}


def bits(names: str, epsilon: dict[str, float], **more: Any) -> dict[str, Any]:
    return {"epsilon": epsilon, "sensitive": dict.fromkeys(names, (0,)), "shows": "bit", **more}


def check_odds(
    setting: Setting, look: Look, outcome: dict[str, Any], expected: dict[str, Any]
) -> None:
    moved = event_odds(setting, look, outcome)
    same(moved, expected["odds_factor"])
    (cloud,) = clouds(setting, look).values()
    before = priors(cloud)
    after = float(moved or 0) * before[0] / before[NOT_SENSITIVE]
    same(after, expected["posterior_odds"])
    if "posterior" in expected:
        same(after / (1 + after), expected["posterior"])


@kind("theorem1")
def test_own_suppression(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    setting = setting_of(
        single(v["theta"]), **bits("A", {"A": v["eps"]}, coins="fresh", asks={"A": v["n"]})
    )
    check_odds(setting, Look("A"), {"A": WITHHELD}, vector["expected"])
    assert event_odds(setting, Look("A"), {"A": RELEASED}) == 0


@kind("theorem2", "corollary1", "theorem3")
def test_suppression_and_release_of_another(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    asks = {"A": v.get("n", 2)}
    setting = setting_of(pair(v), **bits("AB", {"A": float(v["eps"])}, coins="fresh", asks=asks))
    outcome = RELEASED if vector["kind"] == "theorem3" else WITHHELD
    check_odds(setting, Look("B"), {"A": outcome}, vector["expected"])


@kind("theorem4")
def test_own_and_other_coin(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    epsilon, asks = {"A": v["eps_i"], "B": v["eps_j"]}, {"A": v["n_i"], "B": v["n_j"]}
    setting = setting_of(pair(v), **bits("AB", epsilon, coins="fresh", asks=asks))
    prior = Fraction(v["theta_j"]) / (1 - Fraction(v["theta_j"]))
    for a, b in itertools.product((0, 1), repeat=2):
        seen = {"A": (WITHHELD, RELEASED)[a], "B": (WITHHELD, RELEASED)[b]}
        moved = event_odds(setting, Look("B"), seen)
        same(float(moved or 0) * float(prior), vector["expected"][f"odds_{a}{b}"])


@kind("cancellation")
def test_cancellation_is_one_outcome_only(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    setting = setting_of(pair(v), **bits("AB", {"A": v["eps_i"], "B": v["eps_j"]}))
    same(event_odds(setting, Look("B"), {"A": WITHHELD, "B": WITHHELD}), expected["odds_factor_00"])
    same(measure("mutual-information", setting, Look("B")), expected["I_joint"])
    same(measure("mutual-information", setting, Look("B", sees=("B",))), expected["I_Mj_only"])


@kind("mi_self", "mi_pair")
def test_mutual_information(vector: dict[str, Any]) -> None:
    v = vector["inputs"]
    table = pair(v) if vector["kind"] == "mi_pair" else single(v["theta"])
    target = "B" if vector["kind"] == "mi_pair" else "A"
    asks = {"A": v["n"]}
    setting = setting_of(table, **bits("AB", {"A": float(v["eps"])}, coins="fresh", asks=asks))
    nats = measure("mutual-information", setting, Look(target))
    same(nats, vector["expected"]["nats"])
    same(nats / math.log(2), vector["expected"]["bits"])


@kind("memoised")
def test_memoised(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    for coins, word in (("fresh", "fresh"), ("persistent", "memo")):
        more = {"coins": coins, "asks": {"A": v["n"]}, "keep": best}
        setting = setting_of(single(v["theta"]), **bits("A", {"A": v["eps"]}, **more))
        same(event_odds(setting, Look("A"), {"A": WITHHELD}), expected[f"odds_factor_{word}"])
        same(measure("mutual-information", setting, Look("A")), expected[f"mi_{word}"])


@kind("collusion")
def test_collusion(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    names = "ABCD"[: v["n"]]
    one = v["joint_denominator"]
    cells = itertools.product((0, 1), repeat=v["n"])
    table = {c: Fraction(k, one) for c, k in zip(cells, v["joint_numerators"], strict=True)}
    epsilon = dict(zip(names, v["eps"], strict=True))
    asks = dict(zip(names, v["repeats"], strict=True))
    setting = setting_of(table, **bits(names, epsilon, coins=v["coins"], asks=asks))
    sees = tuple(names[i] for i in v["colluders"])
    look = Look(names[v["target"]], sees=sees)
    mi = "mutual-information"
    same(measure(mi, setting, look), expected["I_joint"])
    same(
        sum(measure(mi, setting, Look(look.target, sees=(a,))) for a in sees),
        expected["pairwise_sum"],
    )
    same(sum(measure(mi, setting, Look(a, sees=(a,))) for a in sees), expected["self_sum_bound"])
    (cloud,) = clouds(setting, look).values()
    before = priors(cloud)
    silent = float(event_odds(setting, look, dict.fromkeys(sees, WITHHELD)) or 0)
    same(silent * before[0] / before[NOT_SENSITIVE], expected["odds_all_suppressed"])
    seen = [
        dict(zip(sees, s, strict=True))
        for s in itertools.product((WITHHELD, RELEASED), repeat=len(sees))
    ]
    moved = [f for s in seen if (f := event_odds(setting, look, s)) is not None]
    same(max(moved), expected["max_odds_factor"])
    same(min(moved), expected["min_odds_factor"])
    same(measure("odds", setting, look), expected["max_odds_factor"])


@kind("domain")
def test_wide_domains(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    rows = v["joint_numerators"]
    counts = {(j, i): k for j, row in enumerate(rows) for i, k in enumerate(row)}
    values = {"J": tuple(range(len(rows))), "I": tuple(range(len(rows[0])))}
    own: dict[str, Any] = {
        "epsilon": {"I": v["eps"]},
        "sensitive": {"I": tuple(v["sensitive_cols"])},
    }
    for shows, key in (("bit", "I_Vj_Mi"), ("value", "I_Vj_Yi")):
        setting = Setting(("J", "I"), values, counts, shows=shows, **own)
        same(measure("mutual-information", setting, Look("J")), expected[key])
    seen = posteriors(Setting(("J", "I"), values, counts, shows="bit", **own), Look("J"))[()]
    prior = [Fraction(sum(row), v["denominator"]) for row in rows]
    for symbol, word in ((WITHHELD, "suppressed"), (RELEASED, "released")):
        after = [seen[(symbol,)][1][label] for label in values["J"]]
        assert after == pytest.approx(expected[f"posterior_given_{word}"], rel=REL)
    after = [seen[(WITHHELD,)][1][label] / float(prior[label]) for label in values["J"]]
    same(max(after) / min(after), expected["suppressed_max_odds"])


@kind("stale_coin")
def test_a_stale_coin_is_certainty(vector: dict[str, Any]) -> None:
    """Two readings of one cell, M1 = 1 then M2 = 0, by hand: one coin for both, or one each."""
    theta = Fraction(vector["inputs"]["theta"])
    heads, tails = coin(vector["inputs"]["eps"])
    weight = {0: theta, 1: 1 - theta}
    for coins, key in (("stale", "P_X2_sensitive_stale"), ("fresh", "P_X2_sensitive_fresh")):
        mass = {0: Fraction(0), 1: Fraction(0)}
        for first, second, toss1, toss2 in itertools.product((0, 1), (0, 1), (1, 0), (1, 0)):
            chance = (heads if toss1 else tails) * (heads if toss2 else tails)
            if coins == "stale":
                chance = (heads if toss1 else tails) if toss1 == toss2 else 0
            if first * toss1 == 1 and second * toss2 == 0:
                mass[second] += weight[first] * weight[second] * chance
        same(to_float(mass[0] / (mass[0] + mass[1])), vector["expected"][key])


def test_coins_keep_both_ends() -> None:
    assert coin(0.0)[0] == 0
    assert coin(math.inf)[1] == 0
    for epsilon in (1e-300, 1e-12, 0.1, 5.0, 50.0, 700.0):
        heads, tails = coin(epsilon)
        same(to_float(Fraction(heads, heads + tails)), -math.expm1(-epsilon))
        same(to_float(Fraction(tails, heads + tails)), math.exp(-epsilon))


def test_classes_and_impossible_events() -> None:
    setting = setting_of(single(0.25), **bits("A", {"A": 0.0}))
    assert event_odds(setting, Look("A"), {"A": RELEASED}) is None
    assert event_odds(setting, Look("A"), {"A": WITHHELD}) == 1
    assert event_odds(setting, Look("A", secret=(0, 1)), {"A": WITHHELD}) == 1
    label, secrets = classes(setting, Look("A"))
    assert (label(0), label(1), secrets) == (0, NOT_SENSITIVE, (0,))
    assert factor(1, 0, 1, 1) == math.inf
