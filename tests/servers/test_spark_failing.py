"""A release of four attributes on Spark that is refused, or killed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import small
from unspoken.core.errors import LimitExceeded
from unspoken.storage.ledger import Ledger
from unspoken.workflows.release import release

ROOT = Path(__file__).resolve().parents[2]
ROWS = 20_000
ATTRIBUTES: dict[str, dict[str, Any]] = {
    f"a{i}": {"bins": [0.2, 0.5, 0.8], "sensitive": f"a{i} > 0.8"} for i in range(4)
}
SPARK = 'table = "table.parquet"\nengine = "spark"'


def table() -> pa.Table:
    rng = np.random.default_rng(8)
    columns = {f"a{i}": rng.random(ROWS) for i in range(4)}
    return pa.table({"id": rng.permutation(ROWS), **columns})


def project(folder: Path, source: str = "", rows: pa.Table | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    return small(folder, table() if rows is None else rows, ATTRIBUTES, source=source)


def lying(folder: Path) -> list[str]:
    """All that is there, but what is kept of what was counted."""
    return sorted(p.name for p in folder.iterdir() if p.name != ".unspoken")


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What DuckDB releases, uninterrupted."""
    folder: Path = tmp_path_factory.mktemp("honest")
    release(project(folder))
    return folder


def alone(path: Path, point: str) -> int:
    """The exit code of a release in a process of its own."""
    program = [sys.executable, "-m", "tests.servers.spark_alone", str(path), point]
    return subprocess.run(program, cwd=ROOT, check=False, capture_output=True).returncode


@pytest.mark.usefixtures("spark")
def test_a_refused_release_leaves_nothing(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path_factory.mktemp("own")
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    path = project(tmp_path, SPARK)
    release(path)
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in lying(tmp_path)}
    events = Ledger(tmp_path / "ledger.sqlite").events()
    changed = table().to_pydict()
    changed["a0"][3], changed["a0"][4] = changed["a0"][4], changed["a0"][3]
    pq.write_table(pa.table(changed), tmp_path / "table.parquet")
    before["table.parquet"] = (tmp_path / "table.parquet").stat().st_mtime_ns
    with pytest.raises(LimitExceeded, match=r"the source of a0 .* changed"):
        release(path)
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in lying(tmp_path)} == before
    assert Ledger(tmp_path / "ledger.sqlite").events() == events
    gc.collect()
    assert not os.listdir(own)


@pytest.mark.parametrize("point", ["while writing", "after the charge"])
def test_a_killed_release_is_taken_up_again(point: str, honest: Path, tmp_path: Path) -> None:
    """It is charged before anything is there, and the next gives what it would have."""
    path = project(tmp_path, SPARK)
    assert alone(path, point) == -9
    there = (tmp_path / "released.parquet").exists()
    charged = Ledger(tmp_path / "ledger.sqlite").events()
    assert not there
    assert len(charged) == (point == "after the charge")
    again = project(tmp_path)  # by DuckDB, since the engine is no part of what is charged
    release(again)
    assert (tmp_path / "released.parquet").read_bytes() == (
        honest / "released.parquet"
    ).read_bytes()
    assert len(Ledger(tmp_path / "ledger.sqlite").events()) == 1
