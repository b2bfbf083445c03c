"""The page for those who sign, where one coin a record is tossed: true of these coins."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Literal

import pytest

from unspoken.assessment import findings
from unspoken.assessment.best import Best
from unspoken.assessment.findings import CELLS, FLOOR, Findings, by_cap
from unspoken.assessment.held_back import LARGER, held_back, poor
from unspoken.assessment.trade_off import TradeOff
from unspoken.core.pictures import palette
from unspoken.core.types.premise import Premise
from unspoken.interfaces.report import charts, page
from unspoken.interfaces.wording import coins, recipients, starved
from unspoken.interfaces.wording.decision import Signed
from unspoken.storage import prose
from unspoken.storage.writing.manifest import estimating
from unspoken.workflows.release import prepare, release

pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
pytest.importorskip("jinja2", reason="needs the extra `report`: jinja2")

PROJECT = """\
format = 1
[source]
table = "people.csv"
keys = ["id"]
[epoch]
label = "1"
[attribute.job]
values = ["farm", "mill"]
[attribute.street]
values = ["high", "low"]
[attribute.ill]
values = ["sick", "well"]
sensitive = "ill = 'sick'"
[application.taxes]
reads = {reads}
[belief]
noise = "none"
[limit]
odds_cap = {cap}
{more}
"""
# How many are sick, and how many there are.
PEOPLE = {
    ("farm", "high"): (900, 2000),
    ("farm", "low"): (300, 2000),
    ("mill", "high"): (200, 2000),
    ("mill", "low"): (100, 2000),
}
DAY = datetime(2026, 3, 1, 9, 14, 5, tzinfo=UTC)


def people(folder: Path, cap: float, more: str = "", reads: str = '["job", "street"]') -> Findings:
    rows = [
        f"{job},{street},{'sick' if k < sick else 'well'}"
        for (job, street), (sick, all_of_them) in PEOPLE.items()
        for k in range(all_of_them)
    ]
    lines = ["id,job,street,ill", *(f"{k},{row}" for k, row in enumerate(rows))]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "unspoken.toml").write_text(PROJECT.format(cap=cap, more=more, reads=reads))
    return prepare(folder).findings()


def said(found: Findings) -> str:
    """The words of the page, on one line."""
    html = re.sub(
        r"<style>.*?</style>|<svg.*?</svg>", "", page.page(found, Signed(DAY)), flags=re.S
    )
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ").split())


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return people(tmp_path_factory.mktemp("people"), 2.0)


@pytest.mark.slow
def test_nothing_is_said_of_coins_that_are_not_tossed(found: Findings) -> None:
    text = said(found)
    assert not found.is_floor
    assert "One coin is tossed for each row." in text
    assert "released with the probability below" not in text
    assert "tells too much by being released" not in text
    assert "Values that tell too much" not in text
    assert "numbers hold for whatever belief" not in text


def test_what_the_cap_stands_on_is_in_the_box(found: Findings) -> None:
    html = page.page(found, Signed(DAY, digest="0123456789abcdef0123"))
    box = unescape(html[html.index('class="decision') : html.index("</section>")])
    for part in (
        "for every prior in the 95\u00a0% confidence set of the counts, if rows are independent",
        "All other numbers are computed from what 8,000 rows",
        "unspoken.toml 0123456789abcdef ·",
        "for a recipient who knows every other row exactly",
    ):
        assert part in box, part


def test_the_file_of_the_project_is_named_by_its_digest(found: Findings) -> None:
    path = found.project.path
    page.write_report(found, path.with_name("page.html"))
    digest = sha256(path.read_bytes()).hexdigest()[:16]
    assert f"unspoken.toml {digest}" in path.with_name("page.html").read_text("utf-8")


def test_three_ways_stand_side_by_side(found: Findings) -> None:
    text = said(found)
    assert found.rivals[FLOOR] < found.released > found.rivals[CELLS]
    rows = text[text.index("The same limits kept in other ways") :].split("Application by")[0]
    assert [rows.index(name) for name in (FLOOR, CELLS, "one coin a record")] == sorted(
        rows.index(name) for name in (FLOOR, CELLS, "one coin a record")
    )
    assert rows.count("(this plan)") == 1
    assert rows.index("(this plan)") > rows.index("one coin a record")


def test_a_plan_that_is_the_floor_says_so(tmp_path: Path) -> None:
    """Of what is protected alone nothing shows more than what needs no belief."""
    few = people(tmp_path, 2.0, reads='["ill"]')
    assert few.is_floor
    assert few.released == pytest.approx(few.rivals[FLOOR])
    text = said(replace(few, curve=TradeOff()))
    assert "This plan is the floor, which needs no belief" in text
    assert ", whatever a recipient believes beforehand, if rows are independent." in text
    assert "confidence set" not in text.split("The same limits kept in other ways")[0]
    known = people(tmp_path, 2.0, '[context.half]\nof = "id % 2"\n', '["ill"]')
    (caution,) = (c for c in known.cautions if "given half" in c.text)
    whatever = "The odds cap of this plan holds whatever is known"
    assert caution.text.startswith(f"{whatever}: under the plan")
    assert caution.handed_on == f"{whatever} of a row, such as half."
    beside = said(replace(known, curve=TradeOff()))
    assert f"the same value. {whatever}." in beside
    assert "The limits are held without." not in beside
    rows = text[text.index("The same limits kept in other ways") :].split("Application by")[0]
    assert rows.index("(this plan)") < rows.index(CELLS)
    upper = prose.percent(few.plan.bound.high).replace("\u00a0", " ")
    assert f"one coin a record, at most {upper} a belief" in rows
    assert few.released < few.plan.bound.high < few.released + 0.05
    dear = replace(few.project, terms={"taxes": replace(few.project.terms["taxes"], weight=2.0)})
    (row,) = (r for r in coins.rivals(replace(few, project=dear)) if r["name"].endswith("at most"))
    assert row["share"] == prose.percent(few.plan.bound.high / 2)


def test_what_shows_more_by_trusting_more_says_so(found: Findings) -> None:
    for share, says in ((found.released / 2, False), (found.released + 0.01, True)):
        said = " ".join(coins.in_words(replace(found, rivals={CELLS: share})))
        assert ("planned for the observed frequencies alone" in said) == says
    assert coins.in_words(replace(found, rivals={})) == []


@pytest.mark.slow
def test_the_answers_that_bind_have_a_price(found: Findings) -> None:
    """A cap a tenth larger everywhere adds no less than on one answer alone, to first order."""
    assert found.held_back
    text = said(found)
    rows = text[text.index("What holds the plan back") : text.index("The same limits kept")]
    assert rows.count("ill sick") == len(found.held_back)
    assert prose.percent(found.held_back[0].gain).replace("\u00a0", " ") in rows
    project = found.project
    larger = replace(project, limits=replace(project.limits, odds_cap=2.0 * LARGER))
    made = Best(found.learned, prepare(project.path).beliefs)
    more = by_cap(replace(larger, plan=project.plan), made)
    gained = next(point for point in more if point.chosen).released - found.released
    assert sum(each.gain for each in found.held_back) == pytest.approx(gained, rel=0.35)


@pytest.mark.slow
def test_the_context_of_what_binds_is_named(tmp_path: Path) -> None:
    """Whoever knows it, or doubts between two of its values."""
    given = '[plan]\ngiven = "half"\n[context.half]\nof = "id % 2"\n'
    found = people(tmp_path, 1.5, given)
    about = {each.about for each in found.held_back}
    assert about <= {"ill sick, half 0", "ill sick, half 1", "ill sick, half 0 or 1"}
    assert len(about) > 1


def test_few_rows_are_not_named_in_what_holds_back(found: Findings) -> None:
    some = found.held_back[0]
    hidden = replace(found, held_back=[replace(some, shown=None)])
    text = said(hidden)
    rows = text[text.index("What holds the plan back") : text.index("The same limits kept")]
    assert "a group of fewer than 5 rows" in rows
    assert "ill sick" not in rows
    binding = replace(found.plan.binding[0], shown={"job": "farm", "street": "high"})
    rare = replace(found.learned, rows=8)
    held = held_back(found.project, rare, replace(found.plan, binding=(binding,)))
    assert [each.shown for each in held] == [None]


@pytest.mark.slow
def test_who_gets_next_to_nothing_is_told_what_would_help(tmp_path: Path) -> None:
    tight = people(tmp_path, 1.01)
    text = said(tight)
    (box,) = re.findall("Recommended (.*?) made 2026", text)
    assert box.startswith("No.")
    assert "taxes would get next to nothing." in box
    first = tight.poor[0]
    assert first.share < 0.02 < first.remedies["an odds_cap twice as large"]
    assert set(first.remedies) == {
        "an odds_cap twice as large", "if nothing else were read", "by the floor",
    }  # fmt: skip
    share = prose.percent(first.remedies["an odds_cap twice as large"]).replace("\u00a0", " ")
    assert f"Planned again: an odds_cap twice as large {share}; if nothing else" in text
    assert "taxes gets next to nothing under this plan." in text
    why = "nothing shown is what about 7,900 rows get in its place; rows with a secret get it, too,"
    assert f"job 0.80 %: {why} and it may not tell more about any secret." in text
    release(tmp_path)
    path = tmp_path / "unspoken.toml"
    (bind,), (again,) = tight.plan.binding, prepare(path).findings(adopted=True).plan.binding
    assert again.shown == bind.shown == {}
    for name in ("price", "probability", "given"):
        assert getattr(again, name) == pytest.approx(getattr(bind, name), rel=1e-6)


@pytest.mark.slow
def test_a_larger_cap_is_one_for_who_pools_too(tmp_path: Path) -> None:
    """Which is the same number where the project file says no other: so with it in the file."""
    apart = 'coalitions = [["taxes"], ["health"]]\n[application.health]\nreads = ["ill"]\n'
    tight, larger = (people(tmp_path, cap, apart) for cap in (1.01, 2.02))
    assert {each.attribute for each in tight.poor} == {"ill", "job", "street"}
    for each in tight.poor:
        as_planned = larger.shares[each.attribute]
        assert each.remedies["an odds_cap twice as large"] == pytest.approx(as_planned, abs=1e-3)
    (two,) = (point for point in tight.curve if point.limit == 2)
    assert two.released == pytest.approx(people(tmp_path, 2.0, apart).released, abs=1e-3)
    kept = people(tmp_path, 1.01, f"pooled_cap = 1.005\n{apart}")
    assert kept.poor[0].remedies["an odds_cap twice as large"] < 0.02


@pytest.mark.slow
def test_what_is_given_in_its_place_is_named(tmp_path: Path) -> None:
    """Where no answer with an attribute binds, as none is given: that which its rows get."""
    found = people(tmp_path, 2.0)
    bind = replace(found.plan.binding[0], shown={"street": "high"}, withheld={"job": 0.5})
    chosen = replace(found.plan, binding=(bind,))
    made = Best(found.learned, found.learned.belief)
    (job,) = poor(found.project, made, chosen, {"job": 0.0, "street": 0.5})
    said = starved.zeros(replace(found, poor=(job,)))[-1].replace("\u00a0", " ")
    assert "job 0 %: street “high” is what about" in said
    assert "rows get in its place; rows with a secret get it, too, and it may not tell" in said
    (none,) = poor(found.project, made, replace(chosen, binding=()), {"job": 0.0, "street": 0.5})
    assert none.answer is None
    assert "no single answer is in the way" in starved.zeros(replace(found, poor=(none,)))[-1]


@pytest.mark.slow
def test_all_that_get_next_to_nothing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And everybody who reads only these; of each what remedies gain, if not of labels merged."""
    monkeypatch.setattr("unspoken.assessment.held_back.TRIED", 1)
    tight = people(tmp_path, 1.01, '[application.health]\nreads = ["ill"]\n')
    assert sorted(each.attribute for each in tight.poor) == ["ill", "job", "street"]
    three = {"an odds_cap twice as large", "if nothing else were read", "by the floor"}
    assert all(three <= set(each.remedies) for each in tight.poor)
    (box,) = re.findall("Recommended (.*?) made 2026", said(tight))
    assert "taxes would get next to nothing." in box
    assert "health would get next to nothing." in box


def test_a_change_is_seen_in_its_words() -> None:
    for before, after, shown in (
        (0.25, 0.5, ("25 %", "50 %")),
        (0.317, 0.3216, ("31.7 %", "32.2 %")),
        (0.01003, 0.01014, ("1.00 %", "1.01 %")),
        (0.0, 0.0, ("0 %", "0 %")),
        (0.25, 1.0, ("25 %", "100 %")),
    ):
        said = prose.change(before, after)
        assert tuple(each.replace("\u00a0", " ") for each in said) == shown


@pytest.mark.slow
def test_an_adopted_plan_of_a_larger_table_is_looked_at_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a curve takes minutes, what the plan stands on, what holds it back and the floor are
    there all the same once it is adopted; where one plan does, too.
    """
    people(tmp_path, 2.0)
    path = tmp_path / "unspoken.toml"
    path.write_text(path.read_text().replace('noise = "none"', "noise = 2.0"))
    release(path)
    monkeypatch.setattr(findings, "PAIRS", 1)
    found = prepare(path).findings(adopted=True)
    assert found.adopted
    assert not found.curve
    assert found.held_back
    assert found.rivals[FLOOR] < found.released
    text = said(found)
    assert "run unspoken plan, which changes nothing that is adopted" in text
    assert "the 95 % confidence set of the counts; rows being independent (this plan)" in text
    monkeypatch.setattr(findings, "ONCE", 1)
    text = said(prepare(path).findings(adopted=True))
    assert re.search(r"one coin a record \d+ % the 95 % confidence set of the counts", text)


def test_the_curve_of_caps_names_them_as_they_are(found: Findings) -> None:
    points = charts.chart("trade-off", found, palette.PAGE)["data"]["values"]
    assert [point["limit"] for point in points][:4] == ["1.25", "1.5", "2", "3"]
    assert [point["limit"] for point in points if point["chosen"]] == ["2"]


@pytest.mark.parametrize(
    ("by", "unbiased", "given", "part"),
    [
        ("cell", False, False, "1 / release_probability cells: right for every group"),
        ("record", False, True, "1 / shown_given cells: right under the belief"),
        ("record", True, True, "1 / shown_given cells: right for every group"),
        ("record", False, False, "shares cannot be estimated"),
    ],
)
def test_recipients_are_told_what_to_compute(
    found: Findings, by: Literal["cell", "record"], unbiased: bool, given: bool, part: str
) -> None:
    project = replace(found.project, plan=replace(found.project.plan, unbiased=unbiased))
    by_cell = by == "cell"
    assert part in estimating(project, by_cell, given, {})
    assert "mean" not in estimating(
        project, by_cell, given, {}
    )  # nothing that is read is ever hidden
    health = replace(project, applications={"health": ("job", "ill")})
    assert "correlation of job and ill is biased" in estimating(
        health, by_cell, given, {"job": ["farm"]}
    )


def test_the_page_tells_recipients(found: Findings) -> None:
    assert "since the table was counted without noise" in said(found)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["record", "cell"])
def test_the_code_for_recipients_runs(
    by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it stands on the page, beside what was released."""
    people(tmp_path, 2.0, f'[plan]\nby = "{by}"\n', '["job", "street"]')
    path = tmp_path / "unspoken.toml"
    noise = "noise = 2.0" if by == "record" else 'noise = 2.0\nconfidence = "none"'
    path.write_text(path.read_text().replace('noise = "none"', noise))
    release(path)
    html = page.page(prepare(path).findings(curve=False, adopted=True), Signed(DAY))
    (code,) = re.findall("<pre>(.*?)</pre>", html, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(unescape(code), "page", "exec"), {})
    shares = {
        line.split()[1]: float(line.split()[2]) for line in capsys.readouterr().out.splitlines()
    }
    assert {"farm", "mill"} <= shares.keys() <= {"farm", "mill", "high", "low"}
    assert all(abs(share - 0.5) < 0.05 for share in shares.values())


def test_no_code_where_shares_cannot_be_had(found: Findings) -> None:
    assert "<pre>" not in page.page(found, Signed(DAY))
    files = replace(found.project.files, release=Path("out"), manifest=Path("papers"))
    belief = replace(found.project.belief, noise=0.5)
    project = replace(found.project, files=files, belief=belief)
    code = recipients.code(replace(found, project=project))
    assert "'out/EPOCH.parquet'" in code
    assert "'papers/EPOCH.json'" in code
    apart = replace(project.limits, coalitions=(("health",), ("city",)))
    code = recipients.code(replace(found, project=replace(project, limits=apart)))
    assert "'out-APPLICATION/EPOCH.parquet'" in code
    assert "'papers-APPLICATION/EPOCH.json'" in code


def test_what_is_a_plug_in_claims_no_more(found: Findings) -> None:
    plan = replace(found.plan, bound=replace(found.plan.bound, premise=Premise.learned(8000)))
    assert found.promise is not None
    text = said(replace(found, plan=plan, promise=found.promise.of_plan(plan)))
    assert "for every prior in" not in text.split("What was assumed")[0]
    assert text.count("the observed frequencies, with no allowance for chance; rows") == 2
