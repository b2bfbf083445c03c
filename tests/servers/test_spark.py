"""Spark gives what DuckDB gives: cells, fingerprints, refusals, however its tasks fare."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tables.engines.test_protocol import ATTRIBUTES, EPOCHS, EPSILON, KEYS, rows
from tests.workflows.release.small import KEY, planned, small
from unspoken.core.errors import InputError
from unspoken.tables.engines.protocol import Among, Scan, Table, Work
from unspoken.tables.engines.spark import SparkTable
from unspoken.tables.learning import Learned, duckdb_table, table_of
from unspoken.tables.policy import Project
from unspoken.workflows.release import release
from unspoken.workflows.release.results import Released

pytestmark = pytest.mark.usefixtures("spark")
MANY = 100_000
DEATHS = 4
SPARK = 'table = "table.parquet"\nengine = "spark"'
AS_MANY = {"arrival": {"bins": [8, 9, 10], "sensitive": "arrival > 10"}, "rooms": {}}


def bytes_of(done: Released) -> list[bytes]:
    files = [done.path] if done.path.is_file() else sorted(done.path.iterdir())
    return [file.read_bytes() for file in files]


def project(folder: Path, source: str = "", **more: Any) -> Project:
    folder.mkdir(exist_ok=True)
    return Project.read(small(folder, rows(), ATTRIBUTES, keys=KEYS, source=source, **more))


@pytest.mark.parametrize("epoch", EPOCHS)
def test_a_release_is_the_same(epoch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(monkeypatch, **EPSILON)
    first = release(project(tmp_path / "duckdb", epoch=epoch, exceed=1.0))
    other = release(project(tmp_path / "spark", SPARK, epoch=epoch, exceed=1.0))
    assert bytes_of(first) == bytes_of(other)
    assert first.event.readings == other.event.readings


def many() -> pa.Table:
    rng = np.random.default_rng(4)
    number = rng.permutation(MANY)
    return pa.table(
        {
            "office": pa.array(number // 100, pa.int32()),
            "day": pa.array(20_000 + number % 100, pa.int32()).cast(pa.date32()),
            "arrival": rng.normal(9, 1, MANY),
            "rooms": rng.integers(0, 4, MANY),
        }
    )


def in_one(folder: Path) -> None:
    pq.write_table(many(), folder / "1.parquet")


def in_small_groups(folder: Path) -> None:
    pq.write_table(many(), folder / "1.parquet", row_group_size=3_001)


def in_seven(folder: Path) -> None:
    for k in range(7):
        pq.write_table(many().slice(k * 15_000, 15_000), folder / f"{k}.parquet")


def sorted_down(folder: Path) -> None:
    order = [("office", "descending"), ("day", "descending")]
    pq.write_table(many().sort_by(order), folder / "1.parquet")


def by_rooms(folder: Path) -> None:
    for value in range(4):
        own = many().filter(pa.compute.equal(many()["rooms"], value)).drop_columns("rooms")
        (folder / f"rooms={value}").mkdir()
        pq.write_table(own, folder / f"rooms={value}" / "1.parquet")


@dataclass(frozen=True)
class Dying:
    """Work whose first attempt on each part writes some of it and dies."""

    work: Work
    marks: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for k, batch in enumerate(self.work(batches)):
            yield batch
            first = repr(batch.column(0)[0].as_py()).encode()
            mark = Path(self.marks, hashlib.sha256(first).hexdigest())
            if k == 0 and not mark.exists() and len(os.listdir(self.marks)) < DEATHS:
                mark.touch()
                if len(os.listdir(self.marks)) % 2:
                    os._exit(1)
                raise RuntimeError("no more")


@pytest.mark.parametrize("layout", [in_one, in_small_groups, in_seven, sorted_down, by_rooms])
def test_many_rows_are_the_same_however_they_lie(
    layout: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: Any
) -> None:
    digests = set()
    for engine in ("duckdb", "spark"):
        (tmp_path / engine / "parts").mkdir(parents=True)
        layout(tmp_path / engine / "parts")
        source = f'table = "parts/**/*.parquet"\nengine = "{engine}"'
        path = small(tmp_path / engine, None, AS_MANY, keys=KEYS, source=source, exceed=1.0)
        if layout is in_seven:
            killing(tmp_path, monkeypatch)
            spark.conf.set("spark.sql.shuffle.partitions", "9")
        if layout is in_small_groups:
            spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
        digests.add(hashlib.sha256(release(path).path.read_bytes()).hexdigest())
    spark.conf.set("spark.sql.shuffle.partitions", "4")
    spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert len(digests) == 1


def killing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on tasks die."""
    (folder / "marks").mkdir(exist_ok=True)
    through = SparkTable.through

    def dying(table: SparkTable, work: Work, *given: Any, **named: Any) -> Any:
        return through(table, Dying(work, str(folder / "marks")), *given, **named)

    monkeypatch.setattr(SparkTable, "through", dying)


def test_what_is_learned_is_the_same(tmp_path: Path) -> None:
    asked = project(tmp_path, SPARK)
    first, other = Learned.of(asked, duckdb_table(asked)), Learned.of(asked, table_of(asked))
    assert first.labelling == other.labelling
    assert (first.counts, first.rows) == (other.counts, other.rows)


def asked_of(table: Table) -> list[Any]:
    """All that a table answers."""
    from unspoken.tables.engines.row_sql import RowSQL

    row = RowSQL(table.columns, table.title, table.timezone)
    late, office = row.read("arrival > 9.5", "x"), row.read("upper(office)", "x")
    among = Among(office, ["O01É", "O07É"])
    some = table.only(late, True).only(row.read("rooms = 3", "x"), False)
    names = ["door", "office", "rent", "since", "cleaned", "rooms"]
    return [
        (dict(table.columns), dict(table.given), table.keys),
        (table.count(), some.count(), table.only(late, False).count()),
        sorted(table.values("door", 9, "x").to_pylist()),
        sorted(map(str, some.values("since", 9, "x").to_pylist())),
        (len(table.values("day", 9, "x")), table.values("day", 9, "x").type),
        (table.groups(["office"], "x"), some.groups(["office"], "x")),
        [*map(tuple, table.tallies(["office"], {"x": late})[0])],
        table.totals([row.read("rooms", "x")], [office, row.read("day < '2026-05'", "x")], "x"),
        some.totals([row.read("if(rooms = 3, NULL, 1)", "x"), row.read("2", "x")], [], "x"),
        table.only(row.read("rooms > 9", "x"), True).totals([row.read("2", "x")], [office], "x"),
        pa.Table.from_batches(table.batches(Scan(names))),
        pa.Table.from_batches(some.batches(Scan([*KEYS, *names[2:]]))),
        pa.Table.from_batches(table.batches(Scan(["day", "office"], among=among))),
    ]


def test_a_table_answers_the_same(tmp_path: Path) -> None:
    asked = project(tmp_path, SPARK)
    for first, other in zip(asked_of(duckdb_table(asked)), asked_of(table_of(asked)), strict=True):
        assert first == other


def test_a_table_of_the_catalog_is_the_same(tmp_path: Path, spark: Any) -> None:
    asked = project(tmp_path)
    spark.read.parquet(asked.source.table).createOrReplaceTempView("days")
    named = replace(asked.source, table="days", engine="spark", catalog=True)
    other = table_of(replace(asked, source=named))
    for mine, its in zip(asked_of(duckdb_table(asked)), asked_of(other), strict=True):
        assert mine == its
    missing = replace(named, table="nights")
    with pytest.raises(InputError, match=r"source\.table: .*nights.* cannot be found"):
        table_of(replace(asked, source=missing))


HOURS = pa.array([3_600 * 10**9 * n for n in range(60)], pa.timestamp("ns", "UTC"))
WIDE = pa.array([Decimal(n % 3) for n in range(60)], pa.decimal256(50, 0))


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        ({"id": HOURS, "b": range(60)}, {}),
        ({"id": range(60), "b": WIDE}, {"bins": [1]}),
        ({"id": range(60), "b": np.arange(60).astype(np.float16) / 2}, {"bins": [9]}),
    ],
)
def test_types_that_spark_reads_otherwise_are_the_same(
    columns: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    table = pa.table({**columns, "a": ["x", "y"] * 30})
    attributes = {"a": {"sensitive": "a = 'x'"}, **({"b": more} if more else {})}
    given = []
    for source in ("", SPARK):
        folder = tmp_path / (source and "spark")
        folder.mkdir(exist_ok=True)
        given.append(bytes_of(release(small(folder, table, attributes, source=source))))
    assert given[0] == given[1]


def test_a_type_that_spark_lacks_is_called_what_it_is(tmp_path: Path) -> None:
    """A time of day as a key is kept as text, and is none in the file."""
    table = pa.table({"id": [time(n) for n in range(24)], "a": ["x", "y"] * 12})
    path = small(tmp_path, table, {"a": {}}, source=SPARK)
    with pytest.raises(InputError, match=r"id is time64\[us\], which Spark does not read here"):
        release(path)


@pytest.mark.parametrize("column", ["id", "a"])
def test_bytes_that_are_no_text_are_refused(column: str, tmp_path: Path) -> None:
    """Spark reads them as they are; DuckDB refuses the file."""
    columns = {"id": [b"k%d" % n for n in range(24)], "a": [b"x", b"y"] * 12}
    columns[column][3] = b"\xff\xfe"
    table = pa.table({name: pa.array(x).view(pa.string()) for name, x in columns.items()})
    for source in ("", SPARK):
        with pytest.raises(InputError, match=r"(source\.keys|attribute\.a): .*not valid UTF-8"):
            release(small(tmp_path, table, {"a": {}}, source=source))
        assert not list(tmp_path.glob("*released*"))


def test_names_may_have_what_spark_takes_for_grammar(tmp_path: Path) -> None:
    """Such as the names of R: education.num."""
    key, of = "a.`k", "of = '\"a.`k\" // 10'"
    table = pa.table({key: range(24), "x.y": ["x", "y"] * 12, "x": ["v"] * 12 + ["w"] * 12})
    attributes = {"x.y": {"sensitive": "\"x.y\" = 'x' AND x = 'v'"}, "x": {}}
    given = []
    for source in ("", SPARK):
        folder = tmp_path / (source and "spark")
        folder.mkdir(exist_ok=True)
        quoted = {f'"{name}"': rule for name, rule in attributes.items()}
        more: Any = {"keys": [key], "epoch": of, "reads": list(attributes), "source": source}
        given.append(bytes_of(release(small(folder, table, quoted, **more))))
    assert given[0] == given[1]
    assert len(given[0]) == 3


@pytest.mark.parametrize("name", ["_table.parquet", ".table.parquet", "_parts/table.parquet"])
def test_a_file_that_spark_would_leave_out_is_read(name: str, tmp_path: Path) -> None:
    table, given = pa.table({"id": range(24), "a": ["x", "y"] * 12}), []
    (tmp_path / name).parent.mkdir(exist_ok=True)
    for more in ("", '\nengine = "spark"'):
        source = f'table = "{name}"{more}'
        path = small(tmp_path, table, {"a": {}}, name=name, source=source)
        given.append(bytes_of(release(path)))
    assert given[0] == given[1]


def test_keys_too_long_for_coins_are_refused_before_rows_are_counted(tmp_path: Path) -> None:
    table = pa.table({"id": ["k" * 70_000, *map(str, range(23))], "a": ["x", "y"] * 12})
    path = small(tmp_path, table, {"a": {}}, source=SPARK)
    said = r"source\.keys: a row: has 70,000 bytes of text: at most 65,536 are taken, of keys"
    for opened in (duckdb_table, table_of):
        with pytest.raises(InputError, match=said):
            opened(Project.read(path))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        (
            "concat('k', id) COLLATE UTF8_LCASE",
            "'x'",
            "keys: id of nights is string collate UTF8_L",
        ),
        (
            "id",
            "concat('k', id) COLLATE UTF8_LCASE",
            "a: a is string collate UTF8_LCASE, which has",
        ),
        (
            "make_date(9990 + CAST(id AS INT), 1, 1)",
            "'x'",
            "keys: id of nights has 30 that are infi",
        ),
        (
            "make_timestamp(9990 + CAST(id AS INT), 1, 1, 0, 0, 0)",
            "'x'",
            "has 30 that are infinite, of no year",
        ),
    ],
)
def test_columns_of_the_catalog_that_are_not_taken(
    key: str, value: str, said: str, tmp_path: Path, spark: Any
) -> None:
    of = {"id": key, "a": value, "b": "if(id % 2 = 0, 'u', 'v')"}
    columns = ", ".join(f"{sql} AS {name}" for name, sql in of.items())
    spark.sql(f"SELECT {columns} FROM range(40)").createOrReplaceTempView("nights")
    source = 'table = "nights"\nengine = "spark"'
    with pytest.raises(InputError, match=said):
        release(small(tmp_path, None, {"a": {}, "b": {}}, source=source))


@pytest.mark.parametrize("wrong", ["twice", "missing"])
def test_keys_that_do_not_name_rows_are_refused_the_same(wrong: str, tmp_path: Path) -> None:
    table = rows().slice(0, 300)
    day = table["day"].to_pylist()
    spoilt = [None, *day[1:]] if wrong == "missing" else day
    more = table.set_column(1, "day", pa.array(spoilt))
    if wrong == "twice":
        more = pa.concat_tables([more, table.slice(7, 1)])
    path = small(tmp_path, more, ATTRIBUTES, keys=KEYS, source=SPARK)
    asked = Project.read(path)
    said = set()
    for opened in (duckdb_table, table_of):
        with pytest.raises(InputError) as refused:
            opened(asked)
        said.add(str(refused.value))
    places = dict.fromkeys(KEYS, asked.at("source", "keys"))
    sorted_rows = table_of(asked, checked=False).batches(Scan(["rooms"], places=places))
    with pytest.raises(InputError) as passing:
        next(iter(sorted_rows))
    assert said == {str(passing.value)}


def test_what_is_wrong_in_a_task_is_one_line(tmp_path: Path) -> None:
    strange = {**ATTRIBUTES, "rooms": {"sensitive": "1 / (rooms - 1) > CAST(door AS INTEGER)"}}
    asked = Project.read(small(tmp_path, rows(), strange, keys=KEYS, source=SPARK))
    said = set()
    for table in (duckdb_table(asked), table_of(asked)):
        with pytest.raises(InputError, match=r"attribute\.rooms") as refused:
            Learned.of(asked, table)
        said.add(str(refused.value))
    assert len(said) == 1


def test_nothing_that_spark_writes_down_has_a_key(events: Path) -> None:
    """Plans, settings and names of all that ran before."""
    written = b"".join(file.read_bytes() for file in events.rglob("*") if file.is_file())
    assert b"mapInArrow" in written or b"MapInArrow" in written
    for secret in (KEY, KEY.hex().encode(), base64.b64encode(KEY)):
        assert secret not in written
