"""What the coins of a record show to those who get some of its names, as a kernel over cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms.record_chain import Histories, RecordChain
from unspoken.core.mechanisms.record_table import RecordTable
from unspoken.core.numerics.arrays import Array, Codes, Counts
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.types.channel import Output, listed
from unspoken.core.types.domain import WITHHELD, Domain
from unspoken.core.types.kernel import Kernel, Outcomes, positions

__all__ = ["RecordToss", "both", "merged"]


@dataclass(frozen=True)
class RecordToss:
    """The coins of some tables in one epoch, each given what those before it showed; ``sees``: of
    which names what was shown after each coin is seen.
    """

    tables: tuple[RecordTable, ...]
    sees: tuple[tuple[str, ...], ...]
    epoch: str = ""

    @cached_property
    def chain(self) -> RecordChain:
        return RecordChain(self.tables)

    @property
    def names(self) -> tuple[str, ...]:
        """What it depends on."""
        return self.chain.names

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of which anything is seen."""
        return tuple(name for name in self.names if any(name in seen for seen in self.sees))

    @property
    def key(self) -> tuple[str, str]:
        """Whose record's coin it is, whatever was added later."""
        return self.tables[0].digest, self.epoch

    def seeing(self, names: Sequence[str]) -> RecordToss:
        """Of which only these are seen."""
        kept = (tuple(name for name in seen if name in names) for seen in self.sees)
        return replace(self, sees=tuple(kept))

    def kernel(self, domain: Domain, codes: Mapping[str, Codes]) -> Kernel:
        """P(y | x), y being the patterns and the labels on the names seen.

        ``codes``: for each name, the positions of the cells' labels in the domain. A label that the
        table does not have makes a record that is not listed.
        """
        rows = self.chain.places(domain, codes)
        _, first, code = np.unique(self._kind(rows), True, True, axis=0)
        shown = self._shown(rows[first])
        entry, starts = positions(shown.starts, code.ravel())
        return Kernel(
            Outcomes(tuple(name for _, name in self._columns), self._outputs, shown.places),
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
        rows = self.chain.places(domain, {name: cells[:, domain.axis(name)] for name in self.names})
        coins = [rng.integers(0, 1 << 64, len(cells), dtype=np.uint64) for _ in self.tables]
        masks, seen = self.chain.drawn(rows, coins), dict[str, list[Output]]()
        for coin, name in self._columns:
            bit, values = self.names.index(name), domain.values_of(name)
            shows = masks[:, coin] >> bit & 1 > 0
            codes = cells[:, domain.axis(name)]
            outputs: list[Output] = [
                values[code] if show else WITHHELD
                for code, show in zip(codes.tolist(), shows.tolist(), strict=True)
            ]
            seen[name] = both(seen[name], outputs) if name in seen else outputs
        return seen

    @property
    def _columns(self) -> list[tuple[int, str]]:
        """Coins and names: what is seen."""
        return [(coin, name) for coin, seen in enumerate(self.sees) for name in seen]

    @property
    def _outputs(self) -> tuple[tuple[Output, ...], ...]:
        values = self.chain.domain.values_of
        return tuple((WITHHELD, *values(name)) for _, name in self._columns)

    def _kind(self, rows: Counts) -> Counts:
        """Rows of which the same is shown equally often are one kind, as far as that is quick."""
        return rows if len(self.tables) > 1 else self.tables[0].thresholds.record(rows)[:, None]

    def _shown(self, rows: Counts) -> RecordKernel:
        """What each of these records shows."""
        found = self.chain.listed(rows)
        places = np.zeros((len(found.row), len(self._columns)), dtype=np.int64)
        for k, (coin, name) in enumerate(self._columns):
            bit = self.names.index(name)
            labels = rows[found.row, bit] + 1
            places[:, k] = np.where(found.shown[:, coin] >> bit & 1, labels, 0)
        return RecordKernel.of(found, places, len(rows))


@dataclass(frozen=True, eq=False)
class RecordKernel:
    """The different answers, and which of them each record gives."""

    places: Codes
    log_common: Array
    starts: Codes
    outcome: Codes
    excess: Array

    @classmethod
    def of(cls, found: Histories, places: Counts, records: int) -> RecordKernel:
        """Integers are added and subtracted; only then they become probabilities."""
        answers, outcome = np.unique(places, axis=0, return_inverse=True)
        keys, code = np.unique(found.row * len(answers) + outcome.ravel(), return_inverse=True)
        total = np.zeros(len(keys), dtype=found.weights.dtype)
        np.add.at(total, code.ravel(), found.weights)
        row, answer = np.divmod(keys, len(answers))
        least = np.full(len(answers), 1 << found.bits, dtype=found.weights.dtype)
        np.minimum.at(least, answer, total)
        least[np.bincount(answer, minlength=len(answers)) < records] = 0
        left = total - least[answer]
        keep = (left > 0).astype(bool)
        with np.errstate(divide="ignore"):
            log_common = np.log(np.ldexp(least.astype(np.float64), -found.bits))
        return cls(
            answers.astype(np.intp),
            log_common,
            np.searchsorted(row[keep], np.arange(records + 1)),
            answer[keep],
            np.ldexp(left[keep].astype(np.float64), -found.bits),
        )


def merged(coins: Sequence[RecordToss]) -> tuple[RecordToss, ...]:
    """One for each record's coin and epoch: who gets two parts of what it shows sees their union,
    and who saw what was shown before something was added sees both.
    """
    together: dict[tuple[str, str], RecordToss] = {}
    for coin in coins:
        before = together.get(coin.key)
        together[coin.key] = coin if before is None else _joined(before, coin)
    return tuple(together.values())


def _joined(coin: RecordToss, other: RecordToss) -> RecordToss:
    """What is seen by who sees both."""
    short, long = sorted((coin, other), key=lambda each: len(each.tables))
    shorter, longer = ([table.digest for table in each.tables] for each in (short, long))
    if longer[: len(shorter)] != shorter:
        raise TooLarge(
            "extension: two extensions of one table were given out, neither of which knows of the "
            "other; what they tell together is not counted"
        )
    short_sees = (*short.sees, *[()] * (len(longer) - len(shorter)))
    sees = (
        tuple(name for name in long.names if name in {*mine, *its})
        for mine, its in zip(long.sees, short_sees, strict=True)
    )
    return replace(long, sees=tuple(sees))


def both(shown: Sequence[Output], beside: Sequence[Output]) -> list[Output]:
    """Two outputs of a variable, row by row; of several releases they are tuples already."""
    pairs = zip(map(listed, shown), map(listed, beside), strict=True)
    return [(*mine, *its) for mine, its in pairs]
