"""A mechanism under the coins of one epoch: other epochs toss other coins for the same cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.types.domain import Domain, Value

__all__ = ["InEpoch"]


@dataclass(frozen=True, repr=False)
class InEpoch(Mechanism, Shown):
    """``mechanism``, whose persistent coins are those of ``epoch``.

    In `Together`, tosses of one epoch look at one coin a cell, those of two at two.
    """

    epoch: str
    mechanism: Mechanism

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        parts = self.mechanism.parts(domain, adversary)
        tosses = tuple((name, replace(toss, epoch=self.epoch)) for name, toss in parts.tosses)
        records = tuple(replace(coin, epoch=self.epoch) for coin in parts.records)
        return replace(parts, tosses=tosses, records=records)

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        return self.mechanism.sensitive_values(domain, name)

    def facts(self) -> list[tuple[str, str]]:
        return [("epoch", self.epoch), ("releases", type(self.mechanism).__name__)]
