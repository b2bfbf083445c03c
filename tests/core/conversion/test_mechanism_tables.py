"""Distances within a mechanism's table, and equation 33, against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.conversion import reference
from tests.effort import examples
from unspoken.core.conversion import bound_from_mechanism, mechanism_distances
from unspoken.core.errors import TooLarge


@st.composite
def mechanisms(draw: st.DrawFn) -> np.ndarray:
    """Tables with zeros now and then."""
    sizes = tuple(draw(st.lists(st.integers(2, 3), min_size=1, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.integers(draw(st.sampled_from([0, 1])), 9, (*sizes, draw(st.integers(2, 3))))
    weights[..., 0] += weights.sum(-1) == 0
    table: np.ndarray = weights / weights.sum(-1, keepdims=True)
    return table


def log_ratio(x: float, y: float) -> float:
    if y == 0:
        return math.inf if x > 0 else 0.0
    return math.log(x / y) if x > 0 else -math.inf


@examples(60)
@given(mechanisms())
def test_distances(table: np.ndarray) -> None:
    n, expected = table.ndim - 1, [0.0] * table.ndim
    for x, y in itertools.product(np.ndindex(table.shape[:-1]), repeat=2):
        apart = sum(a != b for a, b in zip(x, y, strict=True))
        worst = max(map(log_ratio, table[x].tolist(), table[y].tolist()))
        for k in range(apart, n + 1):
            expected[k] = max(expected[k], worst)
    assert mechanism_distances(table) == pytest.approx(np.array(expected), rel=1e-13, abs=1e-15)


@examples(60)
@given(mechanisms(), st.sampled_from([0.0, 0.05, 0.5, 1.0]))
def test_equation_33(table: np.ndarray, sigma: float) -> None:
    for target in range(table.ndim - 1):
        rows = np.moveaxis(table, target, 0).reshape(table.shape[target], -1, table.shape[-1])
        worst = 0.0
        for a, b in itertools.permutations(rows, 2):
            for r, z, up, down in np.ndindex(table.shape[-1], *(len(a),) * 3):
                above = (1 - sigma) * a[z, r] + sigma * a[up, r]
                below = (1 - sigma) * b[z, r] + sigma * b[down, r]
                worst = max(worst, log_ratio(float(above), float(below)))
        got = bound_from_mechanism(table, target, sigma=sigma).value
        assert got == pytest.approx(worst, rel=1e-12, abs=1e-14)


@examples(60)
@given(mechanisms())
def test_between_its_ends(table: np.ndarray) -> None:
    """Independence leaves D_1 of the target; anything goes at sigma = 1, and that is D_n."""
    n = table.ndim - 1
    furthest = mechanism_distances(table)
    alone = max(bound_from_mechanism(table, i, sigma=0.0).value for i in range(n))
    anything = max(bound_from_mechanism(table, i, sigma=1.0).value for i in range(n))
    assert alone == pytest.approx(furthest[1], rel=1e-12)
    assert alone <= anything <= furthest[n] * (1 + 1e-12)


def test_a_small_table_reaches_dn() -> None:
    """Theorem 1: the worst belief has x* or its opposite, and the target says which."""
    table = reference.towards((2, 2, 2), (1, 1, 1), 0.4, 0.3)
    assert mechanism_distances(table) == pytest.approx([0.0, 0.4, 0.8, 1.2], rel=1e-12)
    opposite = np.zeros((2, 2, 2))
    opposite[0, 0, 0] = opposite[1, 1, 1] = 0.5
    assert reference.inferential(opposite, table, 0) == pytest.approx(1.2, rel=1e-12)


def test_too_many_pairs_are_refused() -> None:
    with pytest.raises(TooLarge, match="too many pairs"):
        mechanism_distances(np.full((2,) * 15 + (2,), 0.5))


def test_ratios_beyond_the_range_of_floats() -> None:
    """0.5 / 1e-310 is no float; its logarithm is."""
    table = [[0.5, 0.5], [1 - 1e-310, 1e-310]]
    truth = math.log(0.5) + 310 * math.log(10)
    assert mechanism_distances(table)[1] == pytest.approx(truth, rel=1e-14)
    assert bound_from_mechanism(table, 0, sigma=0.5).value == pytest.approx(truth, rel=1e-14)
