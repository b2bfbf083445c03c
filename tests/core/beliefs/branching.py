"""Random chains and trees, and the joint tables they stand for, enumerated cell by cell."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

import unspoken
from unspoken.core.beliefs.chain import Chain
from unspoken.core.beliefs.forests.markov import Markov
from unspoken.core.beliefs.tree import Tree

VALUES = ([0, 1, 2], [1, 0, 5], [0.1, 0.3, 0.2], [-1, 2.5, 4])


def law(rng: np.random.Generator, rows: int, size: int) -> np.ndarray:
    """A matrix of laws, often with zeros, sometimes with equal rows."""
    matrix = rng.dirichlet(np.full(size, 0.7), rows)
    if rng.random() < 0.5:
        matrix[rng.random(matrix.shape) < 0.3] = 0.0
        matrix[matrix.sum(1) == 0, 0] = 1.0
    if rng.random() < 0.15:
        matrix[:] = matrix[0]
    return matrix / matrix.sum(1, keepdims=True)


def enumerated(
    parents: Sequence[int], laws: Sequence[np.ndarray], values: Sequence[list], names: Sequence[str]
) -> unspoken.Joint:
    """Every cell is a product of one entry of each law; a root's law has one row."""
    sizes = [own.shape[1] for own in laws]
    table = np.zeros(sizes)
    for cell in itertools.product(*map(range, sizes)):
        table[cell] = np.prod(
            [
                laws[v][cell[parent] if parent >= 0 else 0, cell[v]]
                for v, parent in enumerate(parents)
            ]
        )
    return unspoken.Joint(table / table.sum(), names, values)


def drawn(kind: str, seed: int, most: int = 6) -> tuple[Markov, unspoken.Joint]:
    """A chain or a tree, and the same belief as a joint table."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most + 1))
    sizes = rng.integers(1, 4, n) if rng.random() < 0.5 else np.full(n, rng.integers(2, 4))
    names = [f"v{i}" for i in range(n)]
    parents = list(range(-1, n - 1)) if kind == "chain" else _tree(rng, n)
    laws = [law(rng, sizes[p] if p >= 0 else 1, sizes[v]) for v, p in enumerate(parents)]
    same = law(rng, sizes[0], sizes[0])
    if len(set(sizes.tolist())) == 1 and rng.random() < 0.5:  # one matrix for all
        laws = [own if p < 0 else same for own, p in zip(laws, parents, strict=True)]
    base = VALUES[rng.integers(len(VALUES))]
    values = [base[:size] for size in sizes.tolist()]
    joint = enumerated(parents, laws, values, names)
    if kind == "chain":
        return Chain(laws[0][0], laws[1:], None, names, values), joint
    root = parents.index(-1)
    return Tree(parents, laws[root][0], laws, names, values), joint


def _tree(rng: np.random.Generator, n: int) -> list[int]:
    """Parents in a random numbering."""
    order = rng.permutation(n).tolist()
    parents = [-1] * n
    for place in range(1, n):
        parents[order[place]] = order[rng.integers(place)]
    return parents


def some(
    rng: np.random.Generator, names: Sequence[str], most: int, least: int = 0
) -> tuple[str, ...]:
    """A few of the names, in any order."""
    count = int(rng.integers(min(least, len(names)), min(most, len(names)) + 1))
    return tuple(names[i] for i in rng.permutation(len(names))[:count])
