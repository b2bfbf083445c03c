"""Secrets that are the same in all rows of a person: each row keeps the cap, together none do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from tests.workflows.release.small import small
from unspoken import Adversary, Together, release
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import InEpoch

PERSONS, MONTHS = 60, 6


def rows(**changed: Any) -> pa.Table:
    """``ill`` is for good, ``use`` of each month."""
    rng = np.random.default_rng(3)
    person, month = np.divmod(np.arange(PERSONS * MONTHS), MONTHS)
    ill = (rng.random(PERSONS) < 0.4)[person]
    low = rng.random(len(person)) < np.where(ill, 0.7, 0.3)
    columns = {"person": person, "month": month, "ill": np.where(ill, "yes", "no")}
    return pa.table({**columns, "use": np.where(low, "low", "high"), **changed})


def project(folder: Path, table: pa.Table, more: str = "", **ill: Any) -> Path:
    attributes: dict[str, dict[str, Any]] = {
        "ill": {"values": ["no", "yes"], "sensitive": "ill = 'yes'", **ill},
        "use": {"values": ["high", "low"]},
    }
    path = small(
        folder, table, attributes, keys=["person", "month"], reads=["use"], odds_cap=2.0,
        source='table = "table.parquet"\nunit = ["person"]', epoch='of = "month"',
    )  # fmt: skip
    text = path.read_text().replace('by = "cell"', 'by = "record"')
    text = text.replace('confidence = "none"', "confidence = 0.95")
    path.write_text(text.replace("limit_bits = 64.0\n", more))
    return path


def test_the_attack() -> None:
    """Half a year of answers, each of which doubles the odds at most."""
    law = unspoken.Joint([[18, 42], [63, 27]], names=["ill", "use"])
    plan = unspoken.plan(law, by="record", sensitive={"ill": [0]}, odds_cap=2.0, reads=["use"])
    who = Adversary("ill", [0])
    assert unspoken.leakage(law, plan.mechanism, who, "odds").value <= 2.0
    months = Together([InEpoch(str(month), plan.mechanism) for month in range(MONTHS)])
    assert unspoken.leakage(law, months, who, "odds").value > 2.0 * 4


def test_a_lasting_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"in all rows of one person or in none.*static = false"):
        release(project(tmp_path, rows()))
    assert not (tmp_path / "released").exists()


def test_a_unit_that_is_not_declared_is_looked_for_in_the_keys(tmp_path: Path) -> None:
    """Every row a unit of its own is what is taken where nothing is written; a person is a key."""
    path = project(tmp_path, rows())
    path.write_text(path.read_text().replace('unit = ["person"]', ""))
    with pytest.raises(InputError, match=r"all rows of one person or in none.*static = false"):
        release(path)


@pytest.mark.slow
def test_what_rows_of_other_keys_have_in_common_is_warned_of(tmp_path: Path) -> None:
    """A bad month is one for all persons, and whoever puts its rows together sees which it is."""
    month = np.arange(PERSONS * MONTHS) % MONTHS
    bad = np.where(month >= 4, "yes", "no")
    path = project(tmp_path, rows(ill=bad))
    (warning,) = [str(each) for each in unspoken.prepare(path).warnings]
    assert "is true in all rows of one month or in none" in warning
    assert "one row for each month" in warning
    bad[0] = "yes"  # one person's first month
    assert not unspoken.prepare(project(tmp_path, rows(ill=bad))).warnings
    again = project(tmp_path, rows(ill=np.where(month >= 4, "yes", "no")), static=False)
    assert not unspoken.prepare(again).warnings


@pytest.mark.slow
def test_a_few_that_changed_hide_nothing(tmp_path: Path) -> None:
    """Three of 60 persons fell ill in mid-year: not refused, since it changes; who counts the rows
    of the others sees who is ill. With ten, or with nobody who always was, there is no such word.
    """
    ill = rows()["ill"].to_numpy(zero_copy_only=False).copy().reshape(PERSONS, MONTHS)
    healthy = np.flatnonzero(ill[:, 0] == "no")

    def warned(ill: Any) -> str:
        path = project(tmp_path, rows(ill=ill.ravel()))
        return " ".join(map(str, unspoken.prepare(path).warnings))

    ill[healthy[:3], 3:] = "yes"
    assert "in all rows of one person or in none (but for 3 of 60)" in warned(ill)
    release(project(tmp_path, rows(ill=ill.ravel())))
    ill[healthy[:10], 3:] = "yes"
    assert "rows of one person or in none" not in warned(ill)
    ill[:], ill[healthy[:3], :3] = "no", "yes"
    assert "rows of one person or in none" not in warned(ill)


@pytest.mark.slow
def test_three_keys_are_looked_at_without_one_and_alone(tmp_path: Path) -> None:
    """Ill on a day is ill in all of its slots; the fewest keys are named."""
    rng = np.random.default_rng(5)
    person, day, slot = (grid.ravel() for grid in np.indices((4, 10, 1000)))
    ill = (rng.random((4, 10)) < 0.3)[person, day]
    attributes: dict[str, dict[str, Any]] = {
        "ill": {"values": ["no", "yes"], "sensitive": "ill = 'yes'"}
    }

    def warned(ill: Any) -> str:
        columns = {"person": person, "day": day, "slot": slot, "ill": np.where(ill, "yes", "no")}
        keys = ["person", "day", "slot"]
        source = 'table = "table.parquet"\nunit = ["person"]'
        path = small(tmp_path, pa.table(columns), attributes, keys=keys, source=source)
        return " ".join(map(str, unspoken.prepare(path).warnings))

    assert "in all rows of one person and day or in none" in warned(ill)
    assert "in all rows of one day or in none" in warned(day >= 7)
    assert "rows of one" not in warned(rng.random(len(day)) < 0.3)


def test_who_says_that_it_may_change_goes_on(tmp_path: Path) -> None:
    assert release(project(tmp_path, rows(), static=False)).rows == PERSONS * MONTHS


def test_a_secret_that_changes_is_no_lasting_one(tmp_path: Path) -> None:
    ill = np.where(np.random.default_rng(1).random(PERSONS * MONTHS) < 0.4, "yes", "no")
    assert release(project(tmp_path, rows(ill=ill))).rows == PERSONS * MONTHS


def test_what_is_declared_static(tmp_path: Path) -> None:
    """A limit for all rows of a person is needed, and that it is so."""
    with pytest.raises(InputError, match=r"Give \[limit\] unit_bits"):
        unspoken.prepare(project(tmp_path, rows(), static=True))
    more = "unit_bits = 0.5\n"
    path = project(tmp_path, rows(), more, static=True)
    path.write_text(path.read_text().replace("[epoch]", f"rows_per_unit = {MONTHS}\n[epoch]"))
    assert release(path).rows == PERSONS * MONTHS


def test_a_changed_static_value_is_refused(tmp_path: Path) -> None:
    ill = rows()["ill"].to_pylist()
    ill[0] = "yes" if ill[0] == "no" else "no"
    path = project(tmp_path, rows(ill=ill), "unit_bits = 0.5\n", static=True)
    path.write_text(path.read_text().replace("[epoch]", f"rows_per_unit = {MONTHS}\n[epoch]"))
    with pytest.raises(InputError, match="ill has several values in the rows of some person"):
        release(path)


def test_a_static_attribute_is_not_read_row_by_row(tmp_path: Path) -> None:
    path = project(tmp_path, rows(), "unit_bits = 0.5\n", static=True)
    path.write_text(path.read_text().replace('reads = ["use"]', 'reads = ["use", "ill"]'))
    with pytest.raises(InputError, match="from a table with one row for each person"):
        unspoken.prepare(path)
