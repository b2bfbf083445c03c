"""The pages of a steward: made of one record, complete in themselves, in order for keyboards."""

from __future__ import annotations

import html
import math
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from unspoken.assessment.trade_off import OfCap
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import Premise
from unspoken.interfaces.dashboard import content
from unspoken.interfaces.dashboard.pages import POLICY, Pages, enter
from unspoken.workflows.serve.history import Happened
from unspoken.workflows.serve.notices import Notice
from unspoken.workflows.serve.overview import OfferedPlan, Overview, Reader, WhatIf
from unspoken.workflows.serve.standing import Standing
from unspoken.workflows.serve.stream import UNKNOWN, FullestEpoch, Stream

EVIL = "<script>alert('x')</script>"
AT = "2026-11-23T05:00:00+00:00"
PAGES = Pages("anna", "word")


def told(odds: float, who: tuple[str, ...] = ("lighting", "planning")) -> Standing:
    premise = Premise.learned(100)
    return Standing(
        who, "arrival", 4.0, 0.5,
        Bound.of_odds(math.log(odds), math.log(odds), premise, ""),
        Bound(0.1 * math.log(2), 0.1 * math.log(2), "nat", premise, ""),
    )  # fmt: skip


FOUND = Overview(
    table="visits.parquet",
    odds_cap=4.0,
    exceed=0.0,
    promise=("for whoever holds the belief",),
    readers=(Reader("lighting", ("arrival",), (), 1.0, 0.0, 3),),
    coalitions=(told(2.0),),
    alone=(told(1.5, ("lighting",)), told(8.0, ("planning",))),
    streams=(Stream(("lighting", "planning"), ("office",), 2.0, Fraction(1, 2)),),
    history=tuple(
        Happened(n, AT, "release", ("lighting",), f"arrival of 2026-{n:02}") for n in range(1, 12)
    ),
    alarms=(),
    refusals=(Notice(AT, "limit", "planning", "answer", f"the odds could grow x 5 {EVIL}"),),
)
OFFER = OfferedPlan(4.0, {"arrival": 0.5}, (), "ab" * 32)
OTHER = replace(OFFER, shares={"arrival": 0.25}, digest="cd" * 32, odds_cap=2.0)
CURVE = (OfCap(2.0, 0.25, True), OfCap(4.0, 0.5, False))
NAMES = ("overview", "history", "same", "other", "none", "enter")


class Found(HTMLParser):
    """Tags that a page has, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [given for tag, given in self.tags if tag == name]


def pages() -> dict[str, str]:
    return {
        "overview": PAGES.overview(FOUND),
        "history": PAGES.history(FOUND),
        "same": PAGES.plan(WhatIf(OFFER, OFFER, None, CURVE), "visits", None),
        "other": PAGES.plan(WhatIf(OFFER, OTHER, OTHER, CURVE), "visits", 2.0),
        "none": PAGES.plan(WhatIf(OFFER, None, None, (), "too little is left"), "visits", None),
        "enter": enter("this token is not known"),
    }


def plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", text)).split())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_pages_are_complete_in_themselves(name: str) -> None:
    text = pages()[name]
    found = Found(text)
    assert found.all("html") == [{"lang": "en"}]
    assert not found.all("script")
    assert not re.search(r"https?:|@import|url\(|javascript:", text)
    assert {each["href"] for each in found.all("link")} == {"data:,"}
    assert not [given for _, given in found.tags for name in given if name.startswith("on")]
    for each in found.all("a"):
        assert each["href"] in ("#main", "/dashboard", "/dashboard/plan", "/dashboard/history") or (
            str(each["href"]).startswith("/dashboard/plan?cap=")
        )
    assert "default-src 'none'" in POLICY
    assert "frame-ancestors 'none'" in POLICY


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_pages_are_for_keyboards_and_readers(name: str) -> None:
    found = Found(pages()[name])
    assert len(found.all("h1")) == 1
    assert found.all("main") == [{"id": "main", "tabindex": "-1"}]
    (first, *_) = [given for tag, given in found.tags if tag in ("a", "button", "input")]
    assert first["href"] == "#main"
    names = [str(given["id"]) for _, given in found.tags if "id" in given]
    assert len(names) == len({*names})
    labelled = [
        str(given["aria-labelledby"]) for _, given in found.tags if "aria-labelledby" in given
    ]
    assert {*labelled} <= {*names}
    asked = [given for tag in ("input", "textarea") for given in found.all(tag)]
    fields = [str(given["id"]) for given in asked if given.get("type") != "hidden"]
    assert {*fields} == {each["for"] for each in found.all("label")}
    for each in found.all("div"):  # what is scrolled is reached by Tab, and has a name
        if "wide" in str(each.get("class")):
            assert each["tabindex"] == "0"
            assert each["aria-label"]
    assert all(each["scope"] for each in found.all("th"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_sent_has_the_word_of_the_session_and_no_address_has(name: str) -> None:
    text = pages()[name]
    for form in re.findall(r"<form.*?</form>", text, re.DOTALL):
        if 'method="post"' in form and "/dashboard/enter" not in form:
            assert 'name="form" value="word"' in form
        else:
            assert "word" not in form.replace("password", "")
    assert "word" not in "".join(re.findall(r'(?:href|action)="[^"]*"', text))


def test_what_is_spent_and_by_whom() -> None:
    text = pages()["overview"]
    assert EVIL not in text
    said = plain(text)
    assert "× 2 of × 4" in said
    assert "width: 50.0%" in text  # of odds that multiply, × 2 is half of × 4
    assert "0.10 bit, of 0.5 bit" in said
    assert "width: 20.0%" in text
    assert said.count("lighting and planning together × 2") == 1
    cells = re.findall(r'<td class="s(\d)"><b>([^<]*)</b>', text)
    assert [(step, html.unescape(odds).split()[-1]) for step, odds in cells] == [
        ("1", "1.5"), ("4", "8"), ("1", "2"),
    ]  # fmt: skip
    assert "computed from what 100 rows" in said
    assert "every belief that the counts leave possible, so that less may be left" in said
    assert "odds may still grow, by what was learned" in said
    assert "the odds could grow x 5" in said
    assert "3 more" in said  # of eleven events eight are shown


def test_noisy_counts_are_said_to_be() -> None:
    (said,) = content.overview_page(replace(FOUND, noisy=True))["premises"]
    assert "computed from noisy counts of 100 rows" in said


def test_beyond_a_cap_is_shown_as_such() -> None:
    text = PAGES.overview(replace(FOUND, coalitions=(told(5.0),)))
    assert 'class="over"' in text
    assert 'class="bar full"' in text
    assert "width: 100.0%" in text
    unknown = replace(told(2.0), odds=None, information=None, why="too many outcomes")
    assert "too many outcomes" in PAGES.overview(replace(FOUND, coalitions=(unknown,)))


@pytest.mark.slow
def test_what_a_unit_was_told_is_beside_its_limit() -> None:
    def shown(limit: float, spent: Fraction | None) -> str:
        stream = replace(FOUND.streams[0], limit=limit, spent=spent)
        return PAGES.overview(replace(FOUND, streams=(stream,)))

    said = plain(pages()["overview"])
    assert "What answers with noise told of one office" in said
    assert "lighting and planning 0.5 of 2 × 1.65 1.5" in said  # e^0.5 = 1.6487
    assert "width: 25.0%" in pages()["overview"]
    assert 'class="over"' not in shown(0.3, Fraction(3, 10))  # decimals, as they are written
    assert 'class="over"' in shown(0.3, Fraction(3, 10) + Fraction(1, 10**9))
    assert "0.3, no limit × 1.35" in plain(shown(math.inf, Fraction(3, 10)))
    assert "× ∞" in plain(shown(math.inf, Fraction(10_000)))
    assert UNKNOWN in shown(2.0, None)
    assert "told of one" not in plain(PAGES.overview(replace(FOUND, streams=())))


def test_what_one_epoch_was_told_is_beside_its_share() -> None:
    def shown(spent: Fraction, name: str = "2026-05-04") -> str:
        epoch = FullestEpoch(name, spent, 0.16448549, 0.5)
        stream = replace(FOUND.streams[0], fullest=epoch)
        return PAGES.overview(replace(FOUND, streams=(stream,)))

    text = shown(Fraction(1, 10))
    assert "lighting and planning 2026-05-04 0.1 of 0.1644 0.0644" in plain(text)
    assert "epoch_epsilon = 0.5 of any" in plain(text)
    assert "width: 60.8%" in text
    assert 'class="over"' not in text
    assert 'class="over"' in shown(Fraction(2, 10))
    assert "none yet 0 of 0.1644 0.1644" in plain(shown(Fraction(0), ""))
    assert "epoch_epsilon" not in pages()["overview"]


def test_rows_that_have_changed_come_first() -> None:
    alarm = Notice(AT, "drift", "", "2026-05", "arrival late: 10 % then, 40 % since")
    said = plain(PAGES.overview(replace(FOUND, refusals=(), alarms=(alarm,))))
    assert said.index("arrival late: 10 % then") < said.index("Limits, and what is spent")
    assert "Nobody was refused" in said
    assert "The rows have changed" not in plain(pages()["overview"])


def test_only_another_plan_is_to_be_approved() -> None:
    shown = {name: plain(text) for name, text in pages().items()}
    assert "nothing to approve" in shown["same"]
    assert "too little is left" in shown["none"]
    assert f'name="digest" value="{OTHER.digest}"' in pages()["other"]
    assert "Approve" not in shown["same"] + shown["none"]
    assert "served now as declared now with a cap of × 2" in shown["other"]
    assert "50 % 25 % 25 %" in shown["other"]


@pytest.mark.parametrize("part", ["limit", "plan"])
def test_where_the_cap_of_plans_is_written(part: str) -> None:
    page = PAGES.plan(WhatIf(OFFER, OFFER, None, CURVE, cap_in=part), "visits", None)
    assert f"<code>[{part}] odds_cap</code>" in page
