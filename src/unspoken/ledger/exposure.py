"""What was shown of some cells, by coins that were tossed on them and by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unspoken.ledger.record_coins import merged
from unspoken.mechanisms import Mechanism, OneSided, RecordCoin, Together
from unspoken.mechanisms.parts import Tossed
from unspoken.types.domain import Value

__all__ = ["EarlierPolicy", "Exponents", "Exposure", "Hidden", "larger"]

Exponents = Mapping[str, float]
Hidden = Mapping[str, Sequence[Value]]


@dataclass(frozen=True)
class Exposure:
    """What was shown of some cells: ``within``, under the coins of one label, and under all others.

    ``anew``: what has no persistent coins. ``records``, ``other_records``: what coins of whole
    records show, those of this label and those of others.
    """

    others: Mapping[str, Tossed] = field(default_factory=dict)
    within: Exponents = field(default_factory=dict)
    anew: tuple[Mechanism, ...] = ()
    records: tuple[RecordCoin, ...] = ()
    other_records: tuple[Mechanism, ...] = ()

    def exponents(self, more: Exponents | None = None) -> dict[str, float]:
        """Of the one release that shows as much, with ``more`` under the coins of the label."""
        within = larger(self.within, more or {})
        tossed = {
            n: self.others.get(n, Tossed()).toss(within.get(n, 0.0))
            for n in (*self.others, *within)
        }
        return {name: coins.exponent for name, coins in tossed.items() if coins != Tossed()}

    def fold(self, sensitive: Hidden, mechanism: Mechanism | None = None) -> Mechanism:
        """As one mechanism that withholds what is sensitive now; with one more under the label."""
        more, anew = (mechanism.exponents(), mechanism.drawn_anew()) if mechanism else ({}, ())
        coins = OneSided(self.exponents(more), sensitive)
        shown = merged((*self.records, *(mechanism.record_coins() if mechanism else ())))
        beside = (*self.anew, *anew, *self.other_records, *shown)
        return Together([coins, *beside]) if beside else coins


@dataclass(frozen=True)
class EarlierPolicy:
    """What was declared of an attribute, and ``hidden``, when some of it was shown in ``epoch``."""

    attribute: str
    policy: Mapping[str, Any]
    hidden: Sequence[str]
    epoch: str


def larger(*exponents: Exponents) -> dict[str, float]:
    """The largest by name."""
    largest: dict[str, float] = {}
    for each in exponents:
        for name, exponent in each.items():
            largest[name] = max(exponent, largest.get(name, 0.0))
    return largest
