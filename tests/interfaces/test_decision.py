"""The box at the top of the report: what is decided; and that no number of the page is too fine."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import version

import pytest

from tests.interfaces.test_report import DAY, ROWS, building
from unspoken.assessment.cautions import Caution
from unspoken.assessment.findings import Findings
from unspoken.assessment.promise import Promise
from unspoken.core.pictures import palette
from unspoken.core.types.premise import Premise
from unspoken.interfaces.report import charts, content, page
from unspoken.interfaces.wording.decision import YES, Signed, decision

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
pytest.importorskip("jinja2", reason="needs the extra `report`: jinja2")


@pytest.fixture(scope="module")
def found() -> Findings:
    return building(limits="limit_bits = 0.4\nodds_cap = 8.0")  # then everybody gets something


@pytest.fixture(scope="module")
def tight() -> Findings:
    return building()


def test_what_has_to_be_decided_is_on_top(found: Findings) -> None:
    signed = replace(DAY, ledger="2 releases so far, the last at 2026-02-01 08:00:00 UTC")
    promised = replace(found, promise=Promise(8.0, 0.5, True, False, Premise.box(0.95)))
    html = page.page(promised, signed)
    box = html[html.index('class="decision') : html.index("</section>")]
    assert html.index('class="decision') < html.index('class="tiles"')
    for words in (
        "lighting: first_arrival, true where shown,",
        "multiplies the odds of a sensitive value of its row by more than 8",
        "the most telling answer changes the odds of a sensitive value of",
        f"<b>{YES}.</b>",
        "made 2026-03-01 09:14:05 UTC",
        f"unspoken {version('unspoken')}",
        signed.ledger,
        "Date and signature:",
    ):
        assert words in box, words
    assert "orange" not in box.split(">")[0]
    assert "weights=" not in html


def test_a_plan_that_answers_leave_no_room_for_is_not_recommended(found: Findings) -> None:
    assert decision(found, DAY)["recommended"] != "No"
    refused = decision(found, replace(DAY, refused=True))
    assert (refused["recommended"], refused["orange"]) == ("No", True)
    assert any("is refused as things stand" in why for why in refused["because"])


def test_shares_that_are_alike_are_said_once(found: Findings) -> None:
    shares = dict.fromkeys(found.shares, 0.5)
    gets = decision(replace(found, shares=shares), DAY)["gets"]
    assert (
        "planning: mean_occupancy and exits, true where shown, 50\u00a0% of the rows each" in gets
    )
    assert "cleaning: last_leave, true where shown, 50\u00a0% of the rows" in gets


def test_a_poor_plan_is_orange_and_not_recommended(found: Findings) -> None:
    shares = dict.fromkeys(found.shares, 0.13)
    box = decision(replace(found, shares=shares), DAY)
    assert (box["recommended"], box["orange"]) == ("No", True)
    assert "only 13" in box["because"][0]
    red = decision(replace(found, cautions=(Caution("FEW ROWS: five", red=True),)), DAY)
    assert (red["recommended"], red["red"], red["because"]) == ("No", ["FEW ROWS: five"], [])
    said = decision(replace(found, cautions=(Caution("Rows of one add up."),)), DAY)
    assert (said["recommended"], said["risk"][1]) == (YES, "Rows of one add up.")


def test_what_a_yes_accepts_is_in_the_verdict(found: Findings) -> None:
    habit = Caution(
        "One office has 158 rows.", accepts="of which office most rows have x sensitive"
    )
    box = decision(replace(found, cautions=(habit,)), DAY)
    only = "Only if it may become known of which office most rows have x sensitive"
    assert (box["recommended"], box["orange"], box["red"]) == (only, True, [])
    assert "unit_bits under [limit]" in box["because"][0]
    assert box["risk"][1] == "One office has 158 rows."
    few = Caution("FEW ROWS: five", red=True)
    assert decision(replace(found, cautions=(habit, few)), DAY)["recommended"] == "No"


def test_closing_that_bought_nothing_is_not_praised(tight: Findings) -> None:
    assert content.closing(tight)["plans"]
    told = replace(tight, open_shares=tight.shares)
    assert content.closing(told)["plans"] == []
    html = page.page(told, DAY)
    assert "What closing telling values bought" not in html
    assert "without closing them" not in html


def test_no_number_of_the_page_has_more_than_three_digits(found: Findings) -> None:
    """But for the rows of the table and the time: whoever knows all rows but one learns little."""
    html = page.page(replace(found, cautions=()), Signed(DAY.at))
    text = re.sub(r"<style.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL)
    text = text.replace(f"{ROWS:,}", "").replace("2026-03-01", "")
    text = text.replace("1 March 2026", "").replace("epoch 2026", "")
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", text)
    fine = [one for one in numbers if len(re.sub(r"\D", "", one).strip("0")) > 3]
    assert fine == []
    assert len(numbers) > 100
    drawn = charts.chart("trade-off", found, palette.PAGE)["data"]["values"]
    assert all(float(f"{point['released']:.1e}") == point["released"] for point in drawn)


def test_both_limits_have_a_curve(found: Findings) -> None:
    """Both go through the project, each limit staying while the other moves."""
    limits = found.project.limits
    (bits,) = (p for p in found.curve if p.chosen)
    (cap,) = (p for p in found.curve_of_caps if p.chosen)
    assert (bits.limit, cap.limit) == (limits.bits, limits.odds_cap)
    assert bits.released == pytest.approx(cap.released)
    assert bits.released < found.curve_of_caps[-1].released
    assert charts.chart("trade-off-caps", found, palette.PAGE)["data"]["values"]


def test_the_words_of_the_page_are_explained_on_it(tight: Findings) -> None:
    html = page.page(tight, DAY)
    for word in ("plug-in", "closed"):
        assert f'href="#{word}"' in html
        assert f'id="{word}"' in html


def test_both_lines_of_the_promise_are_on_top(found: Findings) -> None:
    promised = replace(
        found, promise=Promise(8.0, 0.5, True, False, Premise.box(0.95)), boxed=["Of every belief."]
    )
    box = decision(promised, DAY)
    risk = " ".join([*content.limits(promised), *box["stands"]]).replace("\u00a0", " ")
    set_of_priors = "for every prior in the 95 % confidence set of the counts"
    assert "by more than 8 (13.2 for a recipient who knows every other row exactly:" in risk
    assert f"noise of eps 0.5 on the counts), {set_of_priors}, if rows are independent." in risk
    assert "Of every belief." in risk
