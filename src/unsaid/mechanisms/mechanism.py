"""What every mechanism answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from unsaid.adversary import Adversary
from unsaid.beliefs import Belief
from unsaid.types.channel import Output
from unsaid.views import View

__all__ = ["Mechanism"]


class Mechanism(ABC):
    """A frozen description of P(Y|X): its fields are its parameters, and what a ledger stores."""

    @abstractmethod
    def view(
        self, belief: Belief, adversary: Adversary, outcome: Mapping[str, Output] | None = None
    ) -> View:
        """The adversary's cloud; with ``outcome``, only the posterior after that one event."""
