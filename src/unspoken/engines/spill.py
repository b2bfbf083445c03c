"""The folder to which DuckDB spills what does not fit into memory: raw rows, so it has to go.

It goes with its table. What a killed process left behind goes when the next one opens a table: a
folder is ours if it has our lock file, and abandoned if nobody holds the lock.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on every system; there, nothing is known of other processes
    fcntl = None  # type: ignore[assignment]

__all__ = ["Spill"]

PREFIX = "unspoken-"
LOCK = ".unspoken-spill"  # what has it, and is not held, was left behind
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
FOLDER = os.O_RDONLY | NOFOLLOW | getattr(os, "O_DIRECTORY", 0)


@dataclass(frozen=True)
class Spill:
    """A folder that nobody else can read, and the lock that says whose it is."""

    folder: str
    held: int | None

    @classmethod
    def made(cls) -> Spill:
        """A new folder, under TMPDIR; before that, those that others left behind are removed."""
        _sweep(Path(tempfile.gettempdir()))
        while True:
            folder = tempfile.mkdtemp(prefix=PREFIX)
            if fcntl is None:
                return cls(folder, None)
            lock = os.path.join(folder, LOCK)
            held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL | NOFOLLOW, 0o600)
            try:
                if _locked(held) and _is(lock, held):
                    return cls(folder, held)
            except OSError:  # a file system without locks: nothing can be swept there either
                return cls(folder, held)
            os.close(held)  # another process took it for left behind before it was locked

    def remove(self) -> None:
        """Remove what was spilled, then let go."""
        _cleared(self.folder)
        if self.held is not None:
            with contextlib.suppress(OSError):
                os.close(self.held)


def _sweep(beside: Path) -> None:
    """Remove the folders of ours whose process is gone; whatever else is there stays."""
    if fcntl is None:
        return
    for folder in beside.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            _remove_left_behind(folder)


def _remove_left_behind(folder: Path) -> None:
    """Remove a folder of this user that has our lock, if it can be had; links are not followed."""
    within = os.open(folder, FOLDER)
    try:
        found = os.fstat(within)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != 0o700:
            return
        held = os.open(LOCK, os.O_RDWR | NOFOLLOW, dir_fd=within)
        try:
            if _locked(held):
                _cleared(folder)
        finally:
            os.close(held)
    finally:
        os.close(within)


def _cleared(folder: str | Path) -> None:
    """Remove a folder, its lock last: without it, nobody would ever sweep what is still there."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != LOCK:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)
        if set(os.listdir(folder)) <= {LOCK}:
            shutil.rmtree(folder)


def _locked(held: int) -> bool:
    """Whether no other process holds it; OSError where there are no locks."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is(path: str, held: int) -> bool:
    """Whether this path still is the file that is held open."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(held))
    except OSError:
        return False
