"""Signals that end a command: as Ctrl-C does, so that what was begun is removed on the way out."""

from __future__ import annotations

import signal
from types import FrameType

__all__ = ["ended_by", "heed"]

SIGNALS = ("SIGTERM", "SIGHUP")  # of the system, a container, a terminal that was closed

_received: list[int] = []


def heed() -> None:
    """From here on these signals end the program in good order; what is ignored stays so."""
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def ended_by() -> int | None:
    """The signal that was received, if one was."""
    return _received[0] if _received else None


def _end(number: int, _frame: FrameType | None) -> None:
    """The first is an interrupt; later ones do not disturb the cleaning up."""
    if not _received:
        _received.append(number)
        raise KeyboardInterrupt
