"""What holds a plan back besides answers: limits on bits, sensitive rows, what is out already."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interfaces.test_report_records import people, said
from unspoken.assessment import findings, held_back
from unspoken.assessment.held_back import LARGER
from unspoken.interfaces.wording import starved
from unspoken.storage import prose
from unspoken.workflows.release import prepare, release

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
pytest.importorskip("jinja2", reason="needs the extra `report`: jinja2")


@pytest.mark.parametrize("limit", ["limit_bits = {}", "[limit.target]\nill = {}"])
def test_a_limit_on_bits_that_binds_has_a_price(tmp_path: Path, limit: str) -> None:
    """A tenth more of it adds that, to first order."""
    bits = 0.0005
    found, more = (people(tmp_path, 4.0, limit.format(b) + "\n") for b in (bits, LARGER * bits))
    assert found.on_average is not None
    assert found.on_average.about == ("ill",)
    gained = more.released - found.released
    assert found.on_average.gain == pytest.approx(gained, rel=0.1)
    text = said(found)
    rows = text[text.index("What holds the plan back") : text.index("The same limits kept")]
    gain = prose.percent(found.on_average.gain).replace("\u00a0", " ")
    assert f"all answers on average ill {gain}" in rows
    assert "; of all answers on average, if their limit were." in rows


def test_what_answers_cost_is_by_weight_where_there_are_any(tmp_path: Path) -> None:
    """d objective over all that is read, both of weights; of equal ones cells are counted."""
    more = '[application.roads]\nreads = ["street"]\nweight = {}\n'
    equal, dear = (said(people(tmp_path, 1.5, more.format(w))) for w in (1.0, 9.0))
    assert "“Adds” is, of all cells read, what about" in equal
    assert "“Adds” is, of all cells read, each by its weight, what about" in dear


def test_a_limit_on_bits_that_does_not_bind_is_not_named(tmp_path: Path) -> None:
    found = people(tmp_path, 1.3, "limit_bits = 0.3\n")
    assert found.plan.information["ill"].bits < 0.25
    assert found.on_average is None
    assert "all answers on average ill" not in said(found)
    tight = people(tmp_path, 1.01, "limit_bits = 0.02\n")  # the floor, and all of it
    assert tight.on_average is None
    (bind,) = tight.plan.binding
    assert bind.shown == {}
    assert "nothing shown is what about 7,900 rows get in its place" in said(tight)


def test_who_gets_nothing_for_a_limit_on_bits_is_told_so(tmp_path: Path) -> None:
    none = people(tmp_path, 4.0, "limit_bits = 0.0\n")
    assert none.released == 0
    assert none.on_average is not None
    assert math.isnan(none.on_average.gain)
    text = said(none)
    assert "job 0 %: the limit of 0 bit about ill is in the way. Planned again: an odds_cap" in text
    assert "limits on bits twice as large 0 %" in text
    job = none.poor[0]
    source = replace(none.project.source, rows_per_unit=7)
    limits = replace(none.project.limits, unit_bits=0.0)
    of_unit = replace(none.project, limits=limits, source=source)
    of_rows = starved.zeros(replace(none, project=of_unit, poor=(job,)))[-1].replace("\u00a0", " ")
    assert "the limit of 0 bit about ill (a row's part of unit_bits 0) is in the way" in of_rows


def test_what_is_in_the_way_of_an_adopted_plan_is_not_denied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where planning again takes minutes, nothing is known of the answers that bind."""
    monkeypatch.setattr(held_back, "POOR", 2.0)  # everybody gets next to nothing
    people(tmp_path, 2.0)
    path = tmp_path / "unspoken.toml"
    path.write_text(path.read_text().replace('noise = "none"', "noise = 2.0"))
    release(path)
    assert starved.UNSEEN not in " ".join(starved.zeros(prepare(path).findings(adopted=True)))
    monkeypatch.setattr(findings, "PAIRS", 1)
    monkeypatch.setattr(findings, "ONCE", 1)
    found = prepare(path).findings(adopted=True)
    assert found.adopted
    (job,) = (each for each in starved.zeros(found) if each.startswith("job"))
    assert f": {starved.UNSEEN}. Planned again" in job


def test_what_is_mostly_sensitive_is_not_said_to_be_held_back(tmp_path: Path) -> None:
    """Nothing is in the way of an attribute of which all that may be shown is shown."""
    people(tmp_path, 2.0)
    path = tmp_path / "unspoken.toml"
    rare = "\n".join(f"{9000 + k},inn,low,well" for k in range(100))
    table = tmp_path / "people.csv"
    table.write_text(table.read_text() + rare + "\n")
    jobs = 'values = ["farm", "mill", "inn"]\nsensitive = "job <> \'inn\'"'
    text = path.read_text().replace('values = ["farm", "mill"]', jobs)
    path.write_text(text)
    held = prepare(path).findings()
    (job,) = (each for each in starved.zeros(held) if each.startswith("job"))
    rare_rows = replace(held, learned=replace(held.learned, rows=300))
    (few,) = (each for each in starved.zeros(rare_rows) if each.startswith("job"))
    assert "; a group of fewer than 5 rows may show it, the others are sensitive." in few
    assert "; 1.2 % of all rows may show it, the others are sensitive." in job.replace(
        "\u00a0", " "
    )
    path.write_text(text.replace("odds_cap = 2.0", "odds_cap = 1e300"))
    free = prepare(path).findings()
    (job,) = (each for each in starved.zeros(free) if each.startswith("job"))
    assert job.replace("\u00a0", " ") == (
        "job 1.2 %: it is all there is to show of it, since the other rows are sensitive."
    )


def test_remedies_of_an_extension_are_beside_what_is_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cap twice as large shows less than a new plan would; nor are there points of lower caps."""
    monkeypatch.setattr(held_back, "POOR", 2.0)  # everybody gets next to nothing
    people(tmp_path, 1.3)
    path = tmp_path / "unspoken.toml"
    path.write_text(path.read_text().replace('noise = "none"', "noise = 2.0"))
    release(path)
    caps = {}
    for cap in (1.4, 2.8):
        path.write_text(path.read_text().replace("odds_cap = 1.3", f"odds_cap = {cap}"))
        caps[cap] = prepare(path).extending()
        path.write_text(path.read_text().replace(f"odds_cap = {cap}", "odds_cap = 1.3"))
    found, larger = (ready.findings(curve=False) for ready in caps.values())
    for each in found.poor:
        assert {*each.remedies} == {"an odds_cap twice as large", "by what is out already"}
        as_planned = larger.shares[each.attribute]
        assert each.remedies["an odds_cap twice as large"] == pytest.approx(as_planned, abs=1e-6)
        assert each.remedies["by what is out already"] < each.share
    points = caps[1.4].by_cap()
    assert min(point.odds_cap for point in points) > 1.25  # which is a point of new plans
    (two,) = (point for point in points if point.odds_cap == 2)
    path.write_text(path.read_text().replace("odds_cap = 1.3", "odds_cap = 2.0"))
    assert two.released == pytest.approx(prepare(path).extending().findings(curve=False).released)
