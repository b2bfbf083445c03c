"""Queries that a signal ends: DuckDB looks for signals while it begins a query, and not while a

stream of its rows is read, which may be most of its time.
"""

from __future__ import annotations

import contextlib
from weakref import WeakSet

import duckdb

__all__ = ["interrupt", "interruptible"]

_sessions: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()


def interruptible(session: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The same, and what it does can be ended."""
    _sessions.add(session)
    return session


def interrupt() -> None:
    """End what is running now, from any thread; what begins later is not touched."""
    with contextlib.suppress(RuntimeError):  # one was opened meanwhile; whoever means it asks again
        for session in list(_sessions):
            with contextlib.suppress(duckdb.Error):  # it was closed
                session.interrupt()
