"""Before anything is counted with noise, plans are as unsure as the noise will make the counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.families import Intervals
from unspoken.tables.learning.once import moved
from unspoken.workflows.release import Prepared, learn_project, prepare

pytestmark = pytest.mark.slow

PROJECT = """
format = 1
[source]
table = "t.parquet"
keys = ["who", "day"]
{unit}
[epoch]
label = "1"
[attribute.late]
values = ["yes", "no"]
sensitive = "late = 'yes'"
[attribute.use]
values = [0, 1, 2]
[context.half]
of = "day % 2"
{context}
[application.a]
reads = ["late", "use"]
[limit]
odds_cap = 4.0
[belief]
noise = {noise}
"""


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    late = rng.random(600) < 0.3
    table = {
        "who": np.repeat(np.arange(60), 10),
        "day": np.tile(np.arange(10), 60),
        "late": np.where(late, "yes", "no"),
        "use": np.where(late, rng.integers(0, 2, 600), rng.integers(0, 3, 600)),
    }
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    return tmp_path / "unspoken.toml"


def width(prepared: Prepared) -> float:
    """How wide the intervals of the combinations are, added up."""
    assert isinstance(prepared.beliefs, Intervals)
    ends = prepared.beliefs.joint_cells.ends
    return float((ends.upper - ends.lower).sum())


UNIT, BEFORE = 'unit = ["who"]', '[context.before]\nprevious = "late"'


@pytest.mark.parametrize(
    ("unit", "context"),
    [("", ""), (UNIT, BEFORE), (UNIT + "\nrows_per_unit = 10", BEFORE)],
    ids=["rows", "the row before", "units"],
)
def test_what_is_to_come_is_foreseen(ready: Path, unit: str, context: str) -> None:
    ready.write_text(PROJECT.format(unit=unit, context=context, noise=0.5))
    before, after = prepare(ready), learn_project(ready)
    assert after.believed is not None
    pinned = after.believed.pinned
    assert moved(before.project, ["joint", *before.project.contexts]) == pinned.sensitivity
    ready.write_text(PROJECT.format(unit=unit, context=context, noise='"none"'))
    exact = width(prepare(ready))
    assert exact < 0.9 * width(before)
    assert width(before) == pytest.approx(width(after), rel=0.15)
