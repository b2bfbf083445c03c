"""Capacity: both ends hold, meet, and are the mutual information of no better prior."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.core.measures.plain import bound_of
from unspoken.core.errors import InputError
from unspoken.core.measures import capacity


def entropy(*shares: float) -> float:
    return -math.fsum(p * math.log(p) for p in shares if p > 0)


@pytest.mark.parametrize("flip", [0.0, 1e-9, 0.1, 0.25, 0.49, 0.4999, 0.5])
def test_binary_symmetric(flip: float) -> None:
    bound = capacity([[1 - flip, flip], [flip, 1 - flip]])
    exact = math.log(2) - entropy(flip, 1 - flip)
    assert bound.low <= exact + 1e-16
    assert exact <= bound.high + 1e-16
    assert bound.high == pytest.approx(exact, rel=1e-12, abs=1e-16)


@pytest.mark.parametrize("lost", [0.0, 0.2, 0.9, 1.0])
def test_erasure(lost: float) -> None:
    matrix = np.hstack([np.eye(3) * (1 - lost), np.full((3, 1), lost)])
    assert capacity(matrix).value == pytest.approx((1 - lost) * math.log(3), rel=1e-12)


@pytest.mark.parametrize("u", [1e-6, 0.3, 0.7, 1.0])
def test_z_channel(u: float) -> None:
    """C = log(1 + (1-s) s^(s/(1-s))), s = 1-u."""
    s = 1 - u
    exact = math.log1p((1 - s) * s ** (s / (1 - s)) if s > 0 else 1.0)
    bound = capacity([[1.0, 0.0], [s, u]], 1e-13)
    assert bound.low <= exact * (1 + 1e-12)
    assert bound.high == pytest.approx(exact, rel=1e-7)
    assert exact <= bound.high * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
def test_no_prior_tells_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs, outputs = rng.integers(1, 9, size=2)
    matrix = rng.dirichlet(np.full(outputs, rng.choice([0.1, 1.0, 50.0])), inputs)
    bound = capacity(matrix)
    assert 0 <= bound.low <= bound.high <= bound.low + 1e-9
    assert bound.high <= math.log(min(inputs, outputs)) + 1e-12
    for prior in rng.dirichlet(np.ones(inputs), 50):
        told = bound_of(prior, matrix, "mutual-information").value
        assert told <= bound.high * (1 + 1e-12) + 1e-15


def test_unused_outputs_and_equal_inputs() -> None:
    bound = capacity([[0.5, 0.0, 0.5], [0.5, 0.0, 0.5]])
    assert bound.low == bound.high == 0
    assert capacity([[1.0]]).value == 0
    twice = capacity([[0.9, 0.1], [0.1, 0.9], [0.1, 0.9]])
    assert twice.value == pytest.approx(capacity([[0.9, 0.1], [0.1, 0.9]]).value, abs=1e-9)


def test_inputs_that_are_hardly_ever_used_come_back() -> None:
    """An output that only a rare input shows is not forgotten by a long step."""
    matrix = np.eye(40) * 0.2 + 0.8 / 40
    matrix = np.vstack([matrix, np.full(40, 1 / 40)])
    bound = capacity(matrix, 1e-12)
    exact = capacity(matrix[:-1], 1e-12)
    assert bound.value == pytest.approx(exact.value, abs=1e-11)


@pytest.mark.parametrize(
    ("matrix", "word"),
    [
        ([[0.5, 0.4]], "row 0: sums to 0.9"),
        ([[1.0], [0.2, 0.8]], "equal row lengths"),
        ([0.5, 0.5], "each row a law"),
        ([[1.5, -0.5]], "row 0: has a negative entry"),
        ([[math.nan, 1.0]], "row 0: has NaN"),
        ([], "each row a law"),
    ],
)
def test_bad_input(matrix: object, word: str) -> None:
    with pytest.raises(InputError, match=word):
        capacity(matrix)  # type: ignore[arg-type]


def test_bad_tolerance() -> None:
    with pytest.raises(InputError, match="tolerance must be positive"):
        capacity([[1.0]], 0.0)
