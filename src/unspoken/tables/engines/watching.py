"""Whoever waits may watch rows pass: how many by now, of how many, and how many a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # commands watch before there are rows, and most never read any
    import pyarrow as pa

__all__ = ["Passed", "advancing", "passing", "watched", "watching"]


@dataclass(frozen=True)
class Passed:
    """Rows of one reading; ``of``: all that there are, where that is known without reading.

    ``seconds``: since the first of them came: until then they are sorted, or found. ``all``: no
    more come, so that what takes its time is something else.
    """

    rows: int
    of: int | None
    seconds: float
    all: bool = False

    def __str__(self) -> str:
        if self.all:
            return f"{self.rows:,} rows are read"
        of = "" if self.of is None else f" of {self.of:,}"
        if not self.rows:
            return f"0{of} rows yet, they are sorted or found"
        a_second = self.rows / max(self.seconds, 1e-9)
        still = 0 if self.of is None else self.of - self.rows
        left = f", {_time(still / a_second)} left" if still > 0 else ""
        return f"{self.rows:,}{of} rows, {a_second:,.0f} a second{left}"


def _time(seconds: float) -> str:
    """About so long."""
    if seconds >= 5400:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 0.0):.0f} s"


Watcher = Callable[[Passed | str], object]
WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Within, every reading of rows tells the watcher how far it is."""
    before = WATCHER.set(watcher)
    try:
        yield
    finally:
        WATCHER.reset(before)


def watched() -> bool:
    """Whether anybody watches."""
    return WATCHER.get() is not None


def advancing(place: str) -> None:
    """Tell whoever watches what is worked on, where that is not rows."""
    watcher = WATCHER.get()
    if watcher is not None:
        watcher(place)


def passing(batches: Iterable[pa.RecordBatch], of: int | None) -> Iterator[pa.RecordBatch]:
    """The same batches; whoever watches now is told of each."""
    watcher = WATCHER.get()
    return iter(batches) if watcher is None else _counted(batches, of, watcher)


def _counted(
    batches: Iterable[pa.RecordBatch], of: int | None, watcher: Watcher
) -> Iterator[pa.RecordBatch]:
    rows, begin = 0, 0.0
    watcher(Passed(0, of, 0.0))
    for batch in batches:
        begin = begin or time.monotonic()
        yield batch
        rows += batch.num_rows
        watcher(Passed(rows, of, time.monotonic() - begin))
    watcher(Passed(rows, of, time.monotonic() - begin, all=True))
