"""Friendships from files of any size: DuckDB counts how many friends of which class users have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes
from unspoken.noise.models.friendships import (
    CLASSES,
    Blocks,
    Friendships,
    check_uncrossed,
    too_many_classes,
)
from unspoken.tables.engines.keys import check_keys
from unspoken.tables.engines.opening import Opened, opened
from unspoken.tables.engines.session import OURS
from unspoken.tables.engines.sql import identifier, literal

__all__ = ["read_blocks", "read_friendships"]

MEMORY = "4GB"  # beyond it DuckDB spills to disk


def read_friendships(
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
    return Friendships(names, rows[:, 0], rows[:, 1:-2], rows[:, -1])


def read_blocks(
    edges: str | Path,
    blocks: str | Path,
    *,
    folder: Path = Path(),
    memory: str = MEMORY,
) -> Blocks:
    """From files, as in `read_friendships`; ``blocks`` has a user and its block in each row."""
    paths = {"edges": edges, "blocks": blocks}
    with _reading(paths, folder, memory) as (opening, columns):
        (a, b), (user, block) = columns.values()
        crossing = (
            f"SELECT count(*) FROM {OURS}.edges e LEFT JOIN {OURS}.blocks x ON e.{a} = x.{user}"
            f" LEFT JOIN {OURS}.blocks y ON e.{b} = y.{user}"
            f" WHERE x.{block} = y.{block} IS NOT TRUE"
        )
        check_uncrossed(int(_answer(opening, crossing)[0, 0]))
        sizes = f"SELECT count(*) AS size FROM {OURS}.blocks GROUP BY {block}"
        rows = _answer(opening, f"SELECT size, count(*) FROM ({sizes}) GROUP BY 1 ORDER BY 1")
    return Blocks(rows[:, 0], rows[:, 1])


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
        raise too_many_classes(len(kinds))
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
