"""Killed anywhere: never a file without a charge, never a part of one, never a refund.

The real flow runs in another process, which kills itself (SIGKILL) at one point (killed.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.forked import FORKED
from tests.selection import slow_values
from tests.within import HANG
from tests.workflows.release import growing
from tests.workflows.release.killed import GROUP, released_until
from tests.workflows.release.small import small
from unspoken.assessment.deciding.admission import Admission
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.custody.custody import verified
from unspoken.storage.ledger import Ledger
from unspoken.storage.writing import publishing
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.files import atomically
from unspoken.workflows.release import adopt_plan, flow, release

resource = pytest.importorskip("resource", reason="needs the limits and signals of POSIX")

ROWS = 3_000
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "a": {"bins": [0.25, 0.5, 0.8], "sensitive": "a > 0.8"},
    "b": {"bins": [0.5]},
}
FIRST = ["before the ledger", "after the ledger", "before the key", "after the key", "a second key"]
FREE = [*FIRST, "before any head", "after a head", "while writing", "before the charge"]
CHARGED = [
    "before its head", "after the charge", "before a manifest", "before the release",
]  # fmt: skip
RELEASED = ["after the release", "after the manifest"]


def table() -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table({"id": np.arange(ROWS), "a": rng.random(ROWS), "b": rng.random(ROWS)})


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(publishing, "GROUP", GROUP)
    return small(tmp_path, table(), ATTRIBUTES, odds_cap=3.0)


def drive(where: str, path: Path) -> int | None:
    run = FORKED.Process(target=released_until, args=(where, path))
    run.start()
    run.join(HANG)
    return run.exitcode


def charges(path: Path) -> int:
    return len(Ledger(path.parent / "ledger.sqlite").events())


def files_of(path: Path) -> tuple[bytes, dict[str, Any]]:
    """A release, and its manifest but for the event, whose time is its own."""
    manifest = json.loads((path.parent / "released.manifest.json").read_bytes())
    return (path.parent / "released.parquet").read_bytes(), {**manifest, "charge": 1, "charged": ""}


def paired(path: Path) -> bool:
    """Whether there is a release; then its manifest is found, under one name or the other."""
    released = path.parent / "released.parquet"
    if not released.exists():
        return False
    digest = hashlib.sha256(released.read_bytes()).hexdigest()
    names = ("released.manifest.json", f"released.manifest.{digest[:12]}.json")
    found = [json.loads(p.read_bytes()) for n in names if (p := path.parent / n).exists()]
    assert digest in [manifest["release"]["sha256"] for manifest in found]
    return True


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any]]:
    """The release and the manifest of a run that is left alone."""
    path = small(tmp_path_factory.mktemp("honest"), table(), ATTRIBUTES, odds_cap=3.0)
    assert drive("nowhere", path) == 0
    return files_of(path)


@pytest.mark.parametrize("where", [*FREE, *slow_values(*CHARGED, *RELEASED)])
def test_killed(where: str, path: Path, honest: tuple[bytes, dict[str, Any]]) -> None:
    if where in FIRST:
        for name in ("unspoken.key", "ledger.sqlite"):
            (path.parent / name).unlink()
    assert drive(where, path) == -signal.SIGKILL
    ledger = path.parent / "ledger.sqlite"
    assert (charges(path) if ledger.exists() else 0) == (where not in FREE)
    assert paired(path) == (where in RELEASED)
    assert (path.parent / "released.manifest.json").exists() == (where == "after the manifest")
    if where in RELEASED:
        assert (path.parent / "released.parquet").read_bytes() == honest[0]
    if where not in FREE:
        warned = verified(path).warnings
        assert [line[:29] for line in warned] == ["released.parquet is not there"] * (
            where in CHARGED
        )
    again_after(path)
    assert not verified(path).warnings
    if where not in FIRST:  # whose key is its own
        assert files_of(path) == honest


def again_after(path: Path) -> None:
    """Nobody is locked out; what was charged stays, and again is free; nothing is left about."""
    release(path)
    assert charges(path) == 1
    assert paired(path)
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "ledger.sqlite", "released.manifest.json", "released.parquet", "table.parquet",
        "unspoken.key", "unspoken.key.head", "unspoken.toml",
    ]  # fmt: skip


@pytest.mark.slow
def test_killed_over_an_earlier_release(path: Path) -> None:
    """There is the old pair of files or the new one, at any time."""
    release(path, scale=0.5)
    old = files_of(path)
    for number, where in enumerate(CHARGED):
        assert drive(where, path) == -signal.SIGKILL
        assert files_of(path) == old, number
    (warned,) = verified(path).warnings
    assert warned.startswith("released.parquet is of event 1, and event 2 is the last")
    assert drive("after the release", path) == -signal.SIGKILL
    assert (path.parent / "released.parquet").read_bytes() != old[0]
    assert paired(path)
    assert charges(path) == 2
    assert not verified(path).warnings


@pytest.mark.slow
def test_a_full_disk(path: Path) -> None:
    """Every write beyond 64 kB fails, as on a disk without room; the ledger had its place."""
    (path.parent / "many").mkdir()
    rows = 40_000
    rng = np.random.default_rng(5)
    ids = np.cumsum(rng.integers(1, 2**40, rows))  # of numbers in turn the file has the steps
    big = pa.table({"id": ids, "a": rng.random(rows), "b": rng.random(rows)})
    path = small(path.parent / "many", big, ATTRIBUTES, odds_cap=3.0)
    answers = FORKED.SimpleQueue()
    worker = FORKED.Process(target=_without_room, args=(path, answers))
    worker.start()
    worker.join(HANG)  # before it is asked: of one that died nothing would ever come
    assert worker.exitcode == 0
    said = answers.get()
    assert "released.parquet: cannot be written: " in said
    assert "\n" not in said
    assert charges(path) == 0
    assert sorted(file.name for file in path.parent.iterdir() if "released" in file.name) == []
    assert release(path).rows == rows
    assert charges(path) == 1


def _without_room(path: Path, answers: SimpleQueue[str]) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, resource.RLIM_INFINITY))
    try:
        release(path)
    except InputError as refusal:
        answers.put(str(refusal))
    else:
        answers.put("released")


def test_a_full_disk_under_the_manifest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither file appears, not the release without its manifest."""

    def full(*_given: object, **_named: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("unspoken.storage.writing.manifest.text", full)
    with pytest.raises(InputError, match=r"manifest.json: cannot be written: No space left"):
        release(path)
    assert not list(path.parent.glob("*released*"))
    assert charges(path) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["released.parquet", "released.manifest.json"])
def test_a_folder_in_the_way_costs_nothing(name: str, path: Path) -> None:
    (path.parent / name).mkdir()
    with pytest.raises(InputError, match=f"{name}: cannot be written: is a folder"):
        release(path)
    assert charges(path) == 0


@pytest.mark.parametrize("output", ["release = 'no/r.parquet'", "manifest = 'no/m.json'"])
def test_a_missing_folder_costs_nothing(output: str, path: Path) -> None:
    path.write_text(f"{path.read_text()}\n[output]\n{output}")
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        release(path)
    assert charges(path) == 0
    assert not list(path.parent.glob("*released*"))


@pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 1)() == 0, reason="the superuser may write everywhere"
)
@pytest.mark.parametrize("output", ["release = 'locked/r.parquet'", "manifest = 'locked/m.json'"])
def test_a_read_only_folder_costs_nothing(output: str, path: Path) -> None:
    (path.parent / "locked").mkdir(0o500)
    path.write_text(f"{path.read_text()}\n[output]\n{output}")
    with pytest.raises(InputError, match="cannot be written: Permission denied"):
        release(path)
    assert charges(path) == 0


@pytest.mark.slow
def test_two_writers_of_one_file(path: Path) -> None:
    """The second one is refused before it pays; the first one's file is whole."""
    target = path.parent / "released.parquet"
    with atomically(target) as partial:
        partial.write(b"first")
        with pytest.raises(InputError, match="is being written by another run"):
            release(path)
        assert charges(path) == 0
    assert target.read_text() == "first"
    with pytest.raises(InputError, match="is there already, and no release that unspoken wrote"):
        release(path)
    assert charges(path) == 0
    target.unlink()
    assert pq.read_table(release(path).path).num_rows == ROWS


def test_what_a_crash_left_is_written_over(path: Path) -> None:
    for name in ("released.parquet", "released.manifest.json"):
        (path.parent / f".{name}.partial").write_text("left behind " * 100_000)
    release(path)
    assert pq.read_table(path.parent / "released.parquet").num_rows == ROWS
    assert not list(path.parent.glob(".*.partial"))


def test_a_source_that_changes_once_it_was_read(
    path: Path, honest: tuple[bytes, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read once, so what is charged is what is in the file; and now it is another one."""
    written = publishing.write_rows

    def then_changed(*given: Any) -> Any:
        done = written(*given)
        change = table().set_column(2, "b", table()["b"].take(pa.array(range(ROWS)[::-1])))
        pq.write_table(change, path.parent / "table.parquet")
        return done

    monkeypatch.setattr(flow, "write_rows", then_changed)
    release(path)
    assert files_of(path) == honest
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        release(path)
    assert (charges(path), files_of(path)) == (1, honest)


def test_what_is_not_yet_charged_is_for_its_owner_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it lies in a hidden file; a refusal leaves nothing of it."""
    partial, seen = path.parent / ".released.parquet.partial", list[int]()

    def look(*_given: Any) -> NoReturn:
        seen.append(partial.stat().st_mode & 0o777)
        raise LimitExceeded("no")

    monkeypatch.setattr(Admission, "check", look)
    with pytest.raises(LimitExceeded, match="no"):
        release(path)
    assert (seen, charges(path), partial.exists()) == ([0o600], 0, False)
    monkeypatch.undo()
    modes = {file.stat().st_mode for file in (release(path).path, release(path).manifest)}
    assert len(modes) == 1


@pytest.mark.slow
def test_no_room_to_sort_costs_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What DuckDB says of a full TMPDIR; and with room there, it is said as it is."""
    batches, free = DuckTable.batches, [1_000]

    def full(table: DuckTable, scan: Scan) -> Any:
        if scan.ordered:
            raise InputError("table.parquet: failed to offload data block")
        return batches(table, scan)

    monkeypatch.setattr(DuckTable, "batches", full)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free[0]))
    said = r"TMPDIR \(.*\): is full: 0\.0 GB .* sorting table\.parquet takes up to 0\.1 GB there"
    said += ".*; the release was not charged"
    with pytest.raises(InputError, match=said):
        release(path)
    free[0] = 1 << 40
    with pytest.raises(InputError, match=r"failed to offload data block$"):
        release(path)
    assert charges(path) == 0
    assert not list(path.parent.glob("*released*"))


def test_a_key_that_is_there_twice_is_found_while_rows_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under an adopted plan nothing else reads the keys; nothing is charged, or left about."""
    path = growing.project(tmp_path, **{'of = "day // 30"': 'label = "1"'})
    growing.grow(tmp_path, 1)
    adopt_plan(path)
    rows = pq.read_table(tmp_path / "t.parquet")
    pq.write_table(pa.concat_tables([rows, rows.slice(7, 1)]), tmp_path / "t.parquet")
    monkeypatch.setattr(DuckTable, "check", None)
    with pytest.raises(InputError, match=r"2 rows of t\.parquet have the same person, day; name"):
        release(path)
    assert charges(path) == 0
    assert not [*tmp_path.glob("*released*"), *tmp_path.glob(".released*")]
