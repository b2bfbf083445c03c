"""What was released is verified and audited as it was, though other attributes are read by now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import InputError
from unspoken.workflows.audit.releases import audit
from unspoken.workflows.release import adopt_plan, release
from unspoken.workflows.release.reproducing import reproduce_all

pytestmark = pytest.mark.slow

PROJECT = """
format = 1
[source]
table = "table.parquet"
keys = ["id"]
[epoch]
label = "LABEL"
[attribute.hour]
values = ["a", "b", "c"]
sensitive = "hour = 'a'"
[attribute.wd]
values = ["x", "y"]
[attribute.act]
values = ["p", "q"]
[application.all]
reads = READS
[limit]
odds_cap = 4.0
[plan]
by = "BY"
"""
ROWS = 3_000


def written(folder: Path, reads: str, by: str, label: str = "1", text: str = PROJECT) -> Path:
    """The project file, with other reads."""
    path = folder / "unspoken.toml"
    path.write_text(text.replace("READS", reads).replace("BY", by).replace("LABEL", label))
    return path


@pytest.fixture(params=["cell", "record"])
def released(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, str]:
    """A folder from which hour and wd were released, and by which coins."""
    rng = np.random.default_rng(3)
    hour = rng.choice(["a", "b", "c"], ROWS, p=[0.1, 0.5, 0.4])
    near = {name: np.where(rng.random(ROWS) < 0.7, hour == "b", hour == "a") for name in "wa"}
    table = {
        "id": range(ROWS),
        "hour": hour,
        "wd": np.where(near["w"], "x", "y"),
        "act": np.where(near["a"], "p", "q"),
    }
    pq.write_table(pa.table(table), tmp_path / "table.parquet")
    release(written(tmp_path, '["hour", "wd"]', request.param))
    return tmp_path, request.param


@pytest.mark.parametrize("reads", ['["hour", "act"]', '["hour"]', '["hour", "wd", "act"]'])
def test_a_release_is_verified_and_audited_with_the_reads_that_it_had(
    released: tuple[Path, str], reads: str
) -> None:
    folder, by = released
    path, manifest = written(folder, reads, by), folder / "released.manifest.json"
    ((_, found),) = reproduce_all([manifest], path)
    assert (found.differs, found.rows) == ((), ROWS)
    attacked = audit(path)
    assert {one.about for one in attacked.attacked} == {"hour"}
    assert not attacked.failed


def test_the_attributes_that_a_file_has_are_attacked_whatever_is_read_by_now(
    released: tuple[Path, str],
) -> None:
    folder, by = released
    before = [one.naive.as_json() for one in audit(folder).attacked if one.given is None]
    path = written(folder, '["act"]', by)
    after = [one.naive.as_json() for one in audit(path).attacked if one.given is None]
    assert len(before) == len(after) > 0
    assert [each["verdict"] for each in before] == [each["verdict"] for each in after]


def test_an_attribute_that_is_gone_is_named(tmp_path: Path) -> None:
    """Of exact counts, which are made anew; counts with noise are refused for it before."""
    table = {"id": range(40), "hour": ["a", "b"] * 20, "wd": ["x", "y"] * 20}
    pq.write_table(pa.table(table), tmp_path / "table.parquet")
    exact = PROJECT.replace('[attribute.act]\nvalues = ["p", "q"]\n', "")
    exact += '[belief]\nnoise = "none"\n'
    release(written(tmp_path, '["hour", "wd"]', "cell", text=exact))
    gone = exact.replace('[attribute.wd]\nvalues = ["x", "y"]\n', "")
    path = written(tmp_path, '["hour"]', "cell", text=gone)
    with pytest.raises(InputError, match=r"attribute\.wd: was used by event 1.* as it was \("):
        list(reproduce_all([tmp_path / "released.manifest.json"], path))
    with pytest.raises(InputError, match=r"attribute\.wd: is in what was .* as it was \("):
        audit(path)


def test_a_release_is_verified_after_another_plan_is_adopted(
    released: tuple[Path, str],
) -> None:
    folder, by = released
    path = written(folder, '["hour", "act"]', by)
    adopt_plan(path)
    ((_, found),) = reproduce_all([folder / "released.manifest.json"], path)
    assert found.differs == ()
    assert not audit(path).failed
