"""Paper 001's two attributes i and j, every case listed: X = 0 is sensitive, M = 1 is shown."""

from __future__ import annotations

import numpy as np

import unspoken
from unspoken import RELEASED, WITHHELD, Adversary, OneSided
from unspoken.core.numerics.arrays import Array

__all__ = ["DAYS", "belief", "days", "deltas", "f1", "f2", "library", "listed", "odds"]

# A hundred office days: rows arrival late or on time, columns occupancy low or normal.
DAYS = np.array([[0.15, 0.05], [0.10, 0.70]])


def belief(law: Array) -> unspoken.Joint:
    return unspoken.Joint(law, names=["i", "j"])


def days() -> unspoken.Joint:
    return belief(DAYS)


def deltas(law: Array) -> tuple[float, float]:
    """delta_1 = P(X_i = 0 | X_j = 0) and delta_2 = P(X_i = 0 | X_j = 1)."""
    first, second = law[0] / law.sum(0)
    return float(first), float(second)


def f1(law: Array, epsilon: float) -> float:
    """Eq. 17, as printed."""
    first, second = deltas(law)
    grown = np.expm1(epsilon)
    return float((first * grown + 1) / (second * grown + 1))


def f2(law: Array) -> float:
    """Eq. 17, as printed."""
    first, second = deltas(law)
    return (1 - first) / (1 - second)


def listed(law: Array, eps_i: float, eps_j: float = 0.0, asked: int = 1) -> Array:
    """P(x_i, x_j, m_i, m_j), by Definition 2, i asked for so often with fresh coins."""
    hidden = [np.array([1.0, np.exp(-asked * eps_i)]), np.array([1.0, np.exp(-eps_j)])]
    i, j = (np.stack([own, 1 - own], axis=-1) for own in hidden)
    return np.asarray(np.einsum("ab,am,bn->abmn", law, i, j))


def odds(cases: Array, law: Array, who: int, seen: tuple[int | slice, int | slice]) -> float:
    """Odds of X_who = 0 after what was seen, over those before."""
    after = cases[:, :, seen[0], seen[1]].reshape(2, 2, -1).sum(2).sum(1 - who)
    before = law.sum(1 - who)
    return float(after[0] / after[1] * before[1] / before[0])


def library(
    law: Array, epsilon: dict[str, float], about: str, seen: dict[str, int], asked: int = 1
) -> float:
    """The same from `unspoken.odds`; fresh coins if asked for more than once."""
    mechanism = OneSided(epsilon, coins="fresh" if asked > 1 else "persistent")
    outcome = {name: RELEASED if bit else WITHHELD for name, bit in seen.items()}
    adversary = Adversary(about, asks=asked)
    return unspoken.odds(belief(law), mechanism, adversary, outcome).value
