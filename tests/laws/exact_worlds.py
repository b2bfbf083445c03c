"""Beliefs whose laws are known to all digits: the floats given are taken as the rationals that they
are, laws normalised exactly, exponentials rational to 90 digits. No code of the library is shared.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import unspoken
from unspoken.core.beliefs import Belief

Rng = np.random.Generator
Cell = tuple[int, ...]
DIGITS = 90


@dataclass(frozen=True)
class World:
    """A belief, and its law in whole numbers or fractions; values are 0, 1, ..."""

    belief: Belief
    law: Mapping[Cell, Fraction]

    @property
    def names(self) -> tuple[str, ...]:
        return self.belief.domain.names


def exact_exp(x: Fraction) -> Fraction:
    """e^x for x <= 0, to 90 digits of itself."""
    with mpmath.workdps(DIGITS + 10):
        value = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        bits = 320 + int(1.5 * abs(float(x)))
        return Fraction(int(mpmath.nint(mpmath.ldexp(value, bits))), 1 << bits)


def product(factors: Iterable[Fraction]) -> Fraction:
    return math.prod(factors, start=Fraction(1))


def normal(row: Any) -> list[Fraction]:
    exact = [Fraction(float(p)) for p in row]
    return [p / sum(exact) for p in exact]


def numbers(rng: Rng, size: int | tuple[int, ...]) -> Any:
    """Probabilities that sum to 1 but for rounding, or counts; some 0, some rare."""
    cells = int(np.prod(size))
    while True:
        table = rng.dirichlet(np.full(cells, rng.choice([0.3, 1.0, 5.0])))
        kind = rng.integers(6)
        if kind == 0:
            table = np.round(table * 1000)
        elif kind == 1:
            table = table * (rng.random(cells) < 0.6)
            table = table / max(table.sum(), 1e-300)
        elif kind == 2:
            table = table * 10.0 ** rng.uniform(-9, 0, cells)
            table = table / table.sum()
        if np.count_nonzero(table) >= min(2, cells):
            return table.reshape(size)


def joint(rng: Rng) -> World:
    sizes = tuple(int(d) for d in rng.integers(2, 4, size=rng.integers(2, 4)))
    table = numbers(rng, sizes)
    if rng.random() < 0.2:  # nearly a product
        parts = [rng.dirichlet(np.full(d, 3.0)) for d in sizes]
        table = parts[0]
        for part in parts[1:]:
            table = np.multiply.outer(table, part)
        table = table * (1 + 10.0 ** -rng.integers(1, 15) * rng.uniform(-1, 1, sizes))
        table = table / table.sum()
    law = {cell: Fraction(float(table[cell])) for cell in np.ndindex(*sizes)}
    return World(unspoken.Joint(table), law)


def independent(rng: Rng) -> World:
    sizes = [int(d) for d in rng.integers(2, 4, size=rng.integers(2, 4))]
    tables = [numbers(rng, d) for d in sizes]
    law = {
        cell: product(Fraction(float(t[x])) for t, x in zip(tables, cell, strict=True))
        for cell in itertools.product(*map(range, sizes))
    }
    return World(unspoken.Independent(tables), law)


def along(
    sizes: Sequence[int], parents: Sequence[Sequence[int]], laws: Sequence[Any]
) -> dict[Cell, Fraction]:
    """laws[v][values of its parents][value], each row normalised."""
    exact = [
        {row: normal(table[row]) for row in np.ndindex(*np.shape(table)[:-1])} for table in laws
    ]
    return {
        cell: product(
            exact[v][tuple(cell[u] for u in parents[v])][cell[v]] for v in range(len(sizes))
        )
        for cell in itertools.product(*map(range, sizes))
    }


def rows(rng: Rng, *sizes: int) -> Any:
    table = np.empty(sizes)
    for row in np.ndindex(*sizes[:-1]):
        table[row] = numbers(rng, sizes[-1])
    return table


def chain(rng: Rng) -> World:
    sizes = [int(d) for d in rng.integers(2, 4, size=rng.integers(3, 5))]
    start = numbers(rng, sizes[0])
    steps = [rows(rng, a, b) for a, b in itertools.pairwise(sizes)]
    law = along(sizes, [[], *([v] for v in range(len(steps)))], [start, *steps])
    return World(unspoken.Chain(start, steps, values=[range(d) for d in sizes]), law)


def tree(rng: Rng) -> World:
    sizes = [int(d) for d in rng.integers(2, 4, size=4)]
    parents = [-1, *(int(rng.integers(v)) for v in range(1, 4))]
    root = numbers(rng, sizes[0])
    tables = [None, *(rows(rng, sizes[parents[v]], sizes[v]) for v in range(1, 4))]
    law = along(sizes, [[p] if p >= 0 else [] for p in parents], [root, *tables[1:]])
    return World(unspoken.Tree(parents, root, tables), law)


def network(rng: Rng) -> World:
    sizes = [int(d) for d in rng.integers(2, 4, size=4)]
    parents = [sorted(rng.permutation(v)[: rng.integers(3)].tolist()) for v in range(4)]
    laws = [rows(rng, *(sizes[u] for u in parents[v]), sizes[v]) for v in range(4)]
    names = [f"x{v}" for v in range(4)]
    arrows = {names[v]: [names[u] for u in parents[v]] for v in range(4)}
    belief = unspoken.Network(arrows, dict(zip(names, laws, strict=True)))
    return World(belief, along(sizes, parents, laws))


def exchangeable(rng: Rng) -> World:
    n = int(rng.integers(2, 5))
    counts = numbers(rng, n + 1)
    law = {
        cell: Fraction(float(counts[sum(cell)])) / math.comb(n, sum(cell))
        for cell in itertools.product(range(2), repeat=n)
    }
    return World(unspoken.Exchangeable(counts, n), law)


BELIEFS = {f.__name__: f for f in (joint, independent, chain, tree, network, exchangeable)}
