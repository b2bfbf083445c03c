"""k-ary randomised response: the truth, or one of the other values at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, quoted
from unspoken.core.mechanisms.arguments import NUMBER, WORD
from unspoken.core.mechanisms.finite import fresh
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import Domain
from unspoken.core.types.kinds import check_names

__all__ = ["RandomizedResponse"]

# e^-eps is 0 beyond.
EXPONENT = 750.0


@dataclass(frozen=True, repr=False)
class RandomizedResponse(Mechanism, Shown):
    """The true one of d values with probability e^eps / (e^eps + d - 1), else any of the others."""

    name: str
    epsilon: float

    kind: ClassVar = "randomized-response"
    arguments: ClassVar = {"name": WORD, "epsilon": NUMBER}

    def __post_init__(self) -> None:
        check_names([self.name], "randomized-response.name")
        epsilon = number(self.epsilon)
        if not epsilon >= 0:
            raise InputError(
                f"randomized-response.epsilon: {quoted(self.epsilon)} must be 0 or more"
            )
        object.__setattr__(self, "epsilon", epsilon)

    def channel(self, domain: Domain) -> Channel:
        """Common 1 / (e^eps + d - 1) on every value; excess (e^eps - 1) / (e^eps + d - 1) on the
        true one, in a form that neither overflows nor loses the digits of a tiny eps.
        """
        values = domain.values_of(self.name, "randomized-response")
        others = len(values) - 1
        lie = math.exp(-self.epsilon)
        log_common = -self.epsilon - math.log1p(others * lie)
        truth = -math.expm1(-self.epsilon) / (1 + others * lie)
        # Six operations for the truth; the logarithm's own are off by u of eps, absolutely.
        rounding = Rounding.of_numbers(8.0 + 2.0 * min(self.epsilon, EXPONENT))
        excess = truth * np.eye(len(values))
        return Channel(values, np.full(len(values), log_common), excess, rounding)

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        return Parts(channels=((self.name, fresh(self.channel(domain), adversary, self.name)),))

    def facts(self) -> list[tuple[str, str]]:
        return [("of", self.name), ("eps", f"{self.epsilon:.6g}")]
