"""Friendships by the million: how many friends of which class users have, and public blocks.

A dependence coefficient belongs to a pair of classes of users (cities, say), so of the friendships
no more is needed than n(user, class), counted once, and of that only which rows there are. Then
every scale that is tried costs the classes, not the friendships.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.engines.keys import check_keys
from unspoken.engines.opening import Opened, opened
from unspoken.engines.session import OURS
from unspoken.engines.sql import identifier, literal
from unspoken.errors import InputError, TooLarge
from unspoken.numerics.arrays import Array, Codes

__all__ = ["Blocks", "Friendships"]

CLASSES = 64
MEMORY = "4GB"  # beyond it DuckDB spills to disk


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
            raise _too_many(len(names))
        cells = np.concatenate([a, b]) * len(names) + kinds[np.concatenate([b, a])]
        counts = np.bincount(cells, minlength=len(users) * len(names)).reshape(-1, len(names))
        rows, often = np.unique(np.column_stack([kinds, counts]), axis=0, return_counts=True)
        return cls(names, rows[:, 0], rows[:, 1:], often)

    @classmethod
    def read(
        cls,
        edges: str | Path,
        classes: str | Path | None = None,
        *,
        folder: Path = Path(),
        memory: str = MEMORY,
    ) -> Friendships:
        """From files (Parquet or CSV), by DuckDB, which spills what exceeds ``memory``.

        Of ``edges`` the first two columns are the users; of ``classes`` a user and its class.
        """
        paths = {"edges": edges} | ({"classes": classes} if classes is not None else {})
        with _reading(paths, folder, memory) as (opening, columns):
            names = _kinds(opening, columns["classes"][1]) if classes is not None else ("",)
            rows = _answer(opening, _profiles(columns, names))
        if rows[:, -2].any():
            raise InputError(
                f"{'edges' if classes is None else 'classes'}: users in friendships have no class, "
                "or an end of a friendship is missing; give each user a class, each friendship two"
            )
        return cls(names, rows[:, 0], rows[:, 1:-2], rows[:, -1])

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
        _uncrossed(int((labels[a] != labels[b]).sum()))
        sizes, many = np.unique(np.unique(labels, return_counts=True)[1], return_counts=True)
        return cls(sizes, many)

    @classmethod
    def read(
        cls,
        edges: str | Path,
        blocks: str | Path,
        *,
        folder: Path = Path(),
        memory: str = MEMORY,
    ) -> Blocks:
        """From files, as in `Friendships.read`; ``blocks`` has a user and its block in each row."""
        paths = {"edges": edges, "blocks": blocks}
        with _reading(paths, folder, memory) as (opening, columns):
            (a, b), (user, block) = columns.values()
            crossing = (
                f"SELECT count(*) FROM {OURS}.edges e LEFT JOIN {OURS}.blocks x ON e.{a} = x.{user}"
                f" LEFT JOIN {OURS}.blocks y ON e.{b} = y.{user}"
                f" WHERE x.{block} = y.{block} IS NOT TRUE"
            )
            _uncrossed(int(_answer(opening, crossing)[0, 0]))
            sizes = f"SELECT count(*) AS size FROM {OURS}.blocks GROUP BY {block}"
            rows = _answer(opening, f"SELECT size, count(*) FROM ({sizes}) GROUP BY 1 ORDER BY 1")
        return cls(rows[:, 0], rows[:, 1])

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


def _uncrossed(crossing: int) -> None:
    if crossing:
        raise InputError(
            f"blocks: {crossing:,} friendships are between two blocks, or of users without one; "
            "users in different blocks must be independent"
        )


def _too_many(classes: int) -> TooLarge:
    return TooLarge(f"edges.classes: {classes} classes; at most {CLASSES}, so merge some")


@contextmanager
def _reading(
    paths: Mapping[str, str | Path], folder: Path, memory: str
) -> Iterator[tuple[Opened, dict[str, tuple[str, str]]]]:
    """The friendships, and what is known of users, open to be asked; closed at the end."""
    with opened(folder, memory) as opening:
        yield opening, _tables(opening, paths)
        opening.close()


def _tables(opening: Opened, paths: Mapping[str, str | Path]) -> dict[str, tuple[str, str]]:
    """A view of each file; gives its first two columns. After the edges come users, each once."""
    relations = {name: opening.relation((str(path),), None, name) for name, path in paths.items()}
    opening.lock("edges")
    ends = {}
    for name, relation in relations.items():
        columns = list(opening.file_view(name, relation, name))
        if len(columns) < 2:
            raise InputError(f"{name}: two columns are expected, {paths[name]} has {columns}")
        if name != "edges":
            check_keys(opening, f"{OURS}.{name}", columns[:1], str(paths[name]), name)
        ends[name] = (identifier(columns[0]), identifier(columns[1]))
    return ends


def _kinds(opening: Opened, column: str) -> tuple[str, ...]:
    query = f"SELECT DISTINCT CAST({column} AS VARCHAR) FROM {OURS}.classes WHERE {column} NOTNULL"
    with opening.reworded("classes"):
        kinds = sorted(row[0] for row in opening.con.execute(query).fetchall())
    if len(kinds) > CLASSES:
        raise _too_many(len(kinds))
    return tuple(kinds)


def _profiles(ends: Mapping[str, tuple[str, str]], kinds: tuple[str, ...]) -> str:
    """own class, friends of each class, ends that have none, and how many users are alike."""
    a, b = ends["edges"]
    of_two = f"FROM {OURS}.edges WHERE {a} IS DISTINCT FROM {b}"
    pairs = f"SELECT {a} AS who, {b} AS friend {of_two} UNION ALL SELECT {b}, {a} {of_two}"
    if "classes" not in ends:
        missing = "count(*) FILTER (who IS NULL OR friend IS NULL)"
        users = f"SELECT 0 AS own, count(*) AS n0, {missing} AS lost FROM ({pairs}) GROUP BY who"
        return f"SELECT own, n0, lost, count(*) FROM ({users}) GROUP BY ALL ORDER BY ALL"
    user, kind = ends["classes"]
    codes = " ".join(f"WHEN {literal(name)} THEN {k}" for k, name in enumerate(kinds))
    coded = (
        f"SELECT {user} AS user, CASE CAST({kind} AS VARCHAR) {codes} END AS kind"
        f" FROM {OURS}.classes"
    )
    counts = [f"count(*) FILTER (kind = {k}) AS n{k}" for k in range(len(kinds))]
    counted = (
        f"SELECT who, {', '.join(counts)}, count(*) FILTER (kind IS NULL) AS lost"
        f" FROM ({pairs}) LEFT JOIN ({coded}) ON friend = user GROUP BY who"
    )
    columns = [f"coalesce(n{k}, 0) AS n{k}" for k in range(len(kinds))]
    lost = "coalesce(lost, 0) + (kind IS NULL)::BIGINT AS lost"
    users = (
        f"SELECT coalesce(kind, -1) AS own, {', '.join(columns)}, {lost}"
        f" FROM ({counted}) FULL JOIN ({coded}) ON who = user"
    )
    return f"SELECT *, count(*) FROM ({users}) GROUP BY ALL ORDER BY ALL"


def _answer(opening: Opened, query: str) -> Codes:
    """Whole numbers, a row for each of the query."""
    with opening.reworded("edges"):
        columns = opening.con.execute(query).fetchnumpy().values()
    return np.stack([np.asarray(column).astype(np.intp) for column in columns], axis=1)
