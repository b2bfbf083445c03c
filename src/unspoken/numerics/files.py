"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from unspoken.errors import InputError

try:
    import fcntl
except ImportError:  # not on every system; there, two writers of one file are not told apart
    fcntl = None  # type: ignore[assignment]

__all__ = ["atomically", "created", "publish", "unfinished", "writing"]

OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


@contextlib.contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Write to the path given; it becomes ``path`` at the end, unless something was raised."""
    with unfinished(path) as partial, writing(path):
        yield partial
        publish(partial, path)


@contextlib.contextmanager
def created(path: Path) -> Iterator[Path]:
    """Write to the path given, which is for its owner only; it becomes ``path`` at the end.

    What is there already, a link too, is never touched: FileExistsError.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    partial = Path(name)
    try:
        yield partial
        _flush(partial)
        os.link(partial, path)
        _flush_folder(path)
    finally:
        partial.unlink()


@contextlib.contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A file beside ``path`` to write to before it is published: ours alone, gone at the end.

    What a crash leaves behind is overwritten by the next writer.
    """
    partial = path.with_name(f".{path.name}.partial")
    with writing(path):
        if path.is_dir():
            raise InputError(f"{path}: cannot be written: is a folder; name a file")
        held = _claimed(partial, path)
    try:
        yield partial
    finally:
        with contextlib.suppress(OSError):
            if held is None or _is(partial, held):  # and not that of a later writer
                partial.unlink()
        if held is not None:
            os.close(held)


def publish(partial: Path, path: Path) -> None:
    """What was written becomes ``path``: flushed to the disk, renamed, and the folder flushed.

    After a crash there is the old file or the new one, and never a part.
    """
    _flush(partial)
    os.replace(partial, path)
    _flush_folder(path)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong while a file is written, as one line that names it."""
    try:
        yield
    except OSError as error:
        why = " ".join(str(error.strerror or error).split())
        raise InputError(f"{path}: cannot be written: {why}") from None


def _claimed(partial: Path, path: Path) -> int | None:
    """Open the partial file and lock it: two writers would make one file of two."""
    held = os.open(partial, OPEN, 0o666)
    if fcntl is None:
        os.close(held)
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours = _is(partial, held)  # else it was published between open and lock
    except OSError:
        ours = False
    if not ours:
        os.close(held)
        raise InputError(f"{path}: is being written by another run; wait for it, or end it")
    return held


def _is(path: Path, held: int) -> bool:
    """Whether this path still is the file that is held open."""
    try:
        return os.path.samestat(path.stat(), os.fstat(held))
    except FileNotFoundError:
        return False


def _flush_folder(path: Path) -> None:
    """The folder has to know its new file, after a power cut too."""
    if os.name == "posix":
        _flush(path.parent)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
