"""Eq. 6 of paper 002 for one user, with the centroids counted again for every cell."""

from __future__ import annotations

import numpy as np

from studies.p002.attack import Attack, K, by_law
from studies.p002.gowalla import apart
from unspoken.core.numerics.arrays import Array

__all__ = ["posterior_by_hand"]


def posterior_by_hand(on: Attack, i: int, released: Array, scale: float) -> dict[int, float]:
    """{cell: P(cell | one release)}, to who knows everybody else and the friends of ``i``."""
    others = [j for j in range(len(on.cell)) if j != i]
    low, width = on.users.vectors.min(0), np.ptp(on.users.vectors, axis=0)
    groups = [on.users.unit[[j for j in others if on.clusters.labels[j] == k]] for k in range(K)]
    means = np.array([group.mean(0) if len(group) else np.zeros_like(low) for group in groups])
    friends = np.flatnonzero(on.friends[i])
    logs = dict[int, float]()
    for cell in sorted({int(on.cell[j]) for j in others}):
        there = [j for j in others if on.cell[j] == cell]
        place = on.users.vectors[there].mean(0)
        point = (place - low) / width
        joined, moved = int(((means - point) ** 2).sum(1).argmin()), means.copy()
        moved[joined] = np.vstack([groups[joined], point]).mean(0)
        km = np.array([float(apart(place, on.users.vectors[f])) for f in friends])
        prior = len(there) * float(by_law(km[None])[0])
        logs[cell] = float(np.log(prior) - np.abs(released - moved).sum() / scale)
    most = max(logs.values())
    whole = sum(np.exp(value - most) for value in logs.values())
    return {cell: float(np.exp(value - most) / whole) for cell, value in logs.items()}
