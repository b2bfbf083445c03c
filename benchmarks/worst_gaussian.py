"""The worst adversary of Gaussian beliefs: every search, and one regression per adversary."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.searching.gaussian.branching import branch_and_bound
from unspoken.core.searching.gaussian.certificates import certificates
from unspoken.core.searching.gaussian.exhaustive import exhaustive
from unspoken.core.searching.gaussian.problem import (
    GaussianProblem,
    WorstCoefficient,
    gaussian_problem,
)
from unspoken.core.searching.gaussian.trees import spanning_tree, trees
from unspoken.core.searching.gaussian.worst import worst_gaussian

MIXED = np.random.default_rng(0).choice([-1.0, 1.0], 2000)


def chain(n: int, r: float) -> Array:
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    table: Array = np.float64(r) ** apart
    return table


def dense(n: int) -> Array:
    roots = np.random.default_rng(n).normal(size=(n, 2 * n))
    table: Array = roots @ roots.T / (2 * n)
    return table


def spatial(n: int) -> Array:
    places = np.random.default_rng(n).uniform(size=(n, 2))
    table: Array = np.exp(-np.linalg.norm(places[:, None] - places, axis=2) / 0.3)
    return table


def factor(n: int) -> Array:
    loads = np.random.default_rng(n).normal(size=(n, 2))
    table: Array = loads @ loads.T + np.eye(n)
    return table


def precision_of(n: int, pairs: list[list[int]]) -> Array:
    """The covariance of a belief in which only these pairs depend on each other, given the rest."""
    rng, entries = np.random.default_rng(n), np.zeros((n, n))
    for a, b in pairs:
        entries[a, b] = entries[b, a] = rng.normal()
    entries += np.diag(np.abs(entries).sum(axis=1) * 0.8 + 0.3)
    entries += max(0.2 - np.linalg.eigvalsh(entries)[0], 0.0) * np.eye(n)
    inverse = np.linalg.inv(entries)
    table: Array = (inverse + inverse.T) / 2
    return table


def sparse(n: int) -> Array:
    rng = np.random.default_rng(n)
    chosen = np.argwhere(np.triu(rng.random((n, n)) < 3 / n, 1)).tolist()
    return precision_of(n, chosen)


def tree(n: int) -> Array:
    rng = np.random.default_rng(n)
    return precision_of(n, [[int(rng.integers(0, k)), k] for k in range(1, n)])


FAMILIES: dict[str, Callable[[int], Array]] = {
    "AR(.5)": lambda n: chain(n, 0.5),
    "AR(-.5)": lambda n: chain(n, -0.5),
    "equicorrelated": lambda n: np.full((n, n), 0.3) + 0.7 * np.eye(n),
    "spatial": spatial,
    "factor": factor,
    "dense": dense,
    "sparse Q": sparse,
    "tree": tree,
}


def one_by_one(covariance: Array) -> float:
    """A regression for every adversary, all weights and ranges 1."""
    n, worst = len(covariance), 0.0
    sums = covariance.sum(axis=1)
    for target in range(n):
        others = [k for k in range(n) if k != target]
        for size in range(n):
            for known in itertools.combinations(others, size):
                own = [target, *known]
                worst = max(worst, abs(np.linalg.solve(covariance[np.ix_(own, own)], sums[own])[0]))
    return worst


def problem(covariance: Array, mixed: bool = False) -> GaussianProblem:
    n = len(covariance)
    return gaussian_problem(covariance, np.ones(n), MIXED[:n] if mixed else np.ones(n), 1.0)


def by_messages(own: GaussianProblem) -> WorstCoefficient:
    return trees(own, spanning_tree(own))


def timed(what: str, search: Callable[[], WorstCoefficient]) -> WorstCoefficient:
    wall, own = time.perf_counter(), time.process_time()
    answer = search()
    wall, own = time.perf_counter() - wall, time.process_time() - own
    print(f"{what}: {wall:.3f} s ({own:.3f} s of processors), ", end="")
    print(f"within {answer.high / answer.low - 1:.1e}; {answer.how}")
    return answer


def main() -> None:
    exhaustive(problem(dense(12)))  # what is loaded once
    for n in (10, 12, 14):
        table = dense(n)
        start = time.perf_counter()
        naive = one_by_one(table)
        between = time.perf_counter()
        listed = exhaustive(problem(table))
        end = time.perf_counter()
        assert np.isclose(naive, problem(table).leak(listed.low), rtol=1e-10, atol=0.0)
        print(f"n={n}: {between - start:.2f} s one by one, {end - between:.4f} s listed, ", end="")
        print(f"{(between - start) / (end - between):.0f} times faster")
    for n in (20, 24, 26):
        own = problem(dense(n))
        answer = timed(f"listing, n={n}", partial(exhaustive, own))
        one = gaussian_problem(dense(n), np.ones(n), np.ones(n), 1.0, [answer.target])
        timed("  one target", partial(exhaustive, one))
    for n, seconds in ((30, 10.0), (60, 5.0), (100, 5.0)):
        for name, family in FAMILIES.items():
            for mixed in (False, True):
                own = problem(family(n), mixed)
                signs = "signs mixed" if mixed else "weights 1"
                timed(
                    f"branching, n={n}, {name}, {signs}",
                    partial(branch_and_bound, own, seconds=seconds),
                )
    for name, table in (("chain", chain(1000, 0.5)), ("tree", tree(1000))):
        own = problem(table, mixed=True)
        timed(f"{name}, n=1000", partial(by_messages, own))
    for name in ("dense", "spatial"):
        table = FAMILIES[name](1000)
        start = time.perf_counter()
        certificates(problem(table))
        print(f"certificates, n=1000, {name}: {time.perf_counter() - start:.2f} s")
        start = time.perf_counter()
        worst = worst_gaussian(table, np.ones(1000), np.ones(1000), 1.0, seconds=10.0)
        print(f"  chosen: {time.perf_counter() - start:.2f} s, {worst.low:.4g} to {worst.high:.4g}")
        print(f"  {worst.how}")


if __name__ == "__main__":
    main()
