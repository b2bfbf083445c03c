"""Killed at any moment: nothing is uncharged, and what is there later is what would have been."""

from __future__ import annotations

import random
import shutil
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.effort import RELEASES_KILLED, parts
from tests.forked import FORKED
from tests.within import HANG
from tests.workflows.release.killed import GROUP, released_until
from tests.workflows.release.small import small
from tests.workflows.release.test_by_epoch import charges, months, project
from tests.workflows.release.test_by_epoch_killed import grown, plain
from tests.workflows.release.test_crash import ATTRIBUTES, files_of, paired, table
from unspoken.core.errors import LimitExceeded
from unspoken.storage.writing import publishing
from unspoken.workflows.release import release

pytest.importorskip("resource", reason="needs the signals of POSIX")
pytestmark = [pytest.mark.slow, pytest.mark.stress]

# 5 in `make test`, 50 more in .ci/run (STRESS=2), 500 in `make stress`.


def run(path: Path, seconds: float | None = None) -> float:
    """Release in a process of its own, killed after so many seconds; gives how many it took."""
    begin = time.monotonic()
    child = FORKED.Process(target=released_until, args=("nowhere", path))
    child.start()
    child.join(HANG if seconds is None else seconds)
    child.kill()
    child.join()
    assert seconds is not None or child.exitcode == 0
    return time.monotonic() - begin


@pytest.mark.parametrize(("part", "kills"), parts(-(-RELEASES_KILLED // 2)))
def test_into_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int, kills: int
) -> None:
    monkeypatch.setattr(publishing, "GROUP", GROUP)
    begun = tmp_path / "begun"
    begun.mkdir()
    small(begun, table(), ATTRIBUTES, odds_cap=3.0)
    first = shutil.copytree(begun, tmp_path / "first") / "unspoken.toml"
    whole = run(first)
    honest, moments = files_of(first), random.Random(15 + part)
    for number in range(kills):
        path = shutil.copytree(begun, tmp_path / str(number)) / "unspoken.toml"
        run(path, moments.uniform(0.3, 1.0) * whole)
        charged = charges(path) if (path.parent / "ledger.sqlite").exists() else 0
        assert charged or not paired(path)
        release(path)
        assert charges(path) == 1
        assert files_of(path) == honest
        assert not [*path.parent.glob(".*.partial")]


@pytest.mark.parametrize(("part", "kills"), parts(RELEASES_KILLED // 2))
def test_into_a_folder(tmp_path: Path, part: int, kills: int) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    release(project(begun, months(1)))
    project(begun, grown())
    january = plain(begun / "unspoken.toml")
    first = shutil.copytree(begun, tmp_path / "first") / "unspoken.toml"
    whole = run(first)
    honest, moments = plain(first), random.Random(15 + part)
    for number in range(kills):
        path = shutil.copytree(begun, tmp_path / str(number)) / "unspoken.toml"
        run(path, moments.uniform(0.3, 1.0) * whole)
        left = {name: file for name, file in plain(path).items() if "/." not in name}
        assert january.items() <= left.items()
        assert charges(path) == 2 or left == january
        with suppress(LimitExceeded):  # the changed record, where all else was there already
            release(path)
        assert plain(path) == honest
        assert charges(path) == 2
        assert not [*path.parent.rglob(".*.partial")]
