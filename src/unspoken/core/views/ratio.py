"""A view of which only one thing is known: how far apart two values' likelihoods can come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from unspoken.core.display import Shown
from unspoken.core.errors import NotKnown
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.posteriors import Functional, Posteriors
from unspoken.core.views.view import Convex

__all__ = ["RatioView"]


@dataclass(frozen=True, repr=False, eq=False)
class RatioView(Shown):
    """``apart``: the largest log P(y|a) / P(y|b) over answers and pairs of ``classes``.

    ``of`` says of what set of beliefs.
    """

    of: str
    classes: tuple[Value, ...]
    apart: Bound
    prior_known = True  # by each belief of the set; what needs it is refused by name

    @property
    def events(self) -> list[tuple[Value, ...]]:
        return [(value,) for value in self.classes]

    def sup(self, f: Convex, unit: str = "nat") -> Bound:
        """f of two classes so far apart: it may compare two at a time only."""
        reading, apart = Functional.of(f), self.apart
        if reading.reads != "pairs":
            self._refuse(reading.name)

        def at(end: float) -> float:
            return float(np.max(np.asarray(f(Posteriors.of_two(end)))))

        outer = apart.outer and (at(max(apart.outer[0], 0.0)), at(apart.outer[1]))
        ends = at(apart.low), at(apart.high)
        return Bound.rounded(ends, outer if reading.outer else None, apart.premise, apart.why)

    def mean(self, f: Convex, unit: str = "nat") -> NoReturn:
        self._refuse(Functional.of(f).name)

    def worst(self, f: Convex) -> None:
        """Nobody has listed the outcomes."""

    def outcomes(self) -> NoReturn:
        """Refused: nobody has listed them."""
        self._refuse("outcomes")

    def facts(self) -> list[tuple[str, str]]:
        return [("of", self.of), *self.apart.facts()]

    def _refuse(self, asked: str) -> NoReturn:
        raise NotKnown(
            f"{self.of}: of a noisy sum it answers max-log-ratio; for {asked} give Beliefs([...]), "
            "finitely many"
        )
