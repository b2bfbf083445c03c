"""Where friends are: the distance model of paper 002 (eq. 26), made into a law of probability.

Printed is P(D_j = y | D_i = x) = a (|x - y|_1 + b)^-c. That is how likely two people so far apart
are friends (Backstrom et al.), and no law of y: its rows do not sum to 1. Normalised it is one,

    P(y | x) = K(x, y) / Z(x),    K = (|x - y|_1 + b)^-c,    Z(x) = sum_y K(x, y),

and a cancels. With pi(x) proportional to Z(x) every edge of a tree may have this law, in either
direction: K is symmetric. Of a graph with cycles it determines nothing.

A dependence coefficient says by how much of its range Delta a friend's tuple moves with one's own:

    B    rho = sigma / Delta  max_x,c  log E[e^(|y - c|_1 / sigma) | x]     c: corners of the range
    M    rho =     1 / Delta  max_x,c      E[|y - c|_1 | x]                 no scale; M <= B
    14   rho = sigma / Delta  max_x,x',o log E[e^(-|y - o|_1 / sigma) | x] / E[... | x']

14 (eq. 14) is 0 for independent tuples; summed it is sound for two tuples and for stars, not more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unspoken.core.display import Shown
from unspoken.core.errors import InputError, TooLarge, unknown
from unspoken.core.numerics.arrays import CELLS, Array
from unspoken.core.numerics.numbers import number, positive, whole
from unspoken.core.numerics.rounding import quotient_up, up
from unspoken.core.numerics.tables import as_laws, finite_table
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import STATED

__all__ = ["READINGS", "Blocked", "Neighbour", "blocked", "grid", "kernel"]

# The constants that paper 002 takes from Backstrom et al.; a cancels.
B, C = 0.196, 1.05
# The range of a tuple of d numbers has 2^d corners.
NUMBERS = 12


@dataclass(frozen=True, repr=False, eq=False)
class Neighbour(Shown):
    """P(y | x): ``law`` has a row for each own tuple x, a column for each of ``places`` y.

    ``low`` and ``high`` are the declared ends of the range of y, one for each of its numbers.
    """

    law: Array
    places: Array
    low: Array
    high: Array

    @classmethod
    def of(
        cls,
        law: npt.ArrayLike,
        places: npt.ArrayLike,
        low: npt.ArrayLike | None = None,
        high: npt.ArrayLike | None = None,
    ) -> Neighbour:
        """Any law. The range is that of the places, or declared: wider, and the same for all."""
        rows, where = as_laws(law, "friends.law"), _places(places, "friends.places")
        if rows.shape[1] != len(where):
            raise InputError(f"friends.law: {rows.shape[1]} columns for {len(where)} places")
        if where.shape[1] > NUMBERS:
            raise TooLarge(f"friends.places: {where.shape[1]} numbers each; at most {NUMBERS}")
        ends = [
            end if given is None else _end(given, end.shape)
            for end, given in ((where.min(0), low), (where.max(0), high))
        ]
        if not ((ends[0] <= where.min(0)) & (where.max(0) <= ends[1])).all():
            raise InputError("friends.low, friends.high: there are places outside of this range")
        return cls(rows, where, ends[0], ends[1])

    @classmethod
    def by_distance(
        cls,
        own: npt.ArrayLike,
        friends: npt.ArrayLike | None = None,
        *,
        b: float = B,
        c: float = C,
    ) -> Neighbour:
        """Eq. 26, normalised: from each of the places ``own`` to each of ``friends`` (the same).

        The unit of distance matters: b is in it.
        """
        here = _places(own, "friends.own")
        there = here if friends is None else _places(friends, "friends.friends")
        weights = kernel(here, there, b, c)
        return cls.of(weights / weights.sum(1, keepdims=True), there)

    @property
    def width(self) -> float:
        """Delta: how far apart two tuples can be, in L1."""
        return math.fsum(self.high - self.low)

    def coefficient(self, sigma: float, reading: str = "B") -> float:
        """rho at a scale, by one of `READINGS`; 0 where the range is a point."""
        if reading not in READINGS:
            raise unknown("reading", reading, READINGS)
        sigma = positive("friends.sigma", sigma)
        return READINGS[reading](self, sigma) / self.width if self.width else 0.0

    @cached_property
    def corners(self) -> Array:
        """|y - c|_1 for every corner c of the range (a row) and every place."""
        ends = np.stack([self.places - self.low, self.high - self.places])
        choices = itertools.product((0, 1), repeat=ends.shape[2])
        first = np.arange(ends.shape[2])
        return np.stack([ends[list(corner), :, first].sum(0) for corner in choices])

    @cached_property
    def farthest(self) -> float:
        """max_x,c E[|y - c|_1 | x], the mean coefficient before it is divided by Delta."""
        return float((self.law @ self.corners.T).max())

    @cached_property
    def outputs(self) -> Array:
        """|y - o|_1, less its least over y, for every o on the grid of the places' numbers."""
        axes = [np.unique(column) for column in self.places.T]
        if math.prod(map(len, axes)) * len(self.places) > CELLS:
            raise TooLarge("reading 14: too many outputs to look at; use B or M")
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))
        distances = _distances(grid, self.places)
        distances -= distances.min(1, keepdims=True)
        return distances

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("places", f"{self.law.shape[0]} own, {self.law.shape[1]} of the other"),
            ("range", f"{self.width:.6g} in L1"),
            ("rho", f"{self.coefficient(1.0, 'M'):.6g}, the mean one"),
        ]


def _either(other: Neighbour, sigma: float) -> float:
    peak = float(other.corners.max()) / sigma
    grown = other.law @ np.exp(other.corners.T / sigma - peak)
    return sigma * (peak + math.log(float(grown.max())))


def _mean(other: Neighbour, sigma: float) -> float:
    return other.farthest


def _pairwise(other: Neighbour, sigma: float) -> float:
    moments = other.law @ np.exp(-other.outputs.T / sigma)
    with np.errstate(divide="ignore"):
        if moments.all():
            logs = np.log(moments)
        else:  # beyond the range of floats
            law = np.log(other.law)
            rows = [
                np.logaddexp.reduce(law - distances / sigma, axis=1) for distances in other.outputs
            ]
            logs = np.stack(rows, axis=1)
    return sigma * float(np.ptp(logs, axis=0).max())


READINGS: dict[str, Callable[[Neighbour, float], float]] = {
    "14": _pairwise,
    "B": _either,
    "M": _mean,
}


def grid(size: int = 20) -> Array:
    """The centres of size x size cells of the unit square, as in paper 002."""
    size = whole("friends.grid", size, "cells a side")
    if size**2 > CELLS:
        raise TooLarge(f"friends.grid: {size:,} cells a side; use a coarser grid")
    centres = (np.arange(size) + 0.5) / size
    return np.stack(np.meshgrid(centres, centres, indexing="ij"), -1).reshape(-1, 2)


def kernel(own: npt.ArrayLike, friends: npt.ArrayLike, b: float = B, c: float = C) -> Array:
    """(|x - y|_1 + b)^-c as printed, but for a: its row sums are Z(x), not 1."""
    if not (0 < number(b) < math.inf and 0 < number(c) < math.inf):
        raise InputError(f"friends: b = {b} and c = {c} must be positive and finite")
    here, there = _places(own, "friends.own"), _places(friends, "friends.friends")
    if here.shape[1] != there.shape[1]:
        raise InputError(f"friends: places of {here.shape[1]} and of {there.shape[1]} numbers")
    if len(here) * len(there) > CELLS:
        raise TooLarge(f"friends: {len(here):,} x {len(there):,} places; use a coarser grid")
    weights: Array = (_distances(here, there) + b) ** -c
    return weights


@dataclass(frozen=True, repr=False)
class Blocked(Shown):
    """A sound ``scale`` of Laplace noise for users in blocks; ``needs``: what it stands on."""

    scale: float
    bound: Bound
    needs: tuple[str, ...]

    def facts(self) -> list[tuple[str, str]]:
        needs = [("needs" if not k else "", need) for k, need in enumerate(self.needs)]
        return [("scale", f"{self.scale:.6g}"), *self.bound.facts(), *needs]


INDEPENDENT = "a public partition into blocks whose tuples are jointly independent of the others'"
LINEAR = "a query that adds up the tuples, or releases them"
MIXTURES = (
    "P(D_j | D_i) of any two in a block is a mixture of the rows of this law "
    "(so it is where a block is a tree with this law on its edges)"
)


def blocked(
    largest: int, *, limit: float, reach: float, friends: Neighbour | None = None
) -> Blocked:
    """Noise for answers that one tuple moves by ``reach`` at most, in blocks of ``largest`` users.

    Without ``friends`` by group privacy, reach * largest / limit: any query, any dependence inside
    a block, for everybody. With them, for sums or the release of tuples that follow their law, by
    the mean coefficient over the *whole* block (DDP theory, S2 and S3):

        reach (1 + (largest - 1) rho) / limit,    rho of reading M.

    Counting the friends of a user instead of the block is what is not sound.
    """
    largest = whole("blocked.largest", largest, "users in a block")
    limit, reach = positive("blocked.limit", limit), positive("blocked.reach", reach)
    needs: tuple[str, ...] = (INDEPENDENT,)
    total, who = reach * largest, "for everybody"
    if friends is not None:
        needs, who = (INDEPENDENT, LINEAR, MIXTURES), "for those who know nothing else"
        rho = friends.coefficient(1.0, "M")
        total = reach * (1 + (largest - 1) * up(rho, 64 + friends.law.shape[1]))
    scale = quotient_up(up(total, 8), limit)
    why = f"any user's tuple, {who}; blocks of {largest} at most"
    return Blocked(scale, Bound(0.0, limit, "nat", STATED, why), needs)


def _end(given: npt.ArrayLike, shape: tuple[int, ...]) -> Array:
    """One for each number of a place, or one for all."""
    end = finite_table(given, "friends.low, friends.high")
    if end.shape not in ((), shape):
        raise InputError(f"friends.low, friends.high: {end.shape} for places of {shape[0]} numbers")
    return np.broadcast_to(end, shape)


def _distances(x: Array, y: Array) -> Array:
    """L1, a coordinate at a time."""
    distances = np.zeros((len(x), len(y)))
    for k in range(x.shape[1]):
        distances += np.abs(x[:, k, None] - y[None, :, k])
    return distances


def _places(numbers: npt.ArrayLike, where: str) -> Array:
    """A row for each place; of single numbers, a column."""
    try:
        places = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        places = np.array(math.nan)
    if places.ndim == 1:
        places = places[:, None]
    if places.ndim != 2 or not places.size or not np.isfinite(places).all():
        raise InputError(f"{where}: a list of places is expected, each of equally many numbers")
    return places
