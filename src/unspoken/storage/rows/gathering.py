"""What records are, gathered by epoch while rows pass; what memory does not hold lies in TMPDIR."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from unspoken.core.numerics.arrays import Words
from unspoken.storage.rows.witness import Records
from unspoken.tables.files import writing

__all__ = ["Gathered"]

MOST = 64_000_000  # bytes that are held, and that are handed on at once


@dataclass(frozen=True)
class Run:
    """Records that lie in a file one after the other, sorted: keys first, then each attribute."""

    file: BinaryIO
    start: int
    rows: int
    names: tuple[str, ...]

    @classmethod
    def written(cls, file: BinaryIO, records: Records) -> Run:
        start = file.tell()
        for words in (records.keys, *records.numbers.values()):
            file.write(np.ascontiguousarray(words).data)
        file.flush()
        return cls(file, start, len(records), tuple(records.numbers))

    def records(self) -> Records:
        """They are read as far as they are looked at."""
        keys = self._words(self.start, (self.rows,))
        first = self.start + keys.nbytes
        size = 2 * keys.nbytes
        return Records(
            keys,
            {
                name: self._words(first + place * size, (self.rows, 2))
                for place, name in enumerate(self.names)
            },
        )

    def _words(self, start: int, shape: tuple[int, ...]) -> Words:
        return np.memmap(self.file, np.uint64, "r", start, shape)


class Gathered:
    """Records of some epochs, in whatever order they come."""

    def __init__(self) -> None:
        self._most, self._bytes = MOST, 0
        self._held: dict[str, list[Records]] = {}
        self._runs: dict[str, list[Run]] = {}
        self._file: BinaryIO | None = None

    def __contains__(self, epoch: str) -> bool:
        return epoch in self._held or epoch in self._runs

    def add(self, epoch: str, records: Records) -> None:
        """Some more of an epoch."""
        self._held.setdefault(epoch, []).append(records)
        self._bytes += _size(records)
        if self._bytes > self._most:
            self._spill()

    def names(self, epoch: str) -> Collection[str]:
        """The attributes of which they tell."""
        runs = self._runs.get(epoch)
        return runs[0].names if runs else self._held[epoch][0].numbers.keys()

    def of(self, epoch: str, names: Collection[str]) -> Iterator[Records]:
        """All that is known of an epoch, by these attributes, sorted: some after the other.

        Keys are pseudo-random, so that equal ranges of them have about as many rows.
        """
        held = self._held.get(epoch)
        parts = [run.records() for run in self._runs.get(epoch, ())]
        parts += [] if held is None else [Records.of(held)]
        pieces = -(-sum(map(_size, parts)) // self._most) or 1
        for piece in range(pieces):
            ends = (piece * 2**64 // pieces, (piece + 1) * 2**64 // pieces)
            some = [_between(part, *ends, names) for part in parts]
            if any(map(len, some)):
                yield Records.of(some)

    def _spill(self) -> None:
        with writing(Path(tempfile.gettempdir())):
            if self._file is None:  # it has no name, and goes with us
                with ExitStack() as stack:
                    self._file = stack.enter_context(tempfile.TemporaryFile())
                    weakref.finalize(self, stack.pop_all().close)
            for epoch, parts in self._held.items():
                run = Run.written(self._file, Records.of(parts))
                self._runs.setdefault(epoch, []).append(run)
        self._held, self._bytes = {}, 0


def _size(records: Records) -> int:
    return int(records.keys.nbytes + sum(words.nbytes for words in records.numbers.values()))


def _between(records: Records, first: int, end: int, names: Collection[str]) -> Records:
    """Those whose keys are from ``first`` up to, and not, ``end``."""
    low, high = (
        len(records) if at == 2**64 else int(np.searchsorted(records.keys, np.uint64(at)))
        for at in (first, end)
    )
    numbers: Mapping[str, Words] = {n: records.numbers[n][low:high] for n in names}
    return Records(records.keys[low:high], numbers)
