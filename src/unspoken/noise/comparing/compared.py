"""One limit, every rule: what noise it takes, and what is really left to learn of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.display import Framed, Tabled
from unspoken.core.errors import NotKnown, TooLarge
from unspoken.core.mechanisms.linear import Terms, Weighted, merged
from unspoken.core.pictures import Chart, Picture
from unspoken.core.types.bound import in_words
from unspoken.core.types.kinds import expect
from unspoken.noise.calibration.exact.scale import left_at
from unspoken.noise.calibration.knowledge import Knows, checked, whom
from unspoken.noise.calibration.problem import LEAST, NoiseProblem
from unspoken.noise.comparing.picture import STEPS, picture
from unspoken.noise.comparing.row import Row
from unspoken.noise.comparing.rules import RULES, ScaleRule

__all__ = ["Compared", "Progress", "compare"]

Progress = Callable[[int, int], object]  # how many limits are done, and of how many


@dataclass(frozen=True, repr=False)
class Compared(Framed, Tabled):
    """Every rule's noise for one limit, the least first.

    A rule that is not sound may keep the limit in this case, and not in the next.
    """

    problem: NoiseProblem
    knows: Knows
    rows: Sequence[Row] = field(default=())

    def title(self) -> str:
        limit, belief = in_words(self.problem.limit, "nat"), self.problem.belief
        return (
            f"Compared: noise for a limit of {limit}, for those who know {whom(self.knows)}; "
            f"premise {belief.premise}"
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

    def records(self) -> list[dict[str, Any]]:
        return [row.record() for row in self.rows]

    def picture(self, progress: Progress | None = None) -> Chart:
        """Noise against the limit, from an eighth of it to eight times it, in Vega-Lite.

        The bound of every rule that is not refused, for each of those limits.
        """
        limits = [self.problem.limit * 2.0**step for step in STEPS]
        rows = list[Sequence[Row]]()
        for done, limit in enumerate(limits, 1):
            rows.append(self.at(limit).rows)
            if progress is not None:
                progress(done, len(limits))
        return picture(limits, rows, whom(self.knows))

    def plot(self) -> Picture:
        """The picture of noise against the limit: every rule once more for each of 7 limits."""
        return Picture(self.picture())

    def at(self, limit: float) -> Compared:
        """The same for another limit; the laws that rules share do not depend on it."""
        problem = replace(self.problem, limit=limit)
        shared = replace(problem, belief=self.problem.worked_out_once)
        rows = [_row(shared, self.knows, name, rule) for name, rule in RULES.items()]
        return Compared(problem, self.knows, sorted(rows, key=_noise))


def compare(
    belief: Belief,
    weights: Weighted = None,
    *,
    terms: Terms = None,
    limit: float,
    knows: Knows = "anything",
) -> Compared:
    """The Laplace scale by every rule, and the largest log-ratio about any variable left at it.

    ``knows``: whom the limit is to hold for, as in `calibrate`. Most rules were made for those who
    know nothing but the belief: others are looked at case by case, and refused where that is too
    many, so say knows="nothing" to see them all.
    """
    expect(belief, Belief, "compare.belief", A_BELIEF)
    problem = NoiseProblem(belief, merged(weights, terms, "laplace")[2], limit)
    return Compared(problem, checked(belief.domain, knows, "compare")).at(limit)


def _row(problem: NoiseProblem, knows: Knows, name: str, rule: ScaleRule) -> Row:
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
    """The least first; of equal ones, but for rounding, those that keep the limit."""
    scale = math.inf if row.scale is None else float(f"{row.scale:.9g}")
    return scale, not row.rule.sound
