"""Sets of joint tables."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Self

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief, Joint
from unspoken.core.beliefs.asking import Shows
from unspoken.core.families.family import Family
from unspoken.core.families.searched import Tables
from unspoken.core.families.sides import Side
from unspoken.core.families.view import TablesView
from unspoken.core.numerics.arrays import Mask
from unspoken.core.types.channel import Output
from unspoken.core.views import View

__all__ = ["TableSet"]


class TableSet(Family, Tables):
    """A set of joint tables over one domain."""

    def loosened(self, loose: float) -> Self:
        made = copy.copy(self)
        made.loose = loose
        return made

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        seen = mechanism.observed(self.domain, adversary, outcome)
        return TablesView(self, mechanism, adversary, outcome, seen)

    def side(self, cells: Mask) -> Side:
        """Intervals for the tables of one side of an event, these cells [cell] of the whole."""
        return self._refuse("intervals for its cells")

    @property
    def middle(self) -> Belief:
        """One of its tables, that worth can be counted by."""
        made = self.examples()[0].reshape(self.domain.sizes)
        return Joint(made / made.sum(), self.domain.names, self.domain.values, self.premise)
