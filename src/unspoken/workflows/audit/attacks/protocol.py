"""What an attack is: something that learns to score what is seen, by practice or by knowledge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from unspoken.core.numerics.arrays import Array
from unspoken.workflows.audit.trials import Trials

__all__ = ["Attack", "PublicKnowledge", "Scorer"]

# For each row of what is seen a number: the larger, the likelier the secret.
Scorer = Callable[[Array], Array]


@dataclass(frozen=True)
class PublicKnowledge:
    """What everybody knows: Bayes's rule by the published belief and mechanism, where there is one.

    ``sizes``: how many labels each column has; 0 of an answer that is a number.
    """

    posterior: Scorer | None
    sizes: tuple[int, ...]


class Attack(Protocol):
    """From what is known and some trials to practise on, with their truth, to a scorer.

    Practice with the truth is more than an outsider has: who beats no bound with it beats none
    without. An attack that cannot be made of this gives None.
    """

    def __call__(self, known: PublicKnowledge, practice: Trials) -> Scorer | None: ...
