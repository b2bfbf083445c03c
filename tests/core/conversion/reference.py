"""Brute force, independent of the package: lists of everything, sums over everything."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from unspoken import Joint

Table = np.ndarray[Any, np.dtype[np.float64]]


def every_event(p: Table, q: Table, given: float) -> float:
    """LFP by trying all 2^d events."""
    grown = math.expm1(given)
    chosen = np.array(list(itertools.product((0.0, 1.0), repeat=len(p))))
    return float(np.log((1 + chosen @ p * grown) / (1 + chosen @ q * grown)).max())


def hamming(sizes: tuple[int, ...], centre: tuple[int, ...]) -> Table:
    """In how many coordinates each x differs from the centre."""
    return sum(
        (np.arange(d).reshape([-1 if j == i else 1 for j in range(len(sizes))]) != centre[i])
        for i, d in enumerate(sizes)
    ) + np.zeros(sizes)


def towards(sizes: tuple[int, ...], centre: tuple[int, ...], epsilon: float, c: float) -> Table:
    """The mechanism with two outputs of which the first says c e^(-eps Hamming(x, centre))."""
    said = c * np.exp(-epsilon * hamming(sizes, centre))
    return np.stack([said, 1 - said], axis=-1)


def channel(joint: Table, mechanism: Table, targets: tuple[int, ...]) -> tuple[Table, Table]:
    """P(x_targets), flat, and P(r | x_targets)."""
    rest = tuple(i for i in range(joint.ndim) if i not in targets)
    both = (joint[..., None] * mechanism).sum(axis=rest)
    prior = joint.sum(axis=rest).ravel()
    both = both.reshape(prior.size, -1)[prior > 0]
    return prior[prior > 0], both / prior[prior > 0, None]


def inferential(joint: Table, mechanism: Table, *targets: int) -> float:
    """max over r, a, b of log P(r | a) / P(r | b)."""
    _, rows = channel(joint, mechanism, targets)
    return float(np.log(rows.max(axis=0) / rows.min(axis=0)).max())


def max_information(joint: Table, mechanism: Table, *targets: int) -> float:
    """I_inf: max over r, a of log P(r | a) / P(r)."""
    prior, rows = channel(joint, mechanism, targets)
    return float(np.log(rows / (prior @ rows)).max())


def total_variations(joint: Table) -> list[float]:
    """sigma_i by its definition: all other variables, all pairs of values."""
    found = []
    for i in range(joint.ndim):
        rows = np.moveaxis(joint, i, 0).reshape(joint.shape[i], -1)
        rows = rows[rows.sum(1) > 0] / rows[rows.sum(1) > 0].sum(1, keepdims=True)
        found.append(max(0.5 * abs(a - b).sum() for a in rows for b in rows))
    return found


def with_background(n: int, sigma: float, tau: float) -> Table:
    """x_0 is 1 with probability tau; then, with probability sigma, so are all the others.

    Otherwise each of the others is 1 with probability tau, on its own: so that seeing x_j = 1 says
    little of the rest, and *every* variable's sigma is small.
    """
    background: Any = np.array(1.0)
    for _ in range(n - 1):
        background = np.multiply.outer(background, [1 - tau, tau])
    ones = np.zeros((2,) * (n - 1))
    ones[(1,) * (n - 1)] = 1.0
    dependent = sigma * ones + (1 - sigma) * background
    return np.stack([(1 - tau) * background, tau * dependent])


def every_path(start: Table, kernels: list[Table]) -> Table:
    """The joint law of x_0, ..., x_T of a chain."""
    joint = start
    for kernel in kernels:
        joint = joint[..., None] * kernel
    return joint


def responses(sizes: tuple[int, ...], epsilons: list[float]) -> Table:
    """Randomised response at every step: M[x_1, ..., x_n, (y_1, ..., y_n)]."""
    table: Any = np.ones(1)
    for d, epsilon in zip(sizes, epsilons, strict=True):
        one = np.ones((d, d)) + math.expm1(epsilon) * np.eye(d)
        table = np.multiply.outer(table, one / one.sum(1, keepdims=True))
    # axes: 1, x_1, y_1, x_2, y_2, ...
    n = len(sizes)
    order = [0, *range(1, 2 * n, 2), *range(2, 2 * n + 1, 2)]
    return table.transpose(order).reshape(*sizes, -1)


def striped(k: int) -> Table:
    """A k x k stochastic matrix with rows proportional to 1 + ((7x + 3y + xy) mod 11)."""
    x, y = np.mgrid[:k, :k]
    weights = 1.0 + (7 * x + 3 * y + x * y) % 11
    return weights / weights.sum(1, keepdims=True)


class Line(Joint):
    """A joint that knows it is a chain: neighbours shield a variable from the rest."""

    def blanket(self, name: str) -> tuple[str, ...]:
        names = self.domain.names
        i = names.index(name)
        return names[max(0, i - 1) : i] + names[i + 1 : i + 2]

    def blocks(self) -> list[tuple[str, ...]]:
        return [self.domain.names]


class Plain(Joint):
    """A joint that knows nothing of its structure."""

    def blanket(self, name: str) -> tuple[str, ...]:
        return tuple(other for other in self.domain.names if other != name)

    def blocks(self) -> list[tuple[str, ...]]:
        return [self.domain.names]


class Apart(Plain):
    """A joint that knows which of its variables stand apart: names are grouped by first letter."""

    def blanket(self, name: str) -> tuple[str, ...]:
        return tuple(n for n in self.domain.names if n != name and n[0] == name[0])

    def blocks(self) -> list[tuple[str, ...]]:
        names = self.domain.names
        return [tuple(n for n in names if n[0] == first) for first in sorted({n[0] for n in names})]
