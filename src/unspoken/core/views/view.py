"""What every view answers: the largest and the mean value of a function over its cloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy.typing as npt

from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Value
from unspoken.core.types.posteriors import Posteriors

__all__ = ["Convex", "Outcome", "View"]

# A function of the posterior, for each context and outcome; or several of them, along one more
# axis: then the largest result counts. Our measures are convex (for sup: quasi-convex) and come as
# a Functional that says so; any other function is examined first (views/user_functions.py).
Convex = Callable[[Posteriors], npt.ArrayLike]


@dataclass(frozen=True)
class Outcome:
    """One point of the cloud: what was seen, how likely that is, and what is believed then."""

    outcome: Mapping[str, Output]
    mass: float
    prior: Mapping[Value, float]
    posterior: Mapping[Value, float]
    known: Mapping[str, Value]


class View(Protocol):
    """A cloud of posteriors over the target's secrets, with their masses, for each context."""

    @property
    def prior_known(self) -> bool:
        """Whether the classes have prior probabilities, or are only compared with one another."""

    @property
    def events(self) -> list[tuple[Value, ...]]:
        """What nobody is to learn, as the classes of each secret event."""

    def sup(self, f: Convex, unit: str = "nat") -> Bound:
        """The largest f over contexts and possible outcomes (views/base.py)."""

    def worst(self, f: Convex) -> Outcome | None:
        """The outcome where f is largest; None where outcomes cannot be listed."""

    def outcomes(self) -> list[Outcome]:
        """Every possible point; refused where they cannot be listed."""

    def mean(self, f: Convex, unit: str = "nat") -> Bound:
        """The mean of f over outcomes, in the context where it is largest (views/base.py)."""
