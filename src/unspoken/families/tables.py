"""Sets of joint tables: what one noisy sum, or local channels, tell under any of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from unspoken.adversary import Adversary
from unspoken.beliefs.asking import NoisySum, Shows
from unspoken.families.family import Family
from unspoken.families.local import LocalView, Tables
from unspoken.families.noisy import one_query
from unspoken.types.bound import Bound
from unspoken.types.channel import Output
from unspoken.views import RatioView, View

__all__ = ["TableSet"]


class TableSet(Family, Tables):
    """A set of joint tables over one domain."""

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        seen = mechanism.observed(self.domain, adversary, outcome)
        if not seen.queries:
            return LocalView(self, mechanism, adversary, outcome, seen)
        query = one_query(mechanism, self, adversary, outcome)
        values = self.domain.values_of(adversary.targets[0])
        return RatioView(self.kind, values, self.apart(query, adversary))

    @abstractmethod
    def apart(self, query: NoisySum, adversary: Adversary) -> Bound:
        """The largest log-ratio of the likelihoods of two values, of one noisy sum."""
