"""Work on batches, several at a time, while others are read and written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event, Semaphore

import pyarrow as pa

from unspoken.engines.protocol import Work

__all__ = ["worked"]

AHEAD = 2  # batches a thread: what waits is bounded, so memory is
Made = Future[list[pa.RecordBatch]]


def worked(
    work: Work, batches: Iterable[pa.RecordBatch], threads: int | None
) -> Iterator[pa.RecordBatch]:
    """What ``work`` makes of each batch, in their order; ``threads``: as many as there are cores.

    Batches are read by a thread of its own, so that whoever writes need not wait for the next. What
    reading fails with comes in its place, after what was read before.
    """
    count = threads or os.cpu_count() or 1
    waiting, room, over = SimpleQueue[Made | None](), Semaphore(AHEAD * count), Event()
    with ThreadPoolExecutor(count + 1, "unspoken") as pool:

        def read() -> None:
            for batch in batches:
                room.acquire()
                if over.is_set():
                    return
                waiting.put(pool.submit(_made, work, batch))

        try:
            reading = pool.submit(read)
            reading.add_done_callback(lambda _: waiting.put(None))
            while (made := waiting.get()) is not None:
                room.release()
                yield from made.result()
            reading.result()
        finally:
            over.set()
            room.release()
            pool.shutdown(wait=True, cancel_futures=True)


def _made(work: Work, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
    return list(work(iter([batch])))
