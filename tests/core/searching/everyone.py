"""Every adversary (i, K) of a noisy sum by enumeration, with no code of the library.

Plain sums over the cells of a joint table, as one would write them down.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.float64]
Nodes = dict[tuple[int, tuple[int, ...]], float]


def leak_of_node(
    table: Table, terms: Sequence[npt.ArrayLike], rate: float, target: int, known: Sequence[int]
) -> float:
    """max over x_K, a, b and answers r of log f(r | a, x_K) / f(r | b, x_K)."""
    axes = (*known, target)
    rest = [axis for axis in range(table.ndim) if axis not in axes]
    parts = np.transpose(table, (*axes, *rest)).reshape(
        -1, table.shape[target], math.prod(table.shape[v] for v in rest)
    )
    beside = np.zeros(1)
    for v in rest:
        beside = np.add.outer(beside, np.asarray(terms[v], float)).ravel()
    own = np.asarray(terms[target], float)
    answers = np.add.outer(own, beside)
    at = np.unique(answers)
    seen = np.exp(-rate * np.abs(answers[:, :, None] - at))
    mass = parts.sum(2).T[:, :, None]  # [a, context, 1]
    fits = mass > 0
    density = np.swapaxes(parts, 0, 1) @ seen / np.where(fits, mass, 1.0)
    several = fits.sum(0)[:, 0] > 1
    most = density.max(axis=0, where=fits, initial=0.0)[several]
    least = density.min(axis=0, where=fits, initial=np.inf)[several]
    return float(np.log(most / least).max(initial=0.0))


def all_nodes(table: Table, terms: Sequence[npt.ArrayLike], rate: float) -> Nodes:
    return {
        (i, known): leak_of_node(table, terms, rate, i, known) for i, known in nodes(table.ndim)
    }


def nodes(n: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n):
            yield from ((i, known) for known in itertools.combinations(others, size))


def chain_table(start: npt.ArrayLike, steps: Sequence[npt.ArrayLike]) -> Table:
    table = np.asarray(start, float)
    for step in steps:
        table = table[..., None] * np.asarray(step, float)
    return table


def exchangeable_table(counts: npt.ArrayLike, n: int) -> Table:
    law = np.asarray(counts, float)
    ones = np.indices((2,) * n).sum(0)
    each = np.array([law[c] / math.comb(n, c) for c in range(n + 1)])
    table: Table = each[ones] / law.sum()
    return table


def tree_table(parents: Sequence[int], root: npt.ArrayLike, laws: Sequence[npt.ArrayLike]) -> Table:
    """Variable 0 is the root, every other one comes after its parent."""
    table = np.asarray(root, float)
    for v, parent in enumerate(parents[1:], start=1):
        shape = [1] * v + [-1]
        shape[parent] = len(np.asarray(laws[v]))
        table = table[..., None] * np.asarray(laws[v], float).reshape(shape)
    return table
