"""Sets of joint tables."""

from __future__ import annotations

from collections.abc import Mapping

from unspoken.adversary import Adversary
from unspoken.beliefs.asking import Shows
from unspoken.families.family import Family
from unspoken.families.searched import Tables
from unspoken.families.view import TablesView
from unspoken.types.channel import Output
from unspoken.views import View

__all__ = ["TableSet"]


class TableSet(Family, Tables):
    """A set of joint tables over one domain."""

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        seen = mechanism.observed(self.domain, adversary, outcome)
        return TablesView(self, mechanism, adversary, outcome, seen)
