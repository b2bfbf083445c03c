"""What was shown of some cells, by coins that were tossed on them and by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unspoken.core.mechanisms import Mechanism, OneSided, RecordCoin, Together
from unspoken.core.mechanisms.parts import Tossed
from unspoken.core.types.domain import Value
from unspoken.storage.ledger.disclosures import Known
from unspoken.storage.ledger.record_coins import merged

__all__ = ["EarlierPolicy", "Exponents", "Exposure", "Hidden", "larger"]

Exponents = Mapping[str, float]
Hidden = Mapping[str, Sequence[Value]]
NONE = Tossed()


@dataclass(frozen=True)
class Exposure:
    """What was shown of some cells: ``within``, under the coins of one label, and under all others.

    ``anew``: what has no persistent coins. ``records``, ``other_records``: what coins of whole
    records show, those of this label and those of others. ``known``: what may be known of these
    cells from elsewhere (`Disclosure`), whatever was shown.
    """

    others: Mapping[str, Tossed] = field(default_factory=dict)
    within: Exponents = field(default_factory=dict)
    anew: tuple[Mechanism, ...] = ()
    records: tuple[RecordCoin, ...] = ()
    other_records: tuple[Mechanism, ...] = ()
    known: Known = ()

    def exponents(self, more: Exponents | None = None) -> dict[str, float]:
        """Of the one release that shows as much, with ``more`` under the coins of the label."""
        within = larger(self.within, more or {})
        if not self.others:
            return {name: exponent for name, exponent in within.items() if exponent}
        shown = dict[str, float]()
        for name in dict.fromkeys((*self.others, *within)):
            others, inside = self.others.get(name, NONE), within.get(name, 0.0)
            exponent = inside if others == NONE else others.toss(inside).exponent
            if exponent:
                shown[name] = exponent
        return shown

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


def larger(*exponents: Exponents) -> Exponents:
    """The largest by name; the same object as the first where no other has a larger one."""
    largest: Exponents = {}
    for each in exponents:
        if not largest:
            largest = each
        elif each is not largest:
            more = {name: e for name, e in each.items() if e > largest.get(name, -1.0)}
            largest = {**largest, **more} if more else largest
    return largest
