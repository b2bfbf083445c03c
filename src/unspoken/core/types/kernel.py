"""What is seen of several variables at once: P(y | x) for a list of cells x, entry by entry.

Like a channel (channel.py) it is kept in two parts, of which the common one tells nothing:

    P(y | x) = exp(log_common[y]) + excess[x, y],     most of excess being 0, which is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import CELLS, Array, Codes, Mask
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.types.channel import Channel, Output, listed

__all__ = ["Kernel", "Outcomes", "positions"]


@dataclass(frozen=True, eq=False)
class Outcomes(Sequence[tuple[Output, ...]]):
    """What is seen of each of some names, outcome by outcome: outputs[k][places[y, k]].

    A name may stand there several times: what is seen of it is a tuple then.
    """

    columns: tuple[str, ...]
    outputs: tuple[tuple[Output, ...], ...]
    places: Codes

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.columns))

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, y: int | slice) -> tuple[Output, ...]:  # type: ignore[override]
        return tuple(self.of(name, self.places[y].tolist()) for name in self.names)

    def of(self, name: str, places: Sequence[int]) -> Output:
        """What is seen of one name."""
        each = zip(self.columns, self.outputs, places, strict=True)
        shown = [outputs[place] for column, outputs, place in each if column == name]
        return (
            shown[0] if len(shown) == 1 else tuple(each for part in shown for each in listed(part))
        )

    def shows(self, name: str) -> tuple[list[Output], Codes]:
        """All that is seen of one name, and which of it in every outcome."""
        places = [k for k, column in enumerate(self.columns) if column == name]
        _, first, code = np.unique(
            self.places[:, places], axis=0, return_index=True, return_inverse=True
        )
        return [self.of(name, self.places[y].tolist()) for y in first], code.ravel()

    def of_name(self, name: str) -> list[tuple[Output, ...]]:
        """The outputs of each release of one name."""
        each = zip(self.columns, self.outputs, strict=True)
        return [outputs for column, outputs in each if column == name]

    def beside(self, other: Outcomes, mine: Codes, its: Codes) -> Outcomes:
        """Pairs of outcomes."""
        places = np.concatenate([self.places[mine], other.places[its]], axis=1)
        return Outcomes(self.columns + other.columns, self.outputs + other.outputs, places)


@dataclass(frozen=True, eq=False)
class Kernel:
    """Entries of cell x lie from starts[x] to starts[x + 1]. ``rounding``: behind the parts."""

    outcomes: Outcomes
    log_common: Array
    starts: Codes
    outcome: Codes
    excess: Array
    rounding: Rounding

    @classmethod
    def of_channel(cls, name: str, channel: Channel, codes: Codes) -> Kernel:
        """Of one variable; ``codes`` are its values in the cells."""
        values, outputs = np.nonzero(channel.excess)
        first = np.searchsorted(values, np.arange(len(channel.excess) + 1))
        entry, starts = positions(first, codes)
        places = np.arange(len(channel.outputs))[:, None]
        outcomes = Outcomes((name,), (channel.outputs,), places)
        excess = channel.excess[values, outputs][entry]
        return cls(outcomes, channel.log_common, starts, outputs[entry], excess, channel.rounding)

    @cached_property
    def cell(self) -> Codes:
        """Of which cell each entry is."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def column(self, y: int) -> Array:
        """P(y | x) of one outcome, for every cell."""
        law = np.full(len(self.starts) - 1, np.exp(self.log_common[y]))
        order, first = self._by_outcome
        at = order[first[y] : first[y + 1]]
        np.add.at(law, self.cell[at], self.excess[at])
        return law

    @cached_property
    def _by_outcome(self) -> tuple[Codes, Codes]:
        """The entries outcome after outcome, and where each outcome's begin."""
        order = np.argsort(self.outcome, kind="stable")
        first = np.searchsorted(self.outcome[order], np.arange(len(self.outcomes) + 1))
        return order, first

    def beside(self, other: Kernel) -> Kernel:
        """Both at once, independent given the cell.

        W V = (c + e)(d + f): common c d; excess c f + e d + e f, every term >= 0.
        """
        size = len(other.outcomes)
        silent = [np.flatnonzero(each.log_common > -np.inf) for each in (self, other)]
        ids, excess, cells = [], [], []
        for mine, its, cell in self._pairs(other, *silent):
            ids.append(mine[0] * size + its[0])
            excess.append(mine[1] * its[1])
            cells.append(cell)
        both = (silent[0][:, None] * size + silent[1]).ravel()
        listed, code = np.unique(np.concatenate([both, *ids]), return_inverse=True)
        log_common = np.full(len(listed), -np.inf)
        log_common[code[: len(both)]] = np.add.outer(
            self.log_common[silent[0]], other.log_common[silent[1]]
        ).ravel()
        cell = np.concatenate(cells)
        order = np.argsort(cell, kind="stable")
        return Kernel(
            self.outcomes.beside(other.outcomes, listed // size, listed % size),
            log_common,
            np.searchsorted(cell[order], np.arange(len(self.starts))),
            code[len(both) :][order],
            np.concatenate(excess)[order],
            self.rounding + other.rounding + Rounding(6.0),
        )

    def _pairs(
        self, other: Kernel, mine: Codes, its: Codes
    ) -> Iterator[tuple[tuple[Codes, Array], tuple[Codes, Array], Codes]]:
        """Entries with entries of the same cell; with what is common; and the other way round."""
        listed = np.diff(self.starts) * np.diff(other.starts)
        total = int(listed.sum()) + len(self.excess) * len(its) + len(other.excess) * len(mine)
        if total > CELLS:
            raise TooLarge(f"outcomes of {total:,} kinds in all cells, more than {CELLS:,}")
        first = np.repeat(np.arange(len(self.excess)), np.diff(other.starts)[self.cell])
        second, _ = positions(other.starts, self.cell)
        yield self._entries(first), other._entries(second), self.cell[first]
        first = np.repeat(np.arange(len(self.excess)), len(its))
        common = np.tile(its, len(self.excess))
        yield self._entries(first), (common, np.exp(other.log_common[common])), self.cell[first]
        second = np.repeat(np.arange(len(other.excess)), len(mine))
        common = np.tile(mine, len(other.excess))
        yield (common, np.exp(self.log_common[common])), other._entries(second), other.cell[second]

    def _entries(self, at: Codes) -> tuple[Codes, Array]:
        return self.outcome[at], self.excess[at]

    def event(self, happens: Mask, words: Mapping[str, Output]) -> Kernel:
        """The likelihood of one event: any of the outcomes that are marked."""
        common = np.logaddexp.reduce(self.log_common[happens], initial=-np.inf, keepdims=True)
        kept = happens[self.outcome]
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        names = tuple(words)
        outcomes = Outcomes(
            names, tuple((words[n],) for n in names), np.zeros((1, len(names)), int)
        )
        return replace(
            self,
            outcomes=outcomes,
            log_common=common,
            starts=starts,
            outcome=np.zeros(int(kept.sum()), dtype=np.intp),
            excess=self.excess[kept],
            rounding=self.rounding
            + Rounding(float(np.diff(starts).max(initial=0)) + happens.sum()),
        )


def positions(starts: Codes, rows: Codes) -> tuple[Codes, Codes]:
    """Where the entries of these rows lie, row after row, and where each row's begin then."""
    counts = np.diff(starts)[rows]
    ends = np.cumsum(counts)
    first = np.concatenate([[0], ends])
    if first[-1] > CELLS:
        raise TooLarge(f"outcomes: {first[-1]:,} in all cells, more than {CELLS:,}; see less")
    at = np.arange(first[-1]) + np.repeat(starts[rows] - first[:-1], counts)
    return at, first
