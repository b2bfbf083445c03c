"""The picture of a panel: a dot for what each attack reached, a line between both ends, and a rule
at what is claimed. Factors of odds stand on a scale of even nats.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from unspoken.core.pictures import Chart
from unspoken.core.pictures.palette import PAGE, by_lines, looks
from unspoken.interfaces.attacks.panels import MOST, AttackLine, Panel, Unit

__all__ = ["panel_chart", "top_of"]

WIDTH, ROW, LETTERS = 235, 26, 26
LINE = 13  # pixels of each further line of a name
ROOM = 1.12  # beyond what is farthest
FACTORS = (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000)
TITLES: dict[Unit, str] = {
    "odds": "odds multiplied by",
    "bits": "bits",
    "probability": "probability",
    "share": "share of what is claimed",
}


def top_of(panels: Sequence[Panel], unit: Unit) -> float:
    """Where the axes of all panels of a unit end: so that they can be compared."""
    if unit == "share":
        return MOST
    ends = [
        end
        for panel in panels
        if panel.unit == unit
        for end in (panel.claimed or 0.0, *(e for line in panel.lines for e in _ends(line)))
    ]
    farthest = max((end for end in ends if math.isfinite(end)), default=0.0)
    return ROOM * (farthest or 1.0)


def panel_chart(panel: Panel, top: float) -> Chart:
    """With axes up to ``top``; what is beyond ends in an arrow."""
    names = [_wrapped(line.name) for line in panel.lines]
    tall = len(names) * (ROW + LINE * max((name.count("\n") for name in names), default=0))
    bare = {"ticks": False, "domain": False}
    steps = {"labelPadding": 6, "labelOffset": by_lines(0, -LINE / 2), **bare}
    down = {"field": "name", "type": "ordinal", "sort": None, "title": None, "axis": steps}
    along: Chart = {
        "type": "quantitative",
        "title": TITLES[panel.unit],
        "scale": {
            "type": "log" if panel.unit == "odds" else "linear",
            "domain": [_nothing(panel.unit), top],
            "nice": False,
            "clamp": True,
        },
        "axis": {**_axis(panel.unit, top), "grid": False, "labelFlush": False},
    }
    ink = {"field": "ink", "type": "nominal", "scale": None}
    ends = {"x": {**along, "field": "low"}, "x2": {"field": "high"}, "color": ink}
    dot = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    arrow = {"type": "text", "text": "→", "align": "left", "dx": 2, "fontSize": 13}
    at_edge = [{"filter": "datum.beyond"}]
    layers = [
        *_claimed(panel, along),
        {"mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.55}, "encoding": ends},
        {"mark": dot, "encoding": {"x": {**along, "field": "value"}, "color": ink}},
        {
            "mark": arrow,
            "transform": at_edge,
            "encoding": {"x": {"datum": top, "type": "quantitative"}, "color": ink},
        },
    ]
    return {
        "data": {"values": [*_points(panel, top)]},
        "encoding": {"y": down},
        "layer": layers,
        "width": WIDTH,
        "height": tall,
        "config": looks(PAGE),
    }


def _claimed(panel: Panel, along: Chart) -> Iterator[Chart]:
    """A rule at the bound, if one is claimed, and its number above."""
    if panel.claimed is None or not math.isfinite(panel.claimed):
        return
    at = {"values": [{"bound": panel.claimed, "says": f"claimed {panel.number(panel.claimed)}"}]}
    place = {"x": {**along, "field": "bound"}, "y": {"value": -4}}
    rule = {"type": "rule", "color": PAGE.text, "strokeDash": [4, 3], "strokeWidth": 1.5}
    text = {"type": "text", "color": PAGE.text, "dy": -7, "fontSize": 11}
    yield {"data": at, "mark": rule, "encoding": {**place, "y2": {"value": "height"}}}
    yield {"data": at, "mark": text, "encoding": {**place, "text": {"field": "says"}}}


def _points(panel: Panel, top: float) -> Iterator[Chart]:
    for line in panel.lines:
        low, value, high = (min(end, top) for end in (line.low, line.value, line.high))
        ink = PAGE.beyond if line.beats else PAGE.quiet if line.beside else PAGE.strong
        beyond = line.high > top
        name = _wrapped(line.name)
        yield {"name": name, "low": low, "value": value, "high": high, "ink": ink, "beyond": beyond}


def _nothing(unit: Unit) -> float:
    """Where axes begin."""
    return 1.0 if unit == "odds" else 0.0


def _axis(unit: Unit, top: float) -> Chart:
    if unit == "odds":
        values = [factor for factor in FACTORS if factor <= top]
        said = "'× ' + format(datum.value, '~r')"
        return {"values": values, "labelExpr": said, "labelOverlap": "greedy", "labelSeparation": 8}
    if unit == "share":
        return {"format": "~%", "values": [k / 2 for k in range(int(2 * top) + 1)]}
    return {"tickCount": 4, "format": "~g"}


def _ends(line: AttackLine) -> tuple[float, float]:
    """How far it surely got, and seems to have got; what stands beside it may run to the edge."""
    return (0.0, 0.0) if line.beside else (line.low, line.value)


def _wrapped(name: str) -> str:
    return "\n".join(textwrap.wrap(name, LETTERS)) or name
