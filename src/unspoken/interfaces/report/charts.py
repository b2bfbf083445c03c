"""The pictures: who is told what (a heat map) and what a limit lets out (a curve).

They are described in Vega-Lite, as plain dictionaries; `images` draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unspoken.assessment.findings import Findings
from unspoken.assessment.trade_off import ByCap, TradeOff
from unspoken.core.pictures import Chart
from unspoken.core.pictures.palette import Palette, looks
from unspoken.storage import prose

__all__ = ["CHARTS", "Chart", "chart"]

TOPS = (0.02, 0.04, 0.1, 0.2, 0.4, 1.0)  # where the axis of the curve may end
STEP, STEPS = 54, 8  # the width of one limit on the curve, and how many a page has room for


def trade_off(curve: TradeOff | ByCap, use: Palette) -> Chart:
    """Limits against the share of cells they let out."""
    points = _points(curve)
    reached = max(point.released for point in curve)
    top = next((top for top in TOPS if top >= 1.2 * reached), 1.0)
    ticks = [quarter * top / 4 for quarter in range(5)]
    percent = f"format(100 * datum.value, '~g') + '{prose.NBSP}%'"
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
            "share": prose.percent(point.released),
            "chosen": point.chosen,
        }
        for point in curve
    ]


def _tick(limit: float) -> str:
    """Bits at two digits; a cap of 1.25 is not one of 1.2."""
    return prose.digits(limit) if limit < 1 else f"{limit:.3g}"


def both(findings: Findings, use: Palette) -> Chart:
    """The two heat maps beside one another, to be shown without the page."""
    return findings.matrices(use)


def everything(findings: Findings, use: Palette) -> Chart:
    """The leakage matrix if all that is declared free were released."""
    return findings.matrix(findings.everything, use)


def planned(findings: Findings, use: Palette) -> Chart:
    """The leakage matrix under the plan."""
    return findings.matrix(findings.planned, use)


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


def _mark(kind: str, **looks: Any) -> Chart:
    return {"mark": {"type": kind, **looks}}


def _named(field: str) -> Chart:
    return {"field": field, "type": "nominal"}
