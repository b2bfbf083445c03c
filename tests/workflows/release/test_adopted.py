"""What is said of a project is said of the plan by which it is released."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.workflows.release.small import small
from unspoken.assessment.findings import NOW
from unspoken.workflows.release import adopt_plan, prepare, release


def project(folder: Path) -> Path:
    rng = np.random.default_rng(2)
    a = rng.random(3_000) < 0.3
    b = np.where(rng.random(3_000) < 0.3, a, rng.random(3_000) < 0.5)
    rows = pa.table({"id": np.arange(3_000), "a": np.where(a, "yes", "no"), "b": b})
    sides: dict[str, dict[str, Any]] = {
        "a": {"sensitive": "a = 'yes'"},
        "b": {"values": [True, False]},
    }
    path = small(folder, rows, sides, odds_cap=4.0)
    text = path.read_text().replace('by = "cell"', 'by = "record"')
    text = text.replace('noise = "none"', "noise = 3.0")
    text = text.replace('confidence = "none"', "confidence = 0.95")
    path.write_text(text.replace("limit_bits = 64.0\n", ""))
    return path


@pytest.mark.slow
def test_findings_are_of_the_plan_that_is_adopted(tmp_path: Path) -> None:
    path = project(tmp_path)
    before = prepare(path).findings(curve=False, adopted=True)
    assert not before.adopted
    ready = adopt_plan(path)
    same = ready.findings(curve=False, adopted=True)
    assert same.adopted
    assert same.held_back  # as when it was made: the very plan is found again
    assert NOW not in same.rivals
    assert not any("adopted" in each.text for each in ready.findings(curve=False).cautions)


@pytest.mark.slow
def test_a_plan_for_higher_limits_than_now_is_not_recommended(tmp_path: Path) -> None:
    path = project(tmp_path)
    mechanism = adopt_plan(path).plan().mechanism
    path.write_text(path.read_text().replace("odds_cap = 4.0", "odds_cap = 2.0"))
    ready = prepare(path)
    found = ready.findings(curve=False, adopted=True)
    assert found.adopted
    assert found.plan.mechanism == mechanism
    assert found.released > found.rivals[NOW] > 0
    assert max(leak.odds.odds for leak in found.planned) > 2
    assert any(each.red and "odds x 4" in each.text for each in found.cautions)
    best = ready.findings(curve=False)
    assert best.plan.mechanism != mechanism
    assert any("not the plan that is adopted" in each.text for each in best.cautions)


@pytest.mark.slow
def test_a_plan_that_cannot_be_released_any_more_is_not_shown(tmp_path: Path) -> None:
    path = project(tmp_path)
    adopt_plan(path)
    path.write_text(path.read_text().replace('by = "record"', 'by = "record"\nunbiased = true'))
    found = prepare(path).findings(curve=False, adopted=True)
    assert not found.adopted
    assert any("plan.unbiased" in each.text for each in found.cautions)


def test_an_adopted_floor_is_known_to_need_no_belief(tmp_path: Path) -> None:
    """Of an attribute that is protected nothing else shows more; plan and release say so alike."""
    path = project(tmp_path)
    text = path.read_text().replace('reads = ["a", "b"]', 'reads = ["a"]')
    path.write_text(f'{text}\n[context.half]\nof = "id % 2"\n')
    planned = prepare(path).findings(curve=False)
    (said,) = (each for each in planned.cautions if "given half" in each.text)
    assert planned.is_floor
    adopt_plan(path)
    done = release(path)
    assert said.handed_on in [each.text for each in done.said.cautions]
    assert not any("without contexts" in each.text for each in done.said.cautions)
    assert prepare(path).plan().is_floor
    found = prepare(path).findings(curve=False, adopted=True)
    assert found.is_floor
    assert said.text in [each.text for each in found.cautions]


@pytest.mark.slow
def test_it_is_no_floor_for_a_lower_cap_and_it_is_for_a_higher(tmp_path: Path) -> None:
    path = project(tmp_path)
    text = path.read_text().replace('reads = ["a", "b"]', 'reads = ["a"]')
    path.write_text(text)
    adopt_plan(path)
    for cap, floor in (("3.9", False), ("8.0", True)):
        path.write_text(text.replace("odds_cap = 4.0", f"odds_cap = {cap}"))
        assert prepare(path).plan().is_floor == floor
        assert prepare(path).findings(curve=False, adopted=True).is_floor == floor
