"""What is shown while something takes its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console

__all__ = ["busy"]

PATIENCE = 2.0  # seconds in which nobody wonders what is going on


@contextmanager
def busy(console: Console, doing: str) -> Iterator[Callable[[str], None]]:
    """A spinner, after a while, where the console is a terminal; it leaves nothing behind.

    What it yields tells how far one is.
    """
    status = console.status(f"{doing} ...")
    later = Timer(PATIENCE, status.start)
    later.daemon = True
    if console.is_terminal:
        later.start()
    try:
        yield lambda so_far: status.update(f"{doing}: {so_far} ...")
    finally:
        later.cancel()
        if later.ident is not None:
            later.join()
        status.stop()
