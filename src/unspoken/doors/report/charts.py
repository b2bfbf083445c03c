"""The pictures: who is told what (a heat map) and what a limit lets out (a curve).

They are described in Vega-Lite, as plain dictionaries; `images` draws them.
"""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unspoken.doors.report import words
from unspoken.doors.report.palette import BEYOND, LIGHT, PAGE, Palette
from unspoken.pictures import FONT, Chart
from unspoken.releasing.assessing.findings import Findings
from unspoken.releasing.assessing.leaks import Leak
from unspoken.releasing.assessing.trade_off import ByCap, TradeOff

__all__ = ["CHARTS", "Chart", "band", "bands", "by_lines", "chart", "heat", "looks"]

TOPS = (0.02, 0.04, 0.1, 0.2, 0.4, 1.0)  # where the axis of the curve may end
CELL_WIDTH, CELL_HEIGHT, LINE = 92, 52, 14
PLACES, MOST_PLACES = 2, 13  # of the edges of colours: as many as they need to differ
STEP, STEPS = 54, 8  # the width of one limit on the curve, and how many a page has room for
ABOVE, BESIDE = 14, 20  # letters in a line of a name above a column, and beside a row


def bands(odds_cap: float) -> dict[int, str]:
    """What each colour stands for: up to four steps within the cap, two beyond it."""
    edges, places = _edges(odds_cap), _places(odds_cap)
    least = places if places > PLACES else 0
    first = {edge: step for step, edge in reversed(list(enumerate(edges)))}
    named = {step: f"to {words.factor(edge, least)}" for edge, step in first.items()}
    named[first[odds_cap]] = f"to the cap, {words.factor(odds_cap, least)}"
    return {**dict(sorted(named.items())), len(edges): "beyond"}


def band(entry: Leak, odds_cap: float) -> int:
    """Which of these colours an entry has."""
    if math.isnan(entry.odds.odds):
        return 0
    rounded = [edge * (1 + 1e-9) for edge in _edges(odds_cap)]
    within, beyond = (0, BEYOND - 1), (BEYOND, len(rounded))
    return bisect.bisect_left(
        rounded, entry.odds.odds, *(beyond if entry.beyond(odds_cap) else within)
    )


def _edges(odds_cap: float) -> list[float]:
    """Where one colour ends and the next begins: even steps in log odds, as they are shown."""
    places = _places(odds_cap)
    return [*_even(odds_cap, places), odds_cap, odds_cap * max(odds_cap, 2.0)]  # no power: overflow


def _even(odds_cap: float, places: int) -> list[float]:
    return [round(odds_cap ** (step / BEYOND), places) for step in range(1, BEYOND)]


def _places(odds_cap: float) -> int:
    """Of edges, so many that they differ, from 1 and from the cap too."""
    for places in range(PLACES, MOST_PLACES):
        shown = {1.0, *_even(odds_cap, places), round(odds_cap, places)}
        if len(shown) > BEYOND:
            return places
    return PLACES  # a cap of 1 has no steps


def heat(entries: Sequence[Leak], names: Mapping[str, str], cap: float, use: Palette) -> Chart:
    """The leakage matrix: a row a reader, a column a target; the worst odds and the mean bits."""
    about = list(dict.fromkeys(entry.about for entry in entries))
    who = list(dict.fromkeys(entry.who for entry in entries))
    steps = bands(cap)
    order = list(steps.values())
    colour = {"domain": order, "range": [use.steps[step] for step in steps]}
    # The page has one legend of its own for both maps.
    legend = None if use is PAGE else {"title": "worst odds"}
    fill = {**_named("band"), "scale": colour, "legend": legend, "sort": order}
    edge = {"fill": {"value": "transparent"}, "stroke": {"value": use.text}}
    ink = {**_named("ink"), "scale": None}
    square = _mark("rect", stroke=use.paper, strokeWidth=3, cornerRadius=4)
    outline = _mark("rect", strokeWidth=2, cornerRadius=3)
    odds = _mark("text", dy=-8, fontSize=14, fontWeight=600)
    bits = _mark("text", dy=11, fontSize=11)
    return {
        "data": {"values": [_cell(entry, names, cap, use) for entry in entries]},
        "encoding": _axes(
            [_wrapped(a, ABOVE) for a in about], [_wrapped(names[w], BESIDE) for w in who]
        ),
        "layer": [
            {**square, "encoding": {"fill": fill}},
            {**outline, "encoding": edge, "transform": [{"filter": "datum.beyond"}]},
            {**odds, "encoding": {"text": _named("odds"), "color": ink}},
            {**bits, "encoding": {"text": _named("bits"), "color": ink}},
        ],
        "width": CELL_WIDTH * len(about),
        "height": CELL_HEIGHT * len(who),
    }


def _axes(about: Sequence[str], who: Sequence[str]) -> Chart:
    """Where the cells of the matrix are: the lines of a name run down from where it stands."""
    bare = {"domain": False, "ticks": False}
    lifted, lowered = by_lines(7, LINE), by_lines(0, -LINE / 2)
    top = {"orient": "top", "title": "about", "labelAngle": 0, "labelPadding": lifted, **bare}
    left = {"title": None, "labelPadding": 7, "labelOffset": lowered, **bare}
    return {
        "x": {**_named("about"), "sort": about, "axis": top},
        "y": {**_named("who"), "sort": who, "axis": left},
    }


def _cell(entry: Leak, names: Mapping[str, str], cap: float, use: Palette) -> dict[str, object]:
    number = band(entry, cap)
    return {
        "who": _wrapped(names[entry.who], BESIDE),
        "about": _wrapped(entry.about, ABOVE),
        "odds": words.odds_of(entry.odds),
        "bits": words.bits_of(entry.information),
        "band": bands(cap)[number],
        "ink": use.inks[number],
        "beyond": number >= BEYOND,
    }


def trade_off(curve: TradeOff | ByCap, use: Palette) -> Chart:
    """Limits against the share of cells they let out."""
    points = _points(curve)
    reached = max(point.released for point in curve)
    top = next((top for top in TOPS if top >= 1.2 * reached), 1.0)
    ticks = [quarter * top / 4 for quarter in range(5)]
    percent = f"format(100 * datum.value, '~g') + '{words.NBSP}%'"
    share = {"labelExpr": percent, "values": ticks, "title": "share of cells released"}
    level = {"labelAngle": 0, "grid": False, "labelOverlap": False}
    across = {**_named("limit"), "sort": [point["limit"] for point in points], "axis": level}
    up = {"field": "released", "type": "quantitative", "scale": {"domain": [0, top]}, "axis": share}
    chosen = {"transform": [{"filter": "datum.chosen"}]}
    rule = _mark("rule", color=use.text, strokeDash=[4, 4])
    line = _mark("line", color=use.strong, strokeWidth=2.5)
    dot = _mark("circle", color=use.strong, size=40, opacity=1)
    mark = _mark("circle", color=use.text, size=150, opacity=1)
    name = _mark("text", dy=-29, fontWeight=600, fontSize=12)
    shares = _mark("text", dy=-13, fontSize=12)
    # Where the curve is steep it runs through its labels: they have an edge of paper.
    edge = _mark("text", dy=-13, fontSize=12, color=use.paper, stroke=use.paper, strokeWidth=5)
    return {
        "data": {"values": points},
        "encoding": {"x": {**across, "title": curve.along}, "y": up},
        "layer": [
            {**rule, **chosen, "encoding": {"y2": {"datum": 0}}},
            line,
            {**edge, "encoding": {"text": _named("share")}},
            dot,
            {**mark, **chosen},
            {**name, **chosen, "encoding": {"text": {"value": "chosen"}}},
            {**shares, "encoding": {"text": _named("share")}},
        ],
        "width": STEP * min(len(points), STEPS),
        "height": 230,
    }


def _points(curve: TradeOff | ByCap) -> list[Chart]:
    return [
        {
            "limit": _tick(point.limit),
            "released": float(f"{point.released:.1e}"),  # two digits, as everything on the page
            "share": words.percent(point.released),
            "chosen": point.chosen,
        }
        for point in curve
    ]


def _tick(limit: float) -> str:
    """Bits at two digits; a cap of 1.25 is not one of 1.2."""
    return words.digits(limit) if limit < 1 else f"{limit:.3g}"


def both(findings: Findings, use: Palette) -> Chart:
    """The two heat maps beside one another, to be shown without the page."""
    sides = {
        "If everything not sensitive were released": everything(findings, use),
        "Under the plan": planned(findings, use),
    }
    return {"hconcat": [{**side, "title": title} for title, side in sides.items()], "spacing": 40}


def everything(findings: Findings, use: Palette) -> Chart:
    """The leakage matrix if all that is declared free were released."""
    return heat(findings.everything, words.readers(findings), _cap(findings), use)


def planned(findings: Findings, use: Palette) -> Chart:
    """The leakage matrix under the plan."""
    return heat(findings.planned, words.readers(findings), _cap(findings), use)


def of_limits(findings: Findings, use: Palette) -> Chart:
    """Bits, each limit twice the one before; odds caps where no bits are limited."""
    return trade_off(findings.curve, use)


def of_caps(findings: Findings, use: Palette) -> Chart:
    """Odds caps, where bits are limited too."""
    return trade_off(findings.curve_of_caps, use)


CHARTS: dict[str, Callable[[Findings, Palette], Chart]] = {
    "leakage": both,
    "leakage-everything": everything,
    "leakage-planned": planned,
    "trade-off": of_limits,
    "trade-off-caps": of_caps,
}


def chart(name: str, findings: Findings, use: Palette) -> Chart:
    """A picture by its name; empty where there is nothing to draw."""
    curves = {"trade-off": findings.curve, "trade-off-caps": findings.curve_of_caps}
    shown = curves.get(name, findings.everything)
    return {**CHARTS[name](findings, use), "config": looks(use)} if shown else {}


def looks(use: Palette) -> dict[str, Any]:
    """The ``config`` of a picture in these colours."""
    return {
        "background": "transparent" if use is not LIGHT else use.paper,
        "font": FONT,
        "lineBreak": "\n",
        "padding": 12,  # for letters that are wider where the picture is shown than here
        "axis": {
            "labelColor": use.text,
            "titleColor": use.quiet,
            "gridColor": use.line,
            "domainColor": use.line,
            "tickColor": use.line,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 0,
        },
        "text": {"color": use.text, "fill": use.text},
        "title": {"color": use.text, "fontSize": 15, "anchor": "start", "offset": 12},
        "legend": {
            "orient": "bottom",
            "labelColor": use.text,
            "titleColor": use.quiet,
            "titleFontWeight": "normal",
            "labelFontSize": 11,
            "titleFontSize": 11,
            "columns": 3,
            "symbolType": "square",
            "symbolSize": 160,
        },
        "view": {"stroke": "transparent"},
    }


def _mark(kind: str, **looks: Any) -> Chart:
    return {"mark": {"type": kind, **looks}}


def _named(field: str) -> Chart:
    return {"field": field, "type": "nominal"}


def by_lines(first: float, each: float) -> dict[str, Any]:
    """A distance that grows with the lines a name is wrapped on."""
    tests = [f"length(split(datum.label, '\\n')) == {lines}" for lines in range(2, 9)]
    lines = [{"test": test, "value": first + each * k} for k, test in enumerate(tests, 1)]
    return {"condition": lines, "value": first}


def _wrapped(name: str, width: int) -> str:
    """A name on several lines, broken after an underscore, hyphen or space where there is one."""
    lines = [""]
    for part in re.split(r"(?<=[_ -])", name):
        whole = [part[k : k + width] for k in range(0, len(part), width)]
        for piece in whole:
            if len(lines[-1]) + len(piece.rstrip()) > width:
                lines.append("")
            lines[-1] += piece
    return "\n".join(filter(None, lines))


def _cap(findings: Findings) -> float:
    return findings.project.limits.odds_cap
