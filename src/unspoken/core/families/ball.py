"""All beliefs near one of them, by the ratio of their probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.beliefs.asking import Shows
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, NotKnown, shown
from unspoken.core.families.family import Family
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.rounding import sum_up
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import expect
from unspoken.core.types.posteriors import Functional
from unspoken.core.views import View
from unspoken.core.views.view import Convex

__all__ = ["Ball"]


class Ball(Family):
    """Every belief P with |log P(x) / Q(x)| <= eta at all x, Q being the ``centre``.

    P(y | a, x_K) is a quotient of two sums of P(x), each off by a factor e^eta at most; so the
    log-ratio of two of them is off by 4 eta at most, whatever the mechanism. A Box of the same
    beliefs says less than that, where the table can be listed.
    """

    kind = "ball"
    centre: Belief
    eta: float

    def __init__(self, centre: Belief, eta: float) -> None:
        expect(centre, Belief, "ball.centre", A_BELIEF)
        self.centre, self.eta = centre, number(eta)
        if not 0 <= self.eta < math.inf:
            raise InputError(
                f"ball.eta: {shown(eta)}; how far log-probabilities may be off is 0 or more"
            )
        self.domain, self.premise = centre.domain, centre.premise

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        return BallView(self.centre.viewed(mechanism, adversary, outcome), self.eta)

    def facts(self) -> list[tuple[str, str]]:
        return [*self.centre.facts(), ("within", f"a factor e^{self.eta:g} of it, everywhere")]


@dataclass(frozen=True, repr=False, eq=False)
class BallView(Shown):
    """The ``centre``'s view, and what log-ratios of likelihoods in the ball are off by."""

    centre: View
    eta: float
    prior_known = True  # by each belief of the set; what needs it is refused by name

    @property
    def events(self) -> list[tuple[Value, ...]]:
        return self.centre.events

    def sup(self, f: Convex, unit: str = "nat") -> Bound:
        """Between the centre's, and that + 4 eta."""
        if Functional.of(f).reads not in ("pairs", "events", "secret"):
            self._refuse(Functional.of(f).name)
        centre = self.centre.sup(f).outward()
        if centre.status != "ok":
            return centre
        why = f"the centre's {centre.high:.6g} and 4 eta, in all the ball"
        return Bound(centre.low, sum_up(centre.high, 4 * self.eta), "nat", centre.premise, why)

    def mean(self, f: Convex, unit: str = "nat") -> NoReturn:
        self._refuse(Functional.of(f).name)

    def worst(self, f: Convex) -> None:
        """Each belief in the ball has its own."""

    def outcomes(self) -> NoReturn:
        self._refuse("outcomes")

    def facts(self) -> list[tuple[str, str]]:
        return [("within", f"a factor e^{self.eta:g} of one belief, everywhere")]

    def _refuse(self, asked: str) -> NoReturn:
        raise NotKnown(
            f"ball: answers max-log-ratio, exclusion and odds, not {asked}; give Beliefs([...]), "
            "finitely many"
        )
