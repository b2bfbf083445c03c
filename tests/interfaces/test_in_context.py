"""What is told of contexts and keys on a terminal and as JSON: to the holder."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.assessment.test_in_context import hidden_in_a_room
from tests.interfaces.conftest import Run
from tests.workflows.release.small import Attributes, small
from unspoken.interfaces.report.content import known
from unspoken.interfaces.report.page import page
from unspoken.interfaces.wording.decision import Signed
from unspoken.interfaces.wording.words import held
from unspoken.workflows.release import prepare

pytestmark = pytest.mark.slow

ATTRIBUTES: Attributes = {"x": {"sensitive": "x = 'ill'"}, "y": {}}


def test_the_worst_given_a_context_stands_beside_what_is_told(folder: Path, run: Run) -> None:
    path = small(
        folder, hidden_in_a_room(), ATTRIBUTES, keys=("id", "room"), limit_bits=1.0, odds_cap=4.0
    )
    bare = run("plan", path, "--json").json
    (told,) = bare["undeclared"]
    assert told["odds"]["guarantee"] is False
    assert told["odds"]["value"] > 6.0
    assert set(told["given"]) == {"room"}
    shown = " ".join(run("plan", path).out.split())
    assert "What keys would tell that no context declares (for the holder, not for" in shown
    path.write_text(f'{path.read_text()}\n[context.place]\nof = "room"\n')
    known = run("plan", path, "--json").json
    assert known["undeclared"] == []
    (given,) = known["given"]
    assert given["given"] == {"place": told["given"]["room"]}
    assert given["odds"]["value"] > 6.0 > 4.0 >= given["without"]["odds"]["value"]
    shown = " ".join(run("plan", path).out.split())
    assert "To whoever knows a context, in its worst value" in shown
    assert f"place {told['given']['room']} all" in shown
    assert "Limits are held without contexts: under the plan, given place" in shown
    assert {one["about"] for one in run("leak", path, "--json").json["given"]} == {"x"}


def test_the_report_has_the_worst_given_each_context(folder: Path, run: Run) -> None:
    path = small(
        folder, hidden_in_a_room(), ATTRIBUTES, keys=("id", "room"), limit_bits=1.0, odds_cap=4.0
    )
    path.write_text(f'{path.read_text()}\n[context.place]\nof = "room"\n')
    pytest.importorskip("vl_convert")
    found = prepare(path).findings()
    (row,) = known(found)
    value = found.planned_known[0].value
    assert (row["given"], row["about"], row["beyond"]) == (f"place {value}", "x", True)
    shown = page(found, Signed(datetime(2026, 3, 1, tzinfo=UTC)))
    assert f'<th scope="row" class="plain">place {value}</th>' in shown
    assert "the same value. The limits are held without.</caption>" in shown
    project = replace(found.project, plan=replace(found.project.plan, given="place"))
    assert held(replace(found, project=project)).endswith("given place, and without others.")
