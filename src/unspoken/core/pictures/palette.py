"""Colours: six steps of telling, on light and on dark paper, and as the page's own variables.

Steps 0 to 3 are within the cap (blue, stronger for more), 4 and 5 beyond it (orange, red). Charts
in the page are drawn with ``PAGE``, whose colours are variables of its style sheet, so that one
picture reads in light, in dark and in print; charts in files are drawn with ``LIGHT``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from unspoken.core.pictures.looks import FONT

__all__ = ["BEYOND", "DARK", "LIGHT", "PAGE", "STEPS", "Palette", "by_lines", "looks"]

STEPS, BEYOND = 6, 4  # how many, and the first of those beyond the cap


@dataclass(frozen=True)
class Palette:
    """``steps`` fill cells, ``inks`` are read on them."""

    paper: str
    text: str
    quiet: str
    line: str
    strong: str
    beyond: str
    steps: tuple[str, ...]
    inks: tuple[str, ...]

    def variables(self) -> str:
        """The declarations of a style sheet that give ``PAGE`` these colours."""
        named = {k: v for k, v in asdict(self).items() if isinstance(v, str)}
        named |= {f"step-{number}": colour for number, colour in enumerate(self.steps)}
        named |= {f"ink-{number}": colour for number, colour in enumerate(self.inks)}
        return " ".join(f"--{name}: {colour};" for name, colour in named.items())


LIGHT = Palette(
    paper="#ffffff",
    text="#1d2330",
    quiet="#545d6e",
    line="#d3d8e0",
    strong="#1f5fae",
    beyond="#a8201a",
    steps=("#eff4fa", "#cfe0f2", "#a3c6e8", "#6ba3d6", "#f2a65a", "#c2352b"),
    inks=("#1d2330", "#1d2330", "#1d2330", "#10151d", "#10151d", "#ffffff"),
)
DARK = Palette(
    paper="#14181f",
    text="#e6e9ef",
    quiet="#a3acbb",
    line="#363e4b",
    strong="#7fb4ec",
    beyond="#ff8f7f",
    steps=("#1d2735", "#22405f", "#2b5c8c", "#3573ae", "#d98431", "#c23b30"),
    inks=("#e6e9ef", "#ffffff", "#ffffff", "#ffffff", "#10151d", "#ffffff"),
)
PAGE = Palette(
    paper="var(--paper)",
    text="var(--text)",
    quiet="var(--quiet)",
    line="var(--line)",
    strong="var(--strong)",
    beyond="var(--beyond)",
    steps=tuple(f"var(--step-{number})" for number in range(STEPS)),
    inks=tuple(f"var(--ink-{number})" for number in range(STEPS)),
)


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


def by_lines(first: float, each: float) -> dict[str, Any]:
    """A distance that grows with the lines a name is wrapped on."""
    tests = [f"length(split(datum.label, '\\n')) == {lines}" for lines in range(2, 9)]
    lines = [{"test": test, "value": first + each * k} for k, test in enumerate(tests, 1)]
    return {"condition": lines, "value": first}
