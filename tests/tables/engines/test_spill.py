"""What is spilled is raw: its folder goes with its table, or with the next one after a kill."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.spill import LOCK, Spill


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


def left_behind(tmp_path: Path, name: str = "unspoken-dead") -> Path:
    """A folder as a killed process leaves it."""
    folder = tmp_path / "tmp" / name
    folder.mkdir(mode=0o700)
    (folder / LOCK).touch(mode=0o600)
    (folder / "duckdb_temp_storage_S32K-0.tmp").write_bytes(b"DIAGNOSIS-HIV-POSITIVE")
    return folder


def test_what_was_left_behind_goes(tmp_path: Path) -> None:
    dead = left_behind(tmp_path)
    spill = Spill.made()
    assert not dead.exists()
    assert os.listdir(tmp_path / "tmp") == [Path(spill.folder).name]
    spill.remove()
    assert not os.listdir(tmp_path / "tmp")


def test_the_living_keep_theirs(tmp_path: Path, days: Path) -> None:
    table = DuckTable.open("days.parquet", folder=days)
    (own,) = (tmp_path / "tmp").iterdir()
    assert own.stat().st_mode & 0o077 == 0
    sweep = "from unspoken.tables.engines.spill import Spill; Spill.made().remove()"
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    subprocess.run([sys.executable, "-c", sweep], env=environment, check=True)
    other = DuckTable.open("days.parquet", folder=days)
    assert own.exists()
    assert (own / LOCK).exists()
    other.close()
    table.close()
    assert not own.exists()


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (outside / LOCK).touch()
    (outside / "precious").write_text("x")
    (tmp_path / "tmp" / "unspoken-link").symlink_to(outside)
    unlocked = tmp_path / "tmp" / "unspoken-notes"
    unlocked.mkdir(mode=0o700)
    (unlocked / "precious").write_text("x")
    readable = left_behind(tmp_path, "unspoken-open")
    readable.chmod(0o755)
    linked = tmp_path / "tmp" / "unspoken-linked"
    linked.mkdir(mode=0o700)
    (linked / LOCK).symlink_to(outside / LOCK)
    (tmp_path / "tmp" / "unspoken-file").write_text("x")
    inner = left_behind(tmp_path, "unspoken-inner")
    (inner / "away").symlink_to(outside)
    Spill.made().remove()
    assert (outside / "precious").exists()
    left = {"unspoken-link", "unspoken-notes", "unspoken-open", "unspoken-linked", "unspoken-file"}
    assert set(os.listdir(tmp_path / "tmp")) == left


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give files away")
def test_what_is_another_users_stays(tmp_path: Path) -> None:
    dead = left_behind(tmp_path)
    os.chown(dead, 12345, 12345)
    Spill.made().remove()
    assert dead.exists()


def test_a_folder_swept_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, calls = Spill.made.__globals__["locked"], []

    def late(held: int) -> Any:
        calls.append(held)
        if len(calls) == 1:
            for folder in (tmp_path / "tmp").iterdir():
                (folder / LOCK).unlink()
                folder.rmdir()
        return locked(held)

    monkeypatch.setattr("unspoken.tables.engines.spill.locked", late)
    spill = Spill.made()
    assert (Path(spill.folder) / LOCK).exists()
    spill.remove()


def test_what_could_not_be_removed_is_swept_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock goes last: a folder without it is nobody's."""
    spill, unlink = Spill.made(), os.unlink
    (Path(spill.folder) / "duckdb_temp_storage_S32K-0.tmp").write_text("DIAGNOSIS-HIV-POSITIVE")

    def refuse(path: str, **named: int) -> None:
        if "duckdb_temp" in str(path):
            raise PermissionError(path)
        unlink(path, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        spill.remove()
    assert (Path(spill.folder) / LOCK).exists()
    Spill.made().remove()
    assert not os.listdir(tmp_path / "tmp")


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There nobody can tell whose a folder is, so nothing is swept."""
    dead = left_behind(tmp_path)

    def refuse(*_given: int) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", refuse)
    spill = Spill.made()
    assert dead.exists()
    spill.remove()
    assert os.listdir(tmp_path / "tmp") == [dead.name]
