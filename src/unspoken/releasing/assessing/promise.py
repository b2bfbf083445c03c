"""For whom the limits hold: two lines, and never one without the other.

Counts with noise of eps are all that a plan knows of the table. To who holds them, an answer
multiplies odds by the cap at most. Who knows every other row exactly learns of the last one from
the counts too, and

    P(plan, y | x) = P(plan | x) P(y | x, plan),    P(plan | x) / P(plan | x') <= e^eps,

so that both together come to cap e^eps; every further counting of the same rows multiplies again.
In nats they tell u - 1 - log u more on average, u = eps / (1 - e^-eps). Of rows that were not
counted nothing is told: learned from history, the cap holds for who knows every other row, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from unspoken.errors import LimitExceeded
from unspoken.ledger import Learning
from unspoken.policy import Project
from unspoken.releasing.assessing.coarse import up
from unspoken.releasing.custody.believing import Countings
from unspoken.types.bound import exp_or_inf

__all__ = ["Promise"]

SLACK = 1e-9  # of a product of roundings


@dataclass(frozen=True)
class Promise:
    """``epsilon``: of all countings of rows that are released; infinite where one was exact.

    ``pinned``: whether anything was counted yet.
    """

    cap: float
    epsilon: float
    pinned: bool
    history: bool

    @classmethod
    def of(cls, project: Project, countings: Countings, pinned: bool) -> Promise:
        """Of all countings there were, whatever the noise is now; before this table's: with it."""
        history, noise = project.belief.history, project.belief.noise
        learnings = countings.learnings
        spent = max(_spent(learnings, each) for each in {history, *(e.history for e in learnings)})
        if not pinned and history is None:
            spent += math.inf if noise is None else noise
        if any(each != history for each in countings.exact):  # "": all rows
            spent = math.inf
        cap, declared = project.limits.odds_cap, project.limits.cap_all
        if declared is not None:
            cap = min(cap, max(1.0, declared * math.exp(-spent)))
        return cls(cap, spent, pinned, history is not None)

    @property
    def cap_all(self) -> float:
        """The most that answer and counts multiply the odds of who knows all else by."""
        return self.cap * exp_or_inf(self.epsilon)

    def capped(self, project: Project) -> Project:
        """The project with the cap that plans must keep."""
        return replace(project, limits=project.limits.within(self.cap, None))

    def refuse_broken(self, project: Project) -> None:
        """Where counts alone tell more than the limit for who knows all else, no plan keeps it."""
        declared = project.limits.cap_all
        if declared is not None and self.cap_all > declared * (1 + SLACK):
            raise LimitExceeded(
                f"limit.cap_all: is {declared:g}, and the noise of eps {self.epsilon:g} alone "
                f"multiplies odds by {up(self.cap_all, 3):g}, for who knows every other row; raise "
                "it, or count with less [belief] noise, or learn from history"
            )

    def lines(self) -> tuple[str, str]:
        """Both, in words."""
        first = f"for whoever holds the belief: odds x {self.cap:g} at most"
        other = "for who knows every other row exactly"
        if self.history and self.epsilon == 0:
            return first, f"{other}: odds x {self.cap:g} at most too, since these were not counted"
        if math.isinf(self.epsilon):
            return (
                first,
                f'{other}: no limit, since counts are exact, or were ([belief] noise = "none")',
            )
        most, noise = f"{up(self.cap_all, 3):g}", f"{self.epsilon:g}"
        return first, f"{other}: odds x {most} at most (noise of eps {noise} on the counts)"

    def facts(self) -> list[tuple[str, str]]:
        """As named facts."""
        return [("promise", line) for line in self.lines()]


def _spent(learnings: Sequence[Learning], history: str | None) -> float:
    """The eps of all countings of rows that are released while this is history.

    Countings of that history had none of them; of any other, they may have had every one.
    """
    others = [event for event in learnings if history is None or event.history != history]
    return math.fsum(event.epsilon for event in others)
