"""What a solver of the release problem hands back: a point within the limit, and a certificate."""

from __future__ import annotations

from dataclasses import dataclass

from unspoken.core.numerics.arrays import Array


@dataclass(frozen=True)
class Solution:
    """A feasible point, and how good any point could be.

    epsilon     the privacy parameter of each attribute (inf: always released)
    objective   what the point reaches
    upper       no feasible point reaches more; rounded up by the solver's stated float error, so
                never below the truth
    multiplier  the price of the limit: d objective / d limit at the optimum, per nat
                (0 where the limit does not bind)
    total       sum_i I_i(epsilon_i) in nats, rounded up, and still <= the limit
    """

    epsilon: Array
    objective: float
    upper: float
    multiplier: float
    total: float

    @property
    def gap(self) -> float:
        """(upper - objective) / upper: the share of the optimum that may be missing."""
        return (self.upper - self.objective) / self.upper if self.upper > 0.0 else 0.0
