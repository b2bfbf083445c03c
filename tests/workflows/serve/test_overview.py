"""What a steward sees is what the events say, computed again from nothing but them."""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.serve.building import project
from unspoken.core.adversary import Adversary
from unspoken.core.errors import InputError
from unspoken.core.measures import MEASURES
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, AnswerEvent, Ledger, Release
from unspoken.tables.policy import Project
from unspoken.workflows.release import adopt_plan, prepare
from unspoken.workflows.serve import Curator, Request
from unspoken.workflows.serve.notices import Notice, Notices
from unspoken.workflows.serve.overview import approve, overview, what_if
from unspoken.workflows.serve.standing import Standing

LOW = "SELECT COUNT(*) FILTER (WHERE use = 'low') FROM visits"
COUNT = "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"


def written(path: Path, **changed: str) -> Path:
    text = path.read_text()
    for old, new in changed.items():
        text = text.replace(f"{old} = 4.0", new)
    path.write_text(text)
    return path


def recounted(path: Path, who: tuple[str, ...]) -> float:
    """The worst odds about arrival, from the texts of the events alone."""
    ready, ledger = prepare(path), Ledger(path.parent / "ledger.sqlite")
    kept: list[Release] = [Release.from_json(e.to_json()) for e in ledger.events()]
    kept += [AnswerEvent.from_json(event.to_json()) for _, event in ledger.answers()]
    seen = [event for event in kept if not event.readers or {*event.readers} & {*who}]
    account = Account.of(seen)
    shown = account.exposure(account.readers()).fold(ready.sensitive)
    secret = ready.learned.sensitive["arrival"]
    view = shown.view(ready.learned.belief, Adversary("arrival", secret=secret))
    return float(MEASURES["odds"].of(view).odds)


@pytest.mark.slow
def test_numbers_are_those_of_the_events(path: Path) -> None:
    adopt_plan(written(path, odds_cap="odds_cap = 3.0"), by="anna", why="less for plans")
    path.write_text(path.read_text().replace("odds_cap = 3.0", "odds_cap = 4.0"))
    curator = Curator.of(path)
    curator.cells("lighting", Request(epochs=("0",)))
    curator.cells("planning", Request())
    curator.answer("lighting", COUNT, epsilon=0.1)
    found = overview(curator)
    shown = {each.coalition: each for each in (*found.alone, *found.coalitions)}
    assert {*shown} == {("lighting",), ("planning",), ("lighting", "planning")}
    for who, standing in shown.items():
        assert standing.odds is not None
        assert standing.odds.odds == pytest.approx(recounted(path, who), rel=1e-12)
    both, alone = shown["lighting", "planning"], shown["lighting",]
    cells = Account.of(Ledger(path.parent / "ledger.sqlite").events())
    assert _odds(both) > 1.05 * _without_answers(path, cells)  # noise counts, too
    assert _odds(both) >= _odds(alone) > 1
    assert [each.given for each in found.readers] == [2, 1]
    kinds = [each.kind for each in found.history]
    assert kinds == ["belief", "plan", "plan", "release", "release", "answer"]
    assert [each.number for each in found.history] == [1, 2, 3, 4, 5, 6]
    assert (found.history[2].by, found.history[2].why) == ("anna", "less for plans")
    assert found.history[-1].what == COUNT


UNIT = "odds_cap = 4.0\nunit_epsilon = 40.0\npooled_cap = 'none'"
APART = f'{UNIT}\ncoalitions = [["lighting"], ["lighting", "planning"]]'


def exported(path: Path) -> list[dict[str, Any]]:
    """Answers as `unspoken ledger --export` writes them, read by nothing of ours."""
    kept = Custody.there(Project.read(path))
    assert kept is not None
    events = [json.loads(line).get("events", {}) for line in kept.ledger.exported(kept.seal)]
    return [json.loads(each["body"]) for each in events if each.get("kind") == "answer"]


def test_what_a_unit_was_told_is_what_the_exported_ledger_adds_up_to(path: Path) -> None:
    """Each draw once: its epsilon times the rows of one office that enter, for who has seen it."""
    written(path, odds_cap=UNIT)
    adopt_plan(path, by="anna", why="a unit has a limit")
    path.write_text(path.read_text().replace(UNIT, APART))
    curator = Curator.of(path)
    assert [each.left for each in curator.streams()] == [Fraction(40), Fraction(40)]
    three = f"{COUNT} WHERE day < 3"
    curator.answer("lighting", three, epsilon=0.1)
    curator.answer("lighting", f"{COUNT} WHERE day = 7", epsilon=0.3)
    curator.answer("lighting", three, epsilon=0.1, draw=2)
    curator.answer("lighting", three, epsilon=0.1, draw=2)  # free
    curator.answer("planning", LOW, epsilon=0.2)
    answers, told = exported(path), {each.coalition: each for each in overview(curator).streams}
    assert len(answers) == 4
    for who, expected in {("lighting",): 0.9, ("lighting", "planning"): 0.9 + 45 * 0.2}.items():
        seen = [each for each in answers if {*each["readers"]} & {*who}]
        spent = sum(Fraction(repr(each["unit_epsilon"])) for each in seen)
        assert (told[who].spent, told[who].left) == (spent, 40 - spent)
        assert float(spent) == pytest.approx(expected, rel=1e-6)
        assert told[who].odds == pytest.approx(math.exp(expected), rel=1e-5)
        said = told[who].as_json()
        assert (said["spent"], said["unit_epsilon"]) == (float(spent), 40.0)
    path.write_text(path.read_text().replace("unit_epsilon = 40.0", "unit_epsilon = 0.5"))
    lowered = Curator.of(path).streams()[0]
    assert lowered.left is not None
    assert lowered.left < 0
    assert (lowered.share, lowered.as_json()["left"]) == (1.0, 0.0)


def _without_answers(path: Path, cells: Account) -> float:
    ready = prepare(path)
    shown = cells.exposure(cells.readers()).fold(ready.sensitive)
    secret = ready.learned.sensitive["arrival"]
    view = shown.view(ready.learned.belief, Adversary("arrival", secret=secret))
    return float(MEASURES["odds"].of(view).odds)


def _odds(standing: Standing) -> float:
    assert standing.odds is not None
    return standing.odds.odds


@pytest.mark.slow
def test_nothing_is_charged_by_looking(asked: Curator) -> None:
    before = [event for _, event in asked.current()[1].ledger.decisions()]
    looked = what_if(asked, 2.0)
    assert looked.cap_in == "limit"
    overview(asked)
    assert [event for _, event in asked.current()[1].ledger.decisions()] == before
    assert looked.asked is not None
    assert looked.declared is not None
    assert looked.declared.digest == looked.adopted.digest
    assert looked.asked.shares["arrival"] < looked.adopted.shares["arrival"]
    (own,) = [point for point in looked.curve if point.chosen]
    mean = sum(looked.declared.shares.values()) / len(looked.declared.shares)
    assert own.released == pytest.approx(mean)


@pytest.mark.slow
def test_a_plan_is_as_it_is_adopted_where_nobody_reads_what_is_sensitive(tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace('reads = ["arrival"]', 'reads = ["use"]'))
    adopt_plan(path)
    looked = what_if(Curator.of(path))
    assert looked.declared is not None
    assert looked.declared.digest == looked.adopted.digest


@pytest.mark.parametrize("cap", [0.5, 2e3, float("nan")])
def test_caps_that_are_none(asked: Curator, cap: float) -> None:
    with pytest.raises(InputError, match="cap"):
        what_if(asked, cap)


@pytest.mark.slow
def test_what_was_looked_at_is_adopted_and_nothing_else(path: Path) -> None:
    curator = Curator.of(path)
    written(path, odds_cap="odds_cap = 2.0")
    looked = what_if(curator).declared
    assert looked is not None
    assert looked.digest != what_if(curator).adopted.digest
    with pytest.raises(InputError, match="why: is empty"):
        approve(curator, looked.digest, "anna", " ")
    with pytest.raises(InputError, match="not the one that you have looked at"):
        approve(curator, what_if(curator).adopted.digest, "anna", "it is fine")
    event = approve(curator, looked.digest, "anna", " fewer days are told ")
    assert (event.by, event.why) == ("anna", "fewer days are told")
    assert event.limits["odds_cap"] == 2.0
    adopted = curator.current()[0].adopted
    assert adopted == event
    now = what_if(curator)
    assert now.adopted.digest == looked.digest
    assert now.declared is not None


def test_a_project_without_a_plan_says_why(path: Path) -> None:
    curator = Curator.of(path)
    path.write_text(path.read_text().replace('reads = ["use"]', 'reads = ["use"]\nshare = 1.0'))
    looked = what_if(curator)
    assert looked.declared is None
    assert "less than" in looked.why_not
    assert looked.adopted.shares["use"] > 0


def test_notices_last_and_are_the_owners(path: Path) -> None:
    kept = Notices.of(Project.read(path))
    assert kept.latest() == []
    notice = Notice("2026-01-05T00:00:00+00:00", "limit", "lighting", "cells", "x" * 5_000 + "\n")
    kept.add(notice)
    kept.add(dataclasses.replace(notice, kind="held", why="a key is gone\nand more"))
    with kept.path.open("ab") as file:
        file.write(b'{"at": "torn')
    first, second = Notices.of(Project.read(path)).latest()
    assert (len(first.why), second.why) == (2_000, "a key is gone\nand more")
    assert kept.path.stat().st_mode & 0o777 == 0o600
    assert kept.path == path.parent / "unspoken.key.notices"
