"""Bounds by the names they are about."""

from __future__ import annotations

import math
from typing import Any

from unspoken.core.display import Framed, Tabled
from unspoken.core.pictures import Picture, bars
from unspoken.core.types.bound import Bound

__all__ = ["Leakages"]

SHOWN = 25  # rows of the table


class Leakages(Framed, Tabled, dict[str, Bound]):
    """What is told about each variable: {name: Bound}."""

    def title(self) -> str:
        premises = sorted({str(bound.premise) for bound in self.values()})
        return f"Leakages about {len(self)} variables; premise {', '.join(premises) or 'none'}"

    def columns(self) -> list[str]:
        return ["about", "at least", "at most", "unit"]

    def cells(self) -> list[list[str]]:
        rows = [[name, *_ends(bound), bound.unit] for name, bound in list(self.items())[:SHOWN]]
        left_out = len(self) - len(rows)
        return [*rows, [f"and {left_out} more", "", "", ""]] if left_out else rows

    def notes(self) -> list[tuple[str, str]]:
        """Why one is infinite: the first that is."""
        infinite = (each for each in self.items() if math.isinf(each[1].high))
        return [(f"why {name}", bound.why) for name, bound in [*infinite][:1] if bound.why]

    def records(self) -> list[dict[str, Any]]:
        return [{"about": name, **bound.record()} for name, bound in self.items()]

    def plot(self) -> Picture:
        """A picture of them all, a bar each."""
        rows = [bound.bar(name) for name, bound in self.items()]
        units = " or ".join(sorted({bound.unit for bound in self.values()}))
        return Picture(bars(rows, "What is told about each", self.title(), units))

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print."""
        return {name: bound.as_json() for name, bound in self.items()}


def _ends(bound: Bound) -> tuple[str, str]:
    if bound.status == "impossible":
        return "impossible", ""
    return f"{bound.low:.6g}", f"{bound.high:.6g}"
