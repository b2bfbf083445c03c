"""Trees: polygons behind every edge against all adversaries, and at sizes nobody could list."""

import numpy as np
import pytest

from tests.core.searching.gaussian_cases import Case, all_leaks, covariance, leak
from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array
from unspoken.core.searching.gaussian.problem import gaussian_problem
from unspoken.core.searching.gaussian.trees import spanning_tree, trees

pytestmark = pytest.mark.slow


def tree(parents: list[int], rng: np.random.Generator) -> Array:
    """The covariance of a tree; now and then an edge is missing."""
    n = len(parents) + 1
    entries = np.zeros((n, n))
    for k, parent in enumerate(parents, start=1):
        entries[k, parent] = entries[parent, k] = rng.normal() * (rng.random() < 0.9)
    entries += np.diag(np.abs(entries).sum(1) * rng.uniform(0.6, 1.2) + 0.3)
    entries += max(0.2 - np.linalg.eigvalsh(entries)[0], 0.0) * np.eye(n)
    inverse = np.linalg.inv(entries)
    made: Array = (inverse + inverse.T) / 2
    return made


SHAPES = {
    "chain": lambda k, rng: k - 1,
    "star": lambda k, rng: 0,
    "binary": lambda k, rng: (k - 1) // 2,
    "any": lambda k, rng: int(rng.integers(0, k)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.stress
def test_against_every_adversary(shape: str, effort: int) -> None:
    rng = np.random.default_rng(list(SHAPES).index(shape))
    for _ in range(100 * effort):
        n = int(rng.integers(1, 9))
        order = rng.permutation(n)
        table = tree([SHAPES[shape](k, rng) for k in range(1, n)], rng)[np.ix_(order, order)]
        even = rng.random() < 0.3
        weights = np.ones(n) if even else rng.normal(size=n) * (rng.random(n) < 0.8)
        case = Case(table, np.ones(n) if even else rng.uniform(0.1, 2, n), weights, 1.0, None)
        leaks, problem = all_leaks(case), gaussian_problem(*case)
        truth, answer = max(leaks.values()), trees(problem, spanning_tree(problem))
        assert problem.leak(answer.low) <= truth * (1 + 1e-12)
        assert truth <= problem.leak(answer.high) * (1 + 1e-12)
        assert problem.leak(answer.high) == pytest.approx(truth, rel=1e-9)
        assert leaks[answer.target, answer.known] == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_many_variables(shape: str) -> None:
    """What is found is what its adversary leaks, by one regression; and nobody leaks more."""
    rng, n = np.random.default_rng(9), 120
    table = tree([SHAPES[shape](k, rng) for k in range(1, n)], rng)
    case = Case(table, np.ones(n), rng.normal(size=n), 1.0, None)
    problem = gaussian_problem(*case)
    answer = trees(problem, spanning_tree(problem))
    assert answer.high == pytest.approx(answer.low, rel=1e-6)
    found = leak(case, answer.target, answer.known)
    assert problem.leak(answer.low) <= found * (1 + 1e-12) <= problem.leak(answer.high)


def test_a_long_chain_knows_its_closed_form() -> None:
    """AR(r), all weights 1: who knows nothing learns 1 + 2 r / (1 - r) about the middle."""
    apart = np.abs(np.subtract.outer(np.arange(99), np.arange(99)))
    problem = gaussian_problem(0.5**apart, np.ones(99), np.ones(99), 1.0)
    answer = trees(problem, spanning_tree(problem))
    assert problem.leak(answer.high) == pytest.approx(3.0, rel=1e-9)
    falling = gaussian_problem((-0.5) ** apart, np.ones(99), np.ones(99), 1.0)
    assert falling.leak(trees(falling, spanning_tree(falling)).high) == pytest.approx(1.0, rel=1e-9)


def test_a_cycle_is_refused_by_name() -> None:
    """A ring: the strongest correlations leave one of its edges out."""
    precision = 2.5 * np.eye(5) - np.roll(np.eye(5), 1, axis=0) - np.roll(np.eye(5), -1, axis=0)
    problem = gaussian_problem(np.linalg.inv(precision), np.ones(5), np.ones(5), 1.0)
    with pytest.raises(InputError, match=r"not a tree, variables \d and \d close a cycle"):
        trees(problem, spanning_tree(problem))
    table = covariance("dense", 6, np.random.default_rng(0))
    dense = gaussian_problem(table, np.ones(6), np.ones(6), 1.0)
    with pytest.raises(InputError, match="not a tree"):
        trees(dense, spanning_tree(dense))
