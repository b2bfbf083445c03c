"""What a search for the worst adversary can say at any time, and what nobody ever exceeds.

Replacing x_j alone moves no likelihood by more than e^(eps_j). What somebody who does not know x_U
may confuse x_i with differs in x_i and x_U at most, so their likelihoods for two values of x_i are
at most e^(sum of eps over i and U) apart (group bound, paper 003, eq. 4), whatever the dependence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from unspoken.mechanisms.parts import Parts
from unspoken.numerics.rounding import sum_up, up
from unspoken.types.channel import Channel
from unspoken.types.domain import Domain

__all__ = ["Certificate", "epsilons", "group"]

# Rounded operations behind each epsilon, counted generously.
OPERATIONS = 16


@dataclass(frozen=True)
class Certificate:
    """``low``: what the adversary found learns; ``high``: nobody learns more. Both in nats, or in

    the measure's own unit. The one found is after ``target`` and knows all but ``unknown``; nobody
    is found yet where target is empty. ``done`` of ``total`` steps are made.
    """

    low: float
    high: float
    target: str
    unknown: frozenset[str]
    done: int
    total: int
    how: str


def epsilons(domain: Domain, parts: Parts) -> dict[str, float]:
    """For each variable by how much, in nats, replacing its value alone may move a likelihood."""
    epsilon = dict.fromkeys(domain.names, 0.0)
    for query in parts.queries:
        for name, weight in query.weights.items():
            if weight:
                reach = query.noise.rate * float(np.ptp(weight * domain.numbers(name)))
                epsilon[name] = sum_up(epsilon[name], up(reach, OPERATIONS))
    for name, channel in parts.by_name().items():
        epsilon[name] = sum_up(epsilon[name], up(_log_ratio(channel), OPERATIONS))
    return epsilon


def group(epsilon: Iterable[float]) -> float:
    """The sum of these epsilons, rounded up."""
    total = 0.0
    for each in epsilon:
        total = sum_up(total, each)
    return total


def _log_ratio(channel: Channel) -> float:
    """max_{y, a, b} log W[a, y] / W[b, y] = log1p of (e_a - e_b) / (c + e_b), from its parts."""
    least, most = channel.excess.min(axis=0), channel.excess.max(axis=0)
    beside = np.exp(channel.log_common) + least
    with np.errstate(divide="ignore"):
        more = np.divide(most - least, beside, out=np.zeros_like(most), where=most > least)
    return float(np.log1p(more).max(initial=0.0))
