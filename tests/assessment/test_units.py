"""What all rows of one person tell: said before anything is released, and then tried."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.assessment.test_habits import by_counting, mutual_information
from tests.workflows.release.small import planned, small
from unspoken.assessment.habits import Blanks
from unspoken.core.errors import InputError
from unspoken.workflows.release import prepare, release

PERSONS, DAYS = 300, 20
P = 0.5
ATTRIBUTES = {"visit": {"sensitive": "visit = 'clinic'"}, "mood": {}}


def days() -> pa.Table:
    """One in five goes to the clinic on half of the days, all others never."""
    rng = np.random.default_rng(5)
    often = np.arange(PERSONS) < PERSONS // 5
    visit = np.array([rng.permutation(DAYS) < DAYS // 2 * one for one in often])
    return pa.table(
        {
            "person": np.repeat(np.arange(PERSONS), DAYS),
            "day": np.tile(np.arange(DAYS), PERSONS),
            "visit": np.where(visit, "clinic", "other").ravel(),
            "mood": np.where(rng.random(visit.size) < 0.5, "low", "high"),
        }
    )


def written(folder: Path, more: str = "", **limits: Any) -> Path:
    source = f'table = "table.parquet"\nunit = ["person"]\n{more}'
    keys = ("person", "day")
    return small(folder, days(), ATTRIBUTES, keys=keys, source=source, **limits)


def the_caution(said: object) -> str:
    (text,) = (text for text in map(str, said) if "One person has" in text)  # type: ignore[call-overload]
    return text


@pytest.mark.slow
def test_counting_blanks_is_right_as_often_as_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, visit=-np.log(1 - P), mood=0.0)
    path = written(tmp_path, odds_cap=4.0)
    found = prepare(path).cautions({"visit": P, "mood": 0.0})
    said = the_caution(caution.text for caution in found)
    measured = re.search(
        r"(\S+) % by guessing, and after 20 rows of each for (\S+) % by counting", said
    )
    assert measured is not None
    assert "of 300 here 60 have visit sensitive in at least half of their rows" in said
    assert measured[1] == "80"
    blanks = np.isin(release(path).to_arrow()["visit"].to_numpy(zero_copy_only=False), ["other"])
    counted = DAYS - blanks.reshape(PERSONS, DAYS).sum(1)
    truth = np.arange(PERSONS) < PERSONS // 5
    right = max((truth == (counted >= least)).mean() for least in range(DAYS + 1))
    assert 100 * right == pytest.approx(float(measured[2]), abs=2.5)
    alone = float(re.findall(r"is right with (\S+) % about whether visit", said)[0]) / 100
    equal = max(
        ((counted >= least)[truth].mean() + (counted < least)[~truth].mean()) / 2
        for least in range(DAYS + 1)
    )
    assert equal == pytest.approx(alone, abs=0.03)


def test_units_with_half_of_an_odd_number_have_the_habit(tmp_path: Path) -> None:
    """Half of the rows of some, when the largest has 21: none of them is lost by rounding."""
    more = days().slice(0, 1).set_column(1, "day", [[DAYS]]).cast(days().schema)
    path = written(tmp_path, odds_cap=4.0)
    pq.write_table(pa.concat_tables([days(), more]), tmp_path / "table.parquet")
    said = str(prepare(path).cautions({"visit": P, "mood": 0.0}))
    has = 100 * (1 - (PERSONS // 5) / PERSONS)
    assert f"is right for {has:.3g} % by guessing, and after 21 rows of each" in said


def test_what_is_handed_on_was_not_measured(tmp_path: Path) -> None:
    path = written(tmp_path, odds_cap=4.0)
    ready = prepare(path)
    assert "Measured, not for release" in str(ready.findings(curve=False).cautions)
    done = release(path)
    for said in (str(done), repr(done.said.cautions), done.manifest.read_text()):
        assert "Measured" not in said
    said = the_caution(caution.text for caution in done.said.cautions)
    assert "One person has 20 rows on average and 20 at most" in said
    assert "all but surely at worst" in said
    assert "after 40 of them" in the_caution(
        c.text for c in prepare(written(tmp_path, "rows_per_unit = 40")).cautions()
    )


def test_a_yes_accepts_what_blanks_tell_of_a_unit_beyond_the_cap(tmp_path: Path) -> None:
    """Of two habits as likely as each other an answer within the cap is right with 4 of 5."""
    ready = prepare(written(tmp_path, odds_cap=4.0))

    def accepted(p: float) -> set[str]:
        return {c.accepts for c in ready.cautions({"visit": p, "mood": 0.0})} - {""}

    prior = np.zeros(DAYS + 1)
    prior[[0, DAYS // 2]] = 0.5
    habit = [int(n >= DAYS // 2) for n in range(DAYS + 1)]
    certain = {
        p: float(by_counting(Blanks.released(p), prior.tolist(), habit).max(0).sum())
        for p in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
    }
    assert min(certain.values()) < 0.8 < max(certain.values())
    assert {p for p in certain if accepted(p)} == {p for p, often in certain.items() if often > 0.8}
    assert accepted(0.3) == {"of which person most rows have visit sensitive"}
    assert accepted(0.05) == accepted(0.0) == set()
    limited = prepare(written(tmp_path, "rows_per_unit = 20", odds_cap=4.0, unit_bits=0.5))
    assert not any(c.accepts for c in limited.cautions({"visit": 0.3, "mood": 0.0}))


def test_few_rows_and_a_low_cap_leave_room_for_doubt(tmp_path: Path) -> None:
    said = the_caution(
        c.text for c in prepare(written(tmp_path, odds_cap=1.1)).cautions({"visit": 0.05})
    )
    assert "and reads every answer, with at most 80.8 %" in said  # 1 - 1.1^-10 / 2
    exceeded = prepare(written(tmp_path, odds_cap=1.1, exceed=0.01)).cautions()
    assert "all but surely at worst" in str(exceeded)


def test_more_rows_than_were_declared_are_refused(tmp_path: Path) -> None:
    text = r"unspoken\.toml:\d+ source\.rows_per_unit: one person has 20 rows, more than 19"
    with pytest.raises(InputError, match=text):
        release(written(tmp_path, "rows_per_unit = 19"))
    assert not (tmp_path / "released.parquet").exists()
    assert release(written(tmp_path, "rows_per_unit = 20")).rows == PERSONS * DAYS
    with pytest.raises(InputError, match=r"rows_per_unit: is below 1"):
        prepare(written(tmp_path, "rows_per_unit = 0"))


def test_all_rows_of_a_unit_keep_its_limit(tmp_path: Path) -> None:
    """A row gets its share, and no habit that blanks tell of is told by more than the whole."""
    path = written(tmp_path, "rows_per_unit = 20", odds_cap=4.0, unit_bits=0.5)
    ready = prepare(path)
    plan = ready.plan()
    assert plan.total / np.log(2) <= 0.5 / DAYS
    prior = np.zeros(DAYS + 1)
    prior[[0, DAYS // 2]] = 0.8, 0.2
    habit = [int(n >= DAYS // 2) for n in range(DAYS + 1)]
    joint = by_counting(Blanks.released(plan.p["visit"]), prior.tolist(), habit)
    assert mutual_information(joint) / np.log(2) <= 0.5
    assert "together tell at most 0.5 bit of a habit" in the_caution(
        c.text for c in ready.cautions(plan.p)
    )
    (assumed,) = (a for a in ready.findings(curve=False).assumptions if "all rows of one" in a)
    assert "together tell at most 0.5 bit; what else" in assumed
    with pytest.raises(InputError, match=r"limit\.unit_bits: is shared by the rows of a unit"):
        prepare(written(tmp_path, unit_bits=0.5))
    with pytest.raises(InputError, match=r"limit\.unit_bits: is negative"):
        prepare(written(tmp_path, "rows_per_unit = 20", unit_bits=-1.0))


def test_rows_of_a_unit_are_said_as_people_write_numbers(tmp_path: Path) -> None:
    few = replace(prepare(written(tmp_path)).units, groups=4)
    assert few.public({}, closed=False).startswith("One person has 1,500 rows on average")
