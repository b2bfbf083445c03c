"""Numbers with two ends, each a bar: drawn through to the low end, pale from there to the high."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unspoken.core.pictures.looks import BLUES, STRONG, TEXT, Chart, style

__all__ = ["Bar", "bars"]

WIDTH, ROW = 480, 26
MOST = 40  # bars in a picture: those that reach farthest


class Bar(NamedTuple):
    """What has this number, which lies between two ends, and the number in words."""

    name: str
    low: float
    high: float
    words: str


def bars(rows: Sequence[Bar], title: str, subtitle: str, unit: str) -> Chart:
    """One below the other, from 0 on; an infinite one runs to the edge."""
    shown = set(sorted(range(len(rows)), key=lambda k: -_or_zero(rows[k].high))[:MOST])
    kept = [row for k, row in enumerate(rows) if k in shown]
    left_out = len(rows) - len(kept)
    ends = [end for row in kept for end in row[1:3] if math.isfinite(end)]
    edge = 1.1 * max(ends, default=0.0) or 1.0
    edge = edge if math.isfinite(edge) else max(ends)
    axis = {"ticks": False, "domain": False, "labelLimit": 200}
    down = {"field": "name", "type": "ordinal", "sort": None, "title": None, "axis": axis}
    scale = {"domain": [0, edge], "nice": False, "clamp": True}
    along = {"type": "quantitative", "scale": scale, "title": unit, "axis": {"grid": False}}
    thick = {"type": "bar", "height": 14}
    said = {"mark": {"type": "text", "align": "left", "dx": 4, "color": TEXT, "fontSize": 11}}
    return {
        "data": {"values": list(_points(kept, edge))},
        "encoding": {"y": down},
        "layer": [
            {"mark": {**thick, "color": BLUES[1]}, "encoding": {"x": {**along, "field": "high"}}},
            {"mark": {**thick, "color": STRONG}, "encoding": {"x": {**along, "field": "low"}}},
            {**said, "encoding": {"x": {**along, "field": "high"}, "text": {"field": "words"}}},
        ],
        "width": WIDTH,
        "height": ROW * max(1, len(kept)),
        "title": {
            "text": title,
            "subtitle": [subtitle, *([f"{left_out} more are less"] if left_out else [])],
            "anchor": "start",
            "color": TEXT,
        },
        "config": style(),
    }


def _points(rows: Sequence[Bar], edge: float) -> Iterator[Chart]:
    for row in rows:
        ends = {"low": min(_or_zero(row.low), edge), "high": min(_or_zero(row.high), edge)}
        yield {"name": row.name, **ends, "words": row.words}


def _or_zero(end: float) -> float:
    """What cannot happen has no number."""
    return 0.0 if math.isnan(end) else max(0.0, end)
