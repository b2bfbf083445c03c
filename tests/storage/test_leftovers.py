"""What killed runs left beside the outputs goes when a release begins, however that ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.forked import FORKED
from tests.within import HANG
from tests.workflows.release.killed import released_until
from tests.workflows.release.test_by_epoch import months, project
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.interfaces.command_line.cli import run
from unspoken.storage.writing.leftovers import remove_leftovers
from unspoken.tables.files import partial_of, unfinished
from unspoken.tables.policy import Project
from unspoken.workflows.release import rehearse, release

pytest.importorskip("resource", reason="needs the signals of POSIX")

PLACES = [
    "released/all",
    "released/2026-01.parquet",
    "released/2026-02.2.parquet",
    "released-manifests/all",
    "released-manifests/2026-01.json",
    "released-lighting/2026-01.parquet",
    "released-draw-2/2026-01.parquet",
    "released-lighting-draw-3/all",
    "ledger.sqlite.first/0.arrow",
    "report.html",
    "belief.json",
]


def left(folder: Path) -> list[str]:
    """Half files that lie in the folder of a project."""
    found = (path.relative_to(folder) for path in folder.rglob(".*.partial"))
    return sorted(str(path) for path in found)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """January was released, and there is nothing more to release."""
    path = project(tmp_path, months(1))
    text = path.read_text()
    path.write_text(f'{text}\n[application.lighting]\nreads = ["a"]\n')
    release(path)
    return path


def plant(path: Path) -> None:
    for place in PLACES:
        partial = partial_of(path.parent / place)
        partial.parent.mkdir(exist_ok=True)
        partial.write_bytes(b"rows")
    assert len(left(path.parent)) == len(PLACES)


def test_where_there_is_nothing_to_do(path: Path) -> None:
    plant(path)
    assert release(path).again
    assert left(path.parent) == []


@pytest.mark.slow
def test_where_the_release_is_refused(path: Path) -> None:
    plant(path)
    with pytest.raises((InputError, LimitExceeded)):
        release(path, reader="nobody")
    assert left(path.parent) == []


def release_by_command(path: Path) -> None:
    assert run(["release", str(path)]) == 2
    raise InputError("told so")


@pytest.mark.slow
@pytest.mark.parametrize("by", [release, release_by_command])
def test_where_the_table_is_gone(path: Path, by: Callable[[Path], object]) -> None:
    plant(path)
    (path.parent / "table.parquet").unlink()
    with pytest.raises(InputError):
        by(path)
    assert left(path.parent) == []


@pytest.mark.slow
def test_a_dry_run_touches_nothing(path: Path) -> None:
    plant(path)
    rehearse(path)
    assert len(left(path.parent)) == len(PLACES)


@pytest.mark.slow
def test_what_another_run_is_writing_stays(path: Path) -> None:
    with unfinished(path.parent / "released" / "2026-01.parquet") as partial:
        partial.file.write(b"rows")
        assert release(path).again
        assert left(path.parent) == ["released/.2026-01.parquet.partial"]
    assert left(path.parent) == []


@pytest.mark.slow
def test_what_is_of_others_stays(path: Path) -> None:
    others = [".another.parquet.partial", "others/.x.parquet.partial", "released/.hidden"]
    (path.parent / "others").mkdir()
    for name in others:
        (path.parent / name).write_bytes(b"x")
    (path.parent / "released" / ".link.partial").symlink_to(path.parent / "others")
    remove_leftovers(Project.read(path))
    assert all((path.parent / name).exists() for name in others)


@pytest.mark.slow
def test_after_a_kill_once_all_was_published(path: Path) -> None:
    """Then the next run has nothing to write, and what was spooled lies there."""
    project(path.parent, months(1, 2))
    killed = FORKED.Process(target=released_until, args=("after a new manifest", path))
    killed.start()
    killed.join(HANG)
    assert left(path.parent)
    assert release(path).again
    assert left(path.parent) == []
