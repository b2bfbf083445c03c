"""A process that crashes while it holds a key leaves the key in no file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from unspoken.storage.prf import KEY_BYTES

resource = pytest.importorskip("resource")

# A process that crashes with a key in its memory; "loaded" reads it as a key. Somebody lets dumps
# be as large as they may be, before and after.
CRASHES = """
import os, resource, sys
from pathlib import Path
from unspoken.storage.coins import MasterKey

def allow():
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))

how, folder = sys.argv[1:]
os.chdir(folder)
allow()
if how == "plain":
    held = Path("key").read_bytes()
else:
    held = MasterKey.read(Path("key"))
    allow()
if how == "forked" and os.fork():
    _, status = os.wait()
    os._exit(os.WCOREDUMP(status))
os.abort()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "key").write_bytes(os.urandom(KEY_BYTES))
    (tmp_path / "key").chmod(0o600)
    return tmp_path


def crash(how: str, folder: Path) -> int:
    """The status of a process that crashed in this way."""
    command = [sys.executable, "-c", CRASHES, how, str(folder)]
    _, status = os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)
    return status


def dumps_with_the_key(folder: Path) -> list[Path]:
    key = (folder / "key").read_bytes()
    return [p for p in folder.iterdir() if p.name != "key" and key in p.read_bytes()]


def test_a_crash_leaves_no_key(folder: Path) -> None:
    status = crash("loaded", folder)
    assert os.WTERMSIG(status) == signal.SIGABRT
    assert not os.WCOREDUMP(status)
    assert crash("forked", folder) == 0
    assert [p.name for p in folder.iterdir()] == ["key"]
    status = crash("plain", folder)  # the test of this test
    if not os.WCOREDUMP(status):
        pytest.skip("this machine dumps no process")
    if len([*folder.iterdir()]) > 1:  # and not elsewhere
        assert dumps_with_the_key(folder)


FLAGS = """
import ctypes, resource, subprocess, sys
from unspoken.storage.prf import Key
before = resource.getrlimit(resource.RLIMIT_CORE)
Key(bytes(range(32)))
after = resource.getrlimit(resource.RLIMIT_CORE)
assert after == (0, before[1]), after
assert sys.platform != "linux" or ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0  # PR_GET_DUMPABLE
started = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE)[0])"
print(subprocess.run([sys.executable, "-c", started], capture_output=True, text=True).stdout)
"""


def test_the_process_is_none_to_dump_once_there_is_a_key() -> None:
    """What it starts has the limit too, and it can still start something."""
    done = subprocess.run(
        [sys.executable, "-c", FLAGS], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout.strip()) == ("", "0")
