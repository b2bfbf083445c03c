"""What is shown of a record in two parts: by coins, and with noise that, given the record, is
independent of them.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Mechanism, Together
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.mechanisms.record_toss import RecordToss
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.sums import moved_by, term

__all__ = ["CoinsAndNoise", "WithoutNoise"]

COUNTED = 2**17  # answers with noise: so many are never looked at together


@dataclass(frozen=True)
class CoinsAndNoise:
    """All that a mechanism shows of a record of this domain."""

    mechanism: Mechanism
    domain: Domain

    @cached_property
    def noise(self) -> Parts:
        """Its noisy numbers. Refused where one was about what is declared no more: it counts all
        the same.
        """
        drawn = self.mechanism.drawn_anew()
        try:
            return Parts.of(each.parts_of_all(self.domain) for each in drawn).anew
        except InputError as error:
            raise InputError(
                f"{str(error).rstrip('.')}. It was answered with noise before, so it counts in "
                "this ledger; keep the bins and values that were declared then"
            ) from None

    @cached_property
    def coins(self) -> Parts:
        """What it shows by coins, of whatever label."""
        return self.without_noise.parts(self.domain, Adversary(self.domain.names[0]))

    @property
    def without_noise(self) -> WithoutNoise:
        return WithoutNoise(self.mechanism)

    @cached_property
    def epsilon(self) -> float:
        """How far one record moves all noisy numbers together, in noise scales."""
        rated = [(query.noise.rate, query.weights) for query in self.noise.queries]
        names = dict.fromkeys(name for _, weights in rated for name in weights)
        sums = [
            moved_by(self.domain, name, [(rate, weights.get(name, 0.0)) for rate, weights in rated])
            for name in names
        ]
        return math.fsum([*sums, *(noise.epsilon for noise in self.noise.noises)])

    @property
    def answers(self) -> int:
        """How many combinations of noise-free answers there are at most; beyond COUNTED they are
        not counted further.
        """
        of_queries = (
            len(np.unique(term(self.domain, weight, name)))
            for query in self.noise.queries
            for name, weight in query.weights.items()
            if weight
        )
        count = 1
        for each in itertools.chain(of_queries, (n.outcomes for n in self.noise.noises)):
            count *= each
            if count > COUNTED:
                break
        return count

    @property
    def outcomes(self) -> int:
        """How many combinations of answers the coins have at most, each as often as it is tossed
        anew.
        """
        tossed = {(name, toss.epoch) for name, toss in self.coins.tosses if toss.exponent > 0}
        shown = [name for name, _ in (*tossed, *self.coins.channels)]
        shown += [name for record in self.coins.records for name in record.reads]
        return math.prod(len(self.domain.values_of(name)) + 1 for name in shown)

    @property
    def coins_named(self) -> tuple[Any, ...]:
        """What tells these coins from others."""
        tosses = tuple((name, toss.exponent, toss.epoch) for name, toss in self.coins.tosses)
        return tuple(map(_named, self.coins.records)), tosses


@dataclass(frozen=True)
class WithoutNoise(Mechanism):
    """The coins of a mechanism, and not its noisy answers."""

    mechanism: Mechanism

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        whole = self.mechanism
        each = whole.mechanisms if isinstance(whole, Together) else (whole,)
        shown = [part for part in each if part.parts_of_all(domain).beside_noise]
        parts = Parts.of(part.parts(domain, adversary) for part in shown)
        return replace(parts, queries=(), noises=())

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        return self.mechanism.sensitive_values(domain, name)


def _named(record: RecordToss) -> tuple[Any, ...]:
    return (*(table.digest for table in record.tables), record.sees, record.epoch)
