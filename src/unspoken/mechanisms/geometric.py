"""Geometric noise on whole-number queries: Laplace noise for counts, without rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from unspoken.adversary import Adversary
from unspoken.display import Shown
from unspoken.errors import InputError
from unspoken.mechanisms.arguments import NUMBER, WEIGHTS, listed
from unspoken.mechanisms.laplace import asked
from unspoken.mechanisms.linear import Weighted, frozen, linear_queries
from unspoken.mechanisms.mechanism import Mechanism
from unspoken.mechanisms.parts import Parts, Query
from unspoken.numerics.numbers import number
from unspoken.types.domain import Domain
from unspoken.types.noise import Noise

__all__ = ["Geometric"]


@dataclass(frozen=True, repr=False)
class Geometric(Mechanism, Shown):
    """S + Z with P(Z = z) = (1 - alpha) / (1 + alpha) alpha^|z|, S = sum_i w_i x_i a whole number.

    ``weights`` as for `Laplace`. alpha = e^(-epsilon / sensitivity).
    """

    alpha: float
    weights: Weighted = None

    kind: ClassVar = "geometric"
    arguments: ClassVar = {"alpha": NUMBER, "weights": WEIGHTS}

    def __post_init__(self) -> None:
        alpha = number(self.alpha)
        if not 0 < alpha < 1:
            raise InputError(f"geometric.alpha: {self.alpha!r} must lie between 0 and 1")
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "weights", frozen(self.weights, "geometric.weights"))

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        queries = linear_queries(domain, self.weights, "geometric")
        for weights in queries:
            for name, weight in weights.items():
                if weight and any(
                    number % 1 for number in (weight * domain.numbers(name)).tolist()
                ):
                    raise InputError(
                        f'geometric: {weight:g} times "{name}" is not always a whole number; '
                        "use Laplace, or whole weights and values"
                    )
        noise = Noise(-math.log(self.alpha), whole=True)
        return Parts(queries=asked([Query(weights, noise) for weights in queries], adversary))

    def facts(self) -> list[tuple[str, str]]:
        said = "1 for every variable" if self.weights is None else str(listed(self.weights))
        return [("noise", f"geometric, alpha {self.alpha:.6g}"), ("weights", said)]
