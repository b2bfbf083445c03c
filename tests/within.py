"""Guards against what never ends, so that a hang is a failure that names its place.

No guard measures speed: each is a minute or more where the work takes a second, so that neither a
slow nor a busy machine reaches it, and only what never ends does, or what grows out of all bounds.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unspoken.tables import files

__all__ = ["COMPUTING", "HANG", "TooLong", "eventually", "wait_for_locks", "within"]

HANG = 240  # seconds of any clock, for who waits
COMPUTING = 60  # seconds of the processors, for who computes: others may use them meanwhile

USUAL = files.PATIENCE


class TooLong(BaseException):
    """A block that was ended by its guard."""


@contextmanager
def within() -> Iterator[None]:
    """Raise TooLong in a block that does not end."""

    def stop(*_: object) -> None:
        raise TooLong

    timers = [(signal.ITIMER_PROF, signal.SIGPROF, COMPUTING)]
    timers.append((signal.ITIMER_REAL, signal.SIGALRM, HANG))
    before = [(number, signal.signal(number, stop)) for _, number, _ in timers]
    for timer, _, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for timer, _, _ in timers:
            signal.setitimer(timer, 0.0)
        for number, handler in before:
            signal.signal(number, handler)


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait until this holds, however slow the machine is; False if it never does."""
    ends = time.monotonic() + HANG
    while not holds():
        if time.monotonic() > ends:
            return False
        time.sleep(0.01)
    return True


def wait_for_locks() -> None:
    """Let this process wait for the locks of others as long as they take.

    Programs are refused after a time; where tests let many write at once, only a hang should be.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("unspoken.") and getattr(module, "PATIENCE", 0.0) == USUAL:
            module.PATIENCE = float(HANG)  # type: ignore[attr-defined]
