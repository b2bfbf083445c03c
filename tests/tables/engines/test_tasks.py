"""Tasks that die, or run twice, leave nothing that counts; no Spark is needed to see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from tests.workflows.release.small import small
from unspoken.core.errors import InputError
from unspoken.tables.engines import spark
from unspoken.tables.engines.spark_words import said
from unspoken.tables.engines.sql import Expression
from unspoken.tables.engines.tasks import (
    NUMBER,
    Distinct,
    Handing,
    Staging,
    TypedRows,
    reported,
    staged,
)
from unspoken.tables.learning import table_of
from unspoken.tables.policy import Project

SCHEMA = pa.schema({"id": pa.int64(), "day": pa.string(), "x": pa.float64()})
COLUMNS = {"id": "BIGINT", "day": "VARCHAR", "x": "DOUBLE"}
ROWS = TypedRows(SCHEMA, COLUMNS, "days", "UTC", nan_missing=True)


def part(number: int) -> pa.RecordBatch:
    """As another engine has it: its own types, and the number of the part."""
    ids = pa.array([10 * number, 10 * number + 1], pa.int32())
    day = pa.array([20_000 + number] * 2, pa.int32()).cast(pa.date32())
    x = pa.array([float("nan"), number])
    numbers = pa.array([number] * 2, pa.int32())
    return pa.RecordBatch.from_pydict({"id": ids, "day": day, "x": x, NUMBER: numbers})


@dataclass(frozen=True)
class Saying:
    """Says of each batch how many rows it has, beside a column of few words."""

    dies: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            words = batch["day"].dictionary_encode()
            made = pa.RecordBatch.from_pydict({"id": batch["id"], "day": words, "x": batch["x"]})
            yield made.replace_schema_metadata({"rows": str(batch.num_rows)})
            if self.dies:
                raise RuntimeError("killed")


def task(folder: Path, work: Saying, keys: tuple[str, ...] = ("id",)) -> Staging:
    return Staging(ROWS, ("id", "day", "x"), work, str(folder), keys, {"id": "keys", "day": "keys"})


def attempt(staging: Staging, *numbers: int) -> list[object]:
    (report,) = staging(map(part, numbers))
    return [column[0].as_py() for column in report.columns]


def test_only_the_attempts_that_are_taken_count(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        attempt(task(tmp_path, Saying(dies=True)), 1)
    taken = [attempt(task(tmp_path, Saying()), number) for number in (1, 0)]
    attempt(task(tmp_path, Saying()), 1)  # beside itself
    assert len(list(tmp_path.iterdir())) == 4
    files, rows = reported(taken)
    batches = list(staged(tmp_path, files))
    assert rows == 4
    assert [batch["id"].to_pylist() for batch in batches] == [[0, 1], [10, 11]]
    assert [batch["day"].to_pylist() for batch in batches][1] == ["2024-10-05"] * 2
    assert batches[0]["x"].to_pylist() == [None, 0]
    assert [batch.schema.metadata for batch in batches] == [{b"rows": b"2"}] * 2
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_wrong_with_rows_comes_back_as_a_line(tmp_path: Path) -> None:
    found = [
        attempt(task(tmp_path, Saying(), ("day",)), 3, 3),
        attempt(task(tmp_path, Saying()), 0),
    ]
    with pytest.raises(InputError, match="keys: 4 rows of days have the same day; name"):
        reported(found)


def test_no_rows_need_no_file(tmp_path: Path) -> None:
    assert not list(task(tmp_path, Saying())(iter(())))
    early = Expression("x < 0", "BOOLEAN", ("x",))
    nothing = TypedRows(SCHEMA, COLUMNS, "days", "UTC", where=((early, True),))
    empty = Staging(nothing, ("x",), Distinct(3), str(tmp_path), (), {})
    assert reported([attempt(empty, 1)])[1] == 0


def test_conditions_hold_together() -> None:
    late = Expression("x >= 1", "BOOLEAN", ("x",))
    first = Expression("id % 10 = 0", "BOOLEAN", ("id",))
    rows = TypedRows(SCHEMA, COLUMNS, "days", "UTC", True, ((late, False), (first, True)))
    assert [rows.of(batch)["id"].to_pylist() for batch in map(part, (0, 1))] == [[0], [10]]
    given = part(1)
    assert next(Handing()(iter([given]))) is given


def test_text_that_is_none_is_refused_without_its_bytes() -> None:
    odd = pa.array([b"u", b"\xff\xfe"]).view(pa.string())
    given = pa.RecordBatch.from_pydict({"x": odd, NUMBER: pa.array([0, 0], pa.int32())})
    rows = TypedRows(pa.schema({"x": pa.string()}), {"x": "VARCHAR"}, "t", "UTC")
    for places, where in (
        ({"x": "unspoken.toml:9 attribute.x"}, "unspoken.toml:9 attribute.x"),
        ({}, "x"),
    ):
        staging = Staging(rows, ("x",), Handing(), "", (), places)
        (report,) = staging(iter([given]))
        wrong = f"{where}: x of t is not valid UTF-8; write its text again"
        assert report.to_pylist() == [{"part": 0, "file": None, "rows": 0, "wrong": wrong}]


def test_what_spark_needs_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = 'table = "days"\nengine = "spark"'
    asked = Project.read(small(tmp_path, None, {"x": {}}, keys=["id"], source=source))
    monkeypatch.setattr(spark, "SparkSession", None)
    with pytest.raises(InputError, match=r"source\.engine: Spark .* 'unspoken\[spark\]'"):
        table_of(asked)

    class Nobody:
        @staticmethod
        def getActiveSession() -> None:
            """No session is active."""

    monkeypatch.setattr(spark, "SparkSession", Nobody)
    for home in ("", str(tmp_path)):
        monkeypatch.setenv("JAVA_HOME", home)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(InputError, match=r"source\.engine: Spark needs Java 17"):
            table_of(asked)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "[JAVA_GATEWAY_EXITED] Java gateway process exited before ...",
            "Java ended before Spark began, and says why above. Spark needs Java 17 or newer: "
            "install it, or set JAVA_HOME to where it is",
        ),
        (
            "An error occurred while calling o9.collectToPython.\n"
            ": org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] No x. SQLSTATE: K\n\tat",
            '[FAILED_READ_FILE.NO_HINT] No x; write this file again, or take engine = "duckdb"',
        ),
        ("Traceback:\n  File y\nValueError: a\n\tat b(C:1)", "a"),
        (
            "Traceback:\n  File y\npyarrow.lib.ArrowInvalid: a\n SQLSTATE: 38000",
            "pyarrow.lib.ArrowInvalid: a",
        ),
    ],
)
def test_what_spark_says_is_one_line(text: str, line: str) -> None:
    assert said(text) == line
