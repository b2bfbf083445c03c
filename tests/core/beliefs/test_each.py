"""Two passes give the law of a sum beside every variable: as one question after the other does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.beliefs.branching import drawn
from tests.effort import examples
from unspoken.core.beliefs.forests.each import sums_of_each
from unspoken.core.beliefs.forests.markov import Markov
from unspoken.core.numerics.ring import LINEAR, LOGS, Ring

pytestmark = pytest.mark.slow

FAIR, FLIP = [0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]


def each(belief: Markov, steps: dict[int, np.ndarray], wanted: list[int], ring: Ring) -> np.ndarray:
    size = 1 + sum(int(own.max()) for own in steps.values())
    table = sums_of_each(belief.forest, wanted, steps, size, ring)
    return np.exp(table) if ring.in_logs else table


@pytest.mark.stress
@examples(100)
@given(st.integers(0, 2**32 - 1))
def test_it_is_the_enumerated_law(seed: int) -> None:
    """Forests of several trees, values that add nothing, targets twice, on both rings."""
    belief, joint = drawn("tree" if seed % 4 else "chain", seed)
    rng, n = np.random.default_rng(seed), len(belief.domain.names)
    sizes = belief.forest.sizes
    steps = {v: rng.integers(0, 4, sizes[v]) for v in range(n) if rng.random() < 0.8}
    wanted = rng.integers(0, n, int(rng.integers(1, 5))).tolist()
    ring = LOGS if rng.random() < 0.5 else LINEAR
    found = each(belief, steps, wanted, ring)
    cells = np.indices(joint.table.shape)
    sums = sum((own[cells[v]] for v, own in steps.items()), np.zeros(cells.shape[1:], int))
    for row, v in enumerate(wanted):
        true = np.zeros(found.shape[1:])
        np.add.at(true, (cells[v].ravel(), sums.ravel()), joint.table.ravel())
        np.testing.assert_allclose(found[row], true, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("shape", ["binary", "star", "random", "caterpillar"])
@pytest.mark.parametrize("ring", [LINEAR, LOGS], ids=["plain", "logs"])
def test_every_digit_of_large_trees(shape: str, ring: Ring) -> None:
    """Small ones too, as by one question after the other."""
    n, rng = 150, np.random.default_rng(3)
    parents = {
        "binary": [-1, *((v - 1) // 2 for v in range(1, n))],
        "star": [-1] + [0] * (n - 1),
        "random": [-1, *(int(rng.integers(0, v)) for v in range(1, n))],
        "caterpillar": [-1, *(v - 1 if v < n // 2 else v - n // 2 for v in range(1, n))],
    }[shape]
    belief = unspoken.Tree(parents, FAIR, FLIP)
    names, wanted = belief.domain.names, [0, 1, n // 2, n - 1]
    steps = {v: np.array([0, 1 + v % 2]) for v in range(n)}
    found = each(belief, steps, wanted, ring)
    weights = {name: 1.0 + v % 2 for v, name in enumerate(names)}
    for row, v in enumerate(wanted):
        alone = belief.sums([names[v]], [weights])
        assert not alone.in_logs
        at = alone.points[0].astype(int)
        np.testing.assert_allclose(found[row][:, at], alone.table, rtol=1e-11)
    assert found.sum(axis=(1, 2)) == pytest.approx(1.0, rel=1e-12)


def test_far_below_floats() -> None:
    """2,000 leaves: logarithms of e^-2,000 and less, against the hub's own law by hand."""
    n, p, q = 2000, 0.9, 0.3
    star = unspoken.Tree([-1] + [0] * n, FAIR, [[1 - p, p], [1 - q, q]])
    steps = {v: np.array([0, 1]) for v in range(1, n + 1)}
    table = sums_of_each(star.forest, [0, 5], steps, n + 1, LOGS)
    k = np.arange(n + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log(n - k[:-1]) - np.log(k[1:]))])
    for x, own in enumerate((p, q)):
        true = np.log(0.5) + ways + k * np.log(own) + (n - k) * np.log1p(-own)
        np.testing.assert_allclose(table[0, x], true, rtol=1e-10)
    sums = np.logaddexp(*table[1]), np.logaddexp(*table[0])
    np.testing.assert_allclose(*sums, rtol=1e-10)  # the law of the sum, from either


def test_sums_that_fit_no_common_scale() -> None:
    """Blocks of a sum whose terms are e^600 apart, beside cells that nothing reaches."""
    steep = [[1.0 - 1e-30, 1e-30], [1e-30, 1.0 - 1e-30]]
    star = unspoken.Tree([-1] + [0] * 60, FAIR, steep)
    steps = {v: np.array([0, 2 if v < 59 else 3]) for v in range(1, 61)}
    table = sums_of_each(star.forest, [0], steps, 2 * 58 + 6 + 1, LOGS)[0]
    rows = [np.full((1, 1), 0.0)[0] for _ in range(2)]
    for v in range(1, 61):
        step = int(steps[v].max())
        for x, law in enumerate(steep):
            longer = np.full(len(rows[x]) + step, -np.inf)
            longer[: len(rows[x])] = rows[x] + np.log(law[0])
            longer[step:] = np.logaddexp(longer[step:], rows[x] + np.log(law[1]))
            rows[x] = longer
    for x in range(2):
        np.testing.assert_allclose(table[x], rows[x] + np.log(0.5), rtol=1e-11)
