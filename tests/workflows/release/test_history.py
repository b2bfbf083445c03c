"""Rows that are counted and never released: what is said of either is found in these alone."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.workflows.release.growing import grow, project, with_confidence_set
from unspoken.assessment import boxed as boxing
from unspoken.assessment.boxed import Boxed, _most, box_of, boxed
from unspoken.core.mechanisms import OneSided
from unspoken.core.types.bound import Bound
from unspoken.tables.learning import table_of
from unspoken.tables.learning.counts.counted import Cache
from unspoken.tables.learning.pinned import Pinned
from unspoken.tables.policy import Project
from unspoken.workflows.release import learn_project

pytestmark = pytest.mark.slow

HISTORY = '[belief]\nhistory = "day < 30"\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    grow(tmp_path, 3, persons=30)
    return project(tmp_path, HISTORY)


def test_units_are_those_of_the_rows_in_question(path: Path) -> None:
    table = pq.read_table(path.parent / "t.parquet")
    late = pc.or_(pc.less(table["day"], 30), pc.less(table["person"], 10))
    pq.write_table(table.filter(late), path.parent / "t.parquet")  # most left after a month
    ready = learn_project(path)
    assert ready.believed is not None
    units = ready.believed.pinned.units
    assert units is not None
    assert (units.count, units.rows) == (30, 30)
    assert (ready.units.groups, ready.units.largest) == (10, 60)
    assert "One person has 60 rows on average and 60 at most" in ready.cautions()[-1].text


def test_values_are_those_of_the_rows_that_are_counted(path: Path) -> None:
    project(path.parent, HISTORY, **{'values = ["low", "high"]\n': "missing = 'never'\n"})
    table = pq.read_table(path.parent / "t.parquet")
    used = [*table["use"].to_pylist()[:-1], "few"]
    table = table.set_column(table.column_names.index("use"), "use", pa.array(used))
    pq.write_table(table, path.parent / "t.parquet")
    assert learn_project(path).learned.labels["use"] == ("high", "low")


def test_all_rows_may_be_history(path: Path) -> None:
    project(path.parent, HISTORY.replace("30", "900"))
    assert learn_project(path).learned.rows == 2700
    with pytest.raises(unspoken.UnspokenError, match="true in every row"):
        unspoken.release(path)


def test_what_was_counted_of_another_history_is_not_used(path: Path) -> None:
    def asked() -> Cache | None:
        read = Project.read(path)
        return Cache.of(read, table_of(read))

    before = asked()
    project(path.parent, HISTORY.replace("30", "60"))
    after = asked()
    assert before is not None
    assert after is not None
    assert before.asked != after.asked


def test_the_box_is_by_units_where_one_has_several_rows(path: Path) -> None:
    with_confidence_set(path)
    ready = learn_project(path)
    assert ready.believed is not None
    (said,) = ready.findings(curve=False).boxed
    counted = "each with 30 rows at most when they were counted, as far as these show"
    assert f"(box(95 %), counted by person: 30 of them, {counted}): up to " in said
    assert "If all rows of one person were independent: up to odds x" in said
    held, mechanism = ready.believed.pinned, OneSided({"use": 1.0}, ready.learned.sensitive)
    (by_units,) = boxed(
        ready.project,
        ready.learned,
        box_of(ready.project, ready.learned, held, held.units),
        mechanism,
    )
    (by_rows,) = boxed(ready.project, ready.learned, ready.beliefs, mechanism)
    assert by_units.odds.high > 1.5 * by_rows.odds.high
    assert Pinned.parse(held.text(), path).units == held.units


def test_a_box_of_too_many_answers_is_not_looked_at_and_that_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_confidence_set(path)
    ready = learn_project(path)
    monkeypatch.setattr(boxing, "ASKED", 10)  # seven-attribute tables took many minutes
    (said,) = ready.openly().boxed
    assert said == (
        "Not looked at for every belief that the counts leave possible: "
        "4 answers of 4 combinations of values are too many."
    )


@pytest.mark.parametrize(
    ("bits", "shown"),
    [
        (1.0, ", and no bound in bits (1 bit is all there is)"),
        (math.log2(3), ", and no bound in bits (1.6 bit is all there is)"),
        (0.25, " and 0.25 bit"),
        (0.0, " and 0 bit"),
    ],
)
def test_a_bound_in_bits_that_bounds_nothing_says_so(bits: float, shown: str) -> None:
    nats = bits * math.log(2)
    told = _most([Boxed("late", Bound(4.0, 4.0, "odds"), Bound(nats, nats, "nat"))])
    assert told == f"up to odds x 4 (about late){shown}"
