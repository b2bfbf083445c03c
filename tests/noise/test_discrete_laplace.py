"""Noise on counts: what OpenDP draws has the law that the privacy of counts stands on."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Counts
from unspoken.noise import discrete_laplace as noise
from unspoken.noise.discrete_laplace import (
    in_steps,
    one_sided_noise,
    scale_of,
    two_sided_noise,
    with_noise,
)

pytestmark = pytest.mark.afresh

DRAWS = 200_000
SIGMAS = 6.5  # 8e-11 two-sided: five questions alarm falsely once in a thousand million runs


def faults(drawn: Counts, scale: float) -> list[str]:
    """Which of these differ from the discrete Laplace law by more than chance does."""
    a = math.exp(-1 / scale)
    tail = math.ceil(2 * scale)
    asked = {
        "P(0)": (drawn == 0, (1 - a) / (1 + a)),
        "P(> 0)": (drawn > 0, a / (1 + a)),
        "P(beyond two scales)": (np.abs(drawn) >= tail, 2 * a**tail / (1 + a)),
        "P(even)": (drawn % 2 == 0, (1 - a) / (1 + a) * (1 + 2 * a**2 / (1 - a**2))),
    }
    return [
        name
        for name, (held, p) in asked.items()
        if abs(held.mean() - p) > SIGMAS * math.sqrt(p * (1 - p) / drawn.size)
    ]


@pytest.mark.slow
def test_the_law_of_the_noise() -> None:
    counts = np.arange(DRAWS)
    assert faults(with_noise(counts, 2, 0.5) - counts, 4.0) == []


@pytest.mark.slow
@pytest.mark.parametrize("planted", [4.0 * 1.06, 4.0 / 1.06])
def test_another_scale_is_noticed(planted: float) -> None:
    drawn = with_noise(np.zeros(DRAWS, np.int64), 1, 1 / planted)
    assert faults(drawn, 4.0)


def test_shape_and_values_are_kept() -> None:
    counts = np.array([[10**9, 0], [3, 2**39]])
    drawn = with_noise(counts, 2, 50.0)
    assert drawn.shape == counts.shape
    assert drawn.dtype == np.int64
    assert np.abs(drawn - counts).max() < 10


def test_no_counts_need_no_noise() -> None:
    assert with_noise(np.zeros((0, 3), np.int64), 2, 0.5).shape == (0, 3)


def test_noise_is_fresh_each_time() -> None:
    counts = np.zeros(1000, np.int64)
    assert (with_noise(counts, 2, 0.1) != with_noise(counts, 2, 0.1)).any()


@pytest.mark.parametrize("sensitivity", [1, 2, 3, 7, 4480])
@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 0.5, 2.0])
def test_the_scale_is_enough_and_no_larger_than_need_be(sensitivity: int, epsilon: float) -> None:
    scale = scale_of(sensitivity, epsilon)
    assert Fraction(sensitivity) / Fraction(scale) <= Fraction(epsilon)
    assert scale <= sensitivity / epsilon * (1 + 1e-12)


@pytest.mark.parametrize(
    ("sensitivity", "epsilon"), [(0, 1.0), (2, 0.0), (2, math.inf), (2, math.nan), (2, 1e-300)]
)
def test_noise_that_cannot_be_drawn(sensitivity: int, epsilon: float) -> None:
    with pytest.raises(InputError, match="noise: "):
        scale_of(sensitivity, epsilon)


def test_counts_beyond_the_sampler_are_refused() -> None:
    with pytest.raises(InputError, match="beyond"):
        with_noise(np.array([noise.MOST + 1]), 2, 0.5)


def test_one_sided_noise_takes_away() -> None:
    """(1 - a) a^k of k: its mean is a / (1 - a), and nothing is added."""
    draws = 40_000
    numbers = np.arange(draws).reshape(2, -1)
    drawn = numbers - one_sided_noise(numbers, 3.0)
    a = math.exp(-1 / 3)
    assert drawn.min() == 0
    for k in (0, 1, 5):
        p = a**k * (1 - a)
        assert abs((drawn == k).mean() - p) < SIGMAS * math.sqrt(p * (1 - p) / draws)
    spread = math.sqrt(a) / (1 - a) / math.sqrt(draws)
    assert abs(drawn.mean() - a / (1 - a)) < SIGMAS * spread


@pytest.mark.parametrize("draw", [two_sided_noise, one_sided_noise])
@pytest.mark.parametrize(
    "numbers",
    [[1.0], [math.nan], [math.inf], [True], ["1"], [2**63], [2**40 + 1], [-(2**41)], [None]],
)
def test_what_is_no_count(draw: Any, numbers: Any) -> None:
    with pytest.raises(InputError, match="noise: "):
        draw(numbers, 1.0)


@pytest.mark.parametrize("draw", [two_sided_noise, one_sided_noise])
@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf, 2.0**41])
def test_what_is_no_scale(draw: Any, scale: float) -> None:
    with pytest.raises(InputError, match="noise: scale"):
        draw([1], scale)


def test_numbers_of_any_shape() -> None:
    for draw in (two_sided_noise, one_sided_noise):
        assert draw(5, 1e-3).tolist() == 5
        assert draw(np.zeros((0, 2), int), 1.0).shape == (0, 2)
        assert draw(np.array([[3, 2**40]], np.uint64), 1e-3).tolist() == [[3, 2**40]]


def test_steps() -> None:
    assert in_steps([0.3, -1.26, 7.0], 0.1).tolist() == [3, -13, 70]
    for numbers in ([math.nan], [math.inf], [1e300]):
        with pytest.raises(InputError, match="not finite, or beyond"):
            in_steps(numbers, 0.1)
    for step in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(InputError, match="the step"):
            in_steps([1.0], step)
