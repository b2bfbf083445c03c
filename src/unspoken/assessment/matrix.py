"""The leakage matrix as a picture, in Vega-Lite: a row a reader, a column a target."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from unspoken.assessment.leaks import Leak
from unspoken.core.pictures import Chart
from unspoken.core.pictures.palette import BEYOND, PAGE, Palette, by_lines
from unspoken.core.types.bound import Bound
from unspoken.storage import prose

__all__ = ["band", "bands", "heat", "short_names"]

CELL_WIDTH, CELL_HEIGHT, LINE = 92, 52, 14
PLACES, MOST_PLACES = 2, 13  # of the edges of colours: as many as they need to differ
ABOVE, BESIDE = 14, 20  # letters in a line of a name above a column, and beside a row


class Shade(Protocol):
    """What a square of the picture is about: who learns how much of what."""

    @property
    def who(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def odds(self) -> Bound: ...
    @property
    def information(self) -> Bound: ...
    def beyond(self, odds_cap: float) -> bool:
        """Whether the odds grow by more than the cap."""


def bands(odds_cap: float) -> dict[int, str]:
    """What each colour stands for: up to four steps within the cap, two beyond it."""
    edges, places = _edges(odds_cap), _places(odds_cap)
    least = places if places > PLACES else 0
    first = {edge: step for step, edge in reversed(list(enumerate(edges)))}
    named = {step: f"to {prose.factor(edge, least)}" for edge, step in first.items()}
    named[first[odds_cap]] = f"to the cap, {prose.factor(odds_cap, least)}"
    return {**dict(sorted(named.items())), len(edges): "beyond"}


def band(entry: Shade, odds_cap: float) -> int:
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


def short_names(entries: Sequence[Leak], applications: Collection[str]) -> dict[str, str]:
    """Everybody who reads, by a short name: all applications together are "all pooled"."""
    names = {entry.who: entry.who for entry in entries}
    everybody = " + ".join(applications)
    if everybody in names and len(applications) > 1 and "all pooled" not in names:
        names |= {
            who: f"all pooled{who.removeprefix(everybody)}"
            for who in names
            if who == everybody or who.startswith(f"{everybody}, ")
        }
    return names


def heat(entries: Sequence[Shade], names: Mapping[str, str], cap: float, use: Palette) -> Chart:
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


def _cell(entry: Shade, names: Mapping[str, str], cap: float, use: Palette) -> dict[str, object]:
    number = band(entry, cap)
    return {
        "who": _wrapped(names[entry.who], BESIDE),
        "about": _wrapped(entry.about, ABOVE),
        "odds": prose.odds_of(entry.odds),
        "bits": prose.bits_of(entry.information),
        "band": bands(cap)[number],
        "ink": use.inks[number],
        "beyond": number >= BEYOND,
    }


def _mark(kind: str, **looks: Any) -> Chart:
    return {"mark": {"type": kind, **looks}}


def _named(field: str) -> Chart:
    return {"field": field, "type": "nominal"}


def _wrapped(name: str, width: int) -> str:
    """A name on as few lines as it needs, about as long as each other."""
    fewest = len(_lines(name, width))
    even = next(w for w in range(1, width + 1) if len(_lines(name, w)) <= fewest)
    return "\n".join(_lines(name, even))


def _lines(name: str, width: int) -> list[str]:
    """Broken after an underscore, hyphen or space where there is one."""
    lines = [""]
    for part in re.split(r"(?<=[_ -])", name):
        whole = [part[k : k + width] for k in range(0, len(part), width)]
        for piece in whole:
            if len(lines[-1]) + len(piece.rstrip()) > width:
                lines.append("")
            lines[-1] += piece
    return [line for line in lines if line]
