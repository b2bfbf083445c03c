"""Batches are worked on side by side, and come in order, whatever reading or working does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pyarrow as pa
import pytest

from unspoken.tables.engines.threads import AHEAD, worked


def batches(count: int, taken: list[int], failing: int | None = None) -> Iterator[pa.RecordBatch]:
    for i in range(count):
        if i == failing:
            raise OSError("the disk is gone")
        taken.append(i)
        yield pa.RecordBatch.from_pydict({"x": pa.array([i])})


def slow_where_even(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in rows:
        if batch["x"][0].as_py() % 2 == 0:
            time.sleep(0.002)
        yield batch
        yield batch


def values(made: Iterator[pa.RecordBatch]) -> list[int]:
    return [batch["x"][0].as_py() for batch in made]


@pytest.mark.parametrize("threads", [1, 3, None])
def test_what_is_made_comes_in_the_order_of_what_was_read(threads: int | None) -> None:
    made = values(worked(slow_where_even, batches(50, []), threads))
    assert made == [i for i in range(50) for _ in range(2)]
    assert values(worked(slow_where_even, batches(0, []), threads)) == []


def test_an_error_of_the_reader_comes_as_it_is() -> None:
    with pytest.raises(OSError, match="the disk is gone"):
        values(worked(slow_where_even, batches(9, [], failing=7), 2))


def test_an_error_of_the_work_comes_where_its_batch_would() -> None:
    def work(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in rows:
            if batch["x"][0].as_py() == 3:
                raise ValueError("no such label")
            yield batch

    taken = list[int]()
    made = worked(work, batches(10**6, taken), 2)
    assert [next(made)["x"][0].as_py() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="no such label"):
        next(made)
    assert len(taken) < 20  # nobody reads on


@pytest.mark.parametrize("threads", [1, 2])
def test_no_more_is_read_ahead_than_a_few_batches_a_thread(threads: int) -> None:
    taken = list[int]()
    made = worked(slow_where_even, batches(10**6, taken), threads)
    for read in range(1, 5):
        next(made), next(made)
        time.sleep(0.05)
        assert len(taken) <= read + AHEAD * threads + 1
    made.close()  # type: ignore[attr-defined]
    names = {thread.name for thread in threading.enumerate()}
    assert not any(name.startswith("unspoken") for name in names)
