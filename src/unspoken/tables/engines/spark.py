"""A table that Spark reads: Parquet, a table of its catalog, or what DuckDB reads and hands over.

What is done with rows is done where they are, by `mapInArrow`, with the same code as anywhere else;
SQL of the holder's means what it means in DuckDB, which evaluates it there. Spark reads, sorts and
groups, and nothing else: its hashes decide nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.keys import kept_types, strange
from unspoken.tables.engines.named_once import absent, twice
from unspoken.tables.engines.protocol import BATCH, Among, ContributionBound, Scan, Tally, Work
from unspoken.tables.engines.session import OURS
from unspoken.tables.engines.spark_words import (
    NO_JAVA,
    OF_KEYS,
    arrow_type,
    base_of,
    escaped,
    file_of,
    java_size,
    plain,
    quoted,
    read_alike,
    refuse_alike,
    said,
    spelled,
)
from unspoken.tables.engines.spill import Spill
from unspoken.tables.engines.sql import Expression, column_of, literal
from unspoken.tables.engines.tasks import (
    NUMBER,
    Distinct,
    GroupSums,
    Handing,
    Sifting,
    Staging,
    TypedRows,
    WithColumn,
    no_text,
    reported,
    staged,
)
from unspoken.tables.engines.watching import passing
from unspoken.tables.texts import LONGEST_TEXT, too_long

try:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F
except ImportError:  # said when a table is opened
    SparkSession = None

__all__ = ["SparkTable", "session"]

MISSING = "Spark needs an extra: pip install 'unspoken[spark]'"
ATTEMPTS = 4  # of a task, on one machine as on many
REPORT = "part int, file string, rows bigint, wrong string"
TEXT, COUNT, TRUE = (f"{OURS} {word}" for word in ("text", "count", "true"))
NOTHING = Expression("false", "BOOLEAN", ())
# So a Spark is begun on this machine, which nobody else reaches.
LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
# Meanwhile: names as they are written, dates as they are stored.
SETTINGS = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}


def session(where: str, memory: str, threads: int | None) -> Any:
    """The Spark there is, or one on this machine with so much memory and so many threads."""
    if SparkSession is None:
        raise InputError(f"{where}: {MISSING}")
    there = SparkSession.getActiveSession()
    if there is not None:
        return there
    home = os.environ.get("JAVA_HOME")
    if not (os.access(Path(home, "bin", "java"), os.X_OK) if home else shutil.which("java")):
        raise InputError(f"{where}: {NO_JAVA}")
    builder = SparkSession.builder.appName(OURS)
    submitted = {"PYSPARK_GATEWAY_PORT", "SPARK_REMOTE"} & os.environ.keys()
    if not submitted and "--master" not in os.environ.get("PYSPARK_SUBMIT_ARGS", ""):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.master(f"local[{threads or '*'},{ATTEMPTS}]")
        for name, value in {**LOCAL, "spark.driver.memory": java_size(memory)}.items():
            builder = builder.config(name, value)
    with _reworded(where):
        return builder.getOrCreate()


class Scratch:
    """A folder that nobody else can read, until nobody here needs it any more."""

    def __init__(self) -> None:
        spill = Spill.made()
        self.folder = Path(spill.folder)
        self._end = weakref.finalize(self, spill.remove)

    @contextmanager
    def room(self) -> Iterator[Path]:
        """A folder in it for as long as this takes."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class SparkTable:
    """As engines/protocol.py has it. ``_frame``: its rows as Spark has them."""

    title: str
    given: Mapping[str, pa.DataType]
    columns: Mapping[str, str]
    timezone: str
    files: Sequence[Path]
    _frame: Any = field(repr=False, compare=False)
    _rows: TypedRows = field(repr=False, compare=False)
    _scratch: Scratch = field(repr=False, compare=False)
    _place: str = field(repr=False, compare=False)

    @classmethod
    def of(
        cls, table: DuckTable, spark: Any, where: str, folder: Path | None, nan_missing: bool
    ) -> SparkTable:
        """What DuckDB has opened: Spark reads Parquet files below ``folder`` itself, and a copy of
        anything else (None), which DuckDB makes.
        """
        schema = table.only(NOTHING, true=True).batches(Scan(list(table.columns), False)).schema
        kinds = dict(zip(schema.names, schema.types, strict=True))
        scratch, paths, base = Scratch(), list(table.files), None
        if folder is None or not read_alike(paths):
            paths = [_copied(table, scratch.folder / "copy.parquet")]
        else:
            kinds |= table.given
            base = base_of(folder, paths)
        read = {name: its for name, kind in kinds.items() if (its := spelled(kind))}
        with _reworded(where):
            columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in read.items())
            reader = spark.read.schema(columns)
            reader = reader if base is None else reader.option("basePath", str(base))
            frame = _plain(reader.parquet(*(escaped(path) for path in paths)))
        rows = TypedRows(schema, dict(table.columns), table.title, table.timezone, nan_missing)
        return cls(
            table.title, table.given, table.columns, table.timezone, table.files,
            frame, rows, scratch, where,
        )  # fmt: skip

    @classmethod
    def named(
        cls, name: str, spark: Any, keys: Sequence[str], where: str, at_keys: str, timezone: str,
        nan_missing: bool,
    ) -> SparkTable:  # fmt: skip
        """A table or view of Spark's catalog."""
        with _reworded(where):
            frame = spark.table(name)
            kinds = {f.name: arrow_type(f.dataType.simpleString(), timezone) for f in frame.schema}
            files = [file_of(address) for address in frame.inputFiles()]
            if frame.isEmpty():
                raise InputError(f"{where}: {name} has no rows; give one that has")
        refuse_alike(frame.columns, name, where)
        schema = pa.schema({column: kind for column, kind in kinds.items() if kind is not None})
        found = [*duckdb.from_arrow(schema.empty_table()).types]
        columns = {column.name: column.dataType.simpleString() for column in frame.schema}
        columns |= zip(schema.names, map(str, found), strict=True)
        keys = [column_of(key, columns, f"{at_keys}, column of {name}") for key in keys]
        all_kept = kept_types(keys, columns, name, at_keys)
        given = {key: schema.field(key).type for key in keys}
        for key, kept in all_kept.items():
            columns[key] = kept
            if kept in OF_KEYS:
                schema = schema.set(schema.get_field_index(key), pa.field(key, OF_KEYS[kept]))
        rows = TypedRows(schema, columns, name, timezone, nan_missing)
        return cls(name, given, columns, timezone, files, _plain(frame), rows, Scratch(), where)

    @property
    def away(self) -> bool:
        return True

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.given)

    def only(self, condition: Expression, true: bool) -> SparkTable:
        """As the protocol has it."""
        where = (*self._rows.where, (condition, true))
        return replace(self, _rows=replace(self._rows, where=where))

    def count(self) -> int:
        """How many rows there are."""
        with self._asking(self._place):
            return int(self._kept(()).count())

    def values(self, name: str, most: int, where: str) -> pa.Array:
        """As the protocol has it."""
        through = self.through(Distinct(most), Scan([name], False, places={name: where}))
        found = [batch.column(0) for batch in through]
        values = pa.chunked_array(found, self._rows.schema.field(name).type)
        return values.unique()[:most]

    def check(self, where: str) -> None:
        """Refuse keys that do not name each row, or are longer than coins take; ``where`` begins
        the message.
        """
        if not self.keys:
            return
        texts = [k for k in self.keys if pa.types.is_string(self.given[k])]
        dated = [k for k in self.keys if pa.types.is_temporal(self.given[k])]
        wrong: list[tuple[Any, str, Callable[[str, str, int, str], InputError]]] = [
            *((_column(key).isNull(), key, absent) for key in self.keys),
            *((~F.year(_column(key)).between(1, 9999), key, strange) for key in dated),
        ]
        with self._asking(where):
            kept = self._kept(self.keys)
            long = sum((F.octet_length(_column(key)) for key in texts), F.lit(0))
            valid = [F.every(F.is_valid_utf8(_column(key))) for key in texts]
            counts = [F.count_if(test) for test, *_ in wrong]
            longest, *found = kept.agg(F.max(long), *valid, *counts).collect()[0]
            if False in found[: len(texts)]:  # NULL is no text that is not valid
                raise no_text(where, texts[found.index(False)], self.title)
            for (_, key, error), rows in zip(wrong, found[len(texts) :], strict=True):
                if rows:
                    raise error(where, key, rows, self.title)
            if (longest or 0) > LONGEST_TEXT:
                raise too_long(longest, f"{where}: ")
            by = [_column(key) for key in self.keys]
            groups = kept.groupBy(*by).agg(F.count(F.lit(1)).alias(COUNT))
            found = groups.where(_column(COUNT) > 1).sort(*by).limit(1).collect()
        if found:
            raise twice(where, self.keys, found[0][-1], self.title)

    def groups(self, names: Sequence[str], where: str) -> tuple[int, int]:
        """As the protocol has it."""
        with self._asking(where):
            groups = self._kept(names).groupBy(*map(_column, names))
            sizes = groups.agg(F.count(F.lit(1)).alias(COUNT))
            found = sizes.agg(F.count(F.lit(1)), F.max(_column(COUNT))).collect()[0]
        return int(found[0]), int(found[1] or 0)

    def tallies(self, names: Sequence[str], conditions: Mapping[str, Expression]) -> list[Tally]:
        """As the protocol has it."""
        return [self._tally(names, each, where) for where, each in conditions.items()]

    def _tally(self, names: Sequence[str], condition: Expression, where: str) -> Tally:
        sql = f"CAST(({condition.sql}) IS TRUE AS BIGINT)"
        asked = Expression(sql, "BIGINT", condition.columns)
        with self._asking(where):
            kept = self._kept([*names, *condition.columns])
            beside = self._beside(kept, names, asked, TRUE, "bigint")
            groups = beside.groupBy(*map(_column, names))
            sizes = groups.agg(F.count(F.lit(1)).alias(COUNT), F.sum(_column(TRUE)).alias(TRUE))
            alike = sizes.groupBy(_column(COUNT), _column(TRUE)).count()
            return sorted((int(n), int(k), int(many)) for n, k, many in alike.collect())

    def totals(
        self,
        numbers: Sequence[Expression],
        groups: Sequence[Expression],
        where: str,
        chosen: ContributionBound | None = None,
    ) -> pa.Table:
        """As the protocol has it, but for chosen rows: Spark would write the secret down."""
        if chosen is not None:
            raise InputError(
                f"{where}: some rows of each unit cannot be chosen by Spark; ask of all rows, or "
                'take engine = "duckdb"'
            )
        work = GroupSums(replace(self._rows, where=()), tuple(numbers), tuple(groups))
        reads = dict.fromkeys(name for each in [*groups, *numbers] for name in each.columns)
        parts = self.through(work, Scan([*reads] or [*self.keys], False, places={"": where}))
        return work.added([pa.Table.from_batches([part]) for part in parts])

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """As the protocol has it."""
        return self.through(Handing(), scan)

    def through(self, work: Work, scan: Scan) -> Iterator[pa.RecordBatch]:
        """As the protocol has it: the work is done in tasks, and what they wrote is handed on."""
        names, keys = scan.names, self.keys if scan.ordered else ()
        with self._scratch.room() as room:
            task = Staging(self._rows, tuple(names), work, str(room), keys, dict(scan.places))
            with self._asking(self._place, scan.rows):
                frame = self._among(scan.among, [*names, *keys], keys)
                parts = frame.withColumn(NUMBER, F.spark_partition_id())
                reports = parts.mapInArrow(task, REPORT).collect()
            files, total = reported(reports)
            if not all((room / file).exists() for file in files):
                raise InputError(
                    f"TMPDIR ({tempfile.gettempdir()}): is not where Spark's executors write; set "
                    "it to a folder that all of them share"
                )
            yield from passing(staged(room, files), total)

    def _among(self, among: Among | None, names: Sequence[str], keys: Sequence[str]) -> Any:
        """The rows, those that are meant, sorted."""
        if among is None:
            frame, order = self._kept(names), [*keys]
        else:
            text = f"CAST({among.expression.sql} AS VARCHAR)"
            whole, reads = self, among.expression.columns
            if among.texts is not None:
                meant = f"{text} IN ({', '.join(map(literal, among.texts))})"
                whole = self.only(Expression(meant, "BOOLEAN", reads), True)
            kept = whole._kept([*names, *reads])
            asked = Expression(text, "VARCHAR", reads)
            frame = self._beside(kept, kept.columns, asked, TEXT, "string")
            order = [TEXT, *keys] if keys else []
        return frame.sort(*map(_column, order)) if order else frame

    def _kept(self, names: Collection[str]) -> Any:
        """These columns, and those that conditions need, of the rows for which they hold."""
        columns = dict.fromkeys([*names, *self._rows.reads])
        for name in columns:
            if name not in self._rows.schema.names or plain(name) not in self._frame.columns:
                kind = self.given.get(name, self.columns[name])  # of a key as the source has it
                raise InputError(
                    f"{self._place}: {name} is {kind}, which Spark does not read here; CAST it in "
                    'a view, or take engine = "duckdb"'
                )
        frame = self._frame.select(*map(_column, columns))
        return frame.mapInArrow(Sifting(self._rows), frame.schema) if self._rows.where else frame

    def _beside(
        self, frame: Any, names: Sequence[str], expression: Expression, called: str, kind: str
    ) -> Any:
        """These columns of a frame, and an expression over its rows."""
        empty = frame.select(*map(_column, names), F.lit(None).cast(kind).alias(called))
        rows, named = replace(self._rows, where=()), tuple(map(plain, names))
        return frame.mapInArrow(WithColumn(rows, named, expression, called), empty.schema)

    @contextmanager
    def _asking(self, where: str, rows: int = BATCH) -> Iterator[None]:
        """Meanwhile Spark has our settings, and its errors are one line."""
        conf, before = self._frame.sparkSession.conf, dict[str, str | None]()
        sizes = {"spark.sql.execution.arrow.maxRecordsPerBatch": str(rows)}
        zone = {"spark.sql.session.timeZone": self.timezone}
        try:
            with _reworded(where):
                for name, setting in {**SETTINGS, **sizes, **zone}.items():
                    before[name] = conf.get(name, None)
                    conf.set(name, setting)
                yield
        finally:
            for name, value in before.items():
                conf.unset(name) if value is None else conf.set(name, value)


def _column(name: str) -> Any:
    return F.col(quoted(plain(name)))


def _plain(frame: Any) -> Any:
    """The frame by names that Spark takes as they are."""
    return frame.toDF(*map(plain, frame.columns))


def _copied(table: DuckTable, path: Path) -> Path:
    """All rows of a table in a Parquet file."""
    reader = table.batches(Scan(list(table.columns), ordered=False))
    with pq.ParquetWriter(path, reader.schema, store_schema=False) as writer:
        for batch in reader:
            writer.write_batch(batch)
    return path


@contextmanager
def _reworded(where: str) -> Iterator[None]:
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise InputError(f"{where}: {said(str(error))}") from error
