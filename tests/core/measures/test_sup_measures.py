"""The largest-value measures of a cloud, against their definitions outcome by outcome."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES
from unspoken.core.measures.exclusion import EXCLUSION
from unspoken.core.views import View

NAMES = ["max-log-ratio", "max-information", "max-information-two-sided", "odds"]


def case(seed: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """A prior, a channel W[x, y] without zeros, and the secret values (all, some or one)."""
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 5))
    law = rng.dirichlet(np.ones(3), size=values) * 0.98 + 0.02 / 3
    secret = rng.permutation(values)[: 1 + seed % values].tolist()
    return rng.dirichlet(np.ones(values)), law, sorted(secret)


def cloud(prior: np.ndarray, law: np.ndarray, secret: list[int]) -> View:
    belief = unspoken.Joint(prior, names=["A"])
    return unspoken.view(belief, unspoken.Finite("A", law), unspoken.Adversary("A", secret=secret))


def merged(prior: np.ndarray, law: np.ndarray, secret: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """P(s) and P(y | s), the values that are not secret being one class, the last."""
    rest = [x for x in range(len(prior)) if x not in secret]
    groups = [[x] for x in secret] + ([rest] if rest else [])
    p = np.array([prior[own].sum() for own in groups])
    return p, np.stack([prior[own] @ law[own] / prior[own].sum() for own in groups])


def factor(p: np.ndarray, w: np.ndarray, event: list[int]) -> float:
    """The largest growth of the odds of an event."""
    out = [s for s in range(len(p)) if s not in event]
    if not out:
        return 1.0
    inside, outside = p[event] @ w[event] / p[event].sum(), p[out] @ w[out] / p[out].sum()
    return float((inside / outside).max())


def by_definition(name: str, p: np.ndarray, w: np.ndarray, secrets: int) -> float:
    if name == "max-log-ratio":
        pairs = itertools.permutations(range(len(p)), 2)
        return max((float(np.log(w[a] / w[b]).max()) for a, b in pairs), default=0.0)
    lifts = np.log(w / (p @ w))
    if name == "max-information":
        return float(lifts.max())
    if name == "max-information-two-sided":
        return float(np.abs(lifts).max())
    events = [[s] for s in range(secrets)] + [list(range(secrets))]
    return max(1.0 if secrets == len(p) else 0.0, *(factor(p, w, event) for event in events))


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("name", NAMES)
def test_by_definition(seed: int, name: str) -> None:
    prior, law, secret = case(seed)
    truth = by_definition(name, *merged(prior, law, secret), len(secret))
    assert MEASURES[name].of(cloud(prior, law, secret)).value == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_exclusion_looks_from_the_secrets_only(seed: int) -> None:
    """max log P(y | s) / P(y | x) over secret s: what is not secret may gain what it likes."""
    prior, law, secret = case(seed)
    _, w = merged(prior, law, secret)
    truth = max(float(np.log(w[s] / x).max()) for s in range(len(secret)) for x in w)
    assert EXCLUSION.of(cloud(prior, law, secret)).value == pytest.approx(truth, rel=1e-12)


def test_a_secret_that_is_ruled_out_moves_without_end_one_way_only() -> None:
    """Of three values the answer can rule out the last: beliefs fall to 0, none grows beyond 2."""
    law = np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    view = cloud(np.array([0.25, 0.25, 0.5]), law, [0, 1, 2])
    assert MEASURES["max-information"].of(view).value == pytest.approx(math.log(2))
    assert math.isinf(MEASURES["max-information-two-sided"].of(view).value)
    assert math.isinf(MEASURES["max-log-ratio"].of(view).value)


def test_two_secrets_that_hide_one_another() -> None:
    """Each is at even odds with the other; that it is one of them is certain."""
    law = np.array([[1.0, 0.0], [1.0, 0.0], [0.1, 0.9]])
    found = MEASURES["odds"].of(cloud(np.array([0.1, 0.1, 0.8]), law, [0, 1]))
    assert found.value == pytest.approx(10.0)
