"""Counted once: what neighbours move, what noise leaves, what is post-processed."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import InputError
from unspoken.tables.learning import table_of
from unspoken.tables.learning.intervals.consistent import consistent
from unspoken.tables.learning.once import Once
from unspoken.tables.learning.pinned import Pinned
from unspoken.tables.policy import Project

pytestmark = pytest.mark.slow

PROJECT = """\
format = 1
[source]
table = "t.parquet"
keys = ["person", "day"]
unit = ["person"]
{source}
[epoch]
label = "1"
[attribute.x]
bins = [2, 5]
sensitive = "x >= 5 OR y = 'a'"
[attribute.y]
values = ["a", "b", "c"]
sensitive = "y = 'a'"
{more}
[application.one]
reads = ["x", "y"]
[plan]
by = "cell"
[limit]
limit_bits = 0.5
"""
CONTEXTS = """\
[context.weekday]
of = "day % 3"
[context.before]
previous = "y"
"""
Row = tuple[int, int, float, str]


def rows_of(rng: random.Random, persons: int = 4, days: int = 5) -> list[Row]:
    values = [0, 1.5, 2, 4, 5, 8]
    return [
        (p, d, rng.choice(values), rng.choice("abc")) for p in range(persons) for d in range(days)
    ]


def once(folder: Path, rows: list[Row], more: str = "", source: str = "") -> Once:
    columns = dict(zip(("person", "day", "x", "y"), zip(*rows, strict=True), strict=True))
    pq.write_table(
        pa.table({name: list(held) for name, held in columns.items()}), folder / "t.parquet"
    )
    project = Project.parse(PROJECT.format(more=more, source=source), folder / "unspoken.toml")
    return Once.of(project, table_of(project))


def moved(one: Once, other: Once) -> int:
    assert one.tables.keys() == other.tables.keys()
    assert [each.names for each in one.labels] == [each.names for each in other.labels]
    return sum(int(np.abs(one.tables[t] - other.tables[t]).sum()) for t in one.tables)


@pytest.mark.parametrize("more", ["", CONTEXTS], ids=["alone", "with contexts"])
def test_no_neighbour_moves_more_than_is_claimed(tmp_path: Path, more: str) -> None:
    rng, largest = random.Random(7), 0
    for _ in range(12):
        rows = rows_of(rng)
        place = rng.randrange(len(rows))
        other = [*rows]
        other[place] = (*rows[place][:2], rng.choice([0, 2, 5]), rng.choice("abc"))
        one, two = once(tmp_path, rows, more), once(tmp_path, other, more)
        largest = max(largest, moved(one, two))
        assert moved(one, two) <= one.sensitivity
    assert one.sensitivity == (8 if more else 2)
    assert largest == one.sensitivity  # and some neighbour moves that much


def test_no_unit_moves_more_than_is_claimed(tmp_path: Path) -> None:
    rng = random.Random(3)
    for _ in range(6):
        rows = rows_of(rng)
        other = [r if r[0] else (*r[:2], rng.choice([0, 2, 5]), rng.choice("abc")) for r in rows]
        source = "rows_per_unit = 5"
        one, two = (once(tmp_path, each, CONTEXTS, source) for each in (rows, other))
        assert moved(one, two) <= one.sensitivity == 2 * 5 * 3


def test_the_pairs_of_a_tree_are_tables_too(tmp_path: Path) -> None:
    more = '[attribute.z]\nvalues = ["u", "v"]\n[belief]\nform = "tree"'
    rows = rows_of(random.Random(1))
    columns = dict(zip(("person", "day", "x", "y"), zip(*rows, strict=True), strict=True))
    z = ["uv"[k % 2] for k in range(len(rows))]
    pq.write_table(
        pa.table({**{n: list(c) for n, c in columns.items()}, "z": z}), tmp_path / "t.parquet"
    )
    project = Project.parse(PROJECT.format(more=more, source=""), tmp_path / "unspoken.toml")
    counted = Once.of(project, table_of(project))
    assert counted.sensitivity == 2 * 3
    assert all(int(table.sum()) == len(rows) for table in counted.tables.values())


def test_labels_do_not_tell_which_rows_there_are(tmp_path: Path) -> None:
    """A cell of which one row is sensitive has the labels of one of which none is."""
    free = [(0, d, 0.0, "b") for d in range(6)] + [(1, 0, 4.0, "c"), (1, 1, 8.0, "a")]
    other = [(0, 0, 0.0, "a"), *free[1:]]
    one, two = once(tmp_path, free), once(tmp_path, other)
    assert [each.names for each in one.labels] == [each.names for each in two.labels]
    assert "below 2 (sensitive)" in one.labels[0].names


def test_noise_is_on_every_count_and_fresh(tmp_path: Path) -> None:
    counted = once(tmp_path, rows_of(random.Random(2)))
    one, two = counted.pinned(0.01, "2026-01-01"), counted.pinned(0.01, "2026-01-01")
    assert (one.tables["joint"] != counted.tables["joint"]).mean() > 0.9
    assert one.digest != two.digest
    assert one.sensitivity == 2


def test_a_belief_file_is_what_was_written(tmp_path: Path) -> None:
    pinned = once(tmp_path, rows_of(random.Random(2)), CONTEXTS).pinned(0.5, "2026-01-01")
    path = tmp_path / "belief.json"
    path.write_text(pinned.text())
    again = Pinned.read(path)
    assert (again.digest, again.text()) == (pinned.digest, pinned.text())
    assert all((again.tables[name] == pinned.tables[name]).all() for name in pinned.tables)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"unspoken": "belief", "format": 1}', "\x00"])
def test_what_is_no_belief_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "belief.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"belief\.json: is no belief file"):
        Pinned.read(path)


def nearest(noisy: np.ndarray[Any, Any], rows: int) -> np.ndarray[Any, Any]:
    """The point of the simplex nearest to these counts: the best over all sets of positive ones."""
    best, found = np.inf, np.zeros(noisy.size)
    for kept in itertools.product([False, True], repeat=noisy.size):
        at = np.array(kept)
        if not at.any():
            continue
        point = np.where(at, noisy - (noisy[at].sum() - rows) / at.sum(), 0.0)
        off = float(((point - noisy) ** 2).sum())
        if (point >= 0).all() and off < best:
            best, found = off, point
    return found


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_made_consistent_as_little_as_may_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    noisy = rng.integers(-6, 20, size=rng.integers(1, 9))
    rows = int(rng.integers(1, 40))
    counts = consistent(noisy, rows)
    assert counts.sum() == pytest.approx(rows)
    assert counts == pytest.approx(nearest(noisy.astype(float), rows), abs=1e-9)
