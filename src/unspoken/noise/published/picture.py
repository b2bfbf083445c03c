"""A picture of the graph in Vega-Lite: a tile for each adversary, the darker the more leaks.

A column a target, the weakest adversaries on top; a red foot marks where the published value is
below the truth. Where there are more than 8 variables only the extremes of each layer are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unspoken.core.pictures import BLUES, GREY, PAPER, RED, STRONG, TEXT, Chart, style
from unspoken.core.searching.nodes import Nodes
from unspoken.core.types.kinds import expect
from unspoken.noise.published.graph import Graph, Node

__all__ = ["picture"]

TILES, WRITTEN = 8, 4  # up to how many variables every node has a tile, and its numbers in it
WIDTH, ROW = 760, 58
GAP, FOOT = 0.03, 0.12  # of a column's width, and of a row's height
DARK = 0.58  # from this share of the largest leakage on, letters are light


def picture(graph: Graph) -> Chart:
    """Tiles for up to 8 variables, else the profile of the layers."""
    expect(graph, Graph, "picture", "give what published.graph returns")
    return _tiles(graph) if len(graph.names) <= TILES else _profile(graph)


def _tiles(graph: Graph) -> Chart:
    nodes = graph.nodes()
    tiles = _placed(nodes, graph.names)
    n = len(graph.names)
    across = {"type": "quantitative", "scale": {"domain": [0, n], "nice": False}, "axis": None}
    down = {"type": "quantitative", "scale": {"domain": [0, n], "nice": False}, "axis": None}
    box = {"x": {"field": "left", **across}, "x2": {"field": "right"}}
    most = max(tile["exact"] for tile in tiles) or 1.0
    scale = {"range": BLUES, "domain": [0, most], "nice": False}
    blue = {"field": "exact", "type": "quantitative", "scale": scale}
    edge = {"stroke": PAPER, "strokeWidth": 1.5 if n <= WRITTEN else 0.4}
    legend = {"title": "exact leakage, nat", "orient": "bottom", "gradientLength": 240}
    whole = {**box, "y": {"field": "low", **down}, "y2": {"field": "high"}}
    foot = {**box, "y": {"field": "low", **down}, "y2": {"field": "foot"}}
    layers: list[Chart] = [
        {
            "mark": {"type": "rect", **edge},
            "encoding": {**whole, "color": {**blue, "legend": legend}},
        },
        {
            "mark": {"type": "rect", "color": RED},
            "transform": [{"filter": "datum.short"}],
            "encoding": foot,
        },
    ]
    layers += _letters(across, down, WIDTH // n) if n <= WRITTEN else []
    heads = [{"at": i + 0.5, "name": f"about {name}"} for i, name in enumerate(graph.names)]
    rows = [{"at": layer - 0.5, "name": _row(n - layer)} for layer in range(1, n + 1)]
    return {
        "data": {"values": tiles},
        "layer": [*layers, _heads(heads, across, WIDTH // n), _rows(rows, down)],
        "width": WIDTH,
        "height": ROW * n,
        "title": _title(graph, "red foot: the published value is below the truth"),
        "config": style(),
    }


def _placed(nodes: Sequence[Node], names: Sequence[str]) -> list[Chart]:
    """Each node's tile: its target's column, its layer's row, beside those of the same two."""
    largest = max(node.exact.value for node in nodes)
    together: dict[tuple[str, int], list[Node]] = {}
    for node in nodes:
        together.setdefault((node.target, node.layer), []).append(node)
    tiles = []
    for (target, layer), shared in together.items():
        left, width = names.index(target) + GAP, (1 - 2 * GAP) / len(shared)
        for place, node in enumerate(shared):
            low = layer - 1 + GAP
            dark = largest > 0 and node.exact.value > DARK * largest
            tiles.append(
                {
                    "left": left + place * width,
                    "right": left + (place + 1) * width,
                    "middle": left + (place + 0.5) * width,
                    "low": low,
                    "high": layer - GAP,
                    "foot": low + FOOT,
                    "exact": node.exact.value,
                    "short": node.falls_short,
                    "knows": ", ".join(node.knows),
                    "is": f"{node.exact.value:.2f}",
                    "says": f"said {node.published.value:.2f}",
                    "ink": PAPER if dark else TEXT,
                }
            )
    return tiles


def _letters(across: Chart, down: Chart, column: int) -> list[Chart]:
    """What is known, the exact number and the published one, in every tile."""
    lines = [("knows", 13, 10, "normal"), ("is", 0, 13, "bold"), ("says", -14, 10, "normal")]
    return [
        {
            "mark": {
                "type": "text",
                "dy": -offset,
                "fontSize": size,
                "fontWeight": weight,
                "limit": column,
            },
            "transform": [{"calculate": "(datum.low + datum.high) / 2 + 0.04", "as": "centre"}],
            "encoding": {
                "x": {"field": "middle", **across},
                "y": {"field": "centre", **down},
                "text": {"field": field},
                "color": {"field": "ink", "type": "nominal", "scale": None},
            },
        }
        for field, offset, size, weight in lines
    ]


def _heads(heads: list[Chart], across: Chart, column: int) -> Chart:
    mark = {"type": "text", "y": -9, "fontWeight": "bold", "fontSize": 12, "limit": column - 6}
    place = {"x": {"field": "at", **across}, "text": {"field": "name"}}
    return {"data": {"values": heads}, "mark": {**mark, "color": TEXT}, "encoding": place}


def _rows(rows: list[Chart], down: Chart) -> Chart:
    mark = {"type": "text", "x": -8, "align": "right", "fontSize": 12, "color": TEXT}
    place = {"y": {"field": "at", **down}, "text": {"field": "name"}}
    return {"data": {"values": rows}, "mark": mark, "encoding": place}


def _row(known: int) -> str:
    return f"knows {known} other{'' if known == 1 else 's'}" if known else "knows nothing else"


def _profile(graph: Graph) -> Chart:
    """The extremes of each layer: exact, as published, and the sound bound."""
    said = {"exact": graph.exact, "as published": graph.values, "sound bound": graph.upper}
    bands, lines = _layers(graph, said)
    ticks = {"values": [band["unknown"] for band in bands], "format": "d", "grid": False}
    title = "how many others are unknown"
    along = {"field": "unknown", "type": "quantitative", "axis": {**ticks, "title": title}}
    legend = {"title": "worst of the layer", "orient": "bottom"}
    which = {"field": "which", "type": "nominal", "sort": list(said), "legend": legend}
    colour = {**which, "scale": {"domain": list(said), "range": [STRONG, RED, GREY]}}
    dash = {**which, "scale": {"domain": list(said), "range": [[1, 0], [6, 3], [2, 2]]}}
    nats = {"type": "quantitative", "axis": {"title": "leakage, nat"}}
    band = {"x": along, "y": {"field": "least", **nats}, "y2": {"field": "most"}}
    curve = {"x": along, "y": {"field": "nats", **nats}, "color": colour, "strokeDash": dash}
    area = {"type": "area", "color": BLUES[1], "opacity": 0.5}
    line = {"type": "line", "strokeWidth": 2.5, "point": True}
    return {
        "layer": [
            {"data": {"values": bands}, "mark": area, "encoding": band},
            {"data": {"values": lines}, "mark": line, "encoding": curve},
        ],
        "width": WIDTH,
        "height": 300,
        "title": _title(graph, "shaded: from the least to the largest exact leakage of a layer"),
        "config": style(),
    }


def _layers(graph: Graph, said: Mapping[str, Nodes]) -> tuple[list[Chart], list[Chart]]:
    """Of each layer the least and the largest exact leakage; and the largest by each account."""
    n = len(graph.names)
    unknown = np.array([n - 1 - mask.bit_count() for mask in range(2**n)])
    bands, lines = [], []
    for layer in range(n):
        exact = graph.exact.leaks[:, unknown == layer]
        ends = {"least": float(np.nanmin(exact)), "most": float(np.nanmax(exact))}
        bands.append({"unknown": layer, **ends})
        for name, rule in said.items():
            largest = float(np.nanmax(rule.leaks[:, unknown == layer]))
            lines.append({"unknown": layer, "nats": largest, "which": name})
    return bands, lines


def _title(graph: Graph, note: str) -> Chart:
    exact, said = graph.exact.worst()[0], graph.worst.value
    text = f"Worst adversary: {exact:.3g} nat; the published chain rule says {said:.3g}"
    return {"text": text, "subtitle": note, "anchor": "start", "offset": 26, "color": TEXT}
