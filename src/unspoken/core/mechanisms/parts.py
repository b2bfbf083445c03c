"""What mechanisms are put together from: coins that persist, and linear queries with noise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import reduce

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms.record_noise import ANSWER, RecordNoise
from unspoken.core.mechanisms.record_toss import RecordToss, merged
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.noise import Noise
from unspoken.core.types.sums import Weights

__all__ = ["ANSWER", "Parts", "Query", "Toss", "Tossed", "shared_coin"]

SMALLEST = 1074  # every finite float is a whole number of 2 to the minus so many


@dataclass(frozen=True)
class Query:
    """One number: a weighted sum of the variables, plus noise of its own."""

    weights: Weights
    noise: Noise


@dataclass(frozen=True)
class Toss:
    """A release that looks at a cell's persistent coin: shown with 1 - e^-exponent, else silent.

    ``full[x]`` marks the output of value x when the coin lets it out; ``silent`` is the output
    otherwise, and the first of ``outputs``. ``epoch``: whose coin it is; each has one of its own.
    """

    exponent: float
    outputs: tuple[Output, ...]
    full: Array
    epoch: str = ""

    def channel(self) -> Channel:
        """This release alone."""
        return shared_coin([self])


@dataclass(frozen=True)
class Parts:
    """All that a mechanism shows one adversary: releases by coin, local channels, noisy queries,
    coins and noise that look at whole records.
    """

    tosses: tuple[tuple[str, Toss], ...] = ()
    channels: tuple[tuple[str, Channel], ...] = ()
    queries: tuple[Query, ...] = ()
    records: tuple[RecordToss, ...] = ()
    noises: tuple[RecordNoise, ...] = ()

    @classmethod
    def of(cls, shown: Iterable[Parts]) -> Parts:
        """All of these at once."""
        each = list(shown)
        return cls(
            *(tuple(itertools.chain(*(getattr(one, f.name) for one in each))) for f in fields(cls))
        )

    @property
    def beside_queries(self) -> bool:
        """Whether there is anything but noisy queries."""
        return bool(self.tosses or self.channels or self.records or self.noises)

    @property
    def of_records(self) -> tuple[RecordToss | RecordNoise, ...]:
        """What looks at whole records; of every coin of one all that is seen."""
        return (*merged(self.records), *self.noises)

    @property
    def beside_noise(self) -> bool:
        """Whether there is anything but noisy numbers."""
        return bool(self.tosses or self.channels or self.records)

    @property
    def anew(self) -> Parts:
        """Its noisy numbers alone."""
        return Parts(queries=self.queries, noises=self.noises)

    @property
    def noisy(self) -> bool:
        return bool(self.queries or self.noises)

    def by_name(self) -> dict[str, Channel]:
        """One channel for each variable: within an epoch its releases share a coin, all else is
        drawn afresh.
        """
        coins: dict[tuple[str, str], list[Toss]] = {}
        for name, toss in self.tosses:
            coins.setdefault((name, toss.epoch), []).append(toss)
        shared = ((name, shared_coin(tosses)) for (name, _), tosses in coins.items())
        channels: dict[str, Channel] = {}
        for name, channel in (*shared, *self.channels):
            before = channels.get(name)
            channels[name] = channel if before is None else before.beside(channel)
        return {name: channel.split() for name, channel in channels.items()}

    def answers(self) -> dict[str, Query]:
        """The noisy queries by what their outputs are called."""
        if len(self.queries) == 1:
            return {ANSWER: self.queries[0]}
        return {f"{ANSWER} {i}": query for i, query in enumerate(self.queries, start=1)}


@dataclass(frozen=True)
class Tossed:
    """The law of coins: the exponent of the one toss that tells what many of a cell do together,
    where all show the same of it (equal ``full``): the sum over epochs of the largest in each.

    - Within an epoch all look at one U, and exponent e lets the cell out where U < 1 - e^-e. The
      largest lets it out whenever any does; given its output the others do not depend on the value
      (silent if it is silent, else out with p / p_largest): it alone tells as much as all.
    - Coins of different epochs are independent. A value that may be shown is withheld by all of
      them with e^-e_1 e^-e_2 = e^-(e_1 + e_2), one that may not always (Theorem 1); given that it
      is shown at all, which epochs show it does not depend on the value.

    The sum is exact, whatever its order, so that it can be kept and carried on: ``finite``, in
    2^-1074, of which every finite float is a whole number; and how many terms are ``infinite``.
    """

    finite: int = 0
    infinite: int = 0

    def toss(self, exponent: float, largest: float = 0.0) -> Tossed:
        """One toss more, in an epoch where ``largest`` is the largest so far (none: 0)."""
        if exponent <= largest:
            return self
        return self._moved(exponent, 1).without(largest) if largest else self._moved(exponent, 1)

    def without(self, largest: float) -> Tossed:
        """But for the epoch whose largest this is."""
        return self._moved(largest, -1)

    @property
    def exponent(self) -> float:
        """The sum, as the nearest float."""
        try:
            return math.inf if self.infinite else self.finite / (1 << SMALLEST)
        except OverflowError:
            return math.inf

    def _moved(self, exponent: float, times: int) -> Tossed:
        if math.isinf(exponent):
            return Tossed(self.finite, self.infinite + times)
        top, bottom = exponent.as_integer_ratio()  # the second is a power of 2
        units = top << (SMALLEST + 1 - bottom.bit_length())
        return Tossed(self.finite + times * units, self.infinite)


def shared_coin(tosses: Sequence[Toss]) -> Channel:
    """Several releases of one cell, all looking at the same coin.

    One uniform draw U decides: a release with probability p lets the cell out where U < p. So the
    draws that let out the release with the least exponent let out all; with probability
    e^-e_j - e^-e_{j+1} exactly those above the j-th are let out. Outputs are tuples, one a release
    (a plain output where there is one release).
    """
    rising = sorted(tosses, key=lambda toss: toss.exponent)
    exponents = [0.0, *(toss.exponent for toss in rising)]
    shape = (len(tosses[0].full), *(len(toss.outputs) for toss in tosses))
    if math.prod(shape) > CELLS:
        raise TooLarge(
            f"together: {len(tosses)} releases of one cell can show more than {CELLS:,} things; "
            "ask about fewer at once"
        )
    excess = np.zeros(shape)
    for quiet, (low, high) in enumerate(itertools.pairwise(exponents)):
        if high > low:
            silent = {id(toss) for toss in rising[:quiet]}
            shown = [_silent(toss) if id(toss) in silent else toss.full for toss in tosses]
            excess += math.exp(-low) * -math.expm1(low - high) * reduce(_outer, shown)
    log_common = np.full(excess[0].size, -np.inf)
    log_common[0] = -exponents[-1]
    # Each toss adds a term of 8 operations, whose e^-low is off by u of low; e^-h - 1 is by no more
    # of itself than h is. Exponents are sums or products that were rounded once.
    largest = max(low for low in exponents if low < math.inf)
    excess = excess.reshape(len(excess), -1)
    rounding = Rounding.of_numbers(9.0 * len(tosses) + 2.0 * largest)
    if len(tosses) == 1:
        return Channel(tosses[0].outputs, log_common, excess, rounding)
    # What one coin cannot show together are nearly all of so many outputs.
    (seen,) = np.nonzero((log_common > -np.inf) | excess.any(0))
    outputs = _together([toss.outputs for toss in tosses], seen)
    return Channel(outputs, log_common[seen], excess[:, seen], rounding)


def _silent(toss: Toss) -> Array:
    silent = np.zeros_like(toss.full)
    silent[:, 0] = 1.0
    return silent


def _outer(rows: Array, others: Array) -> Array:
    """For each value x, the outer product of the rows."""
    return rows.reshape(*rows.shape, *[1] * (others.ndim - 1)) * others.reshape(
        len(others), *[1] * (rows.ndim - 1), *others.shape[1:]
    )


def _together(outputs: Sequence[tuple[Output, ...]], seen: Codes) -> tuple[Output, ...]:
    """Those of the product of all outputs, the last one fastest, that are seen."""
    codes = np.unravel_index(seen, [len(each) for each in outputs])
    return tuple(
        tuple(each[code] for each, code in zip(outputs, row, strict=True))
        for row in zip(*(axis.tolist() for axis in codes), strict=True)
    )
