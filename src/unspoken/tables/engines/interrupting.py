"""Queries that a signal ends: DuckDB looks for signals while it begins a query, and not while a
stream of its rows is read, which may be most of its time.
"""

from __future__ import annotations

import contextlib
from typing import Protocol, TypeVar
from weakref import WeakSet

__all__ = ["interrupt", "interruptible"]


class Interruptible(Protocol):
    """A connection of DuckDB, which is not loaded before there is any."""

    def interrupt(self) -> None: ...


S = TypeVar("S", bound=Interruptible)
_sessions: WeakSet[Interruptible] = WeakSet()


def interruptible(session: S) -> S:
    """The same, and what it does can be ended."""
    _sessions.add(session)
    return session


def interrupt() -> None:
    """End what is running now, from any thread; what begins later is not touched."""
    with contextlib.suppress(RuntimeError):  # one was opened meanwhile; whoever means it asks again
        for session in list(_sessions):
            with contextlib.suppress(Exception):  # a duckdb.Error: it was closed
                session.interrupt()
