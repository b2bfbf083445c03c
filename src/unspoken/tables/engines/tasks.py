"""What a task does with its part of the rows, on whatever machine it runs.

A task may run twice, be killed, or run beside itself. So each attempt writes a file of its own,
whole or not at all, and what counts is the name that the attempt brings back which its scheduler
takes: nothing is added up on the way.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError, UnspokenError
from unspoken.tables.engines.named_once import once
from unspoken.tables.engines.protocol import Work
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression

__all__ = [
    "ASIDE",
    "GroupSums",
    "WithColumn",
    "Distinct",
    "Handing",
    "NUMBER",
    "TypedRows",
    "Sifting",
    "Staging",
    "no_text",
    "reported",
    "staged",
]

NUMBER = "unspoken part"  # the column that says which part of the rows a task has
REPORT = pa.schema(
    {"part": pa.int32(), "file": pa.string(), "rows": pa.int64(), "wrong": pa.string()}
)
ASIDE = "\ue000\ue001"  # letters of nobody's names, in place of . and ` where a name has those
NAMES = str.maketrans(ASIDE, ".`")
AT_ONCE = 8  # batches that are added up together
PACKED = pa.ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True)
class TypedRows:
    """Batches of another engine as a table promises them: of the types of ``schema``, which SQL
    reads as ``columns``, and only those for which each of ``where`` is (or is not) true.
    """

    schema: pa.Schema
    columns: dict[str, str]
    title: str
    timezone: str
    nan_missing: bool = False
    where: tuple[tuple[Expression, bool], ...] = ()

    @property
    def reads(self) -> list[str]:
        """The columns that ``where`` needs."""
        return [name for condition, _ in self.where for name in condition.columns]

    def typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The same rows with the types that were promised."""
        named = {name.translate(NAMES): batch.column(name) for name in batch.schema.names}
        columns = {name: self._column(name, x) for name, x in named.items() if name in self.columns}
        return pa.RecordBatch.from_pydict(columns)

    def kept(self, batch: pa.RecordBatch) -> pa.Array | None:
        """Which of these typed rows it has; None: all."""
        if not self.where:
            return None
        asked = {
            str(k): Expression(f"({e.sql}) IS {'' if true else 'NOT '}TRUE", "BOOLEAN", e.columns)
            for k, (e, true) in enumerate(self.where)
        }
        first, *others = self.sql.over(batch, asked).values()
        for other in others:
            first = pc.and_(first, other)
        return first

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Those of these rows that it has, typed."""
        typed = self.typed(batch)
        kept = self.kept(typed)
        return typed if kept is None else typed.filter(kept)

    @property
    def sql(self) -> RowSQL:
        """What evaluates SQL over them, in this process."""
        return RowSQL(self.columns, self.title, self.timezone)

    def _column(self, name: str, column: pa.Array) -> pa.Array:
        kind = self.schema.field(name).type
        if self.nan_missing and pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        return column if column.type == kind else column.cast(kind)


@dataclass(frozen=True)
class Sifting:
    """The rows that are kept, as the other engine has them."""

    rows: TypedRows

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            kept = self.rows.kept(self.rows.typed(batch))
            yield batch if kept is None else batch.filter(kept)


@dataclass(frozen=True)
class WithColumn:
    """Beside some columns, as the other engine has them, the value of an expression in each row."""

    rows: TypedRows
    names: tuple[str, ...]
    expression: Expression
    called: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            found = self.rows.sql.over(self.rows.typed(batch), {"x": self.expression})["x"]
            columns = {name: batch.column(name) for name in self.names}
            yield pa.RecordBatch.from_pydict({**columns, self.called: found})


@dataclass(frozen=True)
class Handing:
    """The rows as they are."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return batches


@dataclass(frozen=True)
class Distinct:
    """The different values of the one column of some rows, NULL aside; any ``most`` of more."""

    most: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = None
        for batch in batches:
            values = batch.column(0).unique().drop_null()
            found = values if found is None else pa.concat_arrays([found, values]).unique()
            found = found[: self.most]
        if found is not None:
            yield pa.RecordBatch.from_arrays([found], ["x"])


@dataclass(frozen=True)
class GroupSums:
    """Groups of the rows with the same in ``groups``, and the sum of each of ``numbers`` there."""

    rows: TypedRows
    numbers: tuple[Expression, ...]
    groups: tuple[Expression, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        asked = {f"g{place}": group for place, group in enumerate(self.groups)}
        asked |= {f"n{place}": number for place, number in enumerate(self.numbers)}
        parts = list[pa.Table]()
        for batch in batches:
            parts.append(pa.table(self.rows.sql.over(batch, asked)))
            if len(parts) == AT_ONCE:
                parts = [self.added(parts)]
        yield from self.added(parts).to_batches()

    def added(self, parts: Sequence[pa.Table]) -> pa.Table:
        """The same of parts of the rows that were added up already, sorted."""
        same = [f"g{place}" for place, _ in enumerate(self.groups)]
        sums = [f"coalesce(sum(n{k}), 0)::BIGINT AS n{k}" for k, _ in enumerate(self.numbers)]
        nothing = [f"CAST(NULL AS {group.type}) AS g{k}" for k, group in enumerate(self.groups)]
        nothing += [f"CAST(NULL AS BIGINT) AS n{k}" for k, _ in enumerate(self.numbers)]
        with duckdb.connect() as con:
            none = con.sql(f"SELECT {', '.join(nothing)} WHERE false")
            rows = con.from_arrow(pa.concat_tables(parts)) if parts else none
            total = rows.aggregate(", ".join([*same, *sums]), ", ".join(same))
            return (total.order(", ".join(same)) if same else total).to_arrow_table()


@dataclass(frozen=True)
class Staging:
    """Does ``work`` on the ``names`` of its rows, and writes what comes of it into ``folder``.

    ``keys``: by which they are sorted, if they are. What is wrong with the rows comes back as a
    line: another attempt would find the same.
    """

    rows: TypedRows
    names: tuple[str, ...]
    work: Work
    folder: str
    keys: tuple[str, ...]
    places: dict[str, str]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        first = next(batches, None)
        if first is None:
            return
        part = first.column(NUMBER)[0].as_py()
        try:
            file, count = self._written(itertools.chain([first], batches))
            found = [part, file, count, None]
        except UnspokenError as error:
            found = [part, None, 0, str(error)]
        columns = [pa.array([x], kind) for x, kind in zip(found, REPORT.types, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=REPORT)

    def _written(self, batches: Iterable[pa.RecordBatch]) -> tuple[str | None, int]:
        """The name of the file, if there is anything to write."""
        typed = once(map(self.rows.of, batches), self.keys, self.rows.title, self.places)
        made = self.work(self._read(batch) for batch in typed)
        first = next(made, None)
        if first is None:
            return None, 0
        handle, path = tempfile.mkstemp(".arrow", "part-", self.folder)
        rows = 0
        plain = first.schema.remove_metadata()
        with (
            os.fdopen(handle, "wb") as file,
            pa.ipc.new_stream(file, plain, options=PACKED) as stream,
        ):
            for batch in itertools.chain([first], made):
                stream.write_batch(batch, batch.schema.metadata)
                rows += batch.num_rows
        return os.path.basename(path), rows

    def _read(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The columns that are asked for; Spark takes any bytes for text."""
        read = batch.select(list(self.names))
        for name, column in zip(self.names, read.columns, strict=True):
            if pa.types.is_string(column.type):
                try:
                    column.validate(full=True)
                except pa.ArrowInvalid:
                    where = self.places.get(name, name)
                    raise no_text(where, name, self.rows.title) from None
        return read


def no_text(where: str, name: str, title: str) -> InputError:
    """That a column has bytes that are no text; they may be anything, and are not said."""
    return InputError(f"{where}: {name} of {title} is not valid UTF-8; write its text again")


def reported(reports: Sequence[Sequence[object]]) -> tuple[list[str], int]:
    """The files that count, in the order of the parts, and their rows; or what is wrong."""
    ordered = sorted(reports, key=lambda report: int(str(report[0])))
    for _, _, _, wrong in ordered:
        if wrong is not None:
            raise InputError(str(wrong))
    files = [str(file) for _, file, _, _ in ordered if file is not None]
    return files, sum(int(str(rows)) for _, _, rows, _ in ordered)


def staged(folder: Path, files: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """What was written into these, batch by batch; each is removed once it is read."""
    for name in files:
        path = folder / name
        with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
            while True:
                try:
                    batch, said = stream.read_next_batch_with_custom_metadata()
                except StopIteration:
                    break
                yield batch.replace_schema_metadata(None if said is None else dict(said))
        path.unlink()
