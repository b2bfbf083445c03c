"""Coins fall as often as they should, and no two places know of each other.

The master keys are frozen, so these checks give the same answer every time; what a check allows is
5 standard deviations. Only fresh coins are random at every run: together, the checks on them raise
a false alarm less than once in a million runs.
"""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pytest

from unspoken.core.numerics.arrays import Words
from unspoken.core.numerics.coin_thresholds import ALWAYS, released, threshold
from unspoken.storage.coins import BATCH, MasterKey, attribute_keys, draw, encode_keys, fresh_draws

pytestmark = pytest.mark.slow

COUNT, TEXT_COUNT = 10**7, 10**6
SIGMAS = 5.0
FRESH_CHECKS = 4
FRESH_SIGMAS = NormalDist().inv_cdf(1 - 1e-6 / 2 / FRESH_CHECKS)
MASTERS = [MasterKey(bytes([i]) * 32) for i in (1, 2)]
PS = [1e-4, 0.1, 1 / 3, 0.5, 0.9, 0.9999]


def tossed(master: MasterKey, attribute: str = "a", epoch: str = "2026") -> Words:
    """The coins of the integers 0 .. COUNT-1, batch by batch."""
    keys = attribute_keys(master, attribute, epoch)
    parts = (np.arange(i, min(i + BATCH, COUNT)) for i in range(0, COUNT, BATCH))
    return np.concatenate([draw(keys, encode_keys([part])) for part in parts])


def epsilon_of(p: float) -> float:
    return -math.log1p(-p)


def distance(hits: int, count: int, p: float) -> float:
    """Standard deviations between hits and what count coins of p give on average."""
    return abs(hits - count * p) / math.sqrt(count * p * (1 - p))


def share_is_off(coins: Words, below: int, p: float, sigmas: float = SIGMAS) -> bool:
    return distance(int(released(coins, below).sum()), len(coins), p) > sigmas


def agree_too_often(one: Words, other: Words, sigmas: float = SIGMAS) -> bool:
    """Whether two places with p = 1/2 release the same records more, or less, than by chance."""
    half = ALWAYS // 2
    same = int((released(one, half) == released(other, half)).sum())
    return distance(same, len(one), 0.5) > sigmas


@pytest.fixture(scope="module")
def coins() -> Words:
    return tossed(MASTERS[0])


@pytest.mark.parametrize("p", PS)
def test_coins_of_integers_fall_as_often_as_they_should(p: float, coins: Words) -> None:
    assert not share_is_off(coins, threshold(epsilon_of(p)), p)


def text_keys(count: int) -> list[list[pa.Array]]:
    number = np.arange(count)
    short = pa.array(number).cast(pa.string())
    office = pa.array(number // 1000).cast(pa.string())
    day = pa.array(number % 1000).cast(pa.string())
    return [
        [short],
        [pa.array([f"office {i:030d}" for i in number])],
        [office, day],
        [office, number],
    ]


@pytest.mark.parametrize("kind", range(4), ids=["short", "long", "text and text", "mixed"])
def test_coins_of_texts_fall_as_often_as_they_should(kind: int) -> None:
    coins = draw(attribute_keys(MASTERS[0], "a", "2026"), encode_keys(text_keys(TEXT_COUNT)[kind]))
    assert [p for p in PS if share_is_off(coins, threshold(epsilon_of(p)), p)] == []
    assert not agree_too_often(coins[1:], coins[:-1])


def test_p_that_is_off_by_a_hundredth_is_found(coins: Words) -> None:
    for planted in (0.505, 0.495):
        assert share_is_off(coins, threshold(epsilon_of(planted)), 0.5)


def test_every_bit_is_fair(coins: Words) -> None:
    ones = [int(((coins >> np.uint64(bit)) & np.uint64(1)).sum()) for bit in range(64)]
    assert [bit for bit, hits in enumerate(ones) if distance(hits, COUNT, 0.5) > SIGMAS] == []


def test_nobody_else_has_the_same_coins(coins: Words) -> None:
    others: dict[str, Callable[[], Words]] = {
        "another attribute": lambda: tossed(MASTERS[0], "b"),
        "another epoch": lambda: tossed(MASTERS[0], "a", "2027"),
        "another key": lambda: tossed(MASTERS[1]),
        "the next record": lambda: np.roll(coins, 1),
        "the record with another last bit": lambda: coins.reshape(-1, 2)[:, ::-1].ravel(),
    }
    assert [name for name, other in others.items() if agree_too_often(coins, other())] == []


def one_coin_for_all(coins: Words, other: Words) -> Words:
    return coins


def one_in_a_hundred_shared(coins: Words, other: Words) -> Words:
    return np.where(np.arange(COUNT) % 100 == 0, coins, other)


def the_other_side(coins: Words, other: Words) -> Words:
    return ~coins


@pytest.mark.parametrize("planted", [one_coin_for_all, one_in_a_hundred_shared, the_other_side])
def test_shared_coins_are_found(planted: Callable[[Words, Words], Words], coins: Words) -> None:
    assert agree_too_often(coins, planted(coins, tossed(MASTERS[0], "b")))


def test_what_is_always_or_never_released(coins: Words) -> None:
    assert released(coins, threshold(math.inf)).all()
    assert not released(coins, threshold(0.0)).any()


def test_fresh_coins_are_fair_and_of_their_own() -> None:
    one, other = fresh_draws(COUNT), fresh_draws(COUNT)
    half = threshold(math.log(2))
    checks = [
        share_is_off(one, half, 0.5, FRESH_SIGMAS),
        share_is_off(other, half, 0.5, FRESH_SIGMAS),
        agree_too_often(one, other, FRESH_SIGMAS),
        agree_too_often(one[1:], one[:-1], FRESH_SIGMAS),
    ]
    assert len(checks) == FRESH_CHECKS
    assert not any(checks)
    assert agree_too_often(one, one)
