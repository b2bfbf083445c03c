"""The pictures: who is told what (a heat map) and what a limit lets out (a curve)."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unsaid.doors.report import words
from unsaid.doors.report.palette import BEYOND, LIGHT, PAGE, Palette
from unsaid.errors import InputError
from unsaid.releasing.files import atomically
from unsaid.releasing.findings import Findings
from unsaid.releasing.told import Told

try:
    import altair as alt
    import vl_convert
except ImportError:  # said when a picture is asked for
    alt = None  # type: ignore[assignment]

__all__ = ["CHARTS", "MISSING", "band", "bands", "drawn", "png", "svg"]

MISSING = "the report needs an extra: pip install 'unsaid-privacy[report]'"
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
TOPS = (0.02, 0.04, 0.1, 0.2, 0.4, 1.0)  # where the axis of the curve may end
CELL_WIDTH, CELL_HEIGHT, LINE = 92, 52, 14
ABOVE, BESIDE = 14, 20  # letters in a line of a name above a column, and beside a row

Chart = Any  # an Altair chart of whatever kind


def bands(odds_cap: float) -> dict[int, str]:
    """What each colour stands for: up to four steps within the cap, two beyond it."""
    edges = _edges(odds_cap)
    first = {edge: step for step, edge in reversed(list(enumerate(edges)))}
    named = {step: f"to {words.factor(edge)}" for edge, step in first.items()}
    named[first[odds_cap]] = f"to the cap, {words.factor(odds_cap)}"
    return {**dict(sorted(named.items())), len(edges): "beyond"}


def band(told: Told, odds_cap: float) -> int:
    """Which of these colours an entry has."""
    if math.isnan(told.odds.odds):
        return 0
    within = [edge * (1 + 1e-9) for edge in _edges(odds_cap)]
    return bisect.bisect_left(within, told.odds.odds)


def _edges(odds_cap: float) -> list[float]:
    """Where one colour ends and the next begins: even steps in log odds, as they are shown."""
    even = [round(odds_cap ** (step / BEYOND), 2) for step in range(1, BEYOND)]
    return [*even, odds_cap, max(odds_cap**2, 2 * odds_cap)]


def heat(entries: Sequence[Told], names: Mapping[str, str], cap: float, use: Palette) -> Chart:
    """The leakage matrix: a row a reader, a column a target; the worst odds and the mean bits."""
    table = alt.InlineData(values=[_cell(told, names, cap, use) for told in entries])
    about = list(dict.fromkeys(told.about for told in entries))
    who = list(dict.fromkeys(told.who for told in entries))
    bare: dict[str, Any] = {"domain": False, "ticks": False}
    lifted = _by_lines(7, LINE)  # the lines of a name run down from where it stands
    top = alt.Axis(orient="top", title="about", labelAngle=0, labelPadding=lifted, **bare)
    left = alt.Axis(title=None, labelPadding=7, labelOffset=_by_lines(0, -LINE / 2), **bare)
    base = alt.Chart(table).encode(
        x=alt.X("about:N", sort=[_wrapped(name, ABOVE) for name in about], axis=top),
        y=alt.Y("who:N", sort=[_wrapped(names[name], BESIDE) for name in who], axis=left),
    )
    steps = bands(cap)
    colour = alt.Scale(domain=list(steps.values()), range=[use.steps[step] for step in steps])
    # The page has one legend of its own for both maps.
    legend = None if use is PAGE else alt.Legend(title="worst odds")
    fill = alt.Fill("band:N", scale=colour, legend=legend, sort=list(steps.values()))
    edge = {"fill": alt.value("transparent"), "stroke": alt.value(use.text)}
    square = base.mark_rect(stroke=use.paper, strokeWidth=3, cornerRadius=4).encode(fill=fill)
    outline = base.mark_rect(strokeWidth=2, cornerRadius=3).encode(**edge)
    ink = alt.Color("ink:N", scale=None)
    odds = base.mark_text(dy=-8, fontSize=14, fontWeight=600).encode(text="odds:N", color=ink)
    bits = base.mark_text(dy=11, fontSize=11).encode(text="bits:N", color=ink)
    beyond = outline.transform_filter("datum.beyond")
    size = {"width": CELL_WIDTH * len(about), "height": CELL_HEIGHT * len(who)}
    return alt.layer(square, beyond, odds, bits).properties(**size)


def _cell(told: Told, names: Mapping[str, str], cap: float, use: Palette) -> dict[str, object]:
    number = band(told, cap)
    return {
        "who": _wrapped(names[told.who], BESIDE),
        "about": _wrapped(told.about, ABOVE),
        "odds": words.odds_of(told.odds),
        "bits": words.bits_of(told.information),
        "band": bands(cap)[number],
        "ink": use.inks[number],
        "beyond": number >= BEYOND,
    }


def trade_off(findings: Findings, use: Palette) -> Chart:
    """Limits, each twice the one before, against the share of cells they let out."""
    limit = findings.project.limits.bits
    points: list[dict[str, Any]] = [
        {
            "limit": words.digits(point.limit_bits),
            "released": point.released,
            "share": words.percent(point.released),
            "chosen": math.isclose(point.limit_bits, limit),
        }
        for point in findings.curve
    ]
    reached = max(point.released for point in findings.curve)
    top = next((top for top in TOPS if top >= 1.2 * reached), 1.0)
    ticks = [quarter * top / 4 for quarter in range(5)]
    share = alt.Axis(format="~%", values=ticks, title="share of cells released")
    level = alt.Axis(labelAngle=0, grid=False, labelOverlap=False)
    order = [point["limit"] for point in points]
    title = "limit, in bits about any one attribute"
    told = alt.X("limit:N", sort=order, title=title, axis=level)
    up = alt.Y("released:Q", scale=alt.Scale(domain=[0, top]), axis=share)
    base = alt.Chart(alt.InlineData(values=points)).encode(x=told, y=up)
    line = base.mark_line(color=use.strong, strokeWidth=2.5)
    dot = base.mark_circle(color=use.strong, size=40, opacity=1)
    chosen = base.transform_filter("datum.chosen")
    rule = chosen.mark_rule(color=use.text, strokeDash=[4, 4]).encode(y2=alt.datum(0))
    mark = chosen.mark_circle(color=use.text, size=150, opacity=1)
    shares = base.mark_text(dy=-13, fontSize=12).encode(text="share:N")
    name = chosen.mark_text(dy=-29, fontWeight=600, fontSize=12).encode(text=alt.value("chosen"))
    return alt.layer(rule, line, dot, mark, name, shares).properties(width=8 * 54, height=230)


def both(findings: Findings, use: Palette) -> Chart:
    """The two heat maps beside one another, to be shown without the page."""
    sides = [everything(findings, use), planned(findings, use)]
    titles = ["If everything not sensitive were released", "Under the plan"]
    titled = [side.properties(title=title) for side, title in zip(sides, titles, strict=True)]
    return alt.hconcat(*titled, spacing=40)


def everything(findings: Findings, use: Palette) -> Chart:
    """The leakage matrix if all that is declared free were released."""
    return heat(findings.everything, words.readers(findings), _cap(findings), use)


def planned(findings: Findings, use: Palette) -> Chart:
    """The leakage matrix under the plan."""
    return heat(findings.planned, words.readers(findings), _cap(findings), use)


CHARTS: dict[str, Callable[[Findings, Palette], Chart]] = {
    "leakage": both,
    "leakage-everything": everything,
    "leakage-planned": planned,
    "trade-off": trade_off,
}


def drawn(name: str, findings: Findings, use: Palette = LIGHT) -> str:
    """A picture as SVG; empty where there is nothing to draw."""
    spec = _spec(name, findings, use)
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]) if spec else ""


def png(findings: Findings, folder: Path) -> list[Path]:
    """Each picture as a PNG file."""
    return [
        _written(folder / f"{name}.png", vl_convert.vegalite_to_png(spec, scale=2.0))
        for name in CHARTS
        if (spec := _spec(name, findings, LIGHT))
    ]


def svg(findings: Findings, folder: Path) -> list[Path]:
    """Each picture as an SVG file."""
    return [
        _written(folder / f"{name}.svg", image.encode())
        for name in CHARTS
        if (image := drawn(name, findings))
    ]


def _spec(name: str, findings: Findings, use: Palette) -> dict[str, Any]:
    if alt is None:
        raise InputError(MISSING)
    shown = findings.curve if name == "trade-off" else findings.everything
    if not shown:
        return {}
    chart = CHARTS[name](findings, use).configure(**_style(use))
    spec: dict[str, Any] = chart.to_dict()
    return spec


def _style(use: Palette) -> dict[str, Any]:
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


def _by_lines(first: float, each: float) -> dict[str, Any]:
    """A distance that grows with the lines a name is wrapped on."""
    tests = [f"length(split(datum.label, '\\n')) == {lines}" for lines in range(2, 9)]
    found = [{"test": test, "value": first + each * k} for k, test in enumerate(tests, 1)]
    return {"condition": found, "value": first}


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


def _written(path: Path, content: bytes) -> Path:
    with atomically(path) as partial:
        partial.write_bytes(content)
    return path


def _cap(findings: Findings) -> float:
    return findings.project.limits.odds_cap
