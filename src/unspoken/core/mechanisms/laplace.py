"""Laplace noise on linear queries: what differential privacy usually adds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, quoted
from unspoken.core.mechanisms.arguments import NUMBER, TERMS, WEIGHTS
from unspoken.core.mechanisms.linear import Terms, Weighted, asks, linear_queries, merged
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import ANSWER, Parts, Query
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Domain
from unspoken.core.types.noise import Noise

__all__ = ["Laplace"]

# Below this, answers over scales need not be floats (see LARGEST in linear.py).
TINY = 1e-150
# So many noisy answers at once are a mistake: what they tell is bounded long before.
ASKS = 1000

Asked = TypeVar("Asked")


@dataclass(frozen=True, repr=False)
class Laplace(Mechanism, Shown):
    """S + Lap(scale) for S = sum_i f_i(x_i), density exp(-|r - S| / scale) / (2 scale).

    ``weights``: f_i(x) = w_i x, as a list in the order of the variables or {name: w_i}; default 1
    for every variable. ``terms``: f_i of each value, {name: {value: number}}, of those not named 0:
    a count is {name: {value: 1}}. A list of numbers in place of each makes a vector query, with
    independent noise on every coordinate: a histogram is {name: {"a": [1, 0], "b": [0, 1]}}.
    """

    scale: float
    weights: Weighted = None
    terms: Terms = None

    kind: ClassVar = "laplace"
    arguments: ClassVar = {"scale": NUMBER, "weights": WEIGHTS, "terms": TERMS}

    def __post_init__(self) -> None:
        scale = number(self.scale)
        if not TINY <= scale < math.inf:
            raise InputError(f"laplace.scale: {quoted(self.scale)} must be positive and finite")
        object.__setattr__(self, "scale", scale)
        weights, terms, _ = merged(self.weights, self.terms, "laplace")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "terms", terms)

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        queries = linear_queries(domain, merged(self.weights, self.terms, "laplace")[2], "laplace")
        noise = Noise(1.0 / self.scale)
        return Parts(queries=asked([Query(weights, noise) for weights in queries], adversary))

    def facts(self) -> list[tuple[str, str]]:
        return [("noise", f"Laplace, scale {self.scale:.6g}"), *asks(self.weights, self.terms)]


def asked(queries: Sequence[Asked], adversary: Adversary) -> tuple[Asked, ...]:
    """Noise is drawn anew for each request: asking often is asking that many queries."""
    times = adversary.asks_of(ANSWER)
    if times > ASKS:
        raise InputError(
            f"adversary.asks: {times:g}; asked so often, the noise averages out. At most {ASKS}"
        )
    return (*queries,) * int(times)
