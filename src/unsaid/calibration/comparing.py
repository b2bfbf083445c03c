"""The exact scale beside those of the sound rules: what each costs, and what it leaves to learn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unsaid.beliefs import Belief
from unsaid.calibration.calibrated import METHODS, calibrate
from unsaid.calibration.problem import LEAST, Problem
from unsaid.display import Shown
from unsaid.errors import NotKnown, TooLarge
from unsaid.mechanisms.linear import Weighted
from unsaid.questions import leakages

__all__ = ["Compared", "Row", "compare"]

# Whether the scales of several releases may be had one by one: what the rule bounds then adds up.
COMPOSES: Mapping[str, str] = {
    "exact": "no: calibrate several answers as one vector query",
    "budget": "yes: add up the epsilons first, convert once",
    "dpm": "yes, for linear queries",
    "group": "yes",
    "mean": "yes, for linear queries",
    "quilt": "only with the same quilts",
    "wasserstein": "no",
}


@dataclass(frozen=True)
class Row:
    """One method: its scale, and the ``leakage`` that is left at it; None where it was refused.

    The expected error of the answer is the scale itself: the mean of |Laplace noise|.
    """

    method: str
    scale: float | None
    leakage: float | None
    composes: str
    refused: str = ""

    def words(self) -> str:
        if self.scale is None or self.leakage is None:
            return f"refused: {self.refused}"
        return f"scale {self.scale:<9.5g} leaks {self.leakage:<8.4g} composes: {self.composes}"


@dataclass(frozen=True, repr=False)
class Compared(Shown):
    """All methods for one limit, the least noise first. All are sound."""

    limit: float
    rows: tuple[Row, ...]

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("limit", f"{self.limit:.6g} nat, for those who know nothing else; all are sound"),
            *((row.method, row.words()) for row in self.rows),
        ]

    def as_rows(self) -> list[dict[str, Any]]:
        """One dictionary a method, for tables."""
        return [
            {
                "method": row.method,
                "scale": row.scale,
                "expected error": row.scale,
                "leakage": row.leakage,
                "composes": row.composes,
                "refused": row.refused,
            }
            for row in self.rows
        ]


def compare(belief: Belief, weights: Weighted = None, *, limit: float) -> Compared:
    """The Laplace scale of every method for those who know nothing but the belief.

    Beside each scale the largest log-ratio about any variable that is really left at it: how much
    of the limit the method leaves unused.
    """
    rows = [_row(belief, weights, limit, method) for method in ("exact", *METHODS)]
    order = sorted(rows, key=lambda row: math.inf if row.scale is None else row.scale)
    return Compared(limit, tuple(order))


def _row(belief: Belief, weights: Weighted, limit: float, method: str) -> Row:
    try:
        found = calibrate(belief, weights, limit=limit, knows="nothing", method=method)
    except (NotKnown, TooLarge) as refusal:
        return Row(method, None, None, COMPOSES[method], str(refusal))
    mechanism = Problem(belief, weights, limit).mechanism(max(found.scale, LEAST["laplace"]))
    told = max(bound.value for bound in leakages(belief, mechanism).values())
    return Row(method, found.scale, told, COMPOSES[method])
