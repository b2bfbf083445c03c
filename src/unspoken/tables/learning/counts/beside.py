"""What is kept beside a project of the files it reads, and by what those are known to be the same.

As secret as the table: files for their owner only, in a folder that git leaves alone and nobody
else can write to. What is there is believed as long as the files read are what they were (path,
size, times, inode).
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path

from unspoken.tables.files import PRIVATE, unfinished
from unspoken.tables.policy import Project
from unspoken.tables.policy.paths import KEPT

__all__ = ["Seen", "changed_since", "folder_of", "private", "seen", "settled", "write_beside"]

SETTLED = 2.0  # seconds after which a file that is written again has another time

Seen = Sequence[Sequence[str | int]]


def seen(files: Sequence[Path]) -> Seen | None:
    """By what these are known to be the same; None: one can not be looked at."""
    try:
        stats = [(str(path), path.stat()) for path in sorted(files)]
    except OSError:
        return None
    return [
        [name, each.st_size, each.st_mtime_ns, each.st_ctime_ns, each.st_ino]
        for name, each in stats
    ]


def settled(files: Seen) -> bool:
    """A file written in this moment may be written again within one tick of its clock."""
    newest = max((int(changed) for _, _, changed, *_ in files), default=0)
    return time.time() - newest / 1e9 > SETTLED


def changed_since(files: Seen, moment: float) -> bool:
    """Whether one may have been written or put in its place since then, or a moment before."""
    newest = max((max(int(each[2]), int(each[3])) for each in files), default=0)
    return newest / 1e9 > moment - SETTLED


def folder_of(project: Project) -> Path:
    """Where it is kept."""
    return project.path.parent / KEPT


def private(folder: Path) -> bool:
    """Whether nobody else can have put anything there: what is kept is believed."""
    found = folder.lstat()
    ours = os.name != "posix" or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)
    return stat.S_ISDIR(found.st_mode) and ours


def write_beside(path: Path, text: str) -> bool:
    """Keep it, in a folder that is made if it is not there; whether that could be."""
    folder = path.parent
    folder.mkdir(mode=0o700, exist_ok=True)
    if not private(folder):
        return False
    with contextlib.suppress(FileExistsError), open(folder / ".gitignore", "x") as file:
        file.write("*\n")
    with unfinished(path, PRIVATE) as partial:
        partial.file.write(text.encode())
        partial.publish()
    return True
