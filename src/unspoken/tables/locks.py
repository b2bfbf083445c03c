"""Files held open and locked: whose they are, as long as they are held."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on every system; there, nothing is known of other processes
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCKS", "NOT_A_LINK", "locked", "still_at"]

LOCKS = fcntl is not None
NOT_A_LINK = getattr(os, "O_NOFOLLOW", 0)


def locked(held: int) -> bool | None:
    """Whether no other process holds this file, so that now we do; None: nobody can know.

    That is so on systems and file systems without locks, as some network ones.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def still_at(path: Path, held: int) -> bool:
    """Whether this path still is the file that is held open."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(held))
    except FileNotFoundError:
        return False
