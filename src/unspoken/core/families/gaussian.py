"""Every Gaussian belief whose covariance is near one: e^-eta S <= S' <= e^eta S (Loewner's order).

What somebody who knows x_K learns from S + Laplace(lambda) is R_i |c| / lambda, c = Cov(S, x_i) /
Var(x_i), given x_K (paper 003; theory T3). Given x_K both covariances are Schur complements, which
keep the order. Let z be what S is beside c x_i: they are uncorrelated, and in the plane of x_i and
z, scaled to unit variances, the ball is e^-eta I <= M <= e^eta I. There |M_12 / M_11| is largest at
sinh(eta): M with the two eigenvalues, turned so that M_11 = 1 / cosh(eta) and M_12 = tanh(eta). So

    |c' - c| <= sinh(eta) sqrt(Var(S | x_i, x_K) / Var(x_i | x_K)),    reached, on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs.asking import NoisySum, Shows
from unspoken.core.beliefs.gaussian import Gaussian
from unspoken.core.errors import InputError, NotKnown, shown
from unspoken.core.families.family import Family
from unspoken.core.measures.max_log_ratio import MAX_LOG_RATIO
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.rounding import down, sum_up, up
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.sums import slopes
from unspoken.core.views import RatioView, View

__all__ = ["GaussianBall"]


class GaussianBall(Family):
    """All Gaussian beliefs with e^-eta S <= covariance <= e^eta S, S being the ``centre``'s."""

    kind = "gaussian ball"
    centre: Gaussian
    eta: float

    def __init__(self, centre: Gaussian, eta: float) -> None:
        if not 0 <= number(eta) <= 700:
            raise InputError(f"gaussian ball: eta is {shown(eta)}; a number from 0 to 700")
        if not isinstance(centre, Gaussian):
            raise InputError("gaussian ball: its centre is a Gaussian; of others take a Ball")
        self.centre, self.eta = centre, number(eta)
        self.domain, self.premise = centre.domain, centre.premise

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        query = one_query(mechanism, self, adversary, outcome)
        if query.noise.whole or query.noise.one_sided:
            raise NotKnown("gaussian ball: sums are no whole numbers; give Laplace noise")
        of_centre = MAX_LOG_RATIO.rounded(mechanism.cloud(self.centre, adversary, None))
        log_ratio = self._widened(of_centre, query, adversary)
        return RatioView(self.kind, self.domain.values_of(adversary.targets[0]), log_ratio)

    def _widened(self, of_centre: Bound, query: NoisySum, adversary: Adversary) -> Bound:
        """The largest log-ratio of all of them, exact, from the centre's."""
        (target,) = adversary.targets
        before, _ = self.centre.knowing(adversary.known)
        after, _ = before.knowing([target])
        weights = np.array(slopes(query.weights, after.domain.names))
        rest = float(np.sqrt(((weights @ after.root) ** 2).sum())) if weights.size else 0.0
        at = before.domain.axis(target)
        spread = float(np.sqrt((before.root[at] ** 2).sum()))
        span = float(np.ptp(self.centre.domain.numbers(target)))
        more = math.sinh(self.eta) * query.noise.rate * span * rest / spread
        centre, rounded = of_centre.high, 8 * len(self.centre.domain.names) + 32
        why = f"the centre's {centre:.6g}, and sinh(eta) times what can turn"
        low, high = of_centre.outer or (centre, centre)
        wide = math.exp(after.off)  # both variances, and so their quotient's root
        outer = low + down(more, rounded) / wide, sum_up(high, up(more * wide, rounded))
        return Bound.rounded((centre + more, centre + more), outer, of_centre.premise, why)

    def facts(self) -> list[tuple[str, str]]:
        return [*self.centre.facts(), ("within", f"e^{self.eta:g} of its covariance, both ways")]


def one_query(
    mechanism: Shows, family: Family, adversary: Adversary, outcome: Mapping[str, Output] | None
) -> NoisySum:
    """The one noisy sum that is seen; anything else is refused by name."""
    observed = mechanism.observed(family.domain, adversary, outcome)
    if len(adversary.targets) > 1 or adversary.secret is not None:
        raise NotKnown(f"{family.kind}: compares the values of one target; leave out secret")
    if outcome is not None or observed.beside_queries or len(observed.queries) != 1:
        raise NotKnown(
            f"{family.kind}: knows what one noisy sum tells; give Laplace or Geometric, once"
        )
    return next(iter(observed.queries.values()))
