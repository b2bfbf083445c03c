"""Tables of one record's coins, each chosen given all that those before it showed of the record.

The first table says how often a record x is shown in which pattern. A later one lists records with
one attribute more, EARLIER, whose labels are what was shown so far, and says which names are added
to that. So a history has probability W(S | x) E(A | S, x) ..., and what is out stays out: of
records and histories that a later table does not list nothing is added.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.mechanisms.record_table import BITS, WHOLE, RecordTable
from unspoken.core.numerics.arrays import Codes, Counts, Words
from unspoken.core.types.domain import Domain
from unspoken.core.types.kernel import positions

__all__ = ["EARLIER", "Histories", "RecordChain"]

# The attribute of later tables that says what was shown before.
EARLIER = "shown before"


@dataclass(frozen=True, eq=False)
class Histories:
    """What may be shown of some rows: ``row`` rises; ``shown``: after each coin, a bit mask [entry,
    coin]; ``weights``: how likely, out of 2^62 for each coin.
    """

    row: Codes
    shown: Counts
    weights: Counts

    @property
    def bits(self) -> int:
        """The weights of a row sum to 2 to this."""
        return BITS * int(self.shown.shape[1])


@dataclass(frozen=True, eq=False)
class RecordChain:
    """``tables``: the first, and those that were added. Bit k of a mask is ``names[k]``."""

    tables: tuple[RecordTable, ...]

    @property
    def domain(self) -> Domain:
        """All names with their labels: those of the last table."""
        last = self.tables[-1].domain
        kept = [k for k, name in enumerate(last.names) if name != EARLIER]
        return Domain(tuple(last.names[k] for k in kept), tuple(last.values[k] for k in kept))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.tables[-1].domain.names if name != EARLIER)

    def places(self, domain: Domain, codes: Mapping[str, Codes]) -> Counts:
        """Labels of a domain as labels of `domain`, [row, name], -1 being nowhere."""
        last = self.tables[-1]
        positions = [last.positions(domain, name)[codes[name]] for name in self.names]
        return np.stack(positions, axis=1)

    def listed(self, rows: Counts) -> Histories:
        """All that may be shown of rows [row, name]."""
        count = len(rows)
        found = Histories(
            np.arange(count), np.zeros((count, 0), dtype=np.int64), np.ones(count, dtype=np.int64)
        )
        for table in self.tables:
            found = self._after(found, table, rows)
        return found

    def drawn(self, rows: Counts, coins: Sequence[Words]) -> Counts:
        """What each coin shows of each row, [row, coin]."""
        shown = np.zeros((len(rows), 0), dtype=np.int64)
        for table, coin in zip(self.tables, coins, strict=True):
            added = self._renamed(table, table.thresholds.masks(self._of(table, rows, shown), coin))
            before = shown[:, -1:] if shown.shape[1] else np.zeros((len(rows), 1), dtype=np.int64)
            shown = np.concatenate([shown, before | added[:, None]], axis=1)
        return shown

    def label(self, shown: Sequence[int]) -> str:
        """What was shown after each coin, as a label of EARLIER."""
        return json.dumps(
            [[n for k, n in enumerate(self.names) if mask >> k & 1] for mask in shown]
        )

    @cached_property
    def _bits(self) -> dict[str, int]:
        return {name: 1 << bit for bit, name in enumerate(self.names)}

    def _after(self, found: Histories, table: RecordTable, rows: Counts) -> Histories:
        """With one coin more; what a record's weights leave adds nothing."""
        listed = table.listed
        record = table.thresholds.record(self._of(table, rows[found.row], found.shown))
        record = np.where(record < 0, len(listed.codes), record)
        at, starts = positions(np.append(listed.starts, listed.starts[-1]), record)
        entry = np.repeat(np.arange(len(record)), np.diff(starts))
        left = np.full(len(record), WHOLE, dtype=np.int64)
        np.subtract.at(left, entry, listed.weights[at])
        added = np.concatenate([self._renamed(table, listed.masks[at]), np.zeros_like(left)])
        entry = np.concatenate([entry, np.arange(len(record))])
        weights = np.concatenate([listed.weights[at], left])
        if found.shown.shape[1]:  # of several coins they are beyond 64 bits
            weights = weights.astype(object) * found.weights[entry]
            added |= found.shown[entry, -1]
        order = np.argsort(found.row[entry], kind="stable")
        order = order[weights[order] > 0]
        entry = entry[order]
        shown = np.concatenate([found.shown[entry], added[order, None]], axis=1)
        return Histories(found.row[entry], shown, weights[order])

    def _of(self, table: RecordTable, rows: Counts, shown: Counts) -> Counts:
        """The rows as those of one of the tables: its names, and what was shown before."""
        columns = [
            self._earlier(table, shown) if name == EARLIER else rows[:, self.names.index(name)]
            for name in table.domain.names
        ]
        return np.stack(columns, axis=1)

    def _earlier(self, table: RecordTable, shown: Counts) -> Counts:
        """Where each history is among the labels of EARLIER, or -1."""
        places = {label: code for code, label in enumerate(table.domain.values_of(EARLIER))}
        different, code = np.unique(shown, axis=0, return_inverse=True)
        codes = [places.get(self.label(each), -1) for each in different.tolist()]
        return np.array(codes, dtype=np.int64)[code.ravel()]

    def _renamed(self, table: RecordTable, masks: Counts) -> Counts:
        """Bits of a table's names as those of `names`."""
        renamed = np.zeros_like(masks)
        for bit, name in enumerate(table.domain.names):
            if name != EARLIER:
                renamed |= (masks >> bit & 1) * self._bits[name]
        return renamed
