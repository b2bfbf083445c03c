"""Geometric noise on whole-number queries: Laplace noise for counts, without rounding."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, TooLarge, quoted
from unspoken.core.mechanisms.arguments import NUMBER, TERMS, WEIGHTS
from unspoken.core.mechanisms.laplace import asked
from unspoken.core.mechanisms.linear import Terms, Weighted, asks, linear_queries, merged
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import Parts, Query
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.noise import Noise
from unspoken.core.types.sums import Weights, term

__all__ = ["Geometric", "alpha_of", "falling", "whole_queries"]


@dataclass(frozen=True, repr=False)
class Geometric(Mechanism, Shown):
    """S + Z with P(Z = z) = (1 - alpha) / (1 + alpha) alpha^|z|, S = sum_i f_i(x_i) whole numbers.

    ``weights`` and ``terms`` as for `Laplace`. alpha = e^(-epsilon / sensitivity).
    """

    alpha: float
    weights: Weighted = None
    terms: Terms = None

    kind: ClassVar = "geometric"
    arguments: ClassVar = {"alpha": NUMBER, "weights": WEIGHTS, "terms": TERMS}

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", falling(self.alpha, self.kind))
        weights, terms, _ = merged(self.weights, self.terms, "geometric")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "terms", terms)

    @property
    def about(self) -> Mapping[str, Collection[Value]]:
        return self.terms or {}

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        queries = whole_queries(domain, merged(self.weights, self.terms, self.kind)[2], self.kind)
        noise = Noise(-math.log(self.alpha), whole=True)
        return Parts(queries=asked([Query(weights, noise) for weights in queries], adversary))

    def facts(self) -> list[tuple[str, str]]:
        return [("noise", f"geometric, alpha {self.alpha:.6g}"), *asks(self.weights, self.terms)]


def falling(alpha: float, kind: str) -> float:
    """By how much geometric noise falls from one whole number to the next."""
    if not 0 < number(alpha) < 1:
        raise InputError(f"{kind}.alpha: {quoted(alpha)} must lie between 0 and 1")
    return number(alpha)


def whole_queries(domain: Domain, weights: Weighted, what: str) -> list[Weights]:
    """What is asked for, refused where it is not always whole numbers."""
    queries = linear_queries(domain, weights, what)
    for name, weight in (item for query in queries for item in query.items()):
        if weight and (term(domain, weight, name) % 1).any():
            added = "a term of" if isinstance(weight, tuple) else f"{weight:g} times"
            raise InputError(
                f'{what}: {added} "{name}" is not always a whole number; use Laplace, or whole '
                "weights, values and terms"
            )
    return queries


def alpha_of(scale: float) -> float:
    """e^(-1 / scale), up: near 1 floats are so far apart that less noise would break the limit."""
    alpha = math.exp(-1.0 / scale)
    while -math.log(alpha) * scale > 1.0:
        alpha = math.nextafter(alpha, math.inf)
    if alpha == 1.0:
        raise TooLarge(
            f"geometric: noise of scale {scale:g} falls more slowly than floats can "
            'say; allow more, or use noise="laplace"'
        )
    return alpha
