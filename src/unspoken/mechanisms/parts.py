"""What mechanisms are put together from: coins that persist, and linear queries with noise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from unspoken.numerics.arrays import Array
from unspoken.types.channel import Channel, Output
from unspoken.types.noise import Noise
from unspoken.types.sums import Weights

__all__ = ["ANSWER", "Parts", "Query", "Toss", "shared_coin"]

# What noisy answers are called among the outputs; several are numbered from 1.
ANSWER = "answer"


@dataclass(frozen=True)
class Query:
    """One number: a weighted sum of the variables, plus noise of its own."""

    weights: Weights
    noise: Noise


@dataclass(frozen=True)
class Toss:
    """A release that looks at a cell's persistent coin: shown with 1 - e^-exponent, else silent.

    ``full[x]`` marks the output of value x when the coin lets it out; ``silent`` is the output
    otherwise, and the first of ``outputs``.
    """

    exponent: float
    outputs: tuple[Output, ...]
    full: Array

    def channel(self) -> Channel:
        """This release alone."""
        return shared_coin([self])


@dataclass(frozen=True)
class Parts:
    """All that a mechanism shows one adversary: releases by coin, local channels, noisy queries."""

    tosses: tuple[tuple[str, Toss], ...] = ()
    channels: tuple[tuple[str, Channel], ...] = ()
    queries: tuple[Query, ...] = ()

    def beside(self, other: Parts) -> Parts:
        """Both at once."""
        return Parts(
            self.tosses + other.tosses,
            self.channels + other.channels,
            self.queries + other.queries,
        )

    def by_name(self) -> dict[str, Channel]:
        """One channel for each variable: its releases share a coin, all else is drawn afresh."""
        coins: dict[str, list[Toss]] = {}
        for name, toss in self.tosses:
            coins.setdefault(name, []).append(toss)
        channels = {name: shared_coin(tosses) for name, tosses in coins.items()}
        for name, channel in self.channels:
            before = channels.get(name)
            channels[name] = channel if before is None else before.beside(channel)
        return channels

    def answers(self) -> dict[str, Query]:
        """The noisy queries by what their outputs are called."""
        if len(self.queries) == 1:
            return {ANSWER: self.queries[0]}
        return {f"{ANSWER} {i}": query for i, query in enumerate(self.queries, start=1)}


def shared_coin(tosses: Sequence[Toss]) -> Channel:
    """Several releases of one cell, all looking at the same coin.

    One uniform draw U decides: a release with probability p lets the cell out where U < p. So the
    draws that let out the release with the least exponent let out all; with probability
    e^-e_j - e^-e_{j+1} exactly those above the j-th are let out. Outputs are tuples, one a release
    (a plain output where there is one release).
    """
    rising = sorted(tosses, key=lambda toss: toss.exponent)
    exponents = [0.0, *(toss.exponent for toss in rising)]
    told = np.zeros((len(tosses[0].full), *(len(toss.outputs) for toss in tosses)))
    for quiet, (low, high) in enumerate(itertools.pairwise(exponents)):
        if high > low:
            silent = {id(toss) for toss in rising[:quiet]}
            shown = [_silent(toss) if id(toss) in silent else toss.full for toss in tosses]
            told += math.exp(-low) * -math.expm1(low - high) * reduce(_outer, shown)
    log_common = np.full(told[0].size, -np.inf)
    log_common[0] = -exponents[-1]
    return Channel(
        _pairs([toss.outputs for toss in tosses]), log_common, told.reshape(len(told), -1)
    )


def _silent(toss: Toss) -> Array:
    silent = np.zeros_like(toss.full)
    silent[:, 0] = 1.0
    return silent


def _outer(one: Array, other: Array) -> Array:
    """For each value x, the outer product of the rows."""
    return one.reshape(*one.shape, *[1] * (other.ndim - 1)) * other.reshape(
        len(other), *[1] * (one.ndim - 1), *other.shape[1:]
    )


def _pairs(outputs: Sequence[tuple[Output, ...]]) -> tuple[Output, ...]:
    if len(outputs) == 1:
        return outputs[0]
    grid = np.indices([len(own) for own in outputs]).reshape(len(outputs), -1).T
    return tuple(
        tuple(own[code] for own, code in zip(outputs, row, strict=True)) for row in grid.tolist()
    )
