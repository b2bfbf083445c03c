"""Numbers counted without the library, and how a study says that two agree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from unspoken.core.numerics.arrays import Array

__all__ = ["apart", "entropy", "informed", "laws", "leak", "same"]

CLOSE = 1e-9


def apart(found: float, expected: float) -> float:
    """How far two numbers are from one another, relatively."""
    if found == expected:
        return 0.0
    return abs(found - expected) / max(abs(found), abs(expected))


def same(worst: float) -> str:
    """The largest difference, in words that do not depend on the last digit of a machine."""
    return f"no difference above {CLOSE:g}" if worst <= CLOSE else f"a difference of {worst:.3g}"


def laws(count: int, shape: tuple[int, ...], seed: int, sharp: float = 0.7) -> Iterator[Array]:
    """So many joint laws, drawn by Dirichlet; the smaller ``sharp``, the more dependence."""
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape))
    for _ in range(count):
        table = rng.dirichlet(np.full(size, sharp)) + 1e-4
        yield np.asarray((table / table.sum()).reshape(shape))


def entropy(law: Array) -> float:
    """In nats."""
    flat = law[law > 0]
    return float(-(flat * np.log(flat)).sum())


def informed(both: Array) -> float:
    """I(A; B) of a law over A (rows) and B, in nats."""
    return entropy(both.sum(0)) + entropy(both.sum(1)) - entropy(both)


def _summed(law: Array, weights: Sequence[float], fixed: dict[int, int]) -> tuple[Array, Array]:
    """Sums that are possible with these values, and their probabilities given them."""
    cells = [
        cell
        for cell in itertools.product(*map(range, law.shape))
        if all(cell[i] == value for i, value in fixed.items())
    ]
    mass = np.array([law[cell] for cell in cells])
    sums = np.array([float(np.dot(weights, cell)) for cell in cells])
    return sums, mass / mass.sum()


def leak(
    law: Array, weights: Sequence[float], scale: float, target: int, known: Sequence[int] = ()
) -> float:
    """Eq. 2 of paper 003, of a sum with Laplace noise; the worst answer is a possible sum."""
    worst = 0.0
    everything = _summed(law, weights, {})[0]
    for values in itertools.product(*(range(law.shape[k]) for k in known)):
        fixed = dict(zip(known, values, strict=True))
        densities = []
        for own in range(law.shape[target]):
            sums, mass = _summed(law, weights, {**fixed, target: own})
            densities.append(np.exp(-abs(everything[:, None] - sums) / scale) @ mass)
        logs = np.log(np.array(densities))
        worst = max(worst, float((logs.max(0) - logs.min(0)).max()))
    return worst
