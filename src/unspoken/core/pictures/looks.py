"""In which looks pictures share: fonts, colours and the ``config`` of Vega-Lite."""

from __future__ import annotations

from typing import Any

__all__ = ["BLUES", "FONT", "GREY", "PAPER", "RED", "STRONG", "TEXT", "Chart", "style"]

Chart = dict[str, Any]  # a picture as Vega-Lite describes one, or a part of it

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
TEXT, PAPER, GREY, STRONG, RED = "#1d2330", "#ffffff", "#8a93a3", "#1f5fae", "#a8201a"
BLUES = ["#eff4fa", "#a3c6e8", "#3a7fc4", "#123a6b"]


def style() -> Chart:
    """The ``config`` of a picture on white paper."""
    return {
        "background": PAPER,
        "font": FONT,
        "padding": 12,
        "view": {"stroke": "transparent"},
        "axis": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
        "title": {"fontSize": 15, "subtitleFontSize": 12, "subtitlePadding": 4},
        "legend": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
    }
