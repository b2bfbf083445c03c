"""Noise against the limit, a line a rule, in Vega-Lite.

Sound rules are drawn through, others dashed; a dot marks where a rule leaves more than the limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from unspoken.core.pictures import GREY, RED, STRONG, TEXT, Chart, style
from unspoken.noise.comparing.row import Row

__all__ = ["STEPS", "picture"]

# From an eighth of the limit to eight times it, in steps of 2.
STEPS = range(-3, 4)
WIDTH, HEIGHT = 620, 380
LINE = 15  # between the names at the right, in pixels
LEADER = 26  # from the end of a line to its name, in pixels
DIFFERENT = 1e-9


def picture(limits: Sequence[float], rows: Sequence[Sequence[Row]], who: str) -> Chart:
    """The rules' rows at each of these limits, for `who` knows so much."""
    at = list(zip(limits, rows, strict=True))
    points = [point for limit, compared in at for point in _points(limit, compared)]
    last = [row for row in rows[-1] if row.scale]
    along: Chart = {
        "field": "limit",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False},
    }
    along["axis"] = {
        "title": "limit, nat",
        "values": list(limits),
        "format": ".3~g",
        "grid": False,
    }
    scales = [float(point["scale"]) for point in points] or [1.0]
    ends = min(scales), max(scales)
    up = {"type": "log", "domain": list(ends), "nice": False}
    across: Chart = {"field": "scale", "type": "quantitative", "scale": up}
    across["axis"] = {"title": "scale of the noise", "format": ".3~g", "values": _ticks(*ends)}
    return {
        "data": {"values": points},
        "layer": [*_lines(along, across), *_names(last, *ends)],
        "width": WIDTH,
        "height": HEIGHT,
        "title": {
            "text": "How much noise each rule takes",
            "subtitle": [
                "dashed: no guarantee; a red dot: more than the limit leaks, here",
                f"for those who know {who}",
            ],
            "anchor": "start",
            "color": TEXT,
        },
        "config": style(),
    }


def _ticks(least: float, most: float) -> list[float]:
    """1, 2, 5, 10, ... as far as the lines go."""
    first, last = (math.floor(math.log10(end)) for end in (least, most))
    return [m * 10.0**k for k in range(first, last + 1) for m in (1, 2, 5)]


def _points(limit: float, rows: Sequence[Row]) -> Iterator[Chart]:
    for row in rows:
        if row.scale:
            broken = row.left is not None and row.left.low > limit * (1 + DIFFERENT)
            yield {
                "rule": row.name,
                "limit": limit,
                "scale": row.scale,
                "sound": row.rule.sound,
                "broken": broken,
            }


def _lines(along: Chart, across: Chart) -> list[Chart]:
    """Those without guarantee below, the exact one above the others, the dots on top."""
    place: Chart = {"x": along, "y": across, "detail": {"field": "rule", "type": "nominal"}}
    layers = [
        ("!datum.sound", {"color": RED, "strokeWidth": 1.5, "strokeDash": [5, 4]}),
        ("datum.sound && datum.rule != 'exact'", {"color": GREY, "strokeWidth": 1.5}),
        ("datum.rule == 'exact'", {"color": STRONG, "strokeWidth": 4}),
        ("datum.broken", {"type": "point", "filled": True, "size": 45, "color": RED, "opacity": 1}),
    ]
    return [
        {
            "mark": {"type": "line", **looks},
            "transform": [{"filter": shown}],
            "encoding": place,
        }
        for shown, looks in layers
    ]


def _names(last: Sequence[Row], least: float, most: float) -> Iterator[Chart]:
    """The name of every line at its right end, where it would be lowest, last."""
    low, span = math.log(least), math.log(most / least) or 1.0
    heights = {row: (math.log(row.scale or least) - low) / span for row in last}
    rows = sorted(last, key=lambda row: -round(heights[row], 9))
    ends = [HEIGHT * (1 - heights[row]) for row in rows]
    places = _spread(ends)
    yield _leaders(ends, places)
    for row, place in zip(rows, places, strict=True):
        exact = row.name == "exact"
        colour = STRONG if exact else TEXT if row.rule.sound else RED
        mark = {"type": "text", "align": "left", "baseline": "middle", "fontSize": 12}
        yield {
            "data": {"values": [{"rule": row.name}]},
            "mark": {**mark, "color": colour, "fontWeight": "bold" if exact else "normal"},
            "encoding": {
                "x": {"value": WIDTH + LEADER + 4},
                "y": {"value": place},
                "text": {"field": "rule"},
            },
        }


def _leaders(ends: Sequence[float], places: Sequence[float]) -> Chart:
    """From the end of every line to its name."""
    pixels = {"type": "quantitative", "axis": None, "scale": None}
    return {
        "data": {"values": [{"end": e, "name": n} for e, n in zip(ends, places, strict=True)]},
        "mark": {"type": "rule", "color": GREY, "strokeWidth": 0.75},
        "encoding": {
            "x": {"value": WIDTH + 3},
            "x2": {"value": WIDTH + LEADER},
            "y": {"field": "end", **pixels},
            "y2": {"field": "name"},
        },
    }


def _spread(wanted: Sequence[float]) -> list[float]:
    """Rising places, as they are wanted but a line apart: moved down, then up from the foot."""
    places, free = list[float](), -math.inf
    for place in wanted:
        places.append(max(place, free))
        free = places[-1] + LINE
    foot = math.inf if free - LINE <= HEIGHT else HEIGHT
    for k in reversed(range(len(places))):
        places[k] = min(places[k], foot)
        foot = places[k] - LINE
    return places
