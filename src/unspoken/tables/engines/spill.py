"""Folders that must not outlive their process: the one to which DuckDB spills what does not fit
into memory (raw rows), and the one in which an archive with a key is unpacked.

Each goes with what it is for. What a killed process left behind goes when the next one makes such a
folder: a folder is ours if it has our lock file, and abandoned if nobody holds the lock.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from unspoken.tables.locks import LOCKS, NOT_A_LINK, locked, still_at

__all__ = ["Spill", "remove_left_behind"]

PREFIX = "unspoken-"
LOCK = ".unspoken-spill"  # what has it, and is not held, was left behind
FOLDER = os.O_RDONLY | NOT_A_LINK | getattr(os, "O_DIRECTORY", 0)


@dataclass(frozen=True)
class Spill:
    """A folder that nobody else can read, and the lock that says whose it is."""

    folder: str
    held: int | None

    @classmethod
    def made(cls, within: Path | None = None, prefix: str = PREFIX) -> Spill:
        """A new folder, under TMPDIR or ``within`` another; before that, those that others left
        behind there are removed.
        """
        home = Path(tempfile.gettempdir()) if within is None else within
        remove_left_behind(home, prefix)
        while True:
            folder = tempfile.mkdtemp(prefix=prefix, dir=home)
            if not LOCKS:
                return cls(folder, None)
            lock = Path(folder, LOCK)
            held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL | NOT_A_LINK, 0o600)
            if locked(held) is not False and still_at(lock, held):
                return cls(folder, held)
            os.close(held)  # another process took it for left behind before it was locked

    def remove(self) -> None:
        """Remove what was spilled, then let go; a signal does not keep it from that."""
        try:
            _cleared(self.folder)
        except KeyboardInterrupt:
            _cleared(self.folder)
            raise
        finally:
            if self.held is not None:
                with contextlib.suppress(OSError):
                    os.close(self.held)


def remove_left_behind(home: Path, prefix: str = PREFIX) -> None:
    """Remove the folders of ours whose process is gone; whatever else is there stays."""
    with contextlib.suppress(OSError):
        for folder in home.glob(f"{prefix}*"):
            with contextlib.suppress(OSError):
                _remove_left_behind(folder)


def _remove_left_behind(folder: Path) -> None:
    """Remove a folder of this user that has our lock, if it can be had; links are not followed."""
    within = os.open(folder, FOLDER)
    try:
        found = os.fstat(within)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != 0o700:
            return
        held = os.open(LOCK, os.O_RDWR | NOT_A_LINK, dir_fd=within)
        try:
            if locked(held):  # where nobody can know, it stays
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
