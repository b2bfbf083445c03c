"""Numbers counted without the library, and how a study says that two agree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unspoken.numerics.arrays import Array

__all__ = ["apart", "entropy", "informed", "laws", "same"]

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
