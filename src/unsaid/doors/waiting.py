"""What is shown while something takes its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console

__all__ = ["busy"]

PATIENCE = 2.0  # seconds in which nobody wonders what is going on


@contextmanager
def busy(console: Console, doing: str) -> Iterator[None]:
    """A spinner, after a while, where the console is a terminal; it leaves nothing behind."""
    status = console.status(f"{doing} ...")
    later = Timer(PATIENCE, status.start)
    later.daemon = True
    if console.is_terminal:
        later.start()
    try:
        yield
    finally:
        later.cancel()
        if later.ident is not None:
            later.join()
        status.stop()
