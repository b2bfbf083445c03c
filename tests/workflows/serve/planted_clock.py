"""A service whose time goes on when a test says so, on any machine by the same steps."""

from __future__ import annotations

import asyncio
import threading

from tests.within import HANG

__all__ = ["PlantedClock"]


class PlantedClock(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own, which stands still by itself.

    All that waits for a time on it waits for ``go_on``: what it has to read it reads at once.
    """

    now = 0.0

    def time(self) -> float:
        return self.now

    def go_on(self, seconds: float) -> None:
        """Let time pass; called from another thread, it returns when what was due is done.

        First comes what is there to be read; a timer needs a round to be called, and one more for
        what it begins.
        """
        for step in (0.0, seconds, 0.0, 0.0, 0.0):
            self._round(step)

    def _round(self, seconds: float) -> None:
        done = threading.Event()

        def step() -> None:
            self.now += seconds
            done.set()

        self.call_soon_threadsafe(step)
        assert done.wait(HANG)

    def hurry(self) -> None:
        """Let a while pass, for a loop that may have ended meanwhile."""
        self.now += 1.0
        try:
            self.call_soon_threadsafe(lambda: None)
        except RuntimeError:
            assert self.is_closed()
