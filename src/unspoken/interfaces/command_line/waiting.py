"""What is shown while something takes its time: how far it is, in rows where rows are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rich.console import Console
from rich.text import Text

from unspoken.core.errors import printable
from unspoken.tables.engines.watching import watching

__all__ = ["busy", "quietly"]

PATIENCE = 2.0  # seconds in which nobody wonders what is going on
EVERY = 10.0  # seconds from one line to the next, where the console is no terminal
QUIET = [False]


def quietly(asked: bool) -> None:
    """Whether commands say nothing of how far they are."""
    QUIET[0] = asked


@contextmanager
def busy(console: Console, doing: str) -> Iterator[Callable[[str], None]]:
    """After a while a spinner, which leaves nothing behind, or a line every now and then.

    What it yields tells how far one is; rows that are read tell by themselves.
    """
    far = [f"{doing} ..."]

    def tell(so_far: object) -> None:
        far[0] = f"{doing}: {so_far} ..."

    if QUIET[0]:
        yield tell
        return
    shown = _spinning if console.is_terminal else _said
    done = Event()
    beside = Thread(target=shown, args=(console, far, done), daemon=True)
    beside.start()
    try:
        with watching(tell):
            yield tell
    finally:
        done.set()
        beside.join()


def _spinning(console: Console, far: list[str], done: Event) -> None:
    if done.wait(PATIENCE):
        return
    with console.status(Text(printable(far[0]))) as status:
        while not done.wait(0.2):
            status.update(Text(printable(far[0])))


def _said(console: Console, far: list[str], done: Event) -> None:
    begin = time.monotonic()
    while not done.wait(EVERY):
        console.print(f"{far[0]} ({time.monotonic() - begin:,.0f} s)", soft_wrap=True)
