"""Threads that do what takes long, for a bounded time and a bounded number of requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from unspoken.core.errors import UnspokenError
from unspoken.interfaces.service.bounds import Bounds

__all__ = ["Late", "Workers"]

Found = TypeVar("Found")


class Late(UnspokenError):
    """Not now."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class Workers:
    """As many threads as requests may be worked on at once."""

    bounds: Bounds

    def __post_init__(self) -> None:
        self.slots = threading.BoundedSemaphore(self.bounds.at_once)
        self._threads = ThreadPoolExecutor(self.bounds.at_once, "unspoken")

    async def finish(self, work: Callable[[], Found]) -> Found:
        """Work in a thread of its own; what takes too long goes on, and is there when asked for
        again. Until it ends it keeps its slot.
        """
        if not self.slots.acquire(blocking=False):
            raise Late(429, "busy: too much is being worked on; ask again")

        def worked() -> Found:
            try:
                return work()
            finally:
                self.slots.release()

        running = asyncio.get_running_loop().run_in_executor(self._threads, worked)
        try:
            return await asyncio.wait_for(asyncio.shield(running), self.bounds.seconds)
        except TimeoutError:
            running.add_done_callback(_forgotten)
            raise Late(
                408, f"late: this takes more than {self.bounds.seconds:g} s; ask again later: "
                "what was charged stays charged, and is answered then",
            ) from None  # fmt: skip

    def shut_down(self) -> None:
        """Wait until all that was begun has ended."""
        self._threads.shutdown()


def _forgotten(running: asyncio.Future[Any]) -> None:
    """Nobody waits any more; what went wrong was remembered where it did."""
    if not running.cancelled():
        running.exception()
