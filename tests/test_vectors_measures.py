"""Measures of plain channels against the numbers of papers 003/004, at 50 digits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.measures.plain import bound_of, view_of
from unspoken.core.measures import MEASURES

VECTORS = json.loads((Path(__file__).parent / "vectors" / "pdp-ip.json").read_text())["vectors"]
REL = 1e-9

NAMES = {
    "I_inf": "max-information",
    "inferential": "max-log-ratio",
    "KL_max": "relative-entropy",
    "MI": "mutual-information",
    "max_leakage": "maximal-leakage",
}


def kind(name: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in VECTORS if vector["kind"] == name]
    return pytest.mark.parametrize("vector", chosen, ids=[str(v["id"]) for v in chosen])


def shares(counts: Any) -> np.ndarray:
    """Rows of counts, normalised."""
    table = np.asarray(counts, dtype=float)
    return np.asarray(table / table.sum(-1, keepdims=True))


def check(prior: np.ndarray, matrix: np.ndarray, expected: dict[str, float]) -> None:
    cloud = view_of(prior, matrix)
    for key, name in NAMES.items():
        if key in expected:
            bound = MEASURES[name].of(cloud)
            assert bound.low == bound.high == pytest.approx(expected[key], rel=REL, abs=0), name


@kind("ip_channel")
def test_plain_channels(vector: dict[str, Any]) -> None:
    given, expected = vector["input"], vector["output"]
    prior, matrix = shares(given["prior_counts"]), shares(given["W_counts"])
    check(prior, matrix, expected)
    either = bound_of(prior, matrix, "max-information-two-sided").value
    assert either == pytest.approx(max(expected["I_inf"], expected["I_inf_minus"]), rel=REL)


@kind("mechanism_and_joint")
def test_target_channels(vector: dict[str, Any]) -> None:
    """W_t[a, y] = sum of P(x | x_t = a) M(y | x), by the definition."""
    joint = np.asarray(vector["input"]["joint_counts"], dtype=float)
    mechanism = shares(vector["input"]["M_counts"])
    for target, expected in enumerate(vector["output"]["target_functionals"]):
        table = np.moveaxis(joint[..., None] * mechanism, target, 0)
        together = table.reshape(len(table), -1, mechanism.shape[-1]).sum(1)
        prior = together.sum(1) / joint.sum()
        check(prior, together / together.sum(1, keepdims=True), expected)


@kind("kl_from_inferential")
def test_what_a_log_ratio_allows(vector: dict[str, Any]) -> None:
    """Randomised response between two values comes near the sharp bound, and stays below it."""
    ratio = float(vector["input"]["E"])
    keep = math.exp(ratio) / (1 + math.exp(ratio))
    matrix = [[keep, 1 - keep], [1 - keep, keep]]
    values = []
    for first in np.linspace(0.01, 0.99, 99):
        prior = [first, 1 - first]
        assert bound_of(prior, matrix, "max-log-ratio").value == pytest.approx(ratio, rel=1e-12)
        values.append(bound_of(prior, matrix, "relative-entropy").value)
    assert max(values) <= vector["output"]["kappa"] <= vector["output"]["tanh_bound"]
    assert max(values) >= 0.99 * vector["output"]["kappa"]
