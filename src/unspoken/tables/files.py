"""Files that appear whole or not at all.

A file is written under a name beside its place, ``.NAME.partial``, which one run at a time may
hold: it is made anew, and never opened again by its name. What a crash leaves of it, the next run
removes.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unspoken.core.errors import InputError
from unspoken.tables.locks import LOCKS, NOT_A_LINK, locked, still_at

__all__ = [
    "PATIENCE",
    "PRIVATE",
    "SILENT",
    "Partial",
    "atomically",
    "created",
    "moved",
    "partial_of",
    "swept",
    "unfinished",
    "writing",
]

NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | NOT_A_LINK
LEFT = os.O_RDWR | NOT_A_LINK | getattr(os, "O_NONBLOCK", 0)  # a pipe would else be waited for
PRIVATE, PUBLIC = 0o600, 0o666
PATIENCE = 15.0  # seconds to wait for another run where both may go on, one after the other
SILENT = 2.0  # of these, in which nobody wonders what is going on; then it is said
PAUSE = 0.02
LOG = logging.getLogger("unspoken")


def partial_of(path: Path) -> Path:
    """The name that a file is written under, until it is whole."""
    return path.with_name(f".{path.name}.partial")


@dataclass(frozen=True)
class Partial:
    """A file that is being written: ours alone, and held open as ``file``."""

    path: Path
    file: BinaryIO

    def open_as(self, other: Partial) -> None:
        """From now on for whoever may open the other."""
        with writing(self.path):
            os.chmod(partial_of(self.path), stat.S_IMODE(os.fstat(other.file.fileno()).st_mode))

    def publish(self, to: Path | None = None) -> None:
        """It becomes ``to``, by default ``path``, over what is there.

        Flushed to the disk, renamed, and the folder flushed: after a crash there is the old file or
        the new one, and never a part.
        """
        self._flush()
        moved(partial_of(self.path), to or self.path)

    def settle(self) -> None:
        """It becomes ``path`` unless something is there, a link too: FileExistsError."""
        self._flush()
        partial = partial_of(self.path)
        try:
            os.link(partial, self.path)
        except FileExistsError:
            raise
        except OSError:  # not every file system has hard links
            # Between question and answer no run of ours can make it: they all hold the partial.
            if os.path.lexists(self.path):
                raise FileExistsError(errno.EEXIST, "is there already", str(self.path)) from None
            os.rename(partial, self.path)
        _flush_folder(self.path)

    def _flush(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        if not LOCKS:  # such a system renames no open file
            self.file.close()
        elif not still_at(partial_of(self.path), self.file.fileno()):
            raise InputError(f"{self.path}: was replaced by another program while it was written")


@contextlib.contextmanager
def atomically(path: Path) -> Iterator[BinaryIO]:
    """Write to the file given; it becomes ``path`` at the end, unless something was raised."""
    with unfinished(path) as partial, writing(path):
        yield partial.file
        partial.publish()


@contextlib.contextmanager
def created(path: Path) -> Iterator[BinaryIO]:
    """Write to the file given, which is for its owner only; it becomes ``path`` at the end.

    What is there already, a link too, is never touched: FileExistsError.
    """
    with unfinished(path, PRIVATE, PATIENCE) as partial:
        yield partial.file
        partial.settle()


@contextlib.contextmanager
def unfinished(path: Path, mode: int = PUBLIC, patience: float = 0.0) -> Iterator[Partial]:
    """A file beside ``path`` to write to before it is published: ours alone, gone at the end.

    ``patience``: for how many seconds to wait for another run that is writing it.
    """
    with writing(path):
        if path.is_dir():
            raise InputError(f"{path}: cannot be written: is a folder; name a file")
        held = _claimed(path, mode, patience)
    file = os.fdopen(held, "w+b")
    try:
        yield Partial(path, file)
    finally:
        with contextlib.suppress(OSError):
            # Unless it is that of a later writer.
            if not file.closed and still_at(partial_of(path), held):
                partial_of(path).unlink()
        with contextlib.suppress(OSError):  # of a full disk, which was said
            file.close()


def swept(path: Path) -> bool:
    """Remove what a crash left beside this file: half of it, or a second copy of all of it.

    False: another run is writing it. What has other names too is no file of ours.
    """
    partial = partial_of(path)
    try:
        left = os.open(partial, LEFT)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise _foreign(partial, error.strerror) from None
    try:
        status = os.fstat(left)
        second = path.exists() and os.path.samestat(path.stat(), status)
        if not stat.S_ISREG(status.st_mode) or (status.st_nlink > 1 and not second):
            raise _foreign(partial, "a file with another name too")
        if locked(left) is False:
            return False
        if still_at(partial, left):
            partial.unlink()
        return True
    finally:
        os.close(left)


def moved(path: Path, to: Path) -> None:
    """Rename a whole file, over what is there, for good."""
    os.replace(path, to)
    _flush_folder(to)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong while a file is written, as one line that names it."""
    try:
        yield
    except OSError as error:
        why = " ".join(str(error.strerror or error).split())
        raise InputError(f"{path}: cannot be written: {why}") from None


def _claimed(path: Path, mode: int, patience: float) -> int:
    """Make the partial file and lock it: two writers would make one file of two."""
    last, said = time.monotonic() + patience, False
    while True:
        try:
            held = os.open(partial_of(path), NEW, mode)
        except FileExistsError:
            if swept(path):
                continue
        else:
            # Unless it was swept in between.
            if locked(held) is not False and still_at(partial_of(path), held):
                return held
            os.close(held)
        if patience and not said and time.monotonic() >= last - patience + SILENT:
            LOG.warning("waiting for %s, which another run is writing", path)
            said = True
        if time.monotonic() >= last:
            raise InputError(f"{path}: is being written by another run; wait for it, or end it")
        time.sleep(PAUSE)


def _foreign(partial: Path, why: str | None) -> InputError:
    return InputError(
        f"{partial}: is in the way, and no file that unspoken left ({why}); move it away"
    )


def _flush_folder(path: Path) -> None:
    """The folder has to know its new file, after a power cut too."""
    if os.name != "posix":
        return
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
