"""The numbers of the theory on information privacy and chains, computed once with 50 digits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.conversion import reference
from unspoken import Chain
from unspoken.core.conversion import (
    bound_from_dp,
    bound_from_mechanism,
    dependence,
    dp_budget,
    gaussian_sigmas,
    mechanism_distances,
    relative_entropy_from_inferential,
    relative_entropy_from_information,
    temporal,
    worst_event,
)

FILE = Path(__file__).parents[2] / "vectors" / "pdp-ip.json"
VECTORS = json.loads(FILE.read_text())["vectors"]
REL = 1e-9
EXACT = 2e-14  # how far outward rounding may go


def kind(name: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in VECTORS if vector["kind"] == name]
    assert chosen, name
    return pytest.mark.parametrize("vector", chosen, ids=[str(vector["id"]) for vector in chosen])


def same(got: float, expected: Any, rel: float = REL) -> None:
    assert got == pytest.approx(float(expected), rel=rel, abs=0.0)


def laws(counts: Any) -> np.ndarray:
    table = np.array(counts, dtype=float)
    return table / table.sum(axis=-1, keepdims=True)


def joint(counts: Any) -> np.ndarray:
    table = np.array(counts, dtype=float)
    return table / table.sum()


@kind("lfp")
def test_worst_event(vector: dict[str, Any]) -> None:
    p, q = (np.array([float(text) for text in vector["input"][key]]) for key in "pq")
    given, expected = float(vector["input"]["L"]), vector["output"]["value"]
    got = worst_event(p, q, given)
    same(got, expected)
    assert expected <= got <= expected * (1 + EXACT)


@kind("pdelta_bound")
def test_bound_from_dp(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]["bound"]
    bound = bound_from_dp(float(v["eps0"]), k=v["k"], sigma=float(v["sigma"]))
    assert (bound.unit, str(bound.premise), bound.low) == ("nat", "stated", 0.0)
    same(bound.value, expected)
    assert expected <= bound.value <= expected * (1 + EXACT)


@kind("pdelta_calibrate")
def test_dp_budget(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]
    limit, k, sigma = float(v["eps_target"]), v["k"], float(v["sigma"])
    budget = dp_budget(limit, k=k, sigma=sigma)
    same(budget, expected["eps0"])
    assert budget <= float(vector["output_str"]["eps0"])
    same(dp_budget(limit, k=k, sigma=1.0), expected["k_only"])
    same(limit / (1 + (k - 1) * sigma), expected["linear_unsound"])
    if 0 < sigma < 1 and k > 1:
        assert bound_from_dp(expected["linear_unsound"], k=k, sigma=sigma).value > 1.01 * limit


@kind("sigma_tv")
def test_sigma(vector: dict[str, Any]) -> None:
    told = dependence(reference.Plain(joint(vector["input"]["counts"])))
    assert set(told.sizes.values()) == {np.ndim(vector["input"]["counts"])}
    for got, expected in zip(told.sigmas.values(), vector["output"]["sigma"], strict=True):
        same(got, expected)
        assert expected <= got * (1 + 1e-16)


@kind("sigma_tv_chain")
def test_sigma_of_a_chain(vector: dict[str, Any]) -> None:
    v = vector["input"]
    table = reference.every_path(np.array(v["pi"]), [np.array(v["P"])] * (v["n"] - 1))
    for belief in (reference.Line(table), reference.Plain(table)):
        for got, expected in zip(
            dependence(belief).sigmas.values(), vector["output"]["sigma"], strict=True
        ):
            same(got, expected)


@kind("gaussian")
def test_sigma_of_gaussians(vector: dict[str, Any]) -> None:
    v = vector["input"]
    for got, expected in zip(
        gaussian_sigmas(v["Sigma"], v["R"]), vector["output"]["sigma_tv"], strict=True
    ):
        same(float(got), expected)


@kind("mechanism_and_joint")
def test_one_mechanism(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]
    mechanism, table = laws(v["M_counts"]), joint(v["joint_counts"])
    furthest = mechanism_distances(mechanism)
    assert furthest[0] == 0.0
    for got, nats in zip(furthest[1:], expected["Dk_cummax"], strict=True):
        same(float(got), nats)
    assert list(np.maximum.accumulate(expected["D_by_hamming"]))[1:] == expected["Dk_cummax"]
    sigma = float(v["sigma"])
    for target, nats in enumerate(expected["sup_pdelta_per_target"]):
        same(bound_from_mechanism(mechanism, target, sigma=sigma).value, nats)
    for got, sigma_i in zip(
        dependence(reference.Plain(table)).sigmas.values(), expected["sigma_tv"], strict=True
    ):
        same(got, sigma_i)
    for target, told in enumerate(expected["target_functionals"]):
        own = expected["sigma_tv"][target]
        assert bound_from_mechanism(mechanism, target, sigma=own).value >= told["inferential"]
        assert relative_entropy_from_inferential(told["inferential"]).value >= told["KL_max"]


@kind("kl_from_inferential")
def test_relative_entropy(vector: dict[str, Any]) -> None:
    e, expected = float(vector["input"]["E"]), vector["output"]
    same(relative_entropy_from_inferential(e).value, expected["kappa"])
    same(relative_entropy_from_information(e).value, expected["tanh_bound"])


@kind("tpl_chain")
def test_chain(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]
    result = temporal(Chain([0.5, 0.5], v["P"], v["steps"] + 1), float(v["eps0"]))
    same(result.at(0).value, expected["total_end_target"])
    same(result.forward[0] - float(v["eps0"]), expected["right_leak"])


@kind("pdelta_composition_counterexample")
def test_composition(vector: dict[str, Any]) -> None:
    """Two runs leak more than twice what one is bounded by; with their epsilons added, they fit."""
    v, expected = vector["input"], vector["output"]
    n, epsilon, sigma = v["n"], float(v["eps0"]), float(v["sigma"])
    belief = reference.with_background(n, float(v["sigma_used"]), float(v["tau"]))
    assert max(reference.total_variations(belief)) <= sigma
    one = reference.towards((2,) * n, (1,) * n, epsilon, float(v["c"]))
    assert mechanism_distances(one)[1] == pytest.approx(epsilon, rel=1e-12)
    two = (one[..., :, None] * one[..., None, :]).reshape(*one.shape[:-1], 4)
    same(reference.max_information(belief, one, 0), expected["I_single"])
    same(reference.max_information(belief, two, 0), expected["I_joint"])
    single = bound_from_dp(epsilon, k=n, sigma=sigma).value
    same(single, expected["eps_single_bound"])
    assert 2 * single < expected["I_joint"] < bound_from_dp(2 * epsilon, k=n, sigma=sigma).value
    assert math.isclose(bound_from_mechanism(one, 0, sigma=sigma).value, single, rel_tol=1e-12)
