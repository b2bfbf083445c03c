"""One rule's line of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unspoken.core.types.bound import Bound
from unspoken.noise.comparing.rules import ScaleRule

__all__ = ["Row"]

# Ends of a bound that are nearer to one another, relatively, are shown as one number.
SHOWN = 1e-4


@dataclass(frozen=True)
class Row:
    """One rule: its ``scale``, and the leakage ``left`` at it; None where it was refused.

    ``error``: the mean error of an answer, |noise|, added up over the numbers of a vector.
    """

    name: str
    rule: ScaleRule
    scale: float | None
    left: Bound | None
    error: float | None
    refused: str = ""

    @property
    def why(self) -> str:
        return f"refused: {self.refused}" if self.refused else self.rule.why

    def cells(self) -> list[str]:
        """As a row of the table."""
        if self.scale is None:
            return [self.name, "-", "-", "-", _yes(self.rule.sound), self.rule.composes]
        numbers = [f"{self.scale:.5g}", f"{self.error:.5g}", self._leaks()]
        return [self.name, *numbers, _yes(self.rule.sound), self.rule.composes]

    def _leaks(self) -> str:
        """One number, or both ends of a bound where they differ as they are shown."""
        if self.left is None:
            return "?"
        low, high = f"{self.left.low:.4g}", f"{self.left.high:.4g}"
        return high if self.left.low >= (1 - SHOWN) * self.left.high else f"{low} to {high}"

    def record(self) -> dict[str, Any]:
        """As a row of a data frame."""
        return {
            "rule": self.name,
            "scale": self.scale,
            "error": self.error,
            "low": None if self.left is None else self.left.low,
            "high": None if self.left is None else self.left.high,
            "sound": self.rule.sound,
            "composes": self.rule.composes,
            "why": self.why,
        }

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print."""
        return {
            "rule": self.name,
            "scale": self.scale,
            "expected_error": self.error,
            "leakage": None if self.left is None else self.left.as_json(),
            "sound": self.rule.sound,
            "why": self.rule.why,
            "composes": self.rule.composes,
            **({"refused": self.refused} if self.refused else {}),
        }


def _yes(sound: bool) -> str:
    return "yes" if sound else "no"
