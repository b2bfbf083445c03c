"""What counts leave possible: intervals for P(x | event) and P(x | not event), all true at once.

Noise. Every count is off by t at most, and the rows of an event by the reach of their summed noise
(noise_law.py). The number of rows is public, so the smaller of the two sides is the one summed.

Sampling. Given the n_s rows of an event, N_x is binomial. Its lower end falls with n_s and rises
with N_x, its upper end likewise: so the lower one is taken at (N_x - t, most n_s), the upper one at
(N_x + t, least n_s) (core/numerics/binomial.py), and both sides are cut to what the others
leave of 1.

Units. The rows of one person or room are not independent, and counting them one by one proves
nothing. With at most T rows each, N_u(x and s) / T and N_u(s) / T are in [0, 1], and independent
from unit to unit. A sum of U such numbers is as far off as a binomial of U draws with chance e at
most, at whole numbers (Bentkus, Annals of Probability 32, 2004): sums are rounded outward to whole
units, and the chances are divided by e. P(x | s) is the ratio of both means.

The chance to miss anything, 1 - confidence, is split evenly over all ends (of two cells the one's
are the other's), but for a fifth of it, which is the noise's: half for the single counts, half for
the sums. Whatever else is asked of such
a set is answered from these intervals; a fresh one would have a chance to miss of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unspoken.core.beliefs import Belief, Joint
from unspoken.core.errors import InputError, shown
from unspoken.core.families import Box, Intervals
from unspoken.core.families.intervals import Ranges
from unspoken.core.numerics.arrays import Array, Counts, Mask
from unspoken.core.numerics.binomial import lower_end, upper_end
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.premise import LEAST, Premise
from unspoken.tables.learning.intervals.noise_law import reach_of_sum

__all__ = ["Clusters", "box", "cells_box", "chance_to_miss", "ends", "off_by_noise"]

COMBINATIONS = 2**16  # of labels, up to which each has an interval of its own
NOISE = 0.2  # of the chance to miss, where counts are noisy


@dataclass(frozen=True)
class Clusters:
    """So many units, whose rows may depend on each other; none has more than ``rows`` rows."""

    count: int
    rows: int

    def __post_init__(self) -> None:
        if self.count < 1 or self.rows < 1:
            raise InputError("confidence: there is a unit at least, and each has a row at least")


def box(
    counts: Counts,
    belief: Belief,
    events: Mapping[str, Sequence[Value]],
    *,
    rows: int,
    fewest: int | None = None,
    scale: float | None = None,
    confidence: float = 0.95,
    units: Clusters | None = None,
    premise: Premise | None = None,
) -> Intervals:
    """The beliefs that these counts [axis i = variable i of ``belief``] do not rule out.

    ``events``: {name: values}, for each of which P(x | the name has one of the values), P(x | it
    has none of them) and its own probability get intervals; where these are all values, each is an
    event of its own. All hold together, at this ``confidence``. So do those of every two variables
    of which one has an event, for half of the chance: they are far narrower where cells are many
    and thin. ``rows``: how many there are, which is public; else at most, and the ``fewest``.
    ``scale``: of the noise on every count; None: the counts are exact. ``units``: whose rows depend
    on each other; None: all rows are independent, which has to be true. ``premise``: of the set, if
    it is another than this level.
    """
    missed, stands_on = chance_to_miss(confidence), premise or Premise.box(confidence)
    domain, margins, combined = belief.domain, [], 0.0
    pairs = [each for each in itertools.combinations(domain.names, 2) if {*each} & {*events}]
    if len(domain.names) > 2:
        many = math.prod(size + 1 for size in domain.sizes) > COMBINATIONS
        missed /= 2 if many else 3
        combined = 0.0 if many else missed
        for names in pairs:
            summed = tuple(axis for axis, name in enumerate(domain.names) if name not in names)
            terms = math.prod(domain.sizes[a] for a in summed)
            read = _Noisy(counts.sum(summed), rows, scale, units, terms, fewest)
            law = Joint(
                belief.marginal(names), names, {name: domain.values_of(name) for name in names}
            )
            inside = {name: values for name, values in events.items() if name in names}
            margins.append(_intervals(read, law, inside, missed / len(pairs), stands_on))
    read = _Noisy(counts, rows, scale, units, fewest=fewest)
    return _intervals(read, belief, events, missed, stands_on, margins, combined)


def _intervals(
    noisy: _Noisy,
    belief: Belief,
    events: Mapping[str, Sequence[Value]],
    missed: float,
    premise: Premise,
    margins: Sequence[Intervals] = (),
    combined: float = 0.0,
) -> Intervals:
    """Of one table, with this chance to miss anything, and that for combinations of labels."""
    cells = {}
    for name, values in _declared(belief.domain, events):
        axis = belief.domain.axis(name, "confidence")
        codes = belief.domain.codes(name, values, "confidence")
        cells[name, tuple(values)] = np.isin(np.indices(noisy.counts.shape)[axis], codes)
    read = _Counted.of(noisy, missed, list(cells.values()))
    intervals: dict[tuple[Any, Any], tuple[Array, Array]] = {}
    probability: dict[Any, tuple[float, float]] = {}
    for key, event in cells.items():
        intervals[key], probability[key] = read.event(event)
    marginals = _combinations(read, cells, belief.domain, combined) if combined else {}
    return Intervals(belief, intervals, probability, premise, margins, marginals)


def _combinations(
    read: _Counted, events: Mapping[Any, Mask], domain: Domain, missed: float
) -> dict[Any, tuple[list[Ranges], list[Ranges]]]:
    """What answers show: combinations of the labels of some names, given the event and given not.

    Given the event its own name is never shown. Of single cells there are intervals already.
    """
    asked: dict[Any, list[tuple[Mask, list[tuple[int, ...]]]]] = {}
    for (name, values), event in events.items():
        place, axes = domain.axis(name, "confidence"), range(event.ndim)
        subsets = [s for k in axes[1:] for s in itertools.combinations(axes, k)]
        hidden = [subset for subset in subsets if place not in subset]
        asked[name, values] = [
            (side, [subset for subset in of if read.lumps(side, subset)])
            for side, of in ((event, hidden), (~event, subsets))
        ]
    many = sum(
        math.prod(domain.sizes[axis] for axis in subset)
        for sides in asked.values()
        for _, of in sides
        for subset in of
    )
    within = read.of_sums(missed, many)
    found: dict[Any, tuple[list[Ranges], list[Ranges]]] = {}
    for key, sides in asked.items():
        inside, outside = (
            within.marginals(side, read.rows_of(side), of, domain.names) for side, of in sides
        )
        found[key] = inside, outside
    return found


def cells_box(
    counts: Counts,
    belief: Belief,
    *,
    rows: int,
    scale: float | None = None,
    confidence: float = 0.95,
    units: Clusters | None = None,
    premise: Premise | None = None,
) -> Box:
    """The same, of no event: intervals for P(x) alone."""
    low, up = ends(counts, chance_to_miss(confidence), rows=rows, scale=scale, units=units)
    domain = belief.domain
    return Box(low, up, domain.names, domain.values, premise or Premise.box(confidence))


def ends(
    counts: Counts,
    missed: float,
    *,
    rows: int,
    scale: float | None = None,
    units: Clusters | None = None,
    terms: int = 1,
) -> tuple[Array, Array]:
    """Of P(x) for every x, with this chance to miss any; each count is a sum of so many ``terms``,
    and each of these has noise.
    """
    every = np.ones(counts.shape, dtype=bool)
    read = _Counted.of(_Noisy(counts, rows, scale, units, terms), missed, [every])
    return read.side(every, (rows, rows))


def off_by_noise(
    counts: Counts, missed: float, *, rows: int, scale: float | None = None, terms: int = 1
) -> int:
    """How far `ends` takes each of these counts to be from what it was without noise."""
    every = np.ones(counts.shape, dtype=bool)
    return _Counted.of(_Noisy(counts, rows, scale, None, terms), missed, [every]).away


def _declared(
    domain: Domain, events: Mapping[str, Sequence[Value]]
) -> Iterator[tuple[str, Sequence[Value]]]:
    """Where all values of a name are secret, each is an event of its own; of two one says both."""
    for name, values in events.items():
        possible = domain.values_of(name, "confidence")
        if {*values} != {*possible} or len(possible) == 1:
            yield name, values
        else:
            yield from (
                (name, (value,)) for value in (possible[:1] if len(possible) == 2 else possible)
            )


def chance_to_miss(confidence: float) -> float:
    """1 - confidence, which has to be a chance."""
    missed = 1.0 - (math.nan if isinstance(confidence, bool) else number(confidence))
    if not LEAST <= missed < 1:
        raise InputError(
            f"confidence: {shown(confidence)}; is between 0 and 1, not nearer to 1 than {LEAST:g}"
        )
    return missed


@dataclass(frozen=True)
class _Noisy:
    """Counts among so many ``rows``, each a sum of ``terms`` with noise of this ``scale`` each.

    ``fewest``: how many rows there are at least, where ``rows`` is the most; None: there are these.
    """

    counts: Counts
    rows: int
    scale: float | None
    units: Clusters | None
    terms: int = 1
    fewest: int | None = None

    def off(self, cells: int, chance: float) -> int:
        """How far the sum of so many cells may be off, but with this chance."""
        return 0 if self.scale is None else reach_of_sum(cells * self.terms, self.scale, chance)


@dataclass(frozen=True)
class _Counted:
    """Counts that are off by ``away`` each, sums of them by ``sums`` of the chance; ``each`` is
    the chance to miss that every end of an interval has.
    """

    noisy: _Noisy
    away: int
    sums: float
    each: float

    @classmethod
    def of(cls, noisy: _Noisy, missed: float, events: Sequence[Mask]) -> _Counted:
        noise = 0.0 if noisy.scale is None else missed * NOISE
        # And two ends for P(event); of units, for their mean number of rows on either side.
        ends = sum(_ends(side, noisy.units) for event in events for side in (event, ~event))
        ends += len(events) * (4 if noisy.units else 2)
        each = (missed - noise) / ends * (1.0 - 8 * UNIT)
        away = noisy.off(1, noise / 2 / noisy.counts.size)
        return cls(noisy, away, noise / 2 / len(events), each)

    def of_sums(self, missed: float, many: int) -> _Counted:
        """For so many sums of counts, with a chance of their own to miss any of their ends."""
        noise = 0.0 if self.noisy.scale is None else missed * NOISE
        each = (missed - noise) / (2 * max(many, 1)) * (1.0 - 8 * UNIT)
        return replace(self, sums=noise / max(many, 1), each=each)

    @staticmethod
    def lumps(cells: Mask, axes: Sequence[int]) -> bool:
        """Whether these cells have more than one with the same labels on some axes."""
        others = tuple(axis for axis in range(cells.ndim) if axis not in axes)
        return bool((cells.sum(others) > 1).any())

    @property
    def counts(self) -> Counts:
        return self.noisy.counts

    @property
    def rows(self) -> int:
        return self.noisy.rows

    @property
    def fewest(self) -> int:
        return self.rows if self.noisy.fewest is None else self.noisy.fewest

    @property
    def units(self) -> Clusters | None:
        return self.noisy.units

    def event(self, cells: Mask) -> tuple[tuple[Array, Array], tuple[float, float]]:
        """The intervals of both sides, in one pair of tables, and those of the event's P."""
        inside, outside = self.rows_of(cells), self.rows_of(~cells)
        these, those = self.side(cells, inside), self.side(~cells, outside)
        low, up = (np.where(cells, a, b) for a, b in zip(these, those, strict=True))
        return (low, up), self._share(inside, outside)

    def side(self, cells: Mask, rows: tuple[int, int]) -> tuple[Array, Array]:
        """The least and the largest P(x | these cells), 0 and 1 at others."""
        low, up = np.zeros(self.counts.shape), np.ones(self.counts.shape)
        if int(cells.sum()) == 1:
            return cells.astype(np.float64), up
        fewest, most = (np.clip(self.counts[cells] + d, 0, None) for d in (-self.away, self.away))
        low[cells], up[cells] = self.ends(fewest, most, rows)
        return _cut(low, up, cells)

    def ends(self, fewest: Counts, most: Counts, rows: tuple[int, int]) -> tuple[Array, Array]:
        """Of the shares of so many rows, at the least and most, that such counts are."""
        low, up = np.zeros(fewest.shape), np.ones(most.shape)
        if self.units is None:
            low[:] = lower_end(fewest, rows[1], self.each) if rows[1] else 0.0
            up[:] = upper_end(most, rows[0], self.each) if rows[0] else 1.0
            return low, up
        whole = self._means(*rows)
        low[:] = np.clip(self._low(fewest) / whole[1] * (1.0 - 4 * UNIT), 0.0, 1.0)
        if whole[0]:
            up[:] = np.clip(self._up(most) / whole[0] * (1.0 + 4 * UNIT), 0.0, 1.0)
        return low, up

    def marginals(
        self, cells: Mask, rows: tuple[int, int], of: Sequence[Sequence[int]], names: Sequence[str]
    ) -> list[Ranges]:
        """Of the combinations of some axes, P(combination | these cells)."""
        found: list[Ranges] = []
        for axes in of:
            others = tuple(axis for axis in range(cells.ndim) if axis not in axes)
            counts, many = np.where(cells, self.counts, 0).sum(others), cells.sum(others)
            away = np.zeros(many.shape, dtype=np.int64)
            for m in np.unique(many[many > 0]).tolist():
                away[many == m] = self.noisy.off(m, self.sums)
            ends = np.clip(counts - away, 0, None), np.clip(counts + away, 0, None)
            low, up = (np.where(many > 0, end, 0.0) for end in self.ends(*ends, rows))
            found.append((tuple(names[axis] for axis in axes), *_cut(low, up, many > 0)))
        return found

    def rows_of(self, cells: Mask) -> tuple[int, int]:
        """The least and the most rows of an event; the noise summed is that of its smaller side."""
        smaller = cells if 2 * int(cells.sum()) <= cells.size else ~cells
        found = int(self.counts[smaller].sum())
        off = self.noisy.off(int(smaller.sum()), self.sums)
        ends = found - off, found + off
        if smaller is not cells:
            ends = self.fewest - ends[1], self.rows - ends[0]
        return min(max(ends[0], 0), self.rows), max(min(ends[1], self.rows), 0)

    def _share(self, inside: tuple[int, int], outside: tuple[int, int]) -> tuple[float, float]:
        """P(event)."""
        if self.units is None:
            ends = np.array([inside[0]]), np.array([inside[1]])
            low = lower_end(ends[0], self.rows, self.each)
            if not self.fewest:
                return float(low[0]), 1.0
            most = np.minimum(ends[1], self.fewest)
            return float(low[0]), float(upper_end(most, self.fewest, self.each)[0])
        these, those = self._means(*inside), self._means(*outside)
        least, most = these[0] / (these[0] + those[1]), these[1] / (these[1] + those[0])
        return least * (1.0 - 4 * UNIT), min(1.0, most * (1.0 + 4 * UNIT))

    def _means(self, least: int, most: int) -> tuple[float, float]:
        """Of the rows that a unit has of something, the ends of the mean's share of all it may."""
        return float(self._low(np.array([least]))[0]), float(self._up(np.array([most]))[0])

    def _low(self, counts: Counts) -> Array:
        units = self.units or Clusters(self.rows, 1)
        return lower_end(counts // units.rows, units.count, self.each / math.e)

    def _up(self, counts: Counts) -> Array:
        units = self.units or Clusters(self.rows, 1)
        return upper_end(-(-counts // units.rows), units.count, self.each / math.e)


def _ends(cells: Mask, units: Clusters | None) -> int:
    """How many ends a law of these cells has, each with a chance to be missed."""
    size = int(cells.sum())
    if size == 2 and units is None:
        return 2
    return 2 * size if size > 1 else 0


def _cut(low: Array, up: Array, cells: Mask) -> tuple[Array, Array]:
    """Cut to what the others leave of a mass of 1. Ends that allow no law miss it: then none."""
    off = 4 * UNIT * cells.size
    least, most = float(low[cells].sum()), float(up[cells].sum())
    if least > 1.0 + off or most < 1.0 - off:
        return np.zeros(low.shape), np.ones(up.shape)
    held_low = np.where(cells, np.clip(np.maximum(low, 1.0 - most + up - off), 0.0, up), 0.0)
    held_up = np.where(cells, np.clip(np.minimum(up, 1.0 - least + low + off), held_low, 1.0), 1.0)
    return held_low, held_up
