"""The page on attacks: what the pictures draw is what was counted, and nothing is praised."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.interfaces.conftest import Run
from unspoken.core.pictures.palette import PAGE
from unspoken.interfaces.attacks.charts import panel_chart, top_of
from unspoken.interfaces.attacks.page import catalogue_page
from unspoken.interfaces.attacks.panels import FAMILIES, MOST, AttackLine, Panel, of_catalogue
from unspoken.interfaces.command_line import auditing
from unspoken.workflows.audit.scenario import catalogue
from unspoken.workflows.audit.trying import TriedAll, try_all

QUICK = (
    "hiding: an attribute's own blanks",
    "cell coins: an attribute's own",
    "conditions: on a key",
    "a noisy sum: nothing known",
)
GIVEN = ("audit", "--release", "naive.csv", "--against", "original.csv", "--keys", "who")


def tried() -> TriedAll:
    few = [own.fewer(0.1) for own in catalogue() if own.name in QUICK]
    return try_all(few, np.random.default_rng(3))


@pytest.fixture
def naive(folder: Path) -> Path:
    """Every fifth is ill, and blank."""
    lines = [f"{k},{'ill' if k % 5 == 0 else 'well'},{k % 3}" for k in range(3000)]
    (folder / "original.csv").write_text("\n".join(["who,state,lot", *lines]))
    hidden = [line.replace("ill", "") for line in lines]
    (folder / "naive.csv").write_text("\n".join(["who,state,lot", *hidden, "9999,well,1"]))
    return folder


def test_every_family_has_a_name() -> None:
    assert {own.family for own in catalogue()} == {*FAMILIES}


@pytest.mark.slow
def test_a_catalogue_is_drawn_in_shares_of_its_bounds() -> None:
    found = tried()
    panels = of_catalogue(found)
    lines = {line.name: line for panel in panels for line in panel.lines}
    assert {*lines} == {*QUICK} - {"conditions: on a key"}  # a bound of 0 has no shares
    for attempt in found.tried:
        if attempt.scenario.name in lines:
            line, best = lines[attempt.scenario.name], attempt.verdict.best
            assert best is not None
            assert attempt.verdict.claim.bound is not None
            assert line.value == best.leakage.value / attempt.verdict.claim.bound
            assert line.beats == (attempt.verdict.word == "fail")
    assert [panel.title for panel in panels] == ["What is withheld", "Noise and dependence"]
    assert top_of(panels, "share") == MOST
    assert [panels[0].number(share) for share in (0.0, 1.044, math.inf)] == ["0%", "104%", "∞"]


def test_a_picture_has_every_attack_and_what_is_claimed() -> None:
    lines = [
        AttackLine("near", 1.1, 1.5, 1.9, False),
        AttackLine("beats", 4.5, 4.8, math.inf, True),
        AttackLine("naive hiding", 50.0, math.inf, math.inf, True, beside=True),
    ]
    panel = Panel("x", "said", "odds", 4.0, lines)
    top = top_of([panel], "odds")
    assert 4.8 < top < 6  # what stands beside does not stretch the axis
    drawn = panel_chart(panel, top)
    points = drawn["data"]["values"]
    assert [point["beyond"] for point in points] == [False, True, True]
    assert [(p["low"], p["value"], p["high"]) for p in points] == [
        (1.1, 1.5, 1.9),
        (4.5, 4.8, top),
        (top, top, top),
    ]
    assert [point["ink"] for point in points] == [PAGE.strong, PAGE.beyond, PAGE.beyond]
    rule, text, *_ = drawn["layer"]
    assert rule["data"]["values"][0]["bound"] == 4.0
    assert text["data"]["values"][0]["says"] == "claimed ×\N{NO-BREAK SPACE}4"
    assert "claimed" not in json.dumps(panel_chart(replace(panel, claimed=None), top))


@pytest.mark.slow
def test_the_page_of_any_table(run: Run, naive: Path) -> None:
    options = ("--secret", "state = 'ill'", "--odds-cap", "4", "--page", "page.html", "--json")
    done = run(*GIVEN, *options)
    assert done.code == 3
    page = (naive / "page.html").read_text()
    assert "An attack beat the bound that is claimed" in page
    assert "1 row of naive.csv has keys that original.csv has not (who = 9999)" in page
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    (secret,) = json.loads(done.out)["secrets"]
    for attack in secret["reached"]:
        assert f'class="plain">{attack["attack"]}</th>' in page
        assert f"×\N{NO-BREAK SPACE}{math.exp(attack['low']):.0f}</td>" in page
    assert page.count("<svg") == 1
    assert "safe" not in page.replace("unsafe-inline", "")


@pytest.mark.slow
def test_the_pages_of_a_project_and_of_the_catalogue(
    run: Run, edited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("release").code == 0
    done = run("audit", "--page", "own.html")
    assert (done.code, done.err) == (0, "Wrote own.html\n")
    page = edited.with_name("own.html").read_text()
    assert "No attack here beat a limit." in page
    assert "naive hiding" in page
    few = tried()
    monkeypatch.setattr(auditing, "try_all", lambda *_, **__: few)
    assert run("audit", "--catalogue", "--page", "all.html").code == 0
    assert "4 of 4 scenarios came out" in catalogue_page(few)
    assert "What is withheld" in edited.with_name("all.html").read_text()


@pytest.mark.slow
def test_of_too_few_rows_no_bound_is_said_to_be_held(run: Run, tmp_path: Path) -> None:
    """Two of 8,000 are hidden, which is seen, and there are three parts to count them in."""
    rows = range(8_000)
    kinds = ["rare" if k in (5, 6_000) else "well" for k in rows]
    (tmp_path / "of.csv").write_text("who,x\n" + "".join(f"{k},{kinds[k]}\n" for k in rows))
    shown = ["" if kind == "rare" else kind for kind in kinds]
    (tmp_path / "by.csv").write_text("who,x\n" + "".join(f"{k},{shown[k]}\n" for k in rows))
    files = ["--release", tmp_path / "by.csv", "--against", tmp_path / "of.csv", "--keys", "who"]
    page = tmp_path / "page.html"
    run("audit", *files, "--odds-cap", 3, "--page", page)
    text = page.read_text()
    assert "Of the bound that is claimed nothing can be said: too few rows to count." in text
    assert "Hidden without coins." in text


def test_what_is_no_page_is_not_written_over(run: Run, naive: Path) -> None:
    (naive / "other.html").write_text("<p>mine</p>")
    run(*GIVEN, "--page", "other.html").refused_with(2, "other.html", "no page that unspoken wrote")
    assert (naive / "other.html").read_text() == "<p>mine</p>"
    run(*GIVEN, "--page", "page.pdf").refused_with(2, "page.pdf", ".html")
    run(*GIVEN, "--page", "none/page.html").refused_with(2, "none")
