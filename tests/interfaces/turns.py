"""Waits that end when a test says so, in place of those that end after a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.within import HANG
from unspoken.interfaces.command_line import waiting
from unspoken.tables.engines import watching

__all__ = ["Turns", "planted"]


class Turns:
    """The time of whoever waits for the end of a command, and now and then shows how far it is.

    ``pass_one``: the wait that goes on is over, before the end; it returns with the next one begun,
    so that what is shown in between has been shown. ``waits``: how long each should have been.
    """

    def __init__(self) -> None:
        self.now, self.waits = 0.0, list[float]()
        self._changed, self._ended, self._passed = threading.Condition(), False, 0

    def set(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        with self._changed:
            self.waits.append(seconds)
            own = len(self.waits)
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._ended or self._passed >= own, HANG)
            return self._passed < own

    def pass_one(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.waits) > self._passed, HANG)
            self.now += self.waits[self._passed]
            self._passed += 1
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: len(self.waits) > self._passed, HANG)


@contextmanager
def planted() -> Iterator[Turns]:
    """For the one command that waits in this block; its clocks go on with the turns."""
    turns = Turns()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting, "Event", lambda: turns)
        for module in (waiting, watching):
            clock = type("Clock", (), {"monotonic": staticmethod(lambda: 100.0 + turns.now)})
            patch.setattr(module, "time", clock)
        yield turns
