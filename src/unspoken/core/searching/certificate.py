"""What a search for the worst adversary can say at any time, and what nobody ever exceeds.

Replacing x_j alone moves no likelihood by more than e^(eps_j). What somebody who does not know x_U
may confuse x_i with differs in x_i and x_U at most, so their likelihoods for two values of x_i are
at most e^(sum of eps over i and U) apart (group bound, paper 003, eq. 4), whatever the dependence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from unspoken.core.mechanisms.parts import Parts
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import sum_up, up
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import Domain
from unspoken.core.types.sums import moved_by

__all__ = ["Certificate", "Ends", "epsilons", "group", "log_ratio"]

Ends = tuple[float, float]
# Rounded operations behind each epsilon, counted generously.
OPERATIONS = 16


@dataclass(frozen=True)
class Certificate:
    """``low``: what the adversary found learns; ``high``: nobody learns more. Both in nats, or in
    the measure's own unit. The one found is after ``target`` and knows all but ``unknown``; nobody
    is found yet where target is empty. ``done`` of ``total`` steps are made. ``outer``: the ends
    with the rounding behind them, where it was counted.
    """

    low: float
    high: float
    target: str
    unknown: frozenset[str]
    done: int
    total: int
    how: str
    outer: Ends | None = None


def epsilons(domain: Domain, parts: Parts) -> dict[str, float]:
    """For each variable by how much, in nats, replacing its value alone may move a likelihood."""
    rates = [query.noise.moves for query in parts.queries]
    epsilon = dict[str, float]()
    for name in domain.names:
        terms = (query.weights.get(name, 0.0) for query in parts.queries)
        reach = moved_by(domain, name, [*zip(rates, terms, strict=True)])
        epsilon[name] = up(reach, OPERATIONS + len(rates))
    for name, channel in parts.by_name().items():
        ends = channel.excess.max(axis=0), channel.excess.min(axis=0)
        largest = float(log_ratio(channel, *ends))
        epsilon[name] = sum_up(epsilon[name], up(largest, OPERATIONS))
    return epsilon


def group(epsilon: Iterable[float]) -> float:
    """The sum of these epsilons, rounded up."""
    total = 0.0
    for each in epsilon:
        total = sum_up(total, each)
    return total


def log_ratio(channel: Channel, first: Array, second: Array) -> Array:
    """max_y |log (c + e_first) / (c + e_second)| from its parts: rows e of the excess, [..., y].

    That is log1p of |e_first - e_second| / (c + the smaller one), in which nothing cancels.
    """
    gap, beside = np.abs(first - second), np.exp(channel.log_common) + np.minimum(first, second)
    with np.errstate(divide="ignore"):
        grown = np.divide(gap, beside, out=np.zeros_like(gap), where=gap > 0)
    return np.asarray(np.log1p(grown).max(axis=-1, initial=0.0))
