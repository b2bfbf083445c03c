"""Names of files, columns and tables, hours and NaN: Spark takes them as DuckDB and projects do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.releasing.small import small
from tests.servers.test_spark import SPARK, bytes_of
from unspoken.errors import InputError
from unspoken.learning import table_of
from unspoken.policy import Project
from unspoken.releasing import release

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
