"""One-sided noise on counts of what is not sensitive (arXiv:1712.05888, which paper 001 cites).

A record that is sensitive is counted nowhere. So whatever else it might have been, no count would
be less than it is, and noise that only takes away hides that it is sensitive:

    P(y | sensitive) = (1 - alpha) alpha^(s - y) <= e^eps P(y | s') for s <= s' <= s + 1

with alpha = e^-eps, for every y (beyond s nothing is possible; s' allows more). The other way there
is no bound: an answer may show that a record is not sensitive, which the definition allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.mechanisms.arguments import LABELS_BY_NAME, NUMBER, TERMS
from unspoken.core.mechanisms.geometric import falling, whole_queries
from unspoken.core.mechanisms.laplace import asked
from unspoken.core.mechanisms.linear import Terms, asks, merged
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import Parts, Query
from unspoken.core.numerics.arrays import Counts
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.frozen import Frozen
from unspoken.core.types.kinds import expect, labels_by_name
from unspoken.core.types.noise import Noise
from unspoken.core.types.sums import term

__all__ = ["OneSidedNoise"]


@dataclass(frozen=True, repr=False)
class OneSidedNoise(Mechanism, Shown):
    """S - Z with P(Z = z) = (1 - alpha) alpha^z, z >= 0, S = sum_i f_i(x_i) whole numbers.

    ``terms``: f_i of each value, as for `Laplace`, none less than 0; ``sensitive``: {name: values},
    which add nothing. alpha = e^-epsilon, for terms of 1.
    """

    alpha: float
    terms: Terms
    sensitive: Mapping[str, Sequence[Value]]

    kind: ClassVar = "one-sided-noise"
    arguments: ClassVar = {"alpha": NUMBER, "terms": TERMS, "sensitive": LABELS_BY_NAME}

    def __post_init__(self) -> None:
        alpha = falling(self.alpha, self.kind)
        expect(self.terms, Mapping, f"{self.kind}.terms", "give {name: {value: number}}")
        hidden = labels_by_name(self.sensitive, f"{self.kind}.sensitive")
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "terms", merged(None, self.terms, self.kind)[1])
        object.__setattr__(self, "sensitive", Frozen(hidden))

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        """Whoever is after a variable wants to know whether, and which, of these it has."""
        return tuple(self.sensitive[name]) if self.sensitive.get(name) else None

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        queries = whole_queries(domain, self.terms, self.kind)
        for query in queries:
            for name, weight in query.items():
                added = term(domain, weight, name)
                hidden = self.sensitive.get(name, ())
                codes = domain.codes(name, hidden, f"{self.kind}.sensitive")
                if added.min() < 0 or added[codes].any():
                    raise InputError(
                        f"{self.kind}.terms of {name}: values add 0 or more, sensitive ones 0; "
                        "noise that only takes away hides no more than that"
                    )
        noise = Noise(-math.log(self.alpha), whole=True, one_sided=True)
        return Parts(queries=asked([Query(query, noise) for query in queries], adversary))

    def corrected(self, noisy: npt.ArrayLike) -> Counts:
        """What noise took away put back, by its median; counts that are not above 0 are 0.

        Made of what is shown alone: nobody learns more from it.
        """
        shown: Counts = np.asarray(noisy, dtype=np.int64)
        median = max(0, math.ceil(math.log(0.5) / math.log(self.alpha)) - 1)
        return np.where(shown > 0, shown + median, 0)

    def facts(self) -> list[tuple[str, str]]:
        hidden: Mapping[str, Any] = self.sensitive
        said = ", ".join(f"{name}: {[*values]}" for name, values in hidden.items())
        noise = ("noise", f"one-sided geometric, alpha {self.alpha:.6g}")
        return [noise, *asks(None, self.terms), ("sensitive", said or "nothing")]
