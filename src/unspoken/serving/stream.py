"""What answers with noise told every coalition of all rows of a unit, and what they still may."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from unspoken.display import json_number
from unspoken.ledger import Account
from unspoken.policy import Project
from unspoken.releasing.custody.custody import Custody
from unspoken.types.bound import exp_or_inf

__all__ = ["UNKNOWN", "Stream", "streams"]

UNKNOWN = "some answer is of an older version, or was charged for another [source] unit"


@dataclass(frozen=True)
class Stream:
    """All answers that a coalition was given, over all epochs (`[limit] unit_epsilon`).

    ``spent``: of each draw its epsilon times the rows of one ``unit`` that enter, added up; None:
    of some answer that is not known. By e^that the odds of anything about a unit may have grown.
    """

    coalition: tuple[str, ...]
    unit: tuple[str, ...]
    limit: float
    spent: Fraction | None

    @property
    def left(self) -> Fraction | None:
        """Of the limit, as it is written; below 0 where that was lowered since. None: it is not

        known, or nothing limits it.
        """
        if self.spent is None or math.isinf(self.limit):
            return None
        return Fraction(repr(self.limit)) - self.spent

    @property
    def share(self) -> float | None:
        """Of the limit what is spent, as far as there is a limit."""
        if self.spent is None or self.left is None:
            return None
        return float(self.spent / (self.spent + self.left)) if self.left > 0 else 1.0

    @property
    def odds(self) -> float | None:
        """By what the odds of anything about one unit may have grown."""
        return None if self.spent is None else exp_or_inf(float(self.spent))

    def as_json(self) -> dict[str, Any]:
        """For the steward alone."""
        spent = {} if self.spent is None else {"spent": float(self.spent)}
        return {
            "coalition": list(self.coalition),
            "unit": list(self.unit),
            "unit_epsilon": json_number(self.limit),
            **spent,
            **({} if self.left is None else {"left": float(max(self.left, Fraction(0)))}),
            **({} if spent else {"why": UNKNOWN}),
        }


def streams(project: Project, kept: Custody) -> list[Stream]:
    """Of every coalition; none where nothing was answered and nothing limits it."""
    unit, limit = project.source.unit, project.limits.unit_epsilon
    found = dict[tuple[str, ...], Stream]()

    def look(account: Account) -> None:
        for coalition in project.pools:
            audience = account.reaching(coalition, project.applications)
            spent = account.draws.streams.spent(audience, unit)
            found[coalition] = Stream(coalition, unit, limit, spent)

    kept.ledger.look(look, kept.seal)
    told = any(each.spent != 0 for each in found.values())
    return [*found.values()] if told or math.isfinite(limit) else []
