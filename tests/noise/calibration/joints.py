"""Beliefs and log-ratios for these tests, by the definitions."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import unspoken

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "ddp.json").read_text("utf-8"))


def vectors(kind: str) -> list[dict[str, Any]]:
    """The vectors of one kind."""
    return [own for own in VECTORS["vectors"] if own["kind"] == kind]


def number(text: Any) -> float:
    """A fraction as it is written there."""
    return float(Fraction(text))


def joint_of(given: dict[str, Any]) -> unspoken.Joint:
    """The joint table of a vector."""
    values = [[number(value) for value in own] for own in given["supports"]]
    table = np.zeros([len(own) for own in values])
    for cell, mass in given["P"]:
        table[tuple(cell)] = number(mass)
    return unspoken.Joint(table, values=values)


def separation(table: np.ndarray, terms: list[np.ndarray], scale: float) -> float:
    """max_i,a,b,r log f(r | x_i = a) / f(r | x_i = b), by enumeration at all possible sums."""
    cells = np.argwhere(table > 0)
    sums = sum(term[cells[:, axis]] for axis, term in enumerate(terms))
    return _largest(table, np.abs(np.unique(sums)[:, None] - sums) / scale)


def separation_of_all(table: np.ndarray, terms: list[np.ndarray], scale: float) -> float:
    """The same where every variable's own term is released, each with noise of its own."""
    cells = np.argwhere(table > 0)
    axes = [np.unique(term[cells[:, axis]]) for axis, term in enumerate(terms)]
    seen = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 1, table.ndim)
    told = np.stack([term[cells[:, axis]] for axis, term in enumerate(terms)], axis=-1)
    return _largest(table, np.abs(seen - told).sum(-1) / scale)


def _largest(table: np.ndarray, distances: np.ndarray) -> float:
    """Over all variables, two of their values, and answers (rows); a column for each cell."""
    cells, mass = np.argwhere(table > 0), table[table > 0]
    kernel = np.exp(-distances) * mass
    worst = 0.0
    for axis in range(table.ndim):
        own = cells[:, axis]
        seen = [
            kernel[:, own == a].sum(1) / mass[own == a].sum()
            for a in range(table.shape[axis])
            if (own == a).any()
        ]
        for one, other in itertools.permutations(seen, 2):
            worst = max(worst, float(np.log(one / other).max()))
    return worst


def random_joint(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
    """2 to 4 variables: any table, a sparse one, a chain, mixtures of independent ones."""
    n = int(rng.integers(2, 5))
    sizes = rng.integers(2, 4 if n < 4 else 3, size=n)
    family = rng.integers(5)
    if family == 0:
        table = rng.dirichlet(np.full(sizes.prod(), 1.0))
    elif family == 1:
        table = rng.dirichlet(np.full(sizes.prod(), 0.15))
    elif family == 2:
        table = rng.dirichlet(np.ones(sizes[0]))
        for before, after in itertools.pairwise(sizes):
            step = rng.dirichlet(np.full(after, 0.4), size=before)
            table = (table.reshape(-1, before)[:, :, None] * step).ravel()
    else:
        groups = rng.dirichlet(np.ones(2))
        laws = [rng.dirichlet(np.full(d, 0.4), size=2) for d in sizes]
        parts = []
        for k in range(2):
            own = groups[k : k + 1]
            for law in laws:
                own = np.multiply.outer(own, law[k]).ravel()
            parts.append(own)
        table = np.sum(parts, axis=0)
        if family == 4:
            table = 0.7 * table + 0.3 / table.size
    table = np.where(table < 1e-9, 0.0, table).reshape(sizes)
    values = [
        np.concatenate([[0.0], np.sort(rng.uniform(0.05, 0.95, d - 2)), [1.0]]) for d in sizes
    ]
    return table / table.sum(), values


def accepted(leak: float, limit: float) -> bool:
    """Within the limit, but for rounding."""
    return leak <= limit * (1 + 1e-9) and not math.isnan(leak)
