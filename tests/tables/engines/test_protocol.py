"""Every engine gives the same: cells, coins, fingerprints and bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tables.engines.toy import ToyTable
from tests.workflows.release.small import planned, small
from unspoken.core.errors import InputError
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning import Learned, table_of
from unspoken.tables.policy import Project
from unspoken.workflows.release import open_project, release

pytestmark = pytest.mark.slow

ROWS = 1_000
KEYS = ("office", "day")
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "arrival": {"bins": [8, 9, 10.5], "sensitive": "arrival > 10.5", "missing": "value"},
    "rooms": {"sensitive": "rooms = 3 AND hour(cleaned) < 12"},
    "door": {"sensitive": "door = 'back'", "missing": "public"},
    "since": {"values": ["2026-01-01", "2026-01-02", "2026-01-03"]},
    "rent": {"bins": [100, 200]},
}
EPSILON = {"arrival": 0.7, "rooms": 0.4, "door": 1.2, "since": 0.5, "rent": 0.3}
EPOCHS = ['label = "1"', 'of = "substr(day, 1, 7)"']


def rows() -> pa.Table:
    rng = np.random.default_rng(3)
    number = rng.permutation(ROWS)
    doors = [None if i % 11 == 0 else ("front", "back é", "back")[i % 3] for i in number]
    return pa.table(
        {
            "office": [f"o{i // 100:02d}é" for i in number],
            "day": [f"2026-{1 + i % 10:02d}-{1 + i % 100 // 10:02d}" for i in number],
            "arrival": pa.array(rng.normal(9, 1, ROWS), mask=rng.random(ROWS) < 0.1),
            "rooms": pa.array(rng.integers(0, 4, ROWS), pa.int16()),
            "door": doors,
            "since": pa.array(rng.integers(20_454, 20_457, ROWS), pa.int32()).cast(pa.date32()),
            "rent": pa.array(rng.integers(0, 300, ROWS)).cast(pa.decimal128(21, 2)),
            "cleaned": pa.array(rng.integers(0, 10**9, ROWS), pa.timestamp("s", "UTC")),
        }
    )


def in_the_toy(project: Project, _frame: object = None, checked: bool = True) -> Table:
    """The same table as an engine may hold it: text in a dictionary."""
    held = pq.read_table(project.source.table)
    door = held["door"].dictionary_encode()
    held = held.set_column(held.column_names.index("door"), "door", door)
    return ToyTable(held, tuple(project.source.keys))


@pytest.mark.parametrize("epoch", EPOCHS)
def test_a_release_is_the_same_from_every_engine(
    epoch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, **EPSILON)
    found = []
    for name, opened in {"duckdb": table_of, "toy": in_the_toy}.items():
        (tmp_path / name).mkdir()
        path = small(tmp_path / name, rows(), ATTRIBUTES, keys=KEYS, epoch=epoch, exceed=1.0)
        monkeypatch.setattr(open_project, "table_of", opened)
        done = release(path)
        assert done.rows == ROWS
        files = [done.path] if done.path.is_file() else sorted(done.path.iterdir())
        found.append(([file.read_bytes() for file in files], done.event.readings))
    assert found[0] == found[1]


@pytest.mark.parametrize("form", ["joint", "tree"])
def test_a_belief_is_the_same_from_every_engine(form: str, tmp_path: Path) -> None:
    path = small(tmp_path, rows(), ATTRIBUTES, keys=KEYS, form=form)
    project = Project.read(path)
    first, other = Learned.of(project, table_of(project)), Learned.of(project, in_the_toy(project))
    assert first.labelling == other.labelling
    assert (first.counts, first.rows) == (other.counts, other.rows)
    pair = ["arrival", "rooms"]
    assert first.belief.marginal(pair).tobytes() == other.belief.marginal(pair).tobytes()


def test_what_is_refused_is_refused_from_every_engine(tmp_path: Path) -> None:
    strange = {**ATTRIBUTES, "door": {"values": ["front", "back é"], "missing": "public"}}
    project = Project.read(small(tmp_path, rows(), strange, keys=KEYS))
    said = set()
    for table in (table_of(project), in_the_toy(project)):
        with pytest.raises(InputError, match="hold none of its values; list every") as refused:
            Learned.of(project, table)
        said.add(str(refused.value))
    assert len(said) == 1
