"""What is counted of a table, kept beside the project: the next command need not read the rows.

It is counts of the table, as secret as the table (beside.py). It answers as long as the files read
are what they were, the project asks for the same, and it is whole; else the table is read.
A release reads its rows itself, and so does their fingerprint: what is kept only stands in for
learning.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Counts
from unspoken.tables.engines.protocol import ContributionBound, Scan, Table, Tally, Work
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning.counts.beside import (
    Seen,
    folder_of,
    private,
    seen,
    settled,
    write_beside,
)
from unspoken.tables.learning.counts.contexts import Within
from unspoken.tables.policy import Project
from unspoken.tables.policy.reading import installed_version

__all__ = ["Cache", "Counted", "Noted", "streamed", "unstreamed"]

FORMAT = 2
WORTH = 100_000  # rows: fewer are read again as quickly as this is
# What can be met in a file that is not what was written.
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError,
              pa.ArrowException)  # fmt: skip


@dataclass(frozen=True)
class Counted:
    """Rows by their combination of marks, of attributes with ``sizes`` marks each; and ``values``:

    what columns have, where a project does not list it. ``contexts``: the same rows within each.
    """

    sizes: tuple[int, ...]
    marks: Sequence[Codes]
    counts: Counts
    values: Mapping[str, pa.Array]
    contexts: Mapping[str, Within] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def sound(self) -> bool:
        """Whether it can be what was counted: a combination has marks that there are, and rows;
        and each context has all rows.
        """
        return _sound(self.sizes, self.marks, self.counts) and all(
            _sound((len(c.values), *self.sizes), [c.codes, *c.marks], c.counts)
            and int(c.counts.sum()) == self.rows
            for c in self.contexts.values()
        )


def _sound(sizes: Sequence[int], marks: Sequence[Codes], counts: Counts) -> bool:
    return (
        len(marks) == len(sizes)
        and {len(mark) for mark in marks} == {len(counts)}
        and bool((counts > 0).all())
        and all(
            bool(((mark >= 0) & (mark < size)).all())
            for mark, size in zip(marks, sizes, strict=True)
        )
    )


@dataclass(frozen=True)
class Noted:
    """A table that notes which values it was asked for; or, with those of before, reads no rows."""

    table: Table
    values_seen: dict[str, pa.Array] = field(default_factory=dict)
    before: Counted | None = None

    @property
    def title(self) -> str:
        return self.table.title

    @property
    def keys(self) -> tuple[str, ...]:
        return self.table.keys

    @property
    def given(self) -> Mapping[str, pa.DataType]:
        return self.table.given

    @property
    def columns(self) -> Mapping[str, str]:
        return self.table.columns

    @property
    def files(self) -> Sequence[Path]:
        return self.table.files

    @property
    def away(self) -> bool:
        return self.table.away

    @property
    def timezone(self) -> str:
        return self.table.timezone

    def only(self, condition: Expression, true: bool) -> Table:
        return self.table.only(condition, true)

    def count(self) -> int:
        return self.table.count()

    def values(self, name: str, most: int, where: str) -> pa.Array:
        known = None if self.before is None else self.before.values.get(name)
        found = self.table.values(name, most, where) if known is None else known
        self.values_seen[name] = found
        return found

    def check(self, where: str) -> None:
        self.table.check(where)

    def groups(self, names: Sequence[str], where: str) -> tuple[int, int]:
        return self.table.groups(names, where)

    def tallies(
        self, names: Sequence[str], conditions: Mapping[str, Expression]
    ) -> Sequence[Tally]:
        return self.table.tallies(names, conditions)

    def totals(
        self,
        numbers: Sequence[Expression],
        groups: Sequence[Expression],
        where: str,
        chosen: ContributionBound | None = None,
    ) -> pa.Table:
        return self.table.totals(numbers, groups, where, chosen)

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """No rows, where they were counted before: nothing was wrong with them."""
        return iter(()) if self.before else self.table.batches(scan)

    def through(self, work: Work, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The same of what is made of them."""
        return iter(()) if self.before else self.table.through(work, scan)


@dataclass(frozen=True)
class Cache:
    """Where what was counted for a project is kept, and of which files.

    ``seen``: the files as they are when this is made, which is before they are read.
    """

    path: Path
    asked: str
    seen: Seen

    @classmethod
    def of(cls, project: Project, table: Table) -> Cache | None:
        """None where a file of the table can not be looked at."""
        asked = [FORMAT, installed_version(), str(project.path), repr(project.source)]
        asked += [str(project.belief.form), str(project.belief.history)]
        asked += [sorted(table.columns.items()), list(map(repr, project.attributes.values()))]
        asked += [list(map(repr, project.contexts.values()))]
        digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()
        whose = hashlib.sha256(str(project.path).encode()).hexdigest()[:8]
        name = f"learned-{whose}-{digest[:16]}.json"
        files = seen(table.files)
        return None if files is None else cls(folder_of(project) / name, digest, files)

    def read(self) -> Counted | None:
        """What was counted of these very files, if it is there and whole."""
        with contextlib.suppress(*UNREADABLE):
            if not private(self.path.parent):
                return None
            held = json.loads(self.path.read_bytes())
            whole = held["sha256"] == _digest(held["table"])
            if whole and (held["asked"], held["files"]) == (self.asked, self.seen):
                return _counted(held["table"])
        return None

    def write(self, counted: Counted, table: Table) -> None:
        """Keep it, unless the files changed meanwhile; what was kept of others of them goes."""
        still = seen(table.files) == self.seen
        if counted.rows < WORTH or not still or not settled(self.seen):
            return
        table_held = {
            "sizes": list(counted.sizes),
            **_held(counted.marks, counted.counts),
            "values": {name: streamed(values) for name, values in counted.values.items()},
            "contexts": {
                name: {"values": c.values, **_held([c.codes, *c.marks], c.counts)}
                for name, c in counted.contexts.items()
            },
        }
        held = {"asked": self.asked, "files": self.seen, "sha256": _digest(table_held)}
        with contextlib.suppress(OSError, InputError):  # what cannot be kept is read again
            self._keep(json.dumps({**held, "table": table_held}))

    def _keep(self, text: str) -> None:
        if not write_beside(self.path, text):
            return
        for other in self.path.parent.glob(f"{self.path.name[:17]}*.json"):
            if other != self.path:
                other.unlink()


def _digest(held: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def _counted(held: Mapping[str, Any]) -> Counted | None:
    counted = Counted(
        tuple(map(int, held["sizes"])),
        *_counts(held),
        {name: unstreamed(stream) for name, stream in held["values"].items()},
        {name: _within(each) for name, each in held["contexts"].items()},
    )
    return counted if counted.sound else None


def _within(held: Mapping[str, Any]) -> Within:
    (codes, *marks), counts = _counts(held)
    return Within(tuple(map(str, held["values"])), codes, marks, counts)


def _held(marks: Sequence[Codes], counts: Counts) -> dict[str, Any]:
    return {
        "marks": [_text(np.asarray(mark, np.int64)) for mark in marks],
        "counts": _text(counts),
    }


def _counts(held: Mapping[str, Any]) -> tuple[list[Codes], Counts]:
    marks = [_numbers(mark).astype(np.intp) for mark in held["marks"]]
    return marks, _numbers(held["counts"])


def _text(numbers: Counts) -> str:
    return base64.b64encode(numbers.astype("<i8").tobytes()).decode()


def _numbers(text: str) -> Counts:
    return np.frombuffer(base64.b64decode(text, validate=True), "<i8").astype(np.int64)


def streamed(values: pa.Array) -> str:
    """A column as text."""
    sink = pa.BufferOutputStream()
    batch = pa.RecordBatch.from_arrays([values], ["x"])
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return base64.b64encode(sink.getvalue().to_pybytes()).decode()


def unstreamed(text: str) -> pa.Array:
    """The column that such a text is."""
    whole = pa.ipc.open_stream(base64.b64decode(text, validate=True)).read_all()
    return whole.column("x").combine_chunks()
