"""The same rows give the same bytes, in whatever order, batches, threads or file they come."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import planned, small
from unspoken.storage.rows import sorting
from unspoken.storage.writing import publishing
from unspoken.workflows.release import release

pytestmark = pytest.mark.slow

ROWS = 1_000
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "arrival": {"bins": [8, 9, 10.5], "sensitive": "arrival > 10.5", "missing": "value"},
    "rooms": {"sensitive": "rooms = 3"},
    "door": {"sensitive": "door = 'back'"},
}
KEYS = ("office", "day")
MONTHS = 'of = "substr(day, 1, 7)"'


def table() -> pa.Table:
    rng = np.random.default_rng(3)
    number = np.arange(ROWS)
    return pa.table(
        {
            "office": pa.array([f"o{i // 100:02d}é" for i in number]),
            "day": pa.array([f"2026-{1 + i % 10:02d}-{1 + i % 100 // 10:02d}" for i in number]),
            "arrival": pa.array(rng.normal(9, 1, ROWS), mask=rng.random(ROWS) < 0.1),
            "rooms": pa.array(rng.integers(0, 4, ROWS)),
            "door": pa.array(rng.choice(["front", "back"], ROWS).tolist()),
        }
    )


@pytest.fixture(autouse=True)
def _plan(monkeypatch: pytest.MonkeyPatch) -> None:
    planned(monkeypatch, arrival=0.7, rooms=0.4, door=1.2)


def bytes_of(folder: Path, rows: pa.Table, **more: Any) -> bytes:
    folder.mkdir()
    path = release(small(folder, rows, ATTRIBUTES, keys=KEYS, **more)).path
    files = [path] if path.is_file() else sorted(path.iterdir())
    return b"".join(file.read_bytes() for file in files)


@pytest.fixture
def first(tmp_path: Path) -> bytes:
    return bytes_of(tmp_path / "first", table())


def shuffled() -> pa.Table:
    return table().take(pa.array(np.random.default_rng(0).permutation(ROWS)))


def test_shuffled(tmp_path: Path, first: bytes) -> None:
    assert bytes_of(tmp_path / "second", shuffled()) == first


def test_two_runs_give_the_same_two_files(tmp_path: Path) -> None:
    path = small(tmp_path, table(), ATTRIBUTES, keys=KEYS)
    once, again = (
        [file.read_bytes() for file in (done.path, done.manifest)]
        for done in (release(path), release(path))
    )
    assert once == again


@pytest.mark.parametrize(("batch", "rows"), [(1, 300), (101, ROWS), (10_000, ROWS)])
def test_other_batches(
    batch: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = shuffled().slice(0, rows)
    first = bytes_of(tmp_path / "first", some)
    monkeypatch.setattr(sorting, "BATCH", batch)
    assert bytes_of(tmp_path / "second", some.take(pa.array(range(rows)[::-1]))) == first


@pytest.mark.parametrize("batch", [7, 64, 1_000])
def test_other_batches_and_several_row_groups(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "GROUP", 64)
    one = bytes_of(tmp_path / "one", table())
    monkeypatch.setattr(sorting, "BATCH", batch)
    assert bytes_of(tmp_path / "other", shuffled()) == one
    assert pq.ParquetFile(tmp_path / "one" / "released.parquet").num_row_groups == 16


@pytest.mark.parametrize("threads", [1, 5])
def test_other_threads(
    threads: int, tmp_path: Path, first: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = duckdb.connect

    def threaded(*given: Any, **named: Any) -> Any:
        con = connect(*given, **named)
        con.execute(f"SET threads = {threads}")
        return con

    monkeypatch.setattr(duckdb, "connect", threaded)
    assert bytes_of(tmp_path / "second", shuffled()) == first


def test_csv_and_a_query(tmp_path: Path, first: bytes) -> None:
    for name, source in {
        "csv": 'table = "rows.csv"',
        "query": "sql = \"SELECT door, rooms, day, arrival, office, 1 AS x FROM 'rows.csv'\"",
    }.items():
        (tmp_path / name).mkdir()
        pyarrow.csv.write_csv(shuffled(), tmp_path / name / "rows.csv")
        path = small(tmp_path / name, None, ATTRIBUTES, keys=KEYS, source=source)
        got = pq.read_table(release(path).path)
        assert got.schema.field("day").type == pa.date32()  # as a CSV is read; the rest is the same
        text = got.column("day").cast(pa.string())
        got = got.set_column(got.column_names.index("day"), "day", text)
        assert got.equals(pq.read_table(pa.BufferReader(first)))


def test_epochs_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Coins of a month are those of a project that has only that month."""
    whole = tmp_path / "whole"
    one = bytes_of(whole, table(), epoch=MONTHS)
    monkeypatch.setattr(sorting, "BATCH", 77)
    assert bytes_of(tmp_path / "batches", shuffled(), epoch=MONTHS) == one
    may = table().filter(pc.starts_with(table()["day"], "2026-05"))
    bytes_of(tmp_path / "may", may, epoch='label = "2026-05"')
    own = (tmp_path / "may" / "released.parquet").read_bytes()
    assert (whole / "released" / "2026-05.parquet").read_bytes() == own


def test_rows_are_sorted_by_key_and_the_manifest_knows_the_bytes(tmp_path: Path) -> None:
    done = release(small(tmp_path, shuffled(), ATTRIBUTES, keys=KEYS))
    got = pq.read_table(done.path)
    keys = list(zip(got["office"].to_pylist(), got["day"].to_pylist(), strict=True))
    assert keys == sorted(keys)
    said = json.loads(done.manifest.read_text())["release"]
    digest = hashlib.sha256(done.path.read_bytes()).hexdigest()
    del said["columns"]
    assert said == {"file": "released.parquet", "rows": ROWS, "sha256": digest}
    assert done.rows == ROWS


def test_a_key_may_have_any_name(tmp_path: Path) -> None:
    """Names that the flow uses for itself do not meet those of the source."""
    odd = ["epoch", "value rooms", "code door", "free door"]
    rows = table().select(["office", "day", "rooms", "door"])
    for name in odd[2:]:
        rows = rows.append_column(name, pa.array([f"{name} {i}" for i in range(ROWS)]))
    rows = rows.rename_columns([*odd[:2], "rooms", "door", *odd[2:]])
    attributes = {name: ATTRIBUTES[name] for name in ("rooms", "door")}
    of = """of = 'left("value rooms", 7)'"""
    done = release(small(tmp_path, rows, attributes, keys=odd, epoch=of))
    order = [(n, "ascending") for n in odd]
    got = pq.read_table(done.path).sort_by(order)
    assert got.select(odd).equals(rows.sort_by(order).select(odd))
