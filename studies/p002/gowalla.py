"""Gowalla around three cities, as in IV.A: location vectors (eq. 4), distances (eq. 5), friends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from studies import data
from unspoken.core.numerics.arrays import Array, Codes, Mask

__all__ = ["CITIES", "DATA", "Gowalla", "apart", "earth", "gowalla", "hops"]

DATA = "gowalla_capri"
CITIES = {"NY": (40.7128, -74.0060), "SF": (37.7749, -122.4194), "LA": (34.0522, -118.2437)}
RADIUS, CHECK_INS, TOP = 25.0, 10, 6  # km; at least so many check-ins; q
EARTH = 6371.0  # km


def earth(a: npt.ArrayLike, b: npt.ArrayLike) -> Array:
    """Kilometres on the surface between places (lat, lon), in the last axis (haversine)."""
    (lat, lon), (north, east) = (np.moveaxis(np.radians(np.asarray(x)), -1, 0) for x in (a, b))
    squared = np.sin((north - lat) / 2) ** 2 + np.cos(lat) * np.cos(north) * (
        np.sin((east - lon) / 2) ** 2
    )
    return np.asarray(2 * EARTH * np.arcsin(np.sqrt(np.clip(squared, 0, 1))))


def apart(a: Array, b: Array) -> Array:
    """Eq. 5: the mean distance of the first, second, ... places of two vectors of 2 q numbers."""
    shape = (-1, 2)
    return np.asarray(
        earth(a.reshape(*a.shape[:-1], *shape), b.reshape(*b.shape[:-1], *shape)).mean(-1)
    )


@dataclass(frozen=True, eq=False)
class Gowalla:
    """``vectors``: eq. 4 in degrees, a row a user; ``city``: which one of `CITIES`;
    ``friends``: a row a friendship, both ends; ``check_ins`` and ``locations`` of all users.
    """

    vectors: Array
    city: Codes
    friends: Codes
    check_ins: int
    locations: int

    @property
    def unit(self) -> Array:
        """The vectors with each attribute in [0, 1]."""
        low, high = self.vectors.min(0), self.vectors.max(0)
        return np.asarray((self.vectors - low) / (high - low))

    def adjacent(self) -> Mask:
        """Who is whose friend."""
        table = np.zeros((len(self.vectors),) * 2, dtype=bool)
        table[self.friends[:, 0], self.friends[:, 1]] = True
        return np.asarray(table | table.T)


@cache
def gowalla() -> Gowalla:
    """The users with at least 10 check-ins within 25 km of a city: what they visited there.

    Who has so many around two cities is counted where there are more.
    """
    places = data.columns(DATA, "locations.csv.gz")
    where = np.array([places["lat"], places["lon"]], dtype=np.float64).T
    away = earth(where[:, None], np.array(list(CITIES.values()))[None])
    around = np.where(away.min(1) <= RADIUS, away.argmin(1), -1)
    visits = data.columns(DATA, "visits.csv.gz")
    user, place, often = (np.array(visits[c], np.intp) for c in ("user", "location", "checkins"))
    counts = np.zeros((user.max() + 1, len(CITIES)))
    inside = around[place] >= 0
    np.add.at(counts, (user[inside], around[place[inside]]), often[inside])
    active = np.flatnonzero(counts.max(1) >= CHECK_INS)
    city = counts.argmax(1)
    kept = np.isin(user, active) & (around[place] == city[user])
    user, place, often = user[kept], place[kept], often[kept]
    vectors = np.stack([_top(place[user == u], often[user == u], where) for u in active])
    edges = data.columns(DATA, "friends.csv.gz")
    ends = np.array([edges["user_a"], edges["user_b"]], dtype=np.intp).T
    friends = np.searchsorted(active, ends[np.isin(ends, active).all(1)])
    return Gowalla(vectors, city[active], friends, int(often.sum()), len(np.unique(place)))


def _top(place: Codes, often: Codes, where: Array) -> Array:
    """The q places visited most, first of equals by number; who has fewer starts again."""
    order = np.lexsort((place, -often))[:TOP]
    return np.asarray(where[place[np.resize(order, TOP)]].ravel())


def hops(friends: Mask, first: Codes, most: int) -> Codes:
    """How many friendships lead from each of these users to everybody; more than ``most``: 0."""
    reached = np.zeros((len(first), len(friends)), dtype=np.intp)
    seen = np.zeros_like(reached, dtype=bool)
    seen[np.arange(len(first)), first] = True
    ahead = seen.copy()
    step = friends.astype(np.float32)
    for hop in range(1, most + 1):
        ahead = (ahead.astype(np.float32) @ step > 0) & ~seen
        reached[ahead] = hop
        seen |= ahead
    return reached
