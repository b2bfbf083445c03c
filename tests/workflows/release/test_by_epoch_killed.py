"""Killed anywhere on the way into a folder: no part, no refund, no record from two readings."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.forked import FORKED
from tests.selection import slow_values
from tests.within import HANG
from tests.workflows.release.killed import released_until
from tests.workflows.release.test_by_epoch import charges, files, months, project
from unspoken.core.errors import InputError
from unspoken.storage.custody.custody import verified
from unspoken.storage.rows import sorting
from unspoken.workflows.release import by_epoch, release

pytest.importorskip("resource", reason="needs the signals of POSIX")

LATE = {"id": 1_000, "day": "2026-01-30", "a": "x", "b": "u"}
OTHER = {"x": "y", "y": "x", "z": "y"}  # another value that is not sensitive
FREE = ["before a first reading", "after a first reading"]
CHARGED = [
    "before its head", "after the charge", "before a late manifest", "after a late release",
    "before a new release",
]  # fmt: skip


def grown() -> list[dict[str, Any]]:
    """A new month, a row that comes late to the old one, and a record of that which changed."""
    rows = [*months(1, 2), LATE]
    return [{**rows[0], "a": OTHER[rows[0]["a"]]}, *rows[1:]]


def plain(path: Path) -> dict[str, Any]:
    """What lies there, but for the event, which is of its own ledger and time."""
    found: dict[str, Any] = dict(files(path))
    for name, content in found.items():
        if name.endswith(".json"):
            found[name] = {**json.loads(content), "charge": 1, "charged": ""}
    return found


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """January was released; then the table grew."""
    folder = tmp_path_factory.mktemp("begun")
    release(project(folder, months(1)))
    project(folder, grown())
    return folder


@pytest.fixture(scope="module")
def honest(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run that is left alone writes."""
    folder = tmp_path_factory.mktemp("honest") / "it"
    shutil.copytree(begun, folder)
    release(folder / "unspoken.toml")
    return plain(folder / "unspoken.toml")


@pytest.fixture
def path(begun: Path, tmp_path: Path) -> Path:
    shutil.copytree(begun, tmp_path / "it")
    return tmp_path / "it" / "unspoken.toml"


def kill(where: str, path: Path) -> None:
    run = FORKED.Process(target=released_until, args=(where, path))
    run.start()
    run.join(HANG)
    assert run.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("where", [*FREE, *slow_values(*CHARGED)])
def test_killed(where: str, path: Path, honest: dict[str, Any]) -> None:
    before = plain(path)
    kill(where, path)
    assert charges(path) == 1 + (where in CHARGED)
    left = plain(path)
    assert before.items() <= left.items()  # January is what it was
    for name in left.keys() & honest.keys():
        assert left[name] == honest[name]
    release(path)
    assert plain(path) == honest
    assert charges(path) == verified(path).head.number == 2
    head = json.loads((path.parent / "unspoken.key.head").read_text())
    assert head["number"] == 2
    assert not [*path.parent.rglob(".*.partial")]


@pytest.mark.slow
@pytest.mark.parametrize("left", [(2,), (1,), ()])
def test_an_epoch_that_goes_while_it_is_released_is_said(
    left: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came late to it is charged by then, and there is no file of that."""
    release(project(tmp_path, months(1, 2)))
    late = {month: {**LATE, "day": f"2026-{month:02d}-30"} for month in (1, 2)}
    path, own = project(tmp_path, [*months(1, 2), *late.values()]), sorting.begun

    def begun(*given: Any) -> Any:
        table = pa.Table.from_pylist([*months(*left, 3), *(late[month] for month in left)])
        pq.write_table(table, tmp_path / "new.parquet")
        (tmp_path / "new.parquet").replace(tmp_path / "table.parquet")
        return own(*given)

    monkeypatch.setattr(by_epoch, "begun", begun)
    with pytest.raises(InputError, match=r"changed while .* so 2026-0\d\.2\.parquet was not"):
        release(path)
    written = sorted(file.stem for file in (tmp_path / "released").glob("*.2.parquet"))
    assert written == [f"2026-{month:02d}.2" for month in left]
    assert charges(path) == 2


@pytest.mark.slow
def test_what_was_charged_and_then_changed_is_never_answered(path: Path) -> None:
    """The late row was read, charged, and not written; when it is another one it stays out."""
    kill("after the charge", path)
    rows = [*grown()[:-1], {**LATE, "a": "y"}]
    project(path.parent, rows)
    done = release(path)
    assert done.epochs is not None
    assert dict(done.epochs.changed) == {"2026-01": 2}
    assert done.epochs.lost == ("2026-01",)
    assert not (path.parent / "released" / "2026-01.2.parquet").exists()
    assert pq.read_metadata(path.parent / "released" / "2026-02.parquet").num_rows == 60
    (said,) = release(path).warnings
    assert "2 records changed" in said
