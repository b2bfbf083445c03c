"""What `restore` unpacks has the master key in it: it outlives no process for long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import unspoken
from tests.workflows.release.growing import grow, project
from unspoken.core.errors import InputError
from unspoken.storage.custody.archive import backup, restore
from unspoken.storage.custody.unpacking import unpacking_folder

pytestmark = pytest.mark.slow

resource = pytest.importorskip("resource")

# A process that restores, and is killed after so many files were written, of which the second is
# the key. Before, it says how large a dump of it may be, and whether it may be dumped.
KILLED = """
import ctypes, os, resource, signal, sys
from pathlib import Path
from unspoken.storage.custody import archive

packed, folder, files = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
_, most = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (most, most))
copy = archive._copy

def copied(archive, name, place):
    global files
    copy(archive, name, place)
    files -= 1
    if not files:
        flag = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) if sys.platform == "linux" else 0
        print(resource.getrlimit(resource.RLIMIT_CORE)[0], flag, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

archive._copy = copied
archive.restore(packed, folder)
"""
STAGED, PLACED = 4, 5  # with the first of these, something is in its place already


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "old").mkdir()
    grow(tmp_path / "old", 1)
    path = project(tmp_path / "old")
    unspoken.release(path)
    return path


@pytest.fixture
def packed(path: Path, tmp_path: Path) -> Path:
    backup(path, tmp_path / "b.zip")
    return tmp_path / "b.zip"


def killed(packed: Path, folder: Path, files: int) -> str:
    """What a restoring process said before it was killed."""
    command = [sys.executable, "-c", KILLED, str(packed), str(folder), str(files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    return done.stdout.strip()


def unpacked_keys(folder: Path) -> list[Path]:
    return sorted(folder.glob("**/.restore-*/key/unspoken.key"))


@pytest.mark.parametrize("there", [True, False])
def test_the_next_restore_removes_what_a_killed_one_unpacked(
    there: bool, path: Path, packed: Path, tmp_path: Path
) -> None:
    new = tmp_path / "in" / "new"
    if there:
        new.mkdir(parents=True)
    killed(packed, new, STAGED)
    (left,) = unpacked_keys(tmp_path)
    assert left.read_bytes() == (path.parent / "unspoken.key").read_bytes()
    restore(packed, new)
    assert not [*tmp_path.glob("**/.restore-*")]
    assert (new / "unspoken.key").exists()


def test_one_that_is_refused_removes_it_too(packed: Path, tmp_path: Path) -> None:
    """The folder was made by then, and what was unpacked is beside it."""
    new = tmp_path / "in" / "new"
    killed(packed, new, PLACED)
    (new / "unspoken.toml").write_text("mine")
    assert unpacked_keys(tmp_path)
    with pytest.raises(InputError, match="is there already, and another"):
        restore(packed, new)
    assert not [*tmp_path.glob("**/.restore-*")]


def test_the_next_release_removes_what_a_killed_restore_unpacked(
    path: Path, packed: Path, tmp_path: Path
) -> None:
    killed(packed, path.parent, STAGED)
    assert unpacked_keys(path.parent)
    unspoken.release(path)
    assert not [*tmp_path.glob("**/.restore-*")]


def test_what_another_process_unpacks_now_stays(packed: Path, tmp_path: Path) -> None:
    with unpacking_folder(tmp_path) as stage:
        (stage / "key").write_text("mine")
        sweep = "import sys; from pathlib import Path; "
        sweep += "from unspoken.storage.custody.archive import restore; "
        sweep += "restore(*map(Path, sys.argv[1:]))"
        command = [sys.executable, "-c", sweep, str(packed), str(tmp_path / "new")]
        subprocess.run(command, check=True)
        assert (stage / "key").exists()
        assert stage.stat().st_mode & 0o077 == 0
    assert not stage.exists()


def test_a_folder_of_that_name_without_our_lock_stays(packed: Path, tmp_path: Path) -> None:
    (tmp_path / ".restore-notes").mkdir(mode=0o700)
    (tmp_path / ".restore-notes" / "mine").write_text("mine")
    restore(packed, tmp_path / "new")
    assert os.listdir(tmp_path / ".restore-notes") == ["mine"]


def test_a_process_that_unpacks_a_key_is_not_dumped(packed: Path, tmp_path: Path) -> None:
    """From before the key is read, and not only once it is used."""
    for files in range(1, STAGED + 1):
        assert killed(packed, tmp_path / "new", files) == "0 0"
