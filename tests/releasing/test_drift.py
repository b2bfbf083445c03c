"""What changed: rows of another law are found, those of the same one hardly ever."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.releasing.growing import grow, project
from unspoken.errors import InputError
from unspoken.learning.intervals.confidence import Units
from unspoken.releasing import adopt_plan, difference, learn_project, prepare
from unspoken.releasing.assessing.drift import LEVEL, _apart, _Sample

LABELS: Any = SimpleNamespace(labels={"a": ("x", "y", "z"), "b": ("s", "t")})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    grow(tmp_path, 2, persons=60)
    secret = "sensitive = \"ill = 'yes'\""  # of all persons on some days, once they are changed
    return project(tmp_path, **{'unit = ["person"]\n': "", secret: f"{secret}\nstatic = false"})


def changed(path: Path, since: int, ill: str) -> None:
    """From this day on everybody is ill, or nobody, or who has a low use."""
    table = pq.read_table(path.parent / "t.parquet")
    of = {"yes": ("yes", "yes"), "no": ("no", "no"), "low": ("yes", "no")}[ill]
    rows = zip(*(table[name].to_pylist() for name in ("day", "ill", "use")), strict=True)
    column = pa.array([of[use != "low"] if day >= since else had for day, had, use in rows])
    place = table.column_names.index("ill")
    pq.write_table(table.set_column(place, "ill", column), path.parent / "t.parquet")


def test_rows_of_the_same_law_are_not_said_to_differ(path: Path) -> None:
    learn_project(path)
    grow(path.parent, 5, persons=60)
    drift = difference(path).drift
    assert drift is not None
    assert (drift.rows, list(drift.found), drift.unlisted) == (5400, [], {})
    assert 1.0 < drift.odds < drift.boxed[0].odds.odds


def test_rows_of_another_law_are_found_with_what_differs(path: Path) -> None:
    unspoken.release(path)
    grow(path.parent, 4, persons=60)
    changed(path, 60, "yes")
    found = difference(path)
    assert found.drift is not None
    assert found.before is None
    assert found.drift.found[0].labels in ({"ill": "yes"}, {"ill": "no"})
    assert found.drift.found[0].gap > 0.5


@pytest.mark.parametrize(
    ("limits", "ill", "held", "red"),
    [
        ("odds_cap = 2.0", "low", "does not keep the limits on odds", True),
        ("odds_cap = 50.0", "no", "keeps the limits all the same", False),
        ("limit_bits = 0.2\nodds_cap = 50.0", "no", "may not be by these rows", True),
    ],
)
def test_what_is_signed_says_that_rows_differ_before_they_are_released(
    limits: str, ill: str, held: str, red: bool, path: Path
) -> None:
    path.write_text(path.read_text().replace("limit_bits = 0.2", limits))
    unspoken.release(path)
    assert not any("came since" in c.text for c in prepare(path).findings(False, True).cautions)
    grow(path.parent, 4, persons=60)
    changed(path, 60, ill)
    (said,) = (c for c in prepare(path).findings(False, True).cautions if "came since" in c.text)
    assert held in said.text
    assert said.red == red
    assert "Measured, not for release: " in said.text
    assert "%" not in said.unmeasured().text
    unspoken.release(path)  # and after it, until they are counted again
    assert any("came since" in c.text for c in prepare(path).findings(False, True).cautions)


def test_history_is_compared_with_what_is_released(path: Path) -> None:
    project(path.parent, '[belief]\nhistory = "day < 30"\n', **{'unit = ["person"]\n': ""})
    changed(path, 30, "yes")
    learn_project(path)
    drift = difference(path).drift
    assert drift is not None
    assert drift.rows == 1800
    assert drift.found


def test_two_countings_and_two_plans_are_compared(path: Path) -> None:
    adopt_plan(path)
    grow(path.parent, 4, persons=60)
    changed(path, 0, "yes")
    changed(path, 100, "no")
    learn_project(path, again=True)
    adopt_plan(path, by="Ann")
    found = difference(path)
    assert found.before is not None
    assert found.apart is not None
    then, now = found.moved["ill"]["yes"]
    assert abs(then - 0.2) < 0.2 < 0.6 < now
    assert found.apart > 0.3
    assert found.was is not None
    assert found.adopted is not None
    assert found.adopted.adopted is not None
    assert found.adopted.adopted.by == "Ann"
    assert found.adopted.chances == found.best.chances
    other = path.parent / "other.json"
    other.write_text(found.before.text())
    assert difference(path, other).moved == found.moved


def test_values_that_nobody_counted_are_said_with_how_many_rows_have_them(path: Path) -> None:
    alone = {'values = ["low", "high"]\n': "", 'unit = ["person"]\n': ""}
    project(path.parent, **alone)
    learn_project(path)
    grow(path.parent, 3, persons=60)
    table = pq.read_table(path.parent / "t.parquet")
    used = [*table["use"].to_pylist()[:-7], *["few"] * 7]
    place = table.column_names.index("use")
    pq.write_table(table.set_column(place, "use", pa.array(used)), path.parent / "t.parquet")
    drift = difference(path).drift
    assert drift is not None
    assert (drift.rows, drift.unlisted) == (1793, {"use": 7})


def test_nothing_that_was_counted_cannot_differ(path: Path) -> None:
    with pytest.raises(InputError, match="diff: nothing was counted yet"):
        difference(path)


@pytest.mark.parametrize("rows_of_unit", [1, 30])
def test_a_verdict_is_wrong_no_more_often_than_is_said(rows_of_unit: int) -> None:
    rng = np.random.default_rng(4)
    law, wrong, tries = rng.dirichlet(np.ones(6)), 0, 120
    for _ in range(tries):
        samples = []
        for count in (150, 400):
            counts = rows_of_unit * rng.multinomial(count, law)  # a unit's rows are all alike
            noise = rng.geometric(0.1, 6) - rng.geometric(0.1, 6)
            units = None if rows_of_unit == 1 else Units(count, rows_of_unit)
            joint = (counts + noise).reshape(3, 2)
            samples.append(_Sample(joint, rows_of_unit * count, 1 / -np.log(0.9), units))
        wrong += any(_apart(LABELS, *samples))
    assert wrong <= LEVEL * tries
