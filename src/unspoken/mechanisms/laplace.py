"""Laplace noise on linear queries: what differential privacy usually adds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from unspoken.adversary import Adversary
from unspoken.display import Shown
from unspoken.errors import InputError
from unspoken.mechanisms.arguments import NUMBER, WEIGHTS, listed
from unspoken.mechanisms.linear import Weighted, frozen, linear_queries
from unspoken.mechanisms.mechanism import Mechanism
from unspoken.mechanisms.parts import ANSWER, Parts, Query
from unspoken.numerics.numbers import number
from unspoken.types.domain import Domain
from unspoken.types.noise import Noise

__all__ = ["Laplace"]

# Below this, answers over scales need not be floats (see LARGEST in linear.py).
TINY = 1e-150
# So many noisy answers at once are a mistake: what they tell is bounded long before.
ASKS = 1000


@dataclass(frozen=True, repr=False)
class Laplace(Mechanism, Shown):
    """S + Lap(scale) for S = sum_i w_i x_i, density exp(-|r - S| / scale) / (2 scale).

    ``weights``: a list in the order of the variables or {name: w}, default 1 for every variable. A
    list for each variable makes a vector query, with independent noise on every coordinate.
    """

    scale: float
    weights: Weighted = None

    kind: ClassVar = "laplace"
    arguments: ClassVar = {"scale": NUMBER, "weights": WEIGHTS}

    def __post_init__(self) -> None:
        scale = number(self.scale)
        if not TINY <= scale < math.inf:
            raise InputError(f"laplace.scale: {self.scale!r} must be positive and finite")
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "weights", frozen(self.weights, "laplace.weights"))

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        queries = linear_queries(domain, self.weights, "laplace")
        noise = Noise(1.0 / self.scale)
        return Parts(queries=asked([Query(weights, noise) for weights in queries], adversary))

    def facts(self) -> list[tuple[str, str]]:
        said = "1 for every variable" if self.weights is None else str(listed(self.weights))
        return [("noise", f"Laplace, scale {self.scale:.6g}"), ("weights", said)]


def asked(queries: list[Query], adversary: Adversary) -> tuple[Query, ...]:
    """Noise is drawn anew for each request: asking often is asking that many queries."""
    times = adversary.asks_of(ANSWER)
    if times > ASKS:
        raise InputError(
            f"adversary.asks: {times:g}; asked so often, the noise averages out. At most {ASKS}"
        )
    return tuple(queries * int(times))
