"""What one coin a record shows to those who get some of its names, as a kernel over cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unspoken.mechanisms.record_table import BITS, WHOLE, RecordTable
from unspoken.numerics.arrays import Array, Codes, Counts
from unspoken.numerics.rounding import Rounding
from unspoken.types.channel import Output
from unspoken.types.domain import WITHHELD, Domain
from unspoken.types.kernel import Kernel, Outcomes, listed, positions

__all__ = ["RecordToss", "both", "merged"]


@dataclass(frozen=True)
class RecordToss:
    """The coin of a table in one epoch, and the names of what it shows that are seen."""

    table: RecordTable
    reads: tuple[str, ...]
    epoch: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What it depends on."""
        return self.table.domain.names

    def seeing(self, names: Sequence[str]) -> RecordToss:
        """Of which only these are seen."""
        return replace(self, reads=tuple(name for name in self.reads if name in names))

    def kernel(self, domain: Domain, codes: Mapping[str, Codes]) -> Kernel:
        """P(y | x), y being the pattern and the labels on the names seen.

        ``codes``: for each name, the positions of the cells' labels in the domain. A label that the
        table does not have makes a record that is not listed.
        """
        rows = np.stack(
            [self.table.positions(domain, name)[codes[name]] for name in self.names], axis=1
        )
        used, code = np.unique(self.table.thresholds.record(rows), return_inverse=True)
        shown = self._shown(used)
        entry, starts = positions(shown.starts, code.ravel())
        bits = [self.names.index(name) for name in self.reads]
        outputs = tuple((WITHHELD, *self.table.domain.values[bit]) for bit in bits)
        return Kernel(
            Outcomes(self.reads, outputs, shown.places),
            shown.log_common,
            starts,
            shown.outcome[entry],
            shown.excess[entry],
            Rounding.of_numbers(2.0),
        )

    def sample(
        self, domain: Domain, cells: Codes, rng: np.random.Generator
    ) -> dict[str, list[Output]]:
        """What is seen of each of these records, to simulate."""
        own = [
            self.table.positions(domain, name)[cells[:, domain.axis(name)]] for name in self.names
        ]
        coins = rng.integers(0, 1 << 64, len(cells), dtype=np.uint64)
        masks = self.table.thresholds.masks(np.stack(own, axis=1), coins)
        seen: dict[str, list[Output]] = {}
        for name in self.reads:
            bit, values = self.names.index(name), domain.values_of(name)
            shows = masks >> bit & 1 > 0
            codes = cells[:, domain.axis(name)]
            seen[name] = [
                values[code] if show else WITHHELD
                for code, show in zip(codes.tolist(), shows.tolist(), strict=True)
            ]
        return seen

    def _shown(self, used: Codes) -> Shown:
        """What each of these records shows; -1 is one that is not listed."""
        listed, bits = self.table.listed, [self.names.index(name) for name in self.reads]
        known = used[used >= 0]
        at, starts = positions(listed.starts, known)
        row = np.repeat(np.arange(len(known)), np.diff(starts)) + int(len(known) < len(used))
        masks = listed.masks[at] & sum(1 << bit for bit in bits)
        codes = listed.codes[known][row - int(len(known) < len(used))][:, bits]
        places = np.where(masks[:, None] >> np.array(bits) & 1, codes + 1, 0)
        left = np.full(len(used), WHOLE, dtype=np.int64)
        np.subtract.at(left, row, listed.weights[at])
        rows = np.concatenate([row, np.arange(len(used))])
        every = np.concatenate([places, np.zeros((len(used), len(bits)), dtype=np.int64)])
        return Shown.of(rows, every, np.concatenate([listed.weights[at], left]), len(used))


@dataclass(frozen=True, eq=False)
class Shown:
    """The different answers, and which of them each record gives."""

    places: Codes
    log_common: Array
    starts: Codes
    outcome: Codes
    excess: Array

    @classmethod
    def of(cls, rows: Codes, places: Counts, weights: Counts, records: int) -> Shown:
        """Integers are added and subtracted; only then they become probabilities."""
        answers, outcome = np.unique(places, axis=0, return_inverse=True)
        keys, code = np.unique(rows * len(answers) + outcome.ravel(), return_inverse=True)
        total = np.zeros(len(keys), dtype=np.int64)
        np.add.at(total, code.ravel(), weights)
        keys, total = keys[total > 0], total[total > 0]
        row, answer = np.divmod(keys, len(answers))
        least = np.full(len(answers), WHOLE, dtype=np.int64)
        np.minimum.at(least, answer, total)
        least[np.bincount(answer, minlength=len(answers)) < records] = 0
        left = total - least[answer]
        keep = left > 0
        with np.errstate(divide="ignore"):
            log_common = np.log(np.ldexp(least.astype(np.float64), -BITS))
        return cls(
            answers.astype(np.intp),
            log_common,
            np.searchsorted(row[keep], np.arange(records + 1)),
            answer[keep],
            np.ldexp(left[keep].astype(np.float64), -BITS),
        )


def merged(coins: Sequence[RecordToss]) -> tuple[RecordToss, ...]:
    """One for each table and epoch: who gets two parts of what a coin shows sees their union."""
    together: dict[tuple[str, str], RecordToss] = {}
    for coin in coins:
        key = coin.table.digest, coin.epoch
        before = together.get(key)
        names = {*coin.reads, *(before.reads if before else ())}
        together[key] = replace(coin, reads=tuple(name for name in coin.names if name in names))
    return tuple(together.values())


def both(shown: Sequence[Output], beside: Sequence[Output]) -> list[Output]:
    """Two outputs of a variable, row by row; of several releases they are tuples already."""
    pairs = zip(map(listed, shown), map(listed, beside), strict=True)
    return [(*mine, *its) for mine, its in pairs]
