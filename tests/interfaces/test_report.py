"""The report: one page, offline, with every number, and nothing that must not be on it."""

import json
import math
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import unspoken
from tests.tables.learning.conftest import by_hand
from unspoken.assessment.best import Best
from unspoken.assessment.findings import Findings, findings
from unspoken.assessment.promise import Promise
from unspoken.core.errors import InputError
from unspoken.core.pictures import palette
from unspoken.core.types.premise import Premise
from unspoken.interfaces import images
from unspoken.interfaces.report import charts, content, page
from unspoken.interfaces.wording.decision import Signed
from unspoken.planning import closure
from unspoken.storage import prose
from unspoken.storage.custody.believing import Countings
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
pytest.importorskip("jinja2", reason="needs the extra `report`: jinja2")

ROWS = 30_000
DAY = Signed(datetime(2026, 3, 1, 9, 14, 5, tzinfo=UTC))
NAMES = ("first_arrival", "last_leave", "mean_occupancy", "exits")
READERS = {
    "lighting": ["first_arrival"],
    "planning": ["mean_occupancy", "exits"],
    "cleaning": ["last_leave"],
}
LABELS = (
    ("below 8", "8-9", "9-10", "10-10.5", "10.5-12", "12 or more"),
    ("below 12", "12-15", "15-17", "17-19", "19 or more"),
    ("below 30", "30-50", "50-70", "70 or more"),
    ("below 2", "2-4", "4-7", "7 or more"),
)
# How an office's day goes, from "hardly there" to "full": cuts, slope and spread of each attribute.
SHAPES = (
    ([-1.2, -0.3, 0.5, 0.9, 1.8], -0.4, 0.95),
    ([-2.1, -1.4, -0.2, 0.9], 0.8, 0.8),
    ([-1.0, 0.0, 1.0], 0.8, 0.7),
    ([-1.2, 0.0, 0.9], 0.15, 0.9),
)
LIMITS = "limit_bits = 0.05"
HOSTILE = (
    "<script>alert('first')</script>",
    'a"b\' onload="x" {{ 7 * 7 }}',
    "zürich – 漢字 & co \\d \\g<0>",
    "datum['x'] </svg><b>",
)


@cache
def building(
    names: tuple[str, ...] = NAMES, labels: tuple = LABELS, limits: str = LIMITS, curve: bool = True
) -> Findings:
    """Four attributes, three applications; who is hardly there comes late and leaves early."""
    new = dict(zip(NAMES, names, strict=True))
    attributes = "".join(f'[attribute.{json.dumps(n)}]\nmissing = "public"\n' for n in names)
    readers = "".join(
        f"[application.{name}]\nreads = {json.dumps([new[n] for n in reads])}\n"
        for name, reads in READERS.items()
    )
    project = Project.parse(
        'format = 1\n[source]\ntable = "cellar/hall/occupancy.parquet"\nkeys = ["office", "day"]\n'
        f'unit = ["office"]\n[epoch]\nlabel = "2026"\n{attributes}{readers}'
        f'[belief]\nconfidence = "none"\n[plan]\nby = "cell"\n[limit]\n{limits}\n',
        Path("/nowhere/of/mine/unspoken.toml"),
    )
    told = Learned(
        belief=unspoken.Joint(_table(), names, labels, Premise.learned(ROWS)),
        labelling=by_hand(names, labels, (labels[0][4:], (), labels[2][:1], ())),
        counts={},
        rows=ROWS,
    )
    cap = project.limits.odds_cap
    closed = closure(told.belief, told.sensitive, cap, project.reads)
    return findings(project, Best(told, told.belief), closed, curve)


def _table() -> np.ndarray:
    level = np.linspace(-2, 2, 41)
    weight = np.exp(-(level**2) / 2)
    kernels = [weight / weight.sum()]
    for cuts, slope, spread in SHAPES:
        below = (np.array([-9.0, *cuts, 9.0]) - slope * level[:, None]) / spread / math.sqrt(2)
        steps = np.diff(np.vectorize(math.erf)(below), axis=1)
        kernels.append(steps / steps.sum(1, keepdims=True))
    table: np.ndarray = np.einsum("z,za,zb,zc,zd->abcd", *kernels)
    return table


@pytest.fixture(scope="module")
def found() -> Findings:
    return building()


@pytest.fixture(scope="module")
def html(found: Findings) -> str:
    return page.page(found, DAY)


@pytest.fixture(scope="module")
def hostile() -> Findings:
    labels = (("plain", *LABELS[0][1:5], HOSTILE[0]), ("{%", *LABELS[1][1:]), *LABELS[2:])
    return building(HOSTILE, labels, curve=False)


class Outline(HTMLParser):
    """The elements of a page; complains of what is not closed in order."""

    VOID = frozenset({"meta", "link", "br"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data


def drawings(html: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(one) for one in re.findall(r"<svg.*?</svg>", html, re.S)]


# --- one file that asks for nothing


def test_the_page_asks_for_nothing(html: str) -> None:
    assert set(re.findall(r"(\S+)=\"\w+://", html)) <= {"xmlns", "xmlns:xlink"}
    assert not re.search(r"//(?!www\.w3\.org)\w", html)
    assert not re.search(r"<script|<img|<iframe|<object|@import|url\(|\bsrc=|javascript:", html)
    links = [(tag, a["href"]) for tag, a in Outline(html).elements if "href" in a]
    assert {link for link in links if link[1] == "data:,"} == {("link", "data:,")}
    ids = {attributes.get("id") for _, attributes in Outline(html).elements}
    assert {link[1] for link in links} - {"data:,"} <= {f"#{one}" for one in ids}
    assert "default-src 'none'" in html


def test_the_page_is_small_and_well_formed(html: str) -> None:
    outline = Outline(html)
    ids = Counter(attrs["id"] for _, attrs in outline.elements if "id" in attrs)
    assert max(ids.values()) == 1
    assert len(html) < 300_000
    assert "{{" not in html
    assert html.startswith("<!doctype html>")


def test_every_picture_has_words_and_a_table(html: str) -> None:
    elements = Outline(html).elements
    pictures = [attrs for tag, attrs in elements if tag == "div" and attrs.get("role") == "img"]
    assert len(pictures) == len(drawings(html)) == 4
    assert all("in the table" in (attrs["aria-label"] or "") for attrs in pictures)
    assert html.count("The same as a table") == 3  # the two heat maps share one
    headings = [tag for tag, _ in elements if tag in {"h1", "h2", "h3", "h4"}]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1


def test_sections_come_in_their_order(html: str) -> None:
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", html) == [
        "To be decided",
        "Who learns what about what",
        "The most telling answers",
        "What another limit would release",
        "The plan",
        "What closing telling values bought",
        "Application by application",
        "For those who get it",
        "What was assumed",
        "A leakage limit is not legal anonymity",
        "How to read odds and bits",
    ]
    assert "<h1>What sharing occupancy.parquet tells</h1>" in html
    assert "1 March 2026" in html
    assert "30,000 rows" in html


# --- what it says


def test_every_number_is_there(found: Findings, html: str) -> None:
    text = Outline(html).text
    for told in (*found.everything, *found.planned):
        assert prose.odds_of(told.odds) in text
        assert prose.bits_of(told.information) in text
    for name, share in found.shares.items():
        assert prose.percent(share) in text
        assert prose.chance(found.plan.p[name]) in text
    for curve, limit in ((found.curve, prose.bits), (found.curve_of_caps, prose.factor)):
        for point in curve:
            assert limit(point.limit) in text
            assert prose.percent(point.released) in text
    for one in found.assumptions:
        assert one in text


def test_closing_is_shown_with_its_values(found: Findings, html: str) -> None:
    told = found.closure.telling
    assert told, "the example is meant to have telling values"
    text = re.sub(r"[ \n]+", " ", Outline(html).text)
    for one in told:
        share = prose.percent(one.probability)
        row = f"{one.name} {one.value}{share}{prose.measured(one.factor)}"
        assert row in text
    both = [content.content(found, DAY)["closing"][key] for key in ("open_share", "closed_share")]
    assert f"lets out {both[0]} without closing them, and {both[1]} with them closed" in text


def test_the_share_of_all_cells_is_that_of_the_curve(found: Findings) -> None:
    chosen = next(p for p in found.curve if p.chosen)
    assert content.content(found, DAY)["tiles"][2]["after"] == prose.percent(chosen.released)
    assert math.isclose(chosen.released, np.mean(list(found.shares.values())), rel_tol=1e-9)


def test_each_application_has_its_section(found: Findings, html: str) -> None:
    for name, reads in found.project.applications.items():
        assert f"<h3>{name}</h3>" in html
        assert f"{name} reads {prose.listed(reads)}" in html


def test_nothing_is_promised_on_a_learned_belief(html: str) -> None:
    assert not re.search(r"guarante|certif|proven|\bsafe\b|anonymous(?! data in)", html, re.I)
    assert "30,000 rows of this table show" in html
    assert "A leakage limit is not legal anonymity" in html


def test_nothing_of_the_machine_is_told(found: Findings, html: str) -> None:
    for secret in ("nowhere", "of/mine", "cellar", "hall", "unspoken.key", "ledger.sqlite"):
        assert secret not in html
    source = replace(found.project.source, table="rooms", database=Path("/a/b/house.duckdb"))
    there = replace(found, project=replace(found.project, source=source))
    assert content.table_name(there) == "rooms in house.duckdb"
    query = replace(source, table=None, database=None, sql="SELECT 'secret'")
    asked = replace(found, project=replace(found.project, source=query))
    assert content.table_name(asked) == "first_arrival, last_leave, mean_occupancy and exits"


def test_a_query_is_called_by_what_is_read(found: Findings) -> None:
    source = replace(found.project.source, table=None, sql="SELECT 'secret'")
    names = {
        2: "a1 and a2",
        5: "a1, a2, a3, a4 and a5",
        6: "a1, a2, a3, a4 and 2 more attributes",
    }
    for many, said in names.items():
        reads = tuple(f"a{k}" for k in range(1, many + 1))
        attributes = dict.fromkeys(reads, found.project.attributes["exits"])
        project = replace(
            found.project, source=source, attributes=attributes, applications={"x": reads}
        )
        assert content.table_name(replace(found, project=project)) == said


# --- names and labels of any kind


def test_names_and_labels_are_escaped(hostile: Findings) -> None:
    html = page.page(hostile, DAY)
    outline = Outline(html)  # well-formed in spite of them
    assert "script" not in {tag for tag, _ in outline.elements}
    assert not any("onload" in attrs for _, attrs in outline.elements)
    for name in HOSTILE:
        assert name in outline.text


def test_names_are_whole_in_pictures(hostile: Findings) -> None:
    drawn = images.svg(charts.chart("leakage-everything", hostile, palette.LIGHT))
    shown = "".join(ElementTree.fromstring(drawn).itertext())
    for told in hostile.everything:
        assert told.about.replace(" ", "") in shown.replace(" ", "")


# --- cases at the edge


def test_without_a_curve_the_page_says_so(hostile: Findings) -> None:
    assert "The curve was not computed" in page.page(hostile, DAY)
    assert charts.chart("trade-off", hostile, palette.LIGHT) == {}


def test_nothing_sensitive(found: Findings) -> None:
    told = replace(found.learned, labelling=by_hand(NAMES, LABELS, ((),) * len(NAMES)))
    closed = closure(told.belief, {}, 4.0)
    nothing = findings(found.project, Best(told, told.belief), closed, curve=False)
    html = page.page(nothing, DAY)
    assert "No attribute is declared sensitive" in html
    assert drawings(html) == []


def test_a_plan_that_releases_nothing_says_so(found: Findings) -> None:
    none = dict.fromkeys(NAMES, 0.0)
    stuck = replace(found.plan, p=none, epsilon=none, objective=0.0)
    html = page.page(replace(found, plan=stuck, shares=none), DAY)
    assert "Within these limits nothing can be released." in html
    assert "under this plan, it gets nothing and learns nothing" in html


def test_always_is_said_only_where_it_is_so(found: Findings) -> None:
    p = {**found.plan.p, "exits": 1.0, "last_leave": 0.9997}
    sure = replace(found, plan=replace(found.plan, p=p))
    rows = {row["name"]: row["p"] for row in content.plan_rows(sure)}
    assert rows["exits"] == "always"
    assert rows["last_leave"] == "> 99.9 %".replace(" ", prose.NBSP)
    assert '<td class="n">always</td>' in page.page(sure, DAY)


def test_telling_values_left_open_are_listed() -> None:
    left_open = building(limits=f"{LIMITS}\nclose = false", curve=False)
    html = page.page(left_open, DAY)
    assert '<h2 id="closing">Values that tell too much</h2>' in html
    assert "They are not closed here" in html
    assert left_open.plan.telling[0].name in html


def test_own_limits_and_exceptions_are_said(found: Findings) -> None:
    limits = replace(found.project.limits, exceed=0.01, targets={"first_arrival": 0.02})
    promise = Promise.of(replace(found.project, limits=limits), Countings(), False)
    said = " ".join(content.limits(replace(found, promise=promise))).replace(prose.NBSP, " ")
    assert "by more than 4, but for answers of total probability 0.01, which may give" in said
    assert "0.05 bit about each attribute (0.02 bit about first_arrival), for the observed" in said


def test_write_is_whole_or_not_at_all(found: Findings, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "report.html"
    page.write_report(found, path)
    first = path.read_text("utf-8")
    monkeypatch.setattr(page, "content", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        page.write_report(found, path)
    assert path.read_text("utf-8") == first
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_a_folder_that_is_not_there_is_one_line(found: Findings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"report\.html: cannot be written") as told:
        page.write_report(found, tmp_path / "no" / "report.html")
    assert "\n" not in str(told.value)


def test_pictures_as_files(found: Findings, tmp_path: Path) -> None:
    names = ["leakage", "leakage-everything", "leakage-planned", "trade-off", "trade-off-caps"]
    made = page.write_report(found, tmp_path / "report.html", tmp_path)
    assert [path.name for path in made] == [
        f"{n}{kind}" for kind in (".png", ".svg") for n in names
    ]
    assert len(list(tmp_path.iterdir())) == 2 * len(names) + 1
    for name in names:
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
        image = (tmp_path / f"{name}.svg").read_text("utf-8")
        assert ElementTree.fromstring(image).tag.endswith("svg")
        assert "var(" not in image


def test_a_missing_extra_is_one_line(found: Findings, tmp_path: Path, monkeypatch) -> None:
    to, extra = tmp_path / "x.html", r"pip install 'unspoken\[report\]'$"
    monkeypatch.setattr(images, "vl_convert", None)
    with pytest.raises(InputError, match=extra):
        page.write_report(found, to)
    monkeypatch.setattr(page, "jinja2", None)
    with pytest.raises(InputError, match=extra):
        page.write_report(found, to)
    assert list(tmp_path.iterdir()) == []


def test_colours_of_the_page_are_declared(html: str) -> None:
    used = set(re.findall(r"var\((--[\w-]+)\)", html))
    for use in (palette.LIGHT, palette.DARK):
        assert used <= set(re.findall(r"(--[\w-]+):", use.variables()))
