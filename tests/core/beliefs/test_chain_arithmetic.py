"""The arithmetic under chains and trees: units of sums, and convolutions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from unspoken.core.beliefs.forests.convolution import convolved
from unspoken.core.beliefs.lattice import Lattice
from unspoken.core.numerics.ring import LINEAR, LOGS, OutOfRange


@pytest.mark.parametrize(
    ("terms", "unit"),
    [
        ([[0, 1], [5, 3]], 1.0),
        ([[0.1, 0.3], [0.2, 0.5]], 0.1),
        ([[0, 2.16], [0, 1]], 0.04),
        ([[0, 1 / 3], [0, 0.5]], 1 / 6),
        ([[0, 0.7], [0, 5e6]], 0.1),
        ([[4], [7]], 1.0),
        ([[0, 1], [0, math.sqrt(2)]], None),
        ([[0, math.pi], [1, 2]], None),
    ],
)
def test_the_unit_of_a_query(terms: list[list[float]], unit: float | None) -> None:
    lattice = Lattice.of([{v: np.array(own, dtype=float) for v, own in enumerate(terms)}])
    assert lattice is not None
    if unit is None:
        assert not lattice.dense
    else:
        assert lattice.units[0] == pytest.approx(unit, rel=1e-15)
    for v, own in enumerate(terms):
        added = lattice.steps[v] * lattice.units[0]
        np.testing.assert_allclose(added, np.array(own) - min(own), rtol=1e-14, atol=1e-15)


def test_many_weights_have_a_unit_too() -> None:
    weights = np.random.default_rng(0).permutation(3000) + 5
    lattice = Lattice.of([{v: np.array([0.0, w / 8]) for v, w in enumerate(weights.tolist())}])
    assert lattice is not None
    assert lattice.units == (0.125,)
    assert [own[1] for own in lattice.steps.values()] == weights.tolist()


def test_two_queries_are_one_of_mixed_radix() -> None:
    one, other = {0: np.array([0.0, 2.0]), 1: np.array([1.0, -1.0])}, {1: np.array([0.0, 0.5])}
    lattice = Lattice.of([one, other])
    assert lattice is not None
    assert (lattice.dense, lattice.tops, lattice.base) == (True, (2, 1), (-1.0, 0.0))
    assert lattice.steps[0].tolist() == [0, 2]
    assert lattice.steps[1].tolist() == [2, 1]
    assert lattice.points(0).tolist() == [-1.0, 1.0, 3.0]
    assert Lattice.of([one, {0: np.array([0.0, math.pi]), 1: np.array([0.0, 1.0])}]) is None


@pytest.mark.stress
@examples(40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 30.0, 400.0, 5000.0]))
def test_convolutions_in_logs(seed: int, spread: float) -> None:
    """Any spread, zeros among them, against the sum term by term."""
    rng = np.random.default_rng(seed)
    one, other = (rng.uniform(-spread, 0, (2, rng.integers(1, 150))) for _ in range(2))
    one[rng.random(one.shape) < rng.choice([0, 0.3, 0.95])] = -np.inf
    true = np.full((2, one.shape[1] + other.shape[1] - 1), -np.inf)
    for k in range(one.shape[1]):
        part = true[:, k : k + other.shape[1]]
        np.logaddexp(part, one[:, k, None] + other, out=part)
    np.testing.assert_allclose(convolved(one, other, LOGS), true, rtol=1e-13, atol=1e-13)


def test_plain_convolutions_say_when_they_cannot() -> None:
    one, many = np.array([[0.5, 0.5]]), np.random.default_rng(0).random((5, 3))
    assert convolved(one, one, LINEAR).tolist() == [[0.25, 0.5, 0.25]]
    true = np.stack([np.convolve(row, [1, 2]) for row in many])
    np.testing.assert_allclose(convolved(many, np.tile([1.0, 2.0], (5, 1)), LINEAR), true)
    with pytest.raises(OutOfRange):
        convolved(np.array([[1e-200, 1.0]]), np.array([[1e-200, 1.0]]), LINEAR)
