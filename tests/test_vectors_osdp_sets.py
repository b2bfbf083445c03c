"""The published numbers on one-sided privacy over sets of beliefs, where none is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from tests.test_vectors_osdp import MI, TESTED, VECTORS, binary, bits, kind, nats, pair, same
from unspoken import RELEASED, WITHHELD


def between(v: Mapping[str, Any]) -> unspoken.Intervals:
    """theta_j, d1 and d2 are anywhere in what the vector gives."""
    (l1, u1), (l2, u2) = v["d1"], v["d2"]
    even = unspoken.Joint(np.full((2, 2), 0.25), names="JI")
    event, ends = ("J", (0,)), ([[l1, 1 - u1], [l2, 1 - u2]], [[u1, 1 - l1], [u2, 1 - l2]])
    theta = tuple(np.broadcast_to(v["theta_j"], 2)) if "theta_j" in v else (0.0, 1.0)
    return unspoken.Intervals(even, {event: ends}, {event: theta})


def furthest(belief: Any, mechanism: Any, secret: int, sees: Any, **outcome: Any) -> float:
    """The largest factor on the odds of J = 0 over all of a set; of J = 1 it is 1 / the least."""
    adversary = unspoken.Adversary("J", secret=[secret], sees=sees)
    most = unspoken.odds(belief, mechanism, adversary, outcome=outcome).high
    return most if secret == 0 else 1 / most if most else math.inf


def check_factors(expected: Mapping[str, Any], belief: Any, mechanism: Any) -> None:
    for factor_of, shown in (("f1", WITHHELD), ("f2", RELEASED)):
        for secret, end in ((0, "max"), (1, "min")):
            if f"{factor_of}_{end}" in expected:
                found = furthest(belief, mechanism, secret, ["I"], I=shown)
                same(found, expected[f"{factor_of}_{end}"])


def check_most(expected: float, belief: Any, mechanism: Any, target: str, sees: Any) -> None:
    """Nothing in the set tells more, and one of its beliefs tells as much."""
    adversary = unspoken.Adversary(target, sees=sees)
    bound = unspoken.leakage(belief, mechanism, adversary, measure=MI)
    same(bound.high, expected)
    same(bound.low, expected)


@kind("interval_box", "interval_theta")
def test_intervals(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    held, mechanism = between(v), bits("IJ", {"I": v["eps"]})
    check_factors(expected, held, mechanism)
    check_most(expected["mi_max"], held, mechanism, "J", ["I"])
    if "mi_min" in expected:
        (l1, u1), (l2, u2) = v["d1"], v["d2"]
        at = max(l1, min(u1, l2)), max(l2, min(u2, l1))  # as near to each other as may be
        nearest = pair({"theta_j": v["theta_j"], "d1": at[0], "d2": at[1]})
        same(nats(nearest, mechanism, "J", ["I"]), expected["mi_min"])


@kind("confidence_box")
def test_intervals_of_counts(vector: dict[str, Any]) -> None:
    """The vector splits its level over d1 and d2; learned intervals have P(J) in it too."""
    v, expected = vector["inputs"], vector["expected"]
    counts = {
        (0, 0): v["k1"],
        (0, 1): v["n1"] - v["k1"],
        (1, 0): v["k2"],
        (1, 1): v["n2"] - v["k2"],
    }
    rows = [cell for cell, times in counts.items() for _ in range(times)]
    table = pa.table({"J": [j for j, _ in rows], "I": [i for _, i in rows]})
    held = unspoken.learn(
        table,
        values={"J": [0, 1], "I": [0, 1]},
        secrets={"J": [0]},
        confidence=1 - v["alpha"] * 3 / 2,
    )
    mechanism = bits("IJ", {"I": v["eps"]})
    check_factors(expected, held, mechanism)
    adversary = unspoken.Adversary("J", sees=["I"])
    ends = between({"d1": expected["d1"], "d2": expected["d2"]})
    for measure in ("odds", "max-log-ratio"):
        found, by_hand = (
            unspoken.leakage(each, mechanism, adversary, measure=measure) for each in (held, ends)
        )
        same(found.high, by_hand.high)
        assert found.premise == "box(98.5 %)"


@kind("frechet")
def test_only_marginals_are_known(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    own = {n: [v[f"theta_{n.lower()}"], 1 - v[f"theta_{n.lower()}"]] for n in "JI"}
    held, mechanism = unspoken.Frechet(own), bits("IJ", {"I": v["eps"]})
    check_factors(expected, held, mechanism)
    check_most(expected["mi_max"], held, mechanism, "J", ["I"])


@kind("pairwise_known_3way")
def test_only_pairs_are_known(vector: dict[str, Any]) -> None:
    v, expected = vector["inputs"], vector["expected"]
    belief, _ = binary({**v, "n": 3})
    names = dict(zip((*v["colluders"], v["target"]), "ABJ", strict=True))
    pairs = {
        (names[i], names[j]): np.asarray(belief.marginal(["ABC"[i], "ABC"[j]]))
        for i, j in ((0, 1), (0, 2), (1, 2))
    }
    held = unspoken.Frechet(pairs)
    mechanism = bits("ABJ", dict(zip("AB", v["eps"], strict=True)))
    check_most(expected["mi_max"], held, mechanism, "J", ["A", "B"])
    theta = float(np.asarray(belief.marginal(["ABC"[v["target"]]]))[0])
    for shown in product((0, 1), repeat=2):
        seen = {name: (WITHHELD, RELEASED)[bit] for name, bit in zip("AB", shown, strict=True)}
        for secret, end in ((0, "max"), (1, "min")):
            found = furthest(held, mechanism, secret, ["A", "B"], **seen)
            same(found * theta / (1 - theta), expected[f"{end}_odds_{shown[0]}{shown[1]}"])


@pytest.mark.parametrize("eps", [0.3, 2.0])
def test_nothing_is_known(eps: float) -> None:
    """Odds move by e^eps at most, and information is that of a Z channel of capacity."""
    free, mechanism = unspoken.Box(np.zeros((2, 2)), np.ones((2, 2)), "JI"), bits("IJ", {"I": eps})
    p, s = -math.expm1(-eps), math.exp(-eps)
    most = {"f1_max": math.exp(eps), "f1_min": math.exp(-eps), "f2_max": math.inf, "f2_min": 0.0}
    check_factors(most, free, mechanism)
    adversary = unspoken.Adversary("J", sees=["I"])
    same(
        unspoken.leakage(free, mechanism, adversary, measure=MI).high,
        math.log1p(p * s ** (s / p)),
    )


def test_every_kind_is_tested() -> None:
    assert {vector["kind"] for vector in VECTORS} == TESTED
