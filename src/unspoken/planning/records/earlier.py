"""What is out of a record already, where more of it is planned.

A cell of the program is then a record x with a history h, what each earlier coin has shown of it:
its probability is P(x) W(h | x), and what it may show holds all that is out. A coalition has seen
its part of the history, so that its answers are pairs (S, S'), and a row for each of them holds

    sum_x P(x | s) W(S | x) E(S' | S, x) <= cap sum_x P(x | not s) W(S | x) E(S' | S, x).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Extension, RecordCoin, Suppression
from unspoken.core.mechanisms.record_chain import EARLIER
from unspoken.core.numerics.arrays import Array, Codes, Counts, Integers, Mask
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import expect

__all__ = ["Earlier", "check_earlier"]


@dataclass(frozen=True, eq=False)
class Earlier:
    """``coin``: the last whose answer is out; ``record``: which of the ``records`` each cell is.

    Where nothing is out there is no coin, and each cell is a record.
    ``shown``: what was shown of it after each coin, bit masks of the program's names [cell, coin],
    and ``labels``: that in the coin's words; ``weights``: W(h | x), out of 2 to the ``bits``;
    ``delivered``: of what the last coin has shown, a bit mask. Of those before it all counts:
    readers may have been given less since, and have what they had.
    """

    coin: RecordCoin | None
    records: int
    record: Codes
    shown: Counts
    labels: tuple[str, ...]
    weights: Integers
    bits: int
    delivered: int

    @classmethod
    def nothing(cls, records: int) -> Earlier:
        shown, once = np.zeros((records, 1), dtype=np.int64), np.ones(records, dtype=object)
        return cls(None, records, np.arange(records), shown, ("",) * records, once, 0, 0)

    @classmethod
    def of(cls, coin: RecordCoin, domain: Domain, codes: Codes) -> Earlier:
        """Every history of these records [record, name]."""
        chain = coin.chain
        columns = {name: codes[:, domain.axis(name)] for name in chain.names}
        found = chain.listed(chain.places(domain, columns))
        shown = np.zeros_like(found.shown)
        for bit, name in enumerate(chain.names):
            shown |= (found.shown >> bit & 1) << domain.axis(name)
        labels = tuple(chain.label(history) for history in found.shown.tolist())
        delivered = sum(1 << domain.axis(name) for name in coin.delivered)
        return cls(
            coin, len(codes), found.row, shown, labels, found.weights.astype(object), found.bits,
            delivered,
        )  # fmt: skip

    @property
    def out(self) -> Counts:
        """What is out of each cell."""
        out: Counts = self.shown[:, -1]
        return out

    @cached_property
    def rates(self) -> Array:
        """W(h | x) of each cell."""
        rates: Array = np.ldexp(self.weights.astype(np.float64), -self.bits)
        return rates

    def seen(self, sees: int) -> Codes:
        """What a coalition has seen of each cell, but for labels, as a number."""
        seen = self.shown & sees
        seen[:, -1] &= self.delivered
        place: Codes = np.unique(seen, axis=0, return_inverse=True)[1].ravel()
        return place

    def of_records(self, cells: Mask) -> Mask:
        """The records of some cells."""
        mask = np.zeros(self.records, dtype=bool)
        mask[self.record[cells]] = True
        return mask

    def extended(
        self,
        codes: Codes,
        starts: Codes,
        masks: Counts,
        weights: Counts,
        domain: Domain,
        sensitive: Mapping[str, Sequence[Value]],
    ) -> Suppression | Extension:
        """The coin that adds masks[starts[cell]:starts[cell + 1]] to what is out of each cell."""
        if self.coin is None:
            return Suppression.of_arrays(
                codes, starts, masks, weights, domain.names, domain.values, sensitive
            )
        different = tuple(sorted(set(self.labels)))
        place = {label: code for code, label in enumerate(different)}
        label_codes = np.array([place[label] for label in self.labels], dtype=np.int64)
        added = Suppression.of_arrays(
            np.concatenate([codes, label_codes[:, None]], axis=1), starts, masks, weights,
            (*domain.names, EARLIER), (*domain.values, different),
            {**sensitive, EARLIER: different},
        )  # fmt: skip
        return Extension(self.coin, added)


def check_earlier(
    coin: Any,
    domain: Domain,
    sensitive: Mapping[str, Sequence[Value]],
    asked: Mapping[str, Any],
) -> None:
    """What is out was shown by the same labels, and of what is free still."""
    expect(coin, RecordCoin, "plan.extends", "give the mechanism of a plan by record")
    for option in ("own_reads", "unbiased", "order"):
        if asked[option]:
            raise InputError(f"plan.{option}: no extension has it; leave it out, or plan anew")
    for name, values in zip(coin.chain.domain.names, coin.chain.domain.values, strict=True):
        now = domain.values_of(name, "plan.extends")
        if {*now} != {*values}:
            raise InputError(
                f"plan.extends: {name} was shown by other labels ({len(values)}, now {len(now)}), "
                "and what was shown cannot be regrouped; keep them"
            )
        if {*coin.hides(name)} != {*sensitive.get(name, ())}:
            raise InputError(
                f"plan.extends: other labels of {name} are sensitive than when it was shown; what "
                "is out cannot be taken back: leave them as they were"
            )
