"""Line charts of what comes out, in Vega-Lite: a line a name, with a band where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from unspoken.core.pictures import BLUES, GREY, RED, STRONG, TEXT, Chart, style

__all__ = ["Point", "curves"]

COLOURS = [STRONG, RED, GREY, "#2f8f5b", "#c77700", BLUES[3], "#7a4fa3"]


class Point(NamedTuple):
    """A number at a place, between two ends if these are known."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


def curves(
    named: Mapping[str, Sequence[Point]],
    title: str,
    axes: tuple[str, str],
    subtitle: str = "",
    log: tuple[bool, bool] = (False, False),
) -> Chart:
    """``axes``: what is across and what is up; ``log``: which of them is logarithmic."""
    values = [
        {"name": name, "x": p.x, "y": p.y, "low": p.y if p.low is None else p.low,
         "high": p.y if p.high is None else p.high}
        for name, points in named.items()
        for p in points
    ]  # fmt: skip
    across, up = (_axis(axis, of) for axis, of in zip(axes, log, strict=True))
    colour = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "sort": None,
        "scale": {"domain": list(named), "range": COLOURS[: len(named)]},
        "legend": {"orient": "right", "labelLimit": 260},
    }
    place = {"x": {**across, "field": "x"}, "color": colour}
    of = {"y": {**up, "field": "y"}}
    return {
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.2},
                "encoding": {**place, "y": {**up, "field": "low"}, "y2": {"field": "high"}},
            },
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**place, **of}},
            {"mark": {"type": "point", "filled": True, "size": 24}, "encoding": {**place, **of}},
        ],
        "width": 420,
        "height": 260,
        "title": {
            "text": title,
            "subtitle": [subtitle] if subtitle else [],
            "anchor": "start",
            "color": TEXT,
        },
        "config": style(),
    }


def _axis(title: str, log: bool) -> Chart:
    scale = {"type": "log" if log else "linear", "zero": False}
    return {"type": "quantitative", "scale": scale, "title": title}
