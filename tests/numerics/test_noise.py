"""Noise on counts: what OpenDP draws has the law that the privacy of counts stands on."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from unspoken.errors import InputError
from unspoken.numerics import noise
from unspoken.numerics.arrays import Counts
from unspoken.numerics.noise import scale_of, with_noise

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


def test_the_law_of_the_noise() -> None:
    counts = np.arange(DRAWS)
    assert faults(with_noise(counts, 2, 0.5) - counts, 4.0) == []


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
