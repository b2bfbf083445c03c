"""Work on batches, several at a time, while others are read and written."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pyarrow as pa

from unspoken.tables.engines.protocol import Work

__all__ = ["worked"]

AHEAD = 2  # batches a thread: what waits is bounded, so memory is


def worked(
    work: Work, batches: Iterable[pa.RecordBatch], threads: int | None
) -> Iterator[pa.RecordBatch]:
    """What ``work`` makes of each batch, in their order; ``threads``: as many as there are cores.

    Batches are read by whoever asks for the next one.
    """
    count = threads or os.cpu_count() or 1
    waiting: deque[Future[list[pa.RecordBatch]]] = deque()
    with ThreadPoolExecutor(count, "unspoken") as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(_made, work, batch))
                while len(waiting) > AHEAD * count:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _made(work: Work, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
    return list(work(iter([batch])))
