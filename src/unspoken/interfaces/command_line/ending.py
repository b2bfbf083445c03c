"""Signals that end a command, in good order: what was begun is removed on the way out.

What runs in DuckDB does not look for signals all the time, so somebody beside it does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from threading import Thread, Timer
from types import FrameType

from unspoken.tables.engines.interrupting import interrupt

__all__ = ["ended_by", "heed", "interrupted", "over"]

SIGNALS = ("SIGTERM", "SIGHUP")  # of the system, a container, a terminal that was closed
AGAIN = 0.05  # seconds until the next look whether the program has heard of it, or the next try
MANY = 1 << 12  # signals

_received: list[int] = []
_stopped: list[int] = []  # the same and Ctrl-C, each time
_heard = [False]  # whether the program has, of what came last
_over: list[bool] = []  # the command is; what is left is cleaning up


def heed() -> None:
    """From here on these signals end the program in good order; what is ignored stays so."""
    numbers = {getattr(signal, name) for name in SIGNALS if hasattr(signal, name)}
    ours = {number for number in numbers if signal.getsignal(number) == signal.SIG_DFL}
    for number in ours:
        signal.signal(number, _end)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
        ours.add(signal.SIGINT)
    sys.unraisablehook = _not_lost
    if hasattr(os, "set_blocking"):
        come, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        Thread(target=_beside, args=(come, ours), daemon=True).start()


def ended_by() -> int | None:
    """The signal that was received, if one was, other than Ctrl-C."""
    return _received[0] if _received else None


def over() -> None:
    """The command is: a first signal that comes now would end nothing but the cleaning up."""
    _over.append(True)


def interrupted() -> bool:
    """Whether any was received: what fails from then on may fail for that reason."""
    return bool(_stopped)


def _end(number: int, _frame: FrameType | None) -> None:
    """The first is an interrupt; later ones do not disturb the cleaning up."""
    _hear(number)
    if not _received and not _over:
        _received.append(number)
        raise KeyboardInterrupt


def _stop(number: int, _frame: FrameType | None) -> None:
    """Whoever asks again has no patience with the cleaning up either."""
    _hear(number)
    if len(_stopped) > 1 or not _over:
        raise KeyboardInterrupt


def _not_lost(failed: sys.UnraisableHookArgs) -> None:
    """A signal that was heard of while something went away is raised where it went: nobody would
    see it there, and the command would go on. So it comes once more, when this has returned.
    """
    if failed.exc_type is not KeyboardInterrupt or not _stopped:
        sys.__unraisablehook__(failed)
        return
    _received.clear()
    Timer(AGAIN, os.kill, [os.getpid(), _stopped[-1]]).start()


def _hear(number: int) -> None:
    _stopped.append(number)
    _heard[0] = True


def _beside(come: int, ours: set[int]) -> None:
    """Signals are heard of between two steps of Python: end what keeps it from the next step."""
    while number := os.read(come, 1):
        while number[0] in ours and not _heard[0]:
            interrupt()
            time.sleep(AGAIN)
        os.set_blocking(come, False)
        with contextlib.suppress(BlockingIOError):
            os.read(come, MANY)  # heard of together with the first
        os.set_blocking(come, True)
        _heard[0] = False
