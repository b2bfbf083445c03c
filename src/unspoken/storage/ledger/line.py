"""A line of those who ask at once, in one process: whoever is first serves all who wait.

One transaction is flushed to the disk once, however many charges are in it (group commit).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Line", "Waiting"]

MOST = 64  # served together


def _shut() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass(eq=False, kw_only=True)
class Waiting:
    """Who stands in the line; ``done``: was served. ``turn``: opens once it has to look again."""

    done: bool = False
    turn: threading.Lock = field(default_factory=_shut, repr=False)


T = TypeVar("T", bound=Waiting)


@dataclass
class Line(Generic[T]):
    """Those who wait, and which thread serves. Nobody is woken who has nothing to do."""

    waiting: list[T] = field(default_factory=list)
    _change: threading.Lock = field(default_factory=threading.Lock)
    _serving: int | None = None

    def join(self, one: T, serve: Callable[[list[T]], None]) -> None:
        """Until it is served, by this thread or another; what breaks off leaves the others."""
        if self._serving == threading.get_ident():
            raise RuntimeError("a check asks the ledger that waits for it")
        with self._change:
            self.waiting.append(one)
        try:
            while not one.done:
                self._serve_or_wait(one, serve)
        finally:
            with self._change:
                if one in self.waiting:
                    self.waiting.remove(one)
                if self._serving is None:  # it may have been this one's turn
                    _wake(self.waiting[:1])

    def _serve_or_wait(self, one: T, serve: Callable[[list[T]], None]) -> None:
        with self._change:
            group = self._next() if self._serving is None and not one.done else []
        if not group:
            if not one.done:
                one.turn.acquire()
            return
        try:
            serve(group)
        finally:
            with self._change:
                self._serving = None
                self.waiting = [each for each in group if not each.done] + self.waiting
                _wake([*group, *self.waiting[:1]])

    def _next(self) -> list[T]:
        """This thread serves them."""
        self._serving = threading.get_ident()
        group, self.waiting = self.waiting[:MOST], self.waiting[MOST:]
        return group


def _wake(those: Sequence[Waiting]) -> None:
    for each in those:
        if each.turn.locked():  # and not woken already
            each.turn.release()
