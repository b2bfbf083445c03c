"""Friendships by the million: how many friends of which class users have, and public blocks.

A dependence coefficient belongs to a pair of classes of users (cities, say), so of the friendships
no more is needed than n(user, class), counted once, and of that only which rows there are. Then
every scale that is tried costs the classes, not the friendships.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import Array, Codes

__all__ = ["CLASSES", "Blocks", "Friendships", "check_uncrossed", "too_many_classes"]

CLASSES = 64


@dataclass(frozen=True, eq=False)
class Friendships:
    """``users[r]`` users of class ``kinds[r]`` have ``friends[r, c]`` friends of each class c.

    A friendship is listed once, in either direction; one that is listed twice counts twice.
    """

    classes: tuple[str, ...]
    kinds: Codes
    friends: Codes
    users: Codes

    @classmethod
    def of(
        cls,
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        classes: Mapping[Any, str] | None = None,
    ) -> Friendships:
        """From two arrays, or two columns of an Arrow table; ``classes``: {user: class}."""
        users, a, b = _ends(first, second, classes)
        names, kinds = _coded(users, classes, "edges.classes")
        if len(names) > CLASSES:
            raise too_many_classes(len(names))
        cells = np.concatenate([a, b]) * len(names) + kinds[np.concatenate([b, a])]
        counts = np.bincount(cells, minlength=len(users) * len(names)).reshape(-1, len(names))
        rows, often = np.unique(np.column_stack([kinds, counts]), axis=0, return_counts=True)
        return cls(names, rows[:, 0], rows[:, 1:], often)

    @property
    def degrees(self) -> Codes:
        """How many friends the users of each row have."""
        degrees: Codes = self.friends.sum(1)
        return degrees

    def growth(self, coefficients: Array) -> float:
        """The largest over the users of sum_c n(user, c) rho[own class, c]."""
        sums = (self.friends * coefficients[self.kinds]).sum(1)
        return float(sums.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Blocks:
    """A partition of the users that no friendship crosses: ``many[k]`` blocks of ``sizes[k]``."""

    sizes: Codes
    many: Codes

    @classmethod
    def of(
        cls,
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        blocks: Mapping[Any, object] | None = None,
    ) -> Blocks:
        """``blocks``: {user: block}; nothing given: what the friendships connect."""
        users, a, b = _ends(first, second, blocks)
        if blocks is None:
            labels = _components(len(users), a, b)
        else:
            _, labels = _coded(users, blocks, "blocks")
        check_uncrossed(int((labels[a] != labels[b]).sum()))
        sizes, many = np.unique(np.unique(labels, return_counts=True)[1], return_counts=True)
        return cls(sizes, many)

    @property
    def largest(self) -> int:
        """How many users the largest block has."""
        return int(self.sizes.max(initial=1))


def _ends(
    first: npt.ArrayLike, second: npt.ArrayLike, also: Mapping[Any, object] | None
) -> tuple[npt.NDArray[Any], Codes, Codes]:
    """All users, and the two ends of every friendship as positions among them."""
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(f"edges: two columns of equal length, not {a.shape} and {b.shape}")
    ends = np.concatenate([a, b, *([np.asarray(list(also))] if also else [])])
    if (ends != ends).any() or (ends.dtype == object and any(end is None for end in ends)):
        raise InputError("edges: an end of a friendship is missing")
    users, codes = np.unique(ends, return_inverse=True)
    a, b = codes[: len(a)], codes[len(a) : 2 * len(a)]
    real = a != b  # nobody is a friend of themselves
    return users, a[real], b[real]


def _coded(
    users: npt.NDArray[Any], names: Mapping[Any, object] | None, where: str
) -> tuple[tuple[str, ...], Codes]:
    """The classes of the users as positions among all classes, sorted."""
    if names is None:
        return ("",), np.zeros(len(users), dtype=np.intp)
    every = users.tolist()
    lost = [user for user in every if user not in names]
    if lost:
        raise InputError(f"{where}: {len(lost):,} users have none, such as {lost[0]!r}")
    kinds, codes = np.unique([str(names[user]) for user in every], return_inverse=True)
    return tuple(kinds.tolist()), codes


def _components(size: int, a: Codes, b: Codes) -> Codes:
    """The least user each user is connected with."""
    labels = np.arange(size)
    while (labels[a] != labels[b]).any():
        least = np.minimum(labels[a], labels[b])
        for end in (labels[a], labels[b], a, b):
            np.minimum.at(labels, end, least)
        while (labels[labels] != labels).any():
            labels = labels[labels]
    return labels


def check_uncrossed(crossing: int) -> None:
    """Refuse blocks that so many friendships cross."""
    if crossing:
        raise InputError(
            f"blocks: {crossing:,} friendships are between two blocks, or of users without one; "
            "users in different blocks must be independent"
        )


def too_many_classes(classes: int) -> TooLarge:
    """The error for more classes than `CLASSES`."""
    return TooLarge(f"edges.classes: {classes} classes; at most {CLASSES}, so merge some")
