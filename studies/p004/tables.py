"""Beliefs and mechanisms of paper 004 written out, and what they tell, summed by hand."""

from __future__ import annotations

import numpy as np

import unspoken
from studies.by_hand import informed
from unspoken import Finite
from unspoken.core.numerics.arrays import Array

__all__ = [
    "channel", "divergence", "drawn", "embedded", "inferential", "max_information", "mutual",
    "ones", "pairs_together", "sigmas", "taking_all", "towards_ones",
]  # fmt: skip


def drawn(count: int, seed: int, n: int = 2, outputs: int = 3) -> list[tuple[Array, Array]]:
    """Laws of n bits, each with a mechanism M[x_1, ..., x_n, r]."""
    rng, shape = np.random.default_rng(seed), (2,) * n
    return [
        (
            rng.dirichlet(np.full(2**n, 0.7)).reshape(shape),
            rng.dirichlet(np.ones(outputs), size=shape) * 0.9 + 0.1 / outputs,
        )
        for _ in range(count)
    ]


def channel(law: Array, mechanism: Array, *targets: int) -> tuple[Array, Array]:
    """P(x_targets), flat, and P(r | x_targets)."""
    rest = tuple(i for i in range(law.ndim) if i not in targets)
    both = (law[..., None] * mechanism).sum(axis=rest).reshape(-1, mechanism.shape[-1])
    prior = both.sum(1)
    return prior[prior > 0], both[prior > 0] / prior[prior > 0, None]


def inferential(law: Array, mechanism: Array, *targets: int) -> float:
    """max log P(r | a) / P(r | b)."""
    _, rows = channel(law, mechanism, *targets)
    return float(np.log(rows.max(0) / rows.min(0)).max())


def max_information(law: Array, mechanism: Array, *targets: int) -> float:
    """I_inf: max log P(r | a) / P(r)."""
    prior, rows = channel(law, mechanism, *targets)
    return float(np.log(rows / (prior @ rows)).max())


def divergence(law: Array, mechanism: Array, target: int) -> float:
    """max over r of D(X_i | r  ||  X_i)."""
    prior, rows = channel(law, mechanism, target)
    after = prior[:, None] * rows / (prior @ rows)
    return float((after * np.log(after / prior[:, None])).sum(0).max())


def mutual(law: Array, mechanism: Array, target: int) -> float:
    """I(X_i; Y)."""
    prior, rows = channel(law, mechanism, target)
    return informed(prior[:, None] * rows)


def sigmas(law: Array) -> list[float]:
    """Each variable's sigma by its definition: total variation of all others' law."""
    found = []
    for i in range(law.ndim):
        rows = np.moveaxis(law, i, 0).reshape(law.shape[i], -1)
        rows = rows / rows.sum(1, keepdims=True)
        found.append(max(float(abs(a - b).sum() / 2) for a in rows for b in rows))
    return found


def embedded(law: Array, mechanism: Array) -> tuple[unspoken.Joint, Finite]:
    """For `unspoken.leakage`: one more variable, "all", names the whole record sequence."""
    flat = law.ravel()
    whole = np.diag(flat).reshape(*law.shape, len(flat))
    names = [*(f"x{i}" for i in range(law.ndim)), "all"]
    return unspoken.Joint(whole, names=names), Finite("all", mechanism.reshape(len(flat), -1))


def ones(n: int) -> Array:
    return np.asarray(np.indices((2,) * n).sum(axis=0), dtype=np.float64)


def towards_ones(n: int, epsilon: float) -> Array:
    """Says "yes" with probability 0.2 e^(-eps Hamming(x, 1...1))."""
    yes = 0.2 * np.exp(-epsilon * (n - ones(n)))
    return np.stack([yes, 1 - yes], axis=-1)


def taking_all(n: int, sigma: float, rare: float = 1e-9) -> Array:
    """x_0 is seldom 1; then, with probability sigma, so are all. Each is 1 now and then anyway."""
    background = rare ** ones(n - 1) * (1 - rare) ** (n - 1 - ones(n - 1))
    dependent = sigma * (ones(n - 1) == n - 1) + (1 - sigma) * background
    return np.stack([(1 - rare) * background, rare * dependent])


def pairs_together(count: int, rare: float = 1e-9) -> Array:
    """So many independent pairs of equal bits, each pair seldom 1: x_0 = x_1, x_2 = x_3, ..."""
    pair, law = np.diag([1 - rare, rare]), np.ones(())
    for _ in range(count):
        law = np.multiply.outer(law, pair)
    return np.asarray(law)
