"""K-means by Lloyd's rounds, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes

__all__ = ["Clusters", "k_means", "nearest"]


@dataclass(frozen=True, eq=False)
class Clusters:
    """``labels``: the cluster of each point; ``sums`` and ``sizes`` of each cluster."""

    labels: Codes
    sums: Array
    sizes: Array

    @classmethod
    def of(cls, points: Array, labels: Codes, count: int) -> Clusters:
        members = labels[:, None] == np.arange(count)
        return cls(labels, members.T.astype(np.float64) @ points, members.sum(0).astype(np.float64))

    @property
    def centroids(self) -> Array:
        return np.asarray(self.sums / np.maximum(self.sizes, 1.0)[:, None])


def nearest(points: Array, centroids: Array) -> Codes:
    """Which centroid is nearest; of equals the first."""
    squared = (centroids**2).sum(1) - 2 * points @ centroids.T
    return np.asarray(squared.argmin(1))


def k_means(points: Array, count: int, rng: np.random.Generator, rounds: int = 100) -> Clusters:
    """Lloyd's rounds until nothing moves, from centres far apart (k-means++)."""
    centroids = _spread(points, count, rng)
    labels = nearest(points, centroids)
    for _ in range(rounds):
        clusters = Clusters.of(points, labels, count)
        moved = nearest(
            points, np.where(clusters.sizes[:, None] > 0, clusters.centroids, centroids)
        )
        if (moved == labels).all():
            return clusters
        centroids, labels = clusters.centroids, moved
    return Clusters.of(points, labels, count)


def _spread(points: Array, count: int, rng: np.random.Generator) -> Array:
    chosen = [int(rng.integers(len(points)))]
    for _ in range(count - 1):
        squared = ((points[:, None] - points[chosen][None]) ** 2).sum(2).min(1)
        chosen.append(int(rng.choice(len(points), p=squared / squared.sum())))
    return np.asarray(points[chosen])
