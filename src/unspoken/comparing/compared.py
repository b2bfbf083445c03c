"""One limit, every rule: what noise it takes, and what is really left to learn of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unspoken.beliefs import A_BELIEF, Belief
from unspoken.calibration.exact.scale import left_at
from unspoken.calibration.knowledge import Knows, checked, whom
from unspoken.calibration.problem import LEAST, NoiseProblem
from unspoken.comparing.rules import RULES, Rule
from unspoken.display import Tabled
from unspoken.errors import NotKnown, TooLarge
from unspoken.mechanisms.linear import Weighted
from unspoken.types.bound import Bound
from unspoken.types.kinds import expect

__all__ = ["Compared", "Row", "compare"]

# Ends of a bound that are nearer to one another, relatively, are shown as one number.
SHOWN = 1e-4


@dataclass(frozen=True)
class Row:
    """One rule: its ``scale``, and the leakage ``left`` at it; None where it was refused.

    ``error``: the mean error of an answer, |noise|, added up over the numbers of a vector.
    """

    name: str
    rule: Rule
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


@dataclass(frozen=True, repr=False)
class Compared(Tabled):
    """Every rule's noise for one limit, the least first.

    A rule that is not sound may keep the limit in this case, and not in the next.
    """

    problem: NoiseProblem
    knows: Knows
    rows: Sequence[Row] = field(default=())

    def title(self) -> str:
        limit, belief = self.problem.limit, self.problem.belief
        return (
            f"Compared: noise for a limit of {limit:.6g} nat, for those who know "
            f"{whom(self.knows)}; premise {belief.premise}"
        )

    def columns(self) -> list[str]:
        return ["rule", "scale", "error", "leaks, nat", "sound", "composes"]

    def cells(self) -> list[list[str]]:
        return [row.cells() for row in self.rows]

    def notes(self) -> list[tuple[str, str]]:
        """Why a rule is sound, or is not, or is refused."""
        return [(row.name, row.why) for row in self.rows]

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print."""
        return {
            "limit": self.problem.limit,
            "unit": "nat",
            "knows": self.knows if isinstance(self.knows, str) else list(self.knows),
            "premise": str(self.problem.belief.premise),
            "rules": [row.as_json() for row in self.rows],
        }

    def at(self, limit: float) -> Compared:
        """The same for another limit."""
        problem = replace(self.problem, limit=limit)
        rows = [_row(problem, self.knows, name, rule) for name, rule in RULES.items()]
        return Compared(problem, self.knows, sorted(rows, key=_noise))


def compare(
    belief: Belief, weights: Weighted = None, *, limit: float, knows: Knows = "anything"
) -> Compared:
    """The Laplace scale by every rule, and the largest log-ratio about any variable left at it.

    ``knows``: whom the limit is to hold for, as in `calibrate`. Most rules were made for those who
    know nothing but the belief: others are looked at case by case, and refused where that is too
    many, so say knows="nothing" to see them all.
    """
    expect(belief, Belief, "compare.belief", A_BELIEF)
    problem = NoiseProblem(belief, weights, limit)
    return Compared(problem, checked(belief.domain, knows, "compare")).at(limit)


def _row(problem: NoiseProblem, knows: Knows, name: str, rule: Rule) -> Row:
    try:
        scale = rule.scale(problem, knows)
    except (NotKnown, TooLarge) as refusal:
        return Row(name, rule, None, None, None, str(refusal))
    error = scale * len(problem.queries)  # E|z| of Laplace noise is its scale
    try:
        return Row(name, rule, scale, left_at(problem, knows, max(scale, LEAST["laplace"])), error)
    except (NotKnown, TooLarge) as refusal:
        return Row(name, rule, scale, None, error, str(refusal))


def _noise(row: Row) -> tuple[float, bool]:
    return math.inf if row.scale is None else row.scale, not row.rule.sound


def _yes(sound: bool) -> str:
    return "yes" if sound else "no"
