"""Sets of any beliefs: finitely many of them, and all near one of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from numbers import Real

from unspoken.adversary import Adversary
from unspoken.beliefs import Belief
from unspoken.display import Shown
from unspoken.errors import InputError
from unspoken.mechanisms.mechanism import Mechanism
from unspoken.numerics.rounding import sum_up
from unspoken.questions import leakage
from unspoken.types.bound import Bound
from unspoken.types.premise import weakest

__all__ = ["Ball", "Beliefs"]


class Beliefs(Shown):
    """Finitely many beliefs; any kind, any mechanism, any measure.

    The set is these and nothing between them: a mixture of beliefs may leak more than each.
    """

    def __init__(self, members: Iterable[Belief]) -> None:
        self.members = tuple(members)
        if not self.members:
            raise InputError("beliefs: is empty; give at least one belief")

    def leakage(
        self,
        mechanism: Mechanism,
        adversary: Adversary,
        measure: str = "max-log-ratio",
        **options: float,
    ) -> Bound:
        """The largest over the members; it stands on the weakest of their premises."""
        bounds = [leakage(own, mechanism, adversary, measure, **options) for own in self.members]
        at = max(range(len(bounds)), key=lambda k: bounds[k].high)
        logs = [bound.logs for bound in bounds if bound.logs is not None]
        return replace(
            bounds[at],
            low=max(bound.low for bound in bounds),
            premise=weakest(bound.premise for bound in bounds),
            why=f"worst of {len(bounds)} beliefs, number {at}: {bounds[at].why}",
            logs=(max(low for low, _ in logs), max(high for _, high in logs)) if logs else None,
        )

    def facts(self) -> list[tuple[str, str]]:
        return [("members", str(len(self.members))), ("not", "their mixtures")]


class Ball(Shown):
    """Every belief P with |log P(x) / Q(x)| <= eta at all x, Q being the ``centre``.

    f(y | a, x_K) is a quotient of two sums of P(x), each off by a factor e^eta at most; so the
    log-ratio of two of them is off by 4 eta at most, whatever the mechanism. A Box of the same
    beliefs says less than that, where the table can be listed.
    """

    centre: Belief
    eta: float

    def __init__(self, centre: Belief, eta: float) -> None:
        if not (isinstance(eta, Real) and 0 <= eta < math.inf):
            raise InputError(f"ball.eta: {eta}; how far log-probabilities may be off is 0 or more")
        self.centre, self.eta = centre, eta

    def leakage(self, mechanism: Mechanism, adversary: Adversary) -> Bound:
        """The largest max-log-ratio: between the centre's, and that + 4 eta."""
        own = leakage(self.centre, mechanism, adversary)
        high = sum_up(own.high, 4 * self.eta)
        why = f"the centre's {own.high:.6g} and 4 eta, in all the ball"
        return Bound(own.low, high, "nat", own.premise, why)

    def facts(self) -> list[tuple[str, str]]:
        return [*self.centre.facts(), ("within", f"a factor e^{self.eta:g} of it, everywhere")]
