"""Numbers of several variables at once, with noise, against enumeration of answers."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.assessment.deciding.coins_and_noise import CoinsAndNoise
from unspoken.core.errors import InputError, NotKnown, TooLarge
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Mechanism, RecordCounts

SIZES = (2, 3)
VALUES = {"x0": [0, 1], "x1": [0, 1, 2]}
LET_OUT = -math.expm1(-0.8)
COIN = unspoken.OneSided({"x1": 0.8}, {"x1": [0]})
SUM = unspoken.Geometric(0.5, {"x0": 1, "x1": 0})
BESIDE: dict[str, tuple[list[Mechanism], list[Any]]] = {
    "nothing": ([], [np.ones(SIZES)]),
    "a coin": (
        [COIN],
        [[1, 1 - LET_OUT, 1 - LET_OUT], [0, LET_OUT, 0], [0, 0, LET_OUT]],
    ),
    "a sum": ([SUM], [[[0.5 ** abs(y) / 3], [0.5 ** abs(y - 1) / 3]] for y in range(-50, 52)]),
}  # fmt: skip


def likelihoods(alpha: float, adds: np.ndarray, beside: Any) -> np.ndarray:
    """[y, x0, x1], of every answer there is, as geometric noise has it, but for 1e-12 of all."""
    far = math.ceil(-28 / math.log(alpha))
    numbers = range(int(adds.min()) - far, int(adds.max()) + far + 1)
    laws = [
        [(1 - alpha) / (1 + alpha) * alpha ** np.abs(y - own.astype(float)) for y in numbers]
        for own in adds
    ]
    seen = [np.broadcast_to(np.array(each, float), SIZES) for each in beside]
    return np.array([math.prod(each[1:], start=each[0]) for each in itertools.product(*laws, seen)])


def odds_and_nats(law: np.ndarray, likely: np.ndarray) -> tuple[float, float]:
    """Of whether x1 is 0: the largest odds ratio, and the mutual information."""
    joint = np.stack([(law * likely)[:, :, 0].sum(1), (law * likely)[:, :, 1:].sum((1, 2))])
    joint, prior = joint / law.sum(), np.array([law[:, 0].sum(), law[:, 1:].sum()]) / law.sum()
    given = joint / prior[:, None]
    told = np.where(joint > 0, joint * np.log(np.where(joint > 0, given, 1) / joint.sum(0)), 0)
    return float((given[0][given[1] > 0] / given[1][given[1] > 0]).max()), float(told.sum())


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("seed", range(6))
def test_views_are_as_enumerated(seed: int, beside: str) -> None:
    """Odds and information, of who knows nothing, and of who knows x0, for its worst value."""
    rng = np.random.default_rng(seed)
    law, alpha = rng.dirichlet(np.ones(6)).reshape(SIZES), float(rng.uniform(0.2, 0.6))
    adds = rng.integers(-1, 3, size=(1 + (seed % 2 and beside != "a sum"), *SIZES))
    others, shown = BESIDE[beside]
    mechanism = unspoken.Together([RecordCounts(alpha, VALUES, adds.tolist()), *others])
    likely = likelihoods(alpha, adds, shown)
    belief = unspoken.Joint(law)
    view = unspoken.view(belief, mechanism, unspoken.Adversary("x1", secret=[0]))
    odds, nats = odds_and_nats(law, likely)
    assert MEASURES["odds"].of(view).odds == pytest.approx(odds, rel=1e-9)
    assert MEASURES["mutual-information"].of(view).nats == pytest.approx(nats, rel=1e-9, abs=1e-11)
    known = unspoken.view(belief, mechanism, unspoken.Adversary("x1", secret=[0], knows=["x0"]))
    worst = max(odds_and_nats(law[k : k + 1], likely[:, k : k + 1])[0] for k in range(2))
    assert MEASURES["odds"].of(known).odds == pytest.approx(worst, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_epsilon_is_the_farthest_of_neighbours(seed: int) -> None:
    """Of all pairs of records, one by one; a value that is not named adds 0."""
    rng = np.random.default_rng(seed)
    adds = rng.integers(-3, 4, size=(3, 2, 2))
    mechanism = RecordCounts(0.7, {"x0": [0, 1], "x1": [0, 2]}, adds.tolist())
    padded = np.zeros((3, *SIZES))
    padded[:, :, [0, 2]] = adds
    rows = list(padded.reshape(3, -1).T)
    far = max(np.abs(a - b).sum() for a in rows for b in rows)
    domain = unspoken.Joint(np.ones(SIZES)).domain
    claimed = CoinsAndNoise(mechanism, domain).epsilon
    assert claimed == pytest.approx(-math.log(0.7) * far, rel=1e-12)
    both = unspoken.Together([mechanism, COIN])
    assert CoinsAndNoise(both, domain).epsilon == claimed


def test_asked_twice_it_tells_more() -> None:
    belief = unspoken.Joint([[3, 1, 1], [1, 2, 2]])
    mechanism = RecordCounts(0.5, {"x0": [1], "x1": [1]}, [[[1]]])
    twice = unspoken.Together([mechanism, mechanism])
    who = unspoken.Adversary("x1", secret=[1], knows={"x0": 1})
    told = [unspoken.leakage(belief, each, who).value for each in (mechanism, twice)]
    assert told == pytest.approx([math.log(2), 2 * math.log(2)], rel=1e-9)
    asks = unspoken.Adversary("x1", secret=[1], knows={"x0": 1}, asks={"answer": 2})
    assert unspoken.leakage(belief, mechanism, asks).value == pytest.approx(told[1], rel=1e-9)


def test_an_answer_and_who_sees_it() -> None:
    """An outcome is a number that a record may add; who sees other things is told nothing."""
    belief = unspoken.Joint([[1, 1, 1], [1, 1, 1]])
    mechanism = RecordCounts(0.5, {"x0": [1], "x1": [1]}, [[[1]]])
    who = unspoken.Adversary("x1", secret=[1], knows={"x0": 1})
    got = unspoken.odds(belief, mechanism, who, {"answer of x0, x1": 1})
    assert got.value == pytest.approx(2.0, rel=1e-9)
    blind = unspoken.Adversary("x1", secret=[1], sees=["answer of x0, x1"])
    assert unspoken.leakage(belief, mechanism, blind).value > 0
    with pytest.raises(InputError):
        unspoken.leakage(belief, mechanism, unspoken.Adversary("x1", sees=["answer of x1"]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((0.5, {"x0": [0, 1]}, [[1]]), "a table of 2 whole numbers"),
        ((0.5, {"x0": [0, 1]}, [[1.5, 0.0]]), "whole numbers is expected"),
        ((0.5, {"x0": [0, 1]}, [[2**40, 0]]), "none beyond"),
        ((0.5, {}, [1]), "record-counts.adds"),
        ((1.0, {"x0": [0]}, [[1]]), "record-counts.alpha"),
        ((0.5, None, [[1]]), "record-counts.values"),
    ],
)
def test_what_is_no_table(given: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        RecordCounts(*given)


def test_what_is_too_much_to_look_at() -> None:
    belief = unspoken.Joint(np.ones(SIZES))
    wide = RecordCounts(0.5, {"x0": [0, 1]}, [[0, 2**30]])
    with pytest.raises(TooLarge, match="see fewer at once"):
        unspoken.leakage(belief, wide, unspoken.Adversary("x1"))
    with pytest.raises(NotKnown, match="shown of whole records"):
        unspoken.worst(belief, RecordCounts(0.5, {"x0": [0, 1]}, [[0, 1]]))
