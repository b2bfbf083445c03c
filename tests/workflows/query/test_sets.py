"""Cells and an answer beside them, under sets of beliefs: what enumeration finds, one by one."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import unspoken

pytestmark = pytest.mark.slow

SHAPE, SECRET = (2, 3), 0
EPSILON, ALPHA = 0.4, 0.7
CELLS = list(itertools.product(*map(range, SHAPE)))
OTHERS: dict[str, dict[str, Any]] = {
    "of the secret": {"x0": {0: 1}},
    "of the other": {"x1": {1: 1, 2: 2}},
    "a histogram": {"x1": {0: [1, 0, 0], 1: [0, 1, 0], 2: [0, 0, 1]}},
}


def shown(terms: dict[str, Any]) -> unspoken.Together:
    """A coin on x1, whose first value it never shows, and an answer."""
    coin = unspoken.OneSided({"x1": EPSILON}, {"x0": [0], "x1": [0]})
    return unspoken.Together([coin, unspoken.Geometric(ALPHA, terms=terms)])


def outcomes(terms: dict[str, Any]) -> list[np.ndarray]:
    """P(y | x) of every coin and every noise-free answer, up to a factor of the answer."""
    ((name, by_value),) = terms.items()
    place = ("x0", "x1").index(name)
    exact = np.array([np.atleast_1d(by_value.get(x[place], 0)) for x in CELLS], float)
    if exact.shape[1] == 1:
        exact = exact.reshape(len(CELLS), -1)
    found = []
    for answer in itertools.product(*(sorted(set(column)) for column in exact.T)):
        noise = ALPHA ** np.abs(exact - answer).sum(1)
        out = -math.expm1(-EPSILON)
        for value in (None, 1, 2):
            coin = [
                0.0 if value not in (None, x[1]) else out if value else 1 - out * (x[1] > 0)
                for x in CELLS
            ]
            found.append(noise * np.array(coin))
    return found


def extreme(likely: np.ndarray, low: np.ndarray, high: np.ndarray, sign: int) -> float:
    """The least (sign 1) or largest (-1) sum of P(x) likely(x) over the box."""
    box = list(zip(low, high, strict=True))
    solved = linprog(sign * likely, A_eq=np.ones((1, len(low))), b_eq=[1.0], bounds=box)
    assert solved.success
    return sign * float(solved.fun)


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.parametrize("seed", range(2))
def test_intervals(what: str, seed: int) -> None:
    """Both conditionals are boxes of their own, so the odds of an answer are extreme at both."""
    rng, terms = np.random.default_rng(seed), OTHERS[what]
    table = rng.dirichlet(np.full(6, 4.0)).reshape(SHAPE)
    given = table / table.sum(1, keepdims=True)
    low, high = np.maximum(given - 0.1, 0), np.minimum(given + 0.1, 1)
    worst = max(
        extreme(likely[:3], low[SECRET], high[SECRET], -1) / extreme(likely[3:], low[1], high[1], 1)
        for likely in outcomes(terms)
    )
    beliefs = unspoken.Intervals(unspoken.Joint(table), {("x0", (SECRET,)): (low, high)})
    who = unspoken.Adversary("x0", secret=[SECRET])
    found = unspoken.leakage(beliefs, shown(terms), who, "odds")
    assert found.odds == pytest.approx(worst, rel=1e-7)


@pytest.mark.parametrize("what", OTHERS)
def test_several_beliefs(what: str) -> None:
    rng, terms = np.random.default_rng(7), OTHERS[what]
    tables = [rng.dirichlet(np.full(6, 2.0)) for _ in range(3)]
    worst = max(
        (own[:3] @ likely[:3] / own[:3].sum()) / (own[3:] @ likely[3:] / own[3:].sum())
        for own in tables
        for likely in outcomes(terms)
    )
    beliefs = unspoken.Beliefs([unspoken.Joint(own.reshape(SHAPE)) for own in tables])
    who = unspoken.Adversary("x0", secret=[SECRET])
    assert unspoken.leakage(beliefs, shown(terms), who, "odds").odds == pytest.approx(
        worst, rel=1e-9
    )
