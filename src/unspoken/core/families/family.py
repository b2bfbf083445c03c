"""What every set of beliefs answers: asked like a belief, it answers for all its members."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NoReturn

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.beliefs.asking import Shows
from unspoken.core.errors import NotKnown
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Value
from unspoken.core.views import View

__all__ = ["Family"]


class Family(Belief):
    """Any of these beliefs may be true: what is said holds whichever of them is."""

    kind: ClassVar[str]  # the word for such a set

    @abstractmethod
    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        """A view whose ``sup`` and ``mean`` hold for all members: low is reached by one of them,
        high exceeded by none, and the premise is the weakest of theirs.
        """

    @property
    def candidates(self) -> tuple[Belief, ...]:
        return self._refuse("list of members")

    def knows_jointly(self, names: Sequence[str]) -> bool:
        return False

    def marginal(self, names: Sequence[str]) -> Array:
        return self._refuse("joint table")

    def given(self, known: Mapping[str, Value]) -> Belief:
        return self._refuse("belief given what is known")

    def _refuse(self, what: str) -> NoReturn:
        raise NotKnown(
            f"{self.kind}: is a set of beliefs and has no {what}; view, leakage, leakages, odds, "
            "worst, calibrate and compare answer for all of them, plan for a list, "
            "Beliefs([...]); else give one belief"
        )
