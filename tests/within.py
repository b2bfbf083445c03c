"""So many seconds and no more: what never ends is found, and where."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["TooLong", "within"]


class TooLong(BaseException):
    """No answer within so many seconds."""


@contextmanager
def within(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
