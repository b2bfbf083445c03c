"""The curves of a limit, and of an odds cap, against what they let out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from unspoken.core.display import Framed, Tabled
from unspoken.core.errors import InputError
from unspoken.core.pictures import Chart, Picture, style
from unspoken.core.pictures.looks import STRONG, TEXT

__all__ = ["ByCap", "OfCap", "Share", "TradeOff"]

WIDTH, HEIGHT = 480, 260


@dataclass(frozen=True)
class Share:
    """One point of the trade-off: a limit, and the share of all cells read that it lets out;
    ``chosen``: whether it is the project's.
    """

    limit_bits: float
    released: float
    chosen: bool = False

    @property
    def limit(self) -> float:
        return self.limit_bits


@dataclass(frozen=True)
class OfCap:
    """The same of an odds cap."""

    odds_cap: float
    released: float
    chosen: bool

    @property
    def limit(self) -> float:
        return self.odds_cap


class _Curve(Framed, Tabled, tuple[Any, ...]):
    """Points of one measure; ``along``: what its axis, the first of their fields, is called."""

    __slots__ = ()
    along: ClassVar[str]
    says: ClassVar[str]

    def columns(self) -> list[str]:
        return [self.along.partition(" about ")[0], "released"]

    def cells(self) -> list[list[str]]:
        return [[f"{next(iter(row.values())):g}", f"{row['released']:.2%}"] for row in self.rows]

    def notes(self) -> list[tuple[str, str]]:
        return []

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [asdict(point) for point in self]

    def records(self) -> list[dict[str, Any]]:
        return self.rows

    def as_json(self) -> list[dict[str, Any]]:
        """One object for each point, ready to print."""
        return self.rows

    def marks(self, along: Chart) -> Sequence[Chart]:
        """What is drawn above the curve."""
        return ()

    def plot(self) -> Picture:
        """The curve as a picture."""
        if not self:
            raise InputError(
                "plot: the curve has no points: it was not asked for, or its plans would take "
                "minutes; prepare(...).by_cap() makes it all the same"
            )
        name = next(iter(self.rows[0]))
        ticks: Chart = {"values": [row[name] for row in self.rows], "format": "~g", "grid": False}
        scale: Chart = {"type": "log", "nice": False}
        along: Chart = {"field": name, "type": "quantitative", "scale": scale}
        along |= {"axis": ticks, "title": self.along}
        up: Chart = {
            "field": "released",
            "type": "quantitative",
            "scale": {"domainMin": 0},
            "axis": {"format": "~%"},
            "title": "share of cells released",
        }
        line: Chart = {"type": "line", "point": {"color": STRONG}, "color": STRONG}
        return Picture(
            {
                "data": {"values": self.rows},
                "layer": [
                    {"mark": line, "encoding": {"x": along, "y": up}},
                    *self.marks(along),
                ],
                "width": WIDTH,
                "height": HEIGHT,
                "title": {"text": self.says, "anchor": "start", "color": TEXT},
                "config": style(),
            }
        )


class TradeOff(_Curve):
    """Limits, each twice the one before, and the share of all cells read that each lets out."""

    __slots__ = ()
    along = "limit, bit about any one attribute"
    says = "What a limit lets out"

    def title(self) -> str:
        return "Trade-off: what other limits would let out"


class ByCap(_Curve):
    """Odds caps, and the share of all cells read that each lets out; the limits stay."""

    __slots__ = ()
    along = "odds cap"
    says = "What an odds cap lets out"

    def title(self) -> str:
        return "Trade-off: what other odds caps would let out"

    def marks(self, along: Chart) -> Sequence[Chart]:
        """A line at the project's own."""
        return [
            {
                "transform": [{"filter": "datum.chosen"}],
                "mark": {"type": "rule", "strokeDash": [4, 3], "color": TEXT},
                "encoding": {"x": along},
            },
            {
                "transform": [{"filter": "datum.chosen"}],
                "mark": {"type": "text", "align": "left", "dx": 5, "color": TEXT},
                "encoding": {"x": along, "y": {"value": 10}, "text": {"value": "this project"}},
            },
        ]
