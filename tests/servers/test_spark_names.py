"""Names of files, columns and tables, hours and NaN: Spark takes them as DuckDB and projects do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.servers.test_spark import SPARK, bytes_of
from tests.workflows.release.small import small
from unspoken.core.errors import InputError
from unspoken.tables.learning import table_of
from unspoken.tables.policy import Project
from unspoken.workflows.release import release

pytestmark = pytest.mark.usefixtures("spark")
SETTINGS = ("spark.sql.session.timeZone", "spark.sql.caseSensitive")


def test_files_are_known_by_their_names_whatever_is_in_these(tmp_path: Path, spark: Any) -> None:
    """Nothing is written over what is read; and settings of who began Spark stay as they were."""
    table, folder = pa.table({"id": range(24), "a": ["x", "y"] * 12}), tmp_path / "b {1,2}[x]%20é#"
    folder.mkdir()
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    before = {name: spark.conf.get(name, None) for name in SETTINGS}
    given = [
        bytes_of(release(small(folder, table, {"a": {}}, source=source))) for source in ("", SPARK)
    ]
    assert given[0] == given[1]
    file = str(folder / "table.parquet").replace("{", "\\{").replace("[", "\\[")
    spark.read.parquet(file).createOrReplaceTempView("nights")
    source = 'table = "nights"\nengine = "spark"'
    path = small(folder, None, {"a": {}}, source=source)
    assert table_of(Project.read(path)).files == [folder / "table.parquet"]
    path.write_text(path.read_text() + '\n[output]\nrelease = "table.parquet"')
    with pytest.raises(InputError, match="is read by this project, so it cannot be written too"):
        release(path)
    assert {name: spark.conf.get(name, None) for name in SETTINGS} == before
    spark.conf.unset("spark.sql.session.timeZone")


def test_a_table_of_the_catalog_without_rows_is_refused(tmp_path: Path, spark: Any) -> None:
    spark.sql("SELECT 1 AS id, 'x' AS a WHERE false").createOrReplaceTempView("nights")
    source = 'table = "nights"\nengine = "spark"'
    with pytest.raises(InputError, match=r"source\.table: nights has no rows; give one that has"):
        release(small(tmp_path, None, {"a": {}}, source=source))


def test_names_that_differ_in_case_alone_are_the_same(tmp_path: Path) -> None:
    """DuckDB calls the second of them A_1, which Spark would take for a column without values."""
    columns = {"id": range(24), "a": ["x", "y"] * 12, "A": ["v"] * 12 + ["w"] * 12}
    attributes, given = {"a": {}, "A_1": {"missing": "public"}}, []
    for source in ("", SPARK):
        folder = tmp_path / (source and "spark")
        folder.mkdir(exist_ok=True)
        done = release(small(folder, pa.table(columns), attributes, source=source))
        assert pq.read_table(done.path)["A_1"].to_pylist() == columns["A"]
        given.append(bytes_of(done))
    assert given[0] == given[1]


def test_hours_and_nan_are_what_the_project_says(tmp_path: Path) -> None:
    hours = pa.array([3_600 * 10**6 * n for n in range(60)], pa.timestamp("us", "UTC"))
    columns = {"id": hours, "a": ["x", "y"] * 30, "b": [float("nan"), 1.0, 2.0] * 20}
    attributes: Any = {
        "a": {"sensitive": "hour(id) > 12"},
        "b": {"bins": [1.5], "missing": "value"},
    }
    given = []
    for engine in ("duckdb", "spark"):
        folder, zone = tmp_path / engine, 'timezone = "Asia/Tokyo"\nnan = "missing"'
        folder.mkdir()
        source = f'table = "table.parquet"\nengine = "{engine}"\n{zone}'
        more: Any = {"epoch": 'of = "id::DATE"', "source": source}
        given.append(bytes_of(release(small(folder, pa.table(columns), attributes, **more))))
    assert given[0] == given[1]
    assert len(given[0]) == 3


def test_columns_of_the_catalog_that_differ_in_case_alone_are_refused(
    tmp_path: Path, spark: Any
) -> None:
    """A condition on the one would be asked of the other."""
    rows = spark.sql("SELECT id, if(id % 2 = 0, 'x', 'y') AS a, 'u' AS b FROM range(40)")
    rows.toDF("id", "a", "A").createOrReplaceTempView("nights")
    source = 'table = "nights"\nengine = "spark"'
    with pytest.raises(InputError, match='"a" and "A" of nights differ in letter case only'):
        release(small(tmp_path, None, {"a": {"sensitive": "a = 'x'"}}, source=source))
