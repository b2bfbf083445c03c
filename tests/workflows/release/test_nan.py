"""NaN is an error, until somebody says that it means missing; then it does everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run, folder, occupancy, run  # noqa: F401
from tests.workflows.release.small import Attributes, small
from unspoken.core.errors import InputError
from unspoken.tables.policy import Project
from unspoken.workflows.release import prepare, release

pytestmark = pytest.mark.slow

TEMP = np.where(np.arange(60) % 6 == 0, np.nan, np.arange(60) / 3)
TABLE = pa.table({"id": range(60), "temp": TEMP, "use": ["a", "b", "b"] * 20})
NAN = 'table = "table.parquet"\nnan = "missing"'
ATTRIBUTES: Attributes = {
    "temp": {"bins": [10], "missing": "value"},
    "use": {"sensitive": "temp > 15"},
}


def test_nan_is_an_error_that_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'10 values are NaN .* write nan = "missing" under \[sou'):
        prepare(small(tmp_path, TABLE, ATTRIBUTES))


def test_nan_is_missing_in_values_and_in_predicates(tmp_path: Path) -> None:
    ready = prepare(small(tmp_path, TABLE, ATTRIBUTES, source=NAN))
    assert ready.learned.counts["temp"] == (25, 25, 10)
    # NaN is above every number, NULL is not known to be: sensitive too, and by another rule.
    assert ready.learned.sensitive_share("use") == (10 + 12) / 60
    absent = {**ATTRIBUTES, "use": {"sensitive": "temp IS NULL"}}
    same = prepare(small(tmp_path, TABLE, absent, source=NAN))
    assert same.learned.sensitive_share("use") == 10 / 60
    free = {**ATTRIBUTES, "use": {}}
    got = pq.read_table(release(small(tmp_path, TABLE, free, source=NAN)).path)
    assert {*got["temp"].to_pylist()} == {None, "below 10", "10 or more"}
    told = [row["temp"] for row in got.to_pylist() if row["temp__missing"]]
    assert {*told} == {None}


def test_infinity_stays_an_error(tmp_path: Path) -> None:
    infinite = TABLE.set_column(1, "temp", pa.array([np.inf, *TEMP[1:]]))
    with pytest.raises(InputError, match="1 value is NaN or infinite"):
        prepare(small(tmp_path, infinite, ATTRIBUTES, source=NAN))


def test_init_writes_it_where_it_sees_nan(folder: Path, run: Run) -> None:  # noqa: F811
    pq.write_table(TABLE, folder / "rooms.parquet")
    assert run("init", "rooms.parquet").code == 0
    project = Project.read(".")
    assert (project.source.nan_missing, project.attributes["temp"].missing) == (True, "value")
    assert 'nan = "missing"' in Path("unspoken.toml").read_text()
    assert run("learn").code == 0


def test_a_first_look_leaves_out_what_is_infinite(folder: Path, run: Run) -> None:  # noqa: F811
    infinite = TABLE.set_column(1, "temp", pa.array([np.inf, *TEMP[1:]]))
    pq.write_table(infinite.append_column("floor", pa.array([*range(3)] * 20)), "rooms.parquet")
    done = run("leak", "rooms.parquet")
    assert done.code == 0
    assert "temp: some of its values are infinite" in done.out
    assert run("init", "rooms.parquet").code == 0
    assert (
        '"temp" is left out: some of its values are infinite' in Path("unspoken.toml").read_text()
    )
    assert run("learn").code == 0
