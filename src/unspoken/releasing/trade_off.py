"""The curve of a limit against what it lets out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from unspoken.display import Framed, Tabled
from unspoken.pictures import Chart, Picture, style
from unspoken.pictures.looks import STRONG, TEXT

__all__ = ["Share", "TradeOff"]

WIDTH, HEIGHT = 480, 260


@dataclass(frozen=True)
class Share:
    """One point of the trade-off: a limit, and the share of all cells read that it lets out."""

    limit_bits: float
    released: float


class TradeOff(Framed, Tabled, tuple[Share, ...]):
    """Limits, each twice the one before, and the share of all cells read that each lets out."""

    __slots__ = ()

    def title(self) -> str:
        return "Trade-off: what other limits would let out"

    def columns(self) -> list[str]:
        return ["limit, bit", "released"]

    def cells(self) -> list[list[str]]:
        return [[f"{point.limit_bits:g}", f"{point.released:.2%}"] for point in self]

    def notes(self) -> list[tuple[str, str]]:
        return []

    def records(self) -> list[dict[str, Any]]:
        return [asdict(point) for point in self]

    def as_json(self) -> list[dict[str, Any]]:
        """One object for each limit, ready to print."""
        return self.records()

    def plot(self) -> Picture:
        """The curve as a picture."""
        limits = [point.limit_bits for point in self]
        ticks: Chart = {"values": limits, "format": "~g", "grid": False}
        along: Chart = {
            "field": "limit_bits",
            "type": "quantitative",
            "scale": {"type": "log", "nice": False},
        }
        up: Chart = {"field": "released", "type": "quantitative", "scale": {"domainMin": 0}}
        return Picture(
            {
                "data": {"values": self.records()},
                "mark": {"type": "line", "point": {"color": STRONG}, "color": STRONG},
                "encoding": {
                    "x": {**along, "axis": ticks, "title": "limit, bit about any one attribute"},
                    "y": {**up, "axis": {"format": "~%"}, "title": "share of cells released"},
                },
                "width": WIDTH,
                "height": HEIGHT,
                "title": {"text": "What a limit lets out", "anchor": "start", "color": TEXT},
                "config": style(),
            }
        )
