"""The inference attack of IV.C: what who knows others' places and friends makes of noisy centroids.

For a user i and a cell g of a grid, d_g is the mean vector of the users known there, and

    P_inde(g) ~ users known in g                                                         (eq. 8)
    P_de(g)   ~ weight(g) times that, weight(g): the mean over i's known friends f of
                (miles between d_g and d_f + 0.196)^-1.05                                (eq. 9)
    P(g | release) ~ P(g) exp(-|released - centroids with d_g in place of d_i|_1 / scale)   (eq. 6)

The paper leaves weight open and writes eps for 1 / scale; the law of eq. 26 is taken for weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from studies.p002.clusters import Clusters, k_means, nearest
from studies.p002.gowalla import CITIES, EARTH, RADIUS, Gowalla, apart
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.noise.models.friends import B, C

__all__ = ["GRID", "K", "WEIGHTS", "Attack", "Told", "by_law"]

K, GRID = 8, 20
MILE = 1.609344  # km
Weight = Callable[[Array], Array]  # of a user, from km between candidates and friends


def by_law(km: Array) -> Array:
    """The law of eq. 26, which is in miles."""
    return np.asarray(((km / MILE + B) ** -C).mean(1))


def near(km: Array) -> Array:
    """Friends within a few kilometres, and hardly anything beyond."""
    return np.asarray(np.exp(-km / 3).mean(1) + 1e-3)


def circles(km: Array) -> Array:
    """Fig. 4 (b): ten times the weight within 5 km of a friend."""
    return np.where((km <= 5).any(1), 10.0, 1.0)


WEIGHTS: dict[str, Weight] = {"eq. 26": by_law, "exp(-km/3)": near, "circles of 5 km": circles}


class Told(NamedTuple):
    """A row a user, a column a draw: entropies, log2 of what is held of the true cell, errors.

    Last axis: P_inde and P_de before the release, then both after it. NaN: nobody else is there.
    """

    entropy: Array  # bits
    truth: Array  # bits
    error: Array  # km, of the likeliest cell's vector (eq. 7, 10)


@dataclass(frozen=True, eq=False)
class Attack:
    """``cell`` of each user, ``clusters`` of their vectors in [0, 1], ``friends``: who of whom."""

    users: Gowalla
    cell: Codes
    clusters: Clusters
    friends: Mask

    @classmethod
    def on(cls, users: Gowalla, rng: np.random.Generator) -> Attack:
        friends = users.adjacent()
        return cls(users, cells(users), k_means(users.unit, K, rng), friends)

    def release(self, scale: float, draws: int, rng: np.random.Generator) -> Array:
        """The centroids with Laplace noise on each number, so often."""
        centroids = self.clusters.centroids
        return centroids + rng.laplace(scale=scale, size=(draws, *centroids.shape))

    def told(
        self,
        victims: Sequence[int],
        released: Array,
        scale: float,
        *,
        known: Mask | None = None,
        weight: Weight = by_law,
    ) -> Told:
        """What each release tells of each of these users, to who knows others (all of them)."""
        everybody = np.ones(len(self.cell), dtype=bool) if known is None else known
        each = [self._of(i, released, scale, everybody, weight) for i in victims]
        return Told(*(np.stack(part) for part in zip(*each, strict=True)))

    def _of(self, i: int, released: Array, scale: float, known: Mask, weight: Weight) -> Told:
        others = known.copy()
        others[i] = False
        occupied, counts, places = self._candidates(others)
        priors = np.stack([counts, counts], axis=0)
        friends = np.flatnonzero(self.friends[i] & others)
        if len(friends):
            there = self.users.vectors[friends]
            priors[1] *= weight(apart(places[:, None], there[None]))
        priors /= priors.sum(1, keepdims=True)
        likely = -self._distances(i, released, places, others) / scale
        likely = np.exp(likely - likely.max(1, keepdims=True))
        after = priors[None] * likely[:, None]
        after /= after.sum(-1, keepdims=True)
        held = np.concatenate([np.broadcast_to(priors, after.shape), after], axis=1)
        true = np.flatnonzero(occupied == self.cell[i])
        off = apart(places, self.users.vectors[i][None])
        logs = np.log2(held, out=np.full_like(held, -1075.0), where=held > 0)
        truth = logs[..., true[0]] if len(true) else np.full(held.shape[:2], np.nan)
        return Told(-(held * logs).sum(-1), truth, off[held.argmax(-1)])

    def _candidates(self, others: Mask) -> tuple[Codes, Array, Array]:
        """Occupied cells, how many are there, and their mean vectors in degrees."""
        occupied, place = np.unique(self.cell[others], return_inverse=True)
        counts = np.bincount(place).astype(np.float64)
        sums = np.zeros((len(occupied), self.users.vectors.shape[1]))
        np.add.at(sums, place, self.users.vectors[others])
        return occupied, counts, sums / counts[:, None]

    def _distances(self, i: int, released: Array, places: Array, others: Mask) -> Array:
        """|released - centroids with the candidate among the others|_1: a row a release."""
        points, low = self.users.unit, self.users.vectors.min(0)
        width = self.users.vectors.max(0) - low
        if others.sum() == len(others) - 1:  # everybody but i
            own = self.clusters.labels[i] == np.arange(K)
            sums = self.clusters.sums - own[:, None] * points[i]
            sizes = self.clusters.sizes - own
        else:
            part = Clusters.of(points[others], self.clusters.labels[others], K)
            sums, sizes = part.sums, part.sizes
        without = sums / np.maximum(sizes, 1)[:, None]
        candidates = (places - low) / width
        joined = nearest(candidates, without)
        moved = (sums[joined] + candidates) / (sizes[joined] + 1)[:, None]
        base = np.abs(released - without).sum(2)
        with_it = np.abs(released[:, joined] - moved[None]).sum(2)
        return np.asarray(base.sum(1, keepdims=True) - base[:, joined] + with_it)


def cells(users: Gowalla) -> Codes:
    """The cell of the place that was visited most, in the 20 x 20 grid of its city."""
    centres = np.array(list(CITIES.values()))[users.city]
    lat = np.degrees(RADIUS / EARTH)
    lon = lat / np.cos(np.radians(centres[:, 0]))
    across = (users.vectors[:, 0] - centres[:, 0] + lat) / (2 * lat)
    along = (users.vectors[:, 1] - centres[:, 1] + lon) / (2 * lon)
    row, column = (np.clip((x * GRID).astype(np.intp), 0, GRID - 1) for x in (across, along))
    return np.asarray((users.city * GRID + row) * GRID + column)
