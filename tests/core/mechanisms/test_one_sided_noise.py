"""Noise that only takes away: its view is that of the channel listed by hand, its promise kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Laplace, OneSidedNoise
from unspoken.noise.drawing import draw

VALUES = ["secret", "x", "y", "z"]
HIDDEN = {"A": ["secret"], "B": ["secret"]}
TERMS = {"A": {"x": 1, "y": 1, "z": 3}, "B": {"x": 2, "z": 1}}
TABLE = np.random.default_rng(5).dirichlet(np.ones(16)).reshape(4, 4)
BELIEF = unspoken.Joint(TABLE, "AB", [VALUES, VALUES])
ALPHAS = [0.4, math.exp(-0.1), 1e-4, 1 - 1e-6]


def added(name: str, value: str) -> int:
    own: Any = TERMS[name]
    return int(own.get(value, 0))


def listed(alpha: float) -> tuple[unspoken.Joint, unspoken.Finite]:
    """The sum as a variable of its own, and each of its answers: at most 0, 1, ..., 5."""
    table = np.zeros((4, 4, 6))
    for a, b in np.ndindex(4, 4):
        table[a, b, added("A", VALUES[a]) + added("B", VALUES[b])] = TABLE[a, b]
    matrix = np.zeros((6, 6))
    for s in range(6):
        matrix[s, 0] = alpha**s
        for y in range(1, s + 1):
            matrix[s, y] = (1 - alpha) * alpha ** (s - y)
    belief = unspoken.Joint(table, ["A", "B", "S"], [VALUES, VALUES, range(6)])
    return belief, unspoken.Finite("S", matrix)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("knows", [(), ("B",), {"B": "z"}])
def test_every_measure_is_that_of_the_channel(alpha: float, knows: Any) -> None:
    wide, channel = listed(alpha)
    adversary = unspoken.Adversary("A", secret=["secret"], knows=knows)
    mechanism = OneSidedNoise(alpha, TERMS, HIDDEN)
    measures: Any = MEASURES
    for measure in measures:
        options = {"eps": 0.5} if measure == "delta" else {}
        got = unspoken.leakage(BELIEF, mechanism, adversary, measure, **options)
        truth = unspoken.leakage(wide, channel, adversary, measure, **options)
        assert got.high == pytest.approx(truth.high, rel=1e-7, abs=1e-9), measure
        assert got.low == pytest.approx(truth.low, rel=1e-7, abs=1e-9), measure


@pytest.mark.parametrize("answer", [-7, 0, 1, 3, 5])
def test_the_odds_of_one_answer(answer: int) -> None:
    wide, channel = listed(0.4)
    adversary = unspoken.Adversary("A", secret=["secret"])
    got = unspoken.odds(BELIEF, OneSidedNoise(0.4, TERMS, HIDDEN), adversary, {"answer": answer})
    truth = unspoken.odds(wide, channel, adversary, {"S": max(answer, 0)})
    assert got.value == pytest.approx(truth.value, abs=1e-12)


def test_what_is_above_every_count_cannot_be() -> None:
    who = unspoken.Adversary("A", secret=["secret"], knows={"B": "y"})
    mechanism = OneSidedNoise(0.4, TERMS, HIDDEN)
    assert unspoken.odds(BELIEF, mechanism, who, {"answer": 4}).status == "impossible"
    assert unspoken.odds(BELIEF, mechanism, who, {"answer": 3}).value == 0.0


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_promise_to_whoever_knows_the_others(alpha: float) -> None:
    """P(y | sensitive) <= e^eps P(y | anything else), and a histogram has the same."""
    histogram: Any = {n: {v: [int(v == w) for w in "xyz"] for v in "xyz"} for n in "AB"}
    mechanism = OneSidedNoise(alpha, histogram, HIDDEN)
    found = unspoken.worst(BELIEF, mechanism, measure="exclusion")
    alone = unspoken.leakage(BELIEF, mechanism, unspoken.Adversary("A", knows=["B"]), "exclusion")
    assert alone.high == pytest.approx(-math.log(alpha), rel=1e-6)
    assert found.bound.high >= alone.low * (1 - 1e-9)
    anybody = unspoken.Adversary("A", secret=VALUES)
    assert math.isinf(unspoken.leakage(BELIEF, mechanism, anybody, "max-log-ratio").high)


def test_beside_other_answers() -> None:
    """With Laplace noise beside it a mean is no longer listed, and still holds the truth."""
    wide, channel = listed(0.4)
    noise = Laplace(1.0, terms={"A": {"x": 1}})
    adversary = unspoken.Adversary("B", secret=["secret"])
    one, other = (
        unspoken.leakage(belief, unspoken.Together([noise, part]), adversary, "mutual-information")
        for belief, part in ((BELIEF, OneSidedNoise(0.4, TERMS, HIDDEN)), (wide, channel))
    )
    assert one.high == pytest.approx(other.high, rel=1e-6)
    odds = [
        unspoken.leakage(belief, unspoken.Together([noise, part]), adversary, "odds").high
        for belief, part in ((BELIEF, OneSidedNoise(0.4, TERMS, HIDDEN)), (wide, channel))
    ]
    assert odds[0] == pytest.approx(odds[1])


def test_where_counts_leave_the_range_of_floats() -> None:
    """Exponents beyond e^-700 are kept as logarithms."""
    mechanism = OneSidedNoise(1e-300, {"A": {"x": 1, "y": 2, "z": 3}}, HIDDEN)
    told = unspoken.leakage(BELIEF, mechanism, unspoken.Adversary("A"), "exclusion")
    seen = TABLE.sum(1)[1] / TABLE.sum(1)[1:].sum()
    assert told.high == pytest.approx(300 * math.log(10) - math.log(seen))


def test_correction() -> None:
    """The median of the noise, P(Z <= m) >= 1/2, is put back where something is left."""
    for alpha, median in ((0.4, 0), (0.6, 1), (math.exp(-0.1), 6)):
        mechanism = OneSidedNoise(alpha, TERMS, HIDDEN)
        assert 1 - alpha ** (median + 1) >= 0.5 > 1 - alpha**median
        assert mechanism.corrected([5, 1, 0, -3]).tolist() == [5 + median, 1 + median, 0, 0]


@pytest.mark.slow
def test_drawn() -> None:
    """Never more than there is; its mean as it should be."""
    mechanism = OneSidedNoise(0.9, TERMS, HIDDEN)
    drawn = np.array([draw(mechanism, BELIEF.domain, [40])[0] for _ in range(400)])
    assert drawn.max() <= 40
    assert abs(40 - drawn.mean() - 9) < 6 * math.sqrt(0.9) / 0.1 / 20


@pytest.mark.parametrize(
    ("terms", "sensitive", "said"),
    [
        ({"A": {"secret": 1}}, HIDDEN, "sensitive ones 0"),
        ({"A": {"x": -1}}, HIDDEN, "values add 0 or more"),
        ({"A": {"x": 0.5}}, HIDDEN, "not always a whole number"),
        ({"A": {"x": 1}}, {"A": ["no"]}, "one-sided-noise.sensitive"),
        (None, HIDDEN, "one-sided-noise.terms"),
        ({"A": {"x": 1}}, None, "one-sided-noise.sensitive"),
    ],
)
def test_what_it_does_not_hide(terms: Any, sensitive: Any, said: str) -> None:
    def ask() -> unspoken.Bound:
        mechanism = OneSidedNoise(0.5, terms, sensitive)
        return unspoken.leakage(BELIEF, mechanism, unspoken.Adversary("A"), "exclusion")

    with pytest.raises(InputError, match=said):
        ask()


def test_continuous_variables_are_refused() -> None:
    gaussian = unspoken.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0], names="AB")
    mechanism = OneSidedNoise(0.5, {"A": {1.0: 1}}, {"A": [0.0]})
    with pytest.raises((InputError, NotKnown)):
        unspoken.leakage(gaussian, mechanism, unspoken.Adversary("B"))
