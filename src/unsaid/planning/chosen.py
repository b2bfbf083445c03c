"""What an account chose, before it is put in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unsaid.numerics.arrays import Array
from unsaid.planning.supports import Telling
from unsaid.types.bound import Bound

__all__ = ["Chosen"]


@dataclass(frozen=True)
class Chosen:
    """eps per variable, the leakage reached (nats), a certified upper bound on the objective."""

    epsilon: Array
    total: float
    upper: float
    multiplier: float
    odds: Bound
    information: Mapping[str, Bound] = field(default_factory=dict)
    telling: tuple[Telling, ...] = ()
