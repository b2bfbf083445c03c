"""A release of a frame: the file's bytes, coins and charge, whoever made the frame."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import unspoken
from tests.workflows.release.small import small
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.tables.engines.handed_in import arrow_table
from unspoken.workflows.release import rehearse

pytestmark = pytest.mark.slow

TABLE = pa.table(
    {
        "id": list(range(300)),
        "day": pa.array(range(300), pa.date32()),
        "arrival": ["late" if k % 3 else "on time" for k in range(300)],
        "light": [None if k % 11 == 0 else "on" if k % 7 % 2 else "off" for k in range(300)],
        "exits": pa.array([k % 5 for k in range(300)], pa.int16()),
        "left": pa.array([3600 * (k % 4) for k in range(300)], pa.timestamp("s")),
    }
)
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "arrival": {"sensitive": "arrival = 'late'"},
    "light": {"missing": "value"},
    "exits": {"bins": [2]},
}
FRAMES: dict[str, Callable[[], Any]] = {
    "arrow": lambda: TABLE,
    "arrow reader": TABLE.to_reader,
    "arrow, sorted otherwise": lambda: TABLE.take(list(reversed(range(300)))),
    "arrow categories": lambda: pa.table(
        [c.dictionary_encode() if c.type == pa.string() else c for c in TABLE.columns],
        names=TABLE.column_names,
    ),
    "pandas": TABLE.to_pandas,
    "pandas categories": lambda: TABLE.to_pandas().astype({"arrival": "category"}),
    "polars": lambda: pl.from_arrow(TABLE),
    "polars enums": lambda: pl.DataFrame(TABLE).with_columns(
        pl.col("arrival").cast(pl.Enum(["on time", "late"])), pl.col("light").cast(pl.Categorical)
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small(tmp_path, TABLE, ATTRIBUTES, keys=("id", "day"), limit_bits=0.5, odds_cap=4.0)


@pytest.mark.parametrize("name", FRAMES)
def test_the_same_bytes_as_from_the_file(name: str, project: Path) -> None:
    by_file = unspoken.release(project)
    written, manifest = by_file.path.read_bytes(), by_file.manifest.read_bytes()
    by_file.path.unlink()
    by_frame = unspoken.release(project, table=FRAMES[name]())
    assert by_frame.again
    assert by_frame.event == by_file.event
    assert by_frame.path.read_bytes() == written
    assert json.loads(by_frame.manifest.read_bytes()) == json.loads(manifest)


def test_what_is_plain_is_not_copied() -> None:
    """In several pieces too: the very buffers that were handed in are read."""
    given = pa.concat_tables([TABLE, TABLE])
    held = arrow_table(given, "table")
    for name in ("id", "arrival", "exits"):
        pieces = zip(given[name].chunks, held[name].chunks, strict=True)
        for mine, own in pieces:
            assert [b and b.address for b in mine.buffers()] == [
                b and b.address for b in own.buffers()
            ]


def test_no_file_is_needed(project: Path) -> None:
    (project.parent / "table.parquet").unlink()
    frame = pl.DataFrame(TABLE)
    assert "nothing" in repr(rehearse(project, table=frame))
    assert not (project.parent / "released.parquet").exists()
    released = unspoken.release(project, table=frame)
    assert not released.again
    assert released.rows == 300
    assert unspoken.prepare(project, table=frame).learned.rows == 300


def test_a_changed_frame_is_a_changed_source(project: Path) -> None:
    unspoken.release(project)
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        unspoken.release(project, table=TABLE.slice(0, 299))


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"id": [1]}, "table: dict is no table; give one of pandas, polars or Arrow"),
        (pd.DataFrame(TABLE.to_pandas()["arrival"]), "keys, column of the DataFrame: there is no"),
        (TABLE.slice(0, 0), "has no rows; give one that has"),
        (pl.DataFrame(TABLE).lazy(), "LazyFrame is no table"),
    ],
)
def test_frames_that_cannot_be_released(table: Any, says: str, project: Path) -> None:
    with pytest.raises(InputError, match=says):
        unspoken.release(project, table=table)
    assert not (project.parent / "released.parquet").exists()


def test_a_query_is_not_replaced(project: Path) -> None:
    text = project.read_text()
    project.write_text(text.replace('table = "table.parquet"', "sql = \"FROM 'table.parquet'\""))
    with pytest.raises(InputError, match=r"source.sql: chooses the rows, and a frame brings"):
        unspoken.release(project, table=TABLE)


def test_a_project_comes_first() -> None:
    with pytest.raises(InputError, match=r"a DataFrame is no project.*as table="):
        unspoken.release(pl.DataFrame(TABLE))  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, "half", pl.DataFrame({"a": [1]}), pd.NA, -1, float("nan")])
def test_a_share_is_a_number(wrong: Any, project: Path) -> None:
    with pytest.raises(InputError, match=r"release scale .*: is the share of the plan, from"):
        unspoken.release(project, scale=wrong)


def test_a_frame_in_the_place_of_the_share_is_told_where_to_go(project: Path) -> None:
    with pytest.raises(InputError, match="table=frame"):
        unspoken.release(project, pl.DataFrame(TABLE))  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [[], {"all": 1}, pl.Series(["all"]), 1, "al"])
def test_a_reader_is_an_application(wrong: Any, project: Path) -> None:
    with pytest.raises(InputError, match="--for: there is no"):
        unspoken.release(project, reader=wrong)


def test_what_is_to_be_done_is_done_in_the_frame(project: Path) -> None:
    """A frame has no query of its own, so no message names one; nor the file it stands for."""
    text = project.read_text()
    table = TABLE.append_column("pair", pa.array([[1, 2]] * len(TABLE)))
    project.write_text(f"{text}\n[attribute.pair]\n")
    with pytest.raises(InputError, match=r"no values to list; cast it in the frame$"):
        unspoken.release(project, table=table)
    project.write_text(text)
    with pytest.raises(InputError, match="2 rows of the Table have the same"):
        unspoken.release(project, table=pa.concat_tables([TABLE, TABLE.slice(0, 1)]))
    said = str(unspoken.leak(table.append_column("far", pa.array([math.inf] * len(TABLE)))))
    assert "Not looked at: far: some of its values are infinite." in said
    assert "sql" not in said
    with pytest.raises(InputError, match="Make columns of fewer values in the frame"):
        unspoken.leak(pa.table({"x": [1, 2], "y": ["a", "a"]}))
