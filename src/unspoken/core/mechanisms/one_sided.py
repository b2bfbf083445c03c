"""One-sided randomised response (papers 000/001): a true value or nothing, never a sensitive one.

A cell whose value is not sensitive is released with probability p = 1 - e^-eps; a sensitive one
never (Definition 2). "Withheld" therefore has probability e^-eps whatever the value, plus p if it
is sensitive: the split of types/channel.py is the mechanism itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, TooLarge, among, quoted
from unspoken.core.mechanisms.arguments import LABELS_BY_NAME, NUMBERS, WORD
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import Parts, Toss
from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.core.mechanisms.suppression import Suppression
from unspoken.core.numerics.arrays import CELLS, Array, Codes, Mask
from unspoken.core.numerics.coin_thresholds import CoinSource, released, threshold
from unspoken.core.numerics.numbers import number
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.domain import RELEASED, WITHHELD, Domain, Value
from unspoken.core.types.frozen import Frozen
from unspoken.core.types.kinds import check_names, expect, labels_by_name

__all__ = ["OneSided", "release_probability"]

Sensitive = Mapping[str, Sequence[Value]]


@dataclass(frozen=True, repr=False)
class OneSided(Mechanism, Shown):
    """``epsilon``: per variable; infinity means every value that is not sensitive is released.

    ``sensitive``: {name: values}, default the value 0 of each binary variable. ``shows``: the value
    (what applications really get) or only the bit whether it was released (what the papers count).
    ``coins``: "persistent", one coin a cell however often it is asked for, or "fresh" ones.
    """

    epsilon: Mapping[str, float]
    sensitive: Sensitive | None = None
    shows: Literal["value", "bit"] = "value"
    coins: Literal["persistent", "fresh"] = "persistent"

    kind: ClassVar = "one-sided"
    arguments: ClassVar = {
        "epsilon": NUMBERS,
        "sensitive": LABELS_BY_NAME,
        "shows": WORD,
        "coins": WORD,
    }

    def __post_init__(self) -> None:
        expect(self.epsilon, Mapping, "one-sided.epsilon", "give {name: number}")
        check_names(self.epsilon, "one-sided.epsilon")
        for name, epsilon in self.epsilon.items():
            if not number(epsilon) >= 0:
                raise InputError(
                    f"one-sided.epsilon of {name}: {quoted(epsilon)} must be 0 or more"
                )
        among("one-sided.shows", self.shows, ("value", "bit"))
        among("one-sided.coins", self.coins, ("persistent", "fresh"))
        object.__setattr__(
            self,
            "epsilon",
            Frozen((name, number(epsilon)) for name, epsilon in self.epsilon.items()),
        )
        if self.sensitive is not None:
            hidden = labels_by_name(self.sensitive, "one-sided.sensitive")
            object.__setattr__(self, "sensitive", Frozen(hidden))

    def release_probability(self, name: str, asks: float = 1) -> float:
        """p = 1 - e^(-n eps): that a cell which may be released is, at least once (Theorem 1)."""
        return release_probability(self._exponent(name, asks))

    @property
    def delivered(self) -> tuple[str, ...]:
        return tuple(self.epsilon)

    def showing(self, names: Iterable[str]) -> OneSided:
        kept = [name for name in names if name in self.epsilon]
        epsilon = {name: self.epsilon[name] for name in kept}
        if self.sensitive is None:
            return replace(self, epsilon=epsilon)
        hidden = {name: self.sensitive[name] for name in kept if name in self.sensitive}
        return replace(self, epsilon=epsilon, sensitive=hidden)

    def shown(self, belief: Belief) -> Mapping[str, float]:
        return {name: self.release_probability(name) for name in self.epsilon}

    def let_out(
        self, domain: Domain, codes: Mapping[str, Codes], coins: CoinSource
    ) -> Mapping[str, Mask]:
        below = {name: threshold(epsilon) for name, epsilon in self.epsilon.items()}
        return {name: released(coins.of_attribute(name), t) for name, t in below.items()}

    def exponents(self) -> Mapping[str, float]:
        return self.epsilon if self.coins == "persistent" else {}

    def drawn_anew(self) -> tuple[Mechanism, ...]:
        return () if self.coins == "persistent" else (self,)

    def hides(self, name: str) -> tuple[Value, ...]:
        return tuple((self.sensitive or {}).get(name, ()))

    def scaled(self, share: float) -> OneSided:
        """This share of every eps; of nothing withheld nothing is withheld, unless it is 0."""
        share = number(share)
        if not 0 <= share < math.inf:
            raise InputError("one-sided.scaled: give the share of every eps, 0 or more")
        epsilon = {name: share * eps if share else 0.0 for name, eps in self.epsilon.items()}
        return replace(self, epsilon=epsilon) if self.coins == "persistent" else self

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        """The sensitive values of one variable; None where none is declared.

        Who asks what is learned about such a variable asks about every value of it.
        """
        values = domain.values_of(name, "one-sided")
        if self.sensitive is None:
            return values[:1] if len(values) == 2 else None
        if not self.sensitive.get(name):
            return None
        domain.codes(name, self.sensitive[name], "one-sided.sensitive")
        return tuple(self.sensitive[name])

    def toss(self, domain: Domain, name: str, asks: float = 1) -> Toss:
        """One coin decides whether to show what a free release would."""
        hidden = set(self.sensitive_values(domain, name) or ())
        free = [value for value in domain.values_of(name) if value not in hidden]
        released: list[Output] = list(free) if self.shows == "value" else [RELEASED]
        full: Array = np.zeros((len(domain.values_of(name)), 1 + len(released)))
        for row, value in enumerate(domain.values_of(name)):
            shown = WITHHELD if value in hidden else value if self.shows == "value" else RELEASED
            full[row, [WITHHELD, *released].index(shown)] = 1.0
        return Toss(self._exponent(name, asks), (WITHHELD, *released), full)

    def channel(self, domain: Domain, name: str, asks: float = 1) -> Channel:
        """W = e^-neps on "withheld", for every value, plus p on what a free release would show."""
        return self.toss(domain, name, asks).channel()

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        for name in self.epsilon:
            domain.axis(name, "one-sided.epsilon")
        for name in self.sensitive or ():
            self.sensitive_values(domain, name)
        seen = adversary.seen_among(self.epsilon)
        tosses = [(name, self.toss(domain, name, adversary.asks_of(name))) for name in seen]
        if self.coins == "persistent":
            return Parts(tosses=tuple(tosses))
        return Parts(channels=tuple((name, toss.channel()) for name, toss in tosses))

    def as_suppression(self, domain: Domain) -> Suppression:
        """The same releases by one coin a record, whose table is the product of the cells' coins.

        Every pattern of every record is listed, its probability rounded down to 2^-62.
        """
        if self.shows != "value" or self.coins != "persistent":
            raise InputError("one-sided.as_suppression: only of values, by persistent coins")
        names = tuple(name for name, epsilon in self.epsilon.items() if epsilon)
        values = {name: domain.values_of(name, "one-sided.epsilon") for name in names}
        hidden = {name: self.sensitive_values(domain, name) or () for name in names}
        chance = {name: Fraction(self.release_probability(name)) for name in names}
        if math.prod(2 * len(listed) for listed in values.values()) > CELLS:
            raise TooLarge(f"one-sided.as_suppression: more than {CELLS:,} patterns of records")
        table = {}
        for record in itertools.product(*values.values()):
            shows: list[tuple[tuple[str, ...], Fraction]] = [((), Fraction(1))]
            for name, value in zip(names, record, strict=True):
                p = Fraction(0) if value in hidden[name] else chance[name]
                shown = [((*pattern, name), weight * p) for pattern, weight in shows]
                shows = [(pattern, weight * (1 - p)) for pattern, weight in shows] + shown
            table[record] = {s: math.floor(weight * WHOLE) for s, weight in shows if s}
        return Suppression(table, names, values, hidden)

    def facts(self) -> list[tuple[str, str]]:
        rows = [
            (name, f"eps {epsilon:.6g}: released with {self.release_probability(name):.4%}")
            for name, epsilon in self.epsilon.items()
        ]
        hidden = self.sensitive
        said = "the value 0 of binary variables" if hidden is None else str(dict(hidden))
        return [*rows, ("never released", said), ("shows", self.shows), ("coins", self.coins)]

    def _exponent(self, name: str, asks: float) -> float:
        epsilon = self.epsilon[name]
        return epsilon * asks if self.coins == "fresh" and epsilon > 0 else epsilon


def release_probability(epsilon: float) -> float:
    """p = 1 - e^-eps, without its cancellation where eps is small."""
    return -math.expm1(-epsilon)
