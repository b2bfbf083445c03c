"""Gaussian beliefs of every kind of dependence, and all their adversaries, one regression each."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from unspoken.core.numerics.arrays import Array

FAMILIES = [
    "dense", "chain", "falling chain", "equicorrelated", "negative", "spatial", "factor",
    "sparse", "tree",
]  # fmt: skip


class Case(NamedTuple):
    """What ``worst_gaussian`` takes."""

    covariance: Array
    ranges: Array
    weights: Array
    scale: float
    targets: list[int] | None


def covariance(family: str, n: int, rng: np.random.Generator) -> Array:
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    if family == "dense":
        roots = rng.normal(size=(n, n + int(rng.integers(2, n + 3))))
        return roots @ roots.T / roots.shape[1]
    if family == "chain":
        return rng.uniform(0.1, 0.9) ** apart
    if family == "falling chain":
        return (-rng.uniform(0.1, 0.9)) ** apart
    if family == "equicorrelated":
        return np.where(apart == 0, 1.0, rng.uniform(0.05, 0.9))
    if family == "negative":
        return np.where(apart == 0, 1.0, -rng.uniform(0.1, 0.95) / max(n - 1, 1))
    if family == "spatial":
        places = rng.uniform(size=(n, 2))
        way = np.linalg.norm(places[:, None] - places, axis=2)
        return np.exp(-way / rng.uniform(0.1, 1.0))
    if family == "factor":
        loads = rng.normal(size=(n, 2))
        return loads @ loads.T + np.eye(n)
    entries = np.zeros((n, n))
    if family == "sparse":
        joined = np.triu(rng.random((n, n)) < 3 / n, 1)
        entries[joined] = rng.normal(size=int(joined.sum()))
    for k in range(1, n if family == "tree" else 0):
        entries[int(rng.integers(0, k)), k] = rng.normal()
    entries += entries.T
    entries += np.diag(np.abs(entries).sum(1) * rng.uniform(0.6, 1.2) + 0.3)
    entries += max(0.2 - np.linalg.eigvalsh(entries)[0], 0.0) * np.eye(n)
    inverse = np.linalg.inv(entries)
    made: Array = (inverse + inverse.T) / 2
    return made


def drawn(family: str, rng: np.random.Generator, most: int = 8) -> Case:
    """A case of up to so many variables, some without a weight, a range, or any variance."""
    n = int(rng.integers(1, most + 1))
    weights = np.ones(n) if rng.random() < 0.3 else rng.normal(size=n)
    weights = np.abs(weights) if rng.random() < 0.3 else weights
    units = np.exp(rng.normal(size=n)) * (rng.random(n) < 0.97)
    return Case(
        covariance(family, n, rng) * np.outer(units, units),
        rng.uniform(0.0, 2.0, n) * (rng.random(n) < 0.9),
        weights * (rng.random(n) < 0.85),
        float(rng.uniform(0.1, 9.0)),
        None if rng.random() < 0.6 else rng.integers(0, n, 2).tolist(),
    )


def leak(case: Case, target: int, known: tuple[int, ...]) -> float:
    """R |coefficient of the target in the regression of the sum on it and x_K| / scale."""
    own = [target, *known]
    within = case.covariance[np.ix_(own, own)]
    size = np.linalg.solve(within, case.covariance[own] @ case.weights)[0]
    return float(case.ranges[target] * abs(size) / case.scale)


def all_leaks(case: Case) -> dict[tuple[int, tuple[int, ...]], float]:
    """Every adversary's leakage; who does not vary leaks nothing and tells nothing."""
    varies = np.flatnonzero(np.diag(case.covariance)).tolist()
    found = {}
    for size in range(1, len(varies) + 1):
        for own in itertools.combinations(varies, size):
            within = case.covariance[np.ix_(own, own)]
            parts = np.linalg.solve(within, case.covariance[list(own)] @ case.weights)
            for i, part in zip(own, parts, strict=True):
                known = tuple(k for k in own if k != i)
                found[i, known] = float(case.ranges[i] * abs(part) / case.scale)
    asked = range(len(case.weights)) if case.targets is None else case.targets
    return {node: size for node, size in found.items() if node[0] in asked}
