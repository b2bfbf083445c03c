"""What the pooled answers of some variables say about some targets, for every p at once.

The belief is contracted once with everything released:

    told[s, r] = P(S = s, R = r),   r_i = the value of i, or "withheld" where it is sensitive.

A coin then turns r_i into "withheld" with probability 1 - p_i, so for any p the joint law of the
secret and the answers costs one pass an axis. Rows are the classes of all targets, one after the
other; the mass of an answer is the sum over any one target's rows. What was released keeps its
probability without the factor p_i (`Look.law`): lifts and odds do not contain it, and so they have
their limits as p_i -> 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import numpy as np

from unspoken.beliefs import Belief
from unspoken.mechanisms import OneSided
from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.types.channel import Channel, Output
from unspoken.types.domain import Value
from unspoken.types.secret import Secret

__all__ = ["LEAST", "Cloud", "Event", "Look", "Side", "entropy", "releases", "rows"]

Shows = Literal["value", "bit"]

# A lift of 0 is x = -1; just above it everything is finite and equal to the last digit.
LEAST = math.nextafter(-1.0, 0.0)


@dataclass(frozen=True)
class Side:
    """Some classes of one target, as rows of its cloud, and their probability."""

    rows: Codes
    prior: float

    def of(self, law: Array) -> Array:
        """P(y | these classes) from a table with the joint law's rows."""
        return np.asarray(law[self.rows].sum(0) / self.prior)


@dataclass(frozen=True)
class Event:
    """Something nobody is to learn of a target: one of its secrets, or that it is any of them."""

    target: int
    inside: Side
    outside: Side

    @property
    def prior(self) -> float:
        return self.inside.prior


@dataclass(frozen=True)
class Cloud:
    """P(S, R) of every target; ``names`` are released, ``targets`` are looked at."""

    names: tuple[str, ...]
    values: tuple[tuple[Output, ...], ...]  # of each name, what can be released
    targets: tuple[str, ...]
    start: Codes  # the first row of each target
    hidden: Mask  # (rows,)  whether the class is a secret
    labels: tuple[Value, ...]  # (rows,)
    told: Array  # (rows, 1 + values of the first name, ...)

    @classmethod
    def of(
        cls,
        belief: Belief,
        sensitive: Mapping[str, tuple[Value, ...]],
        targets: Mapping[str, tuple[Value, ...]],
        names: Sequence[str],
        shows: Shows = "value",
    ) -> Cloud:
        """``sensitive``: what is withheld; ``targets``: {name: its secrets}."""
        channels = releases(belief, sensitive, names, shows)
        tables, hidden, labels, start = [], [], [], [0]
        for target, secrets in targets.items():
            secret = Secret.of(belief.domain, target, secrets)
            table = secret.classes @ _released(belief, channels, target)
            possible = table.sum(1) > 0
            tables.append(table[possible])
            hidden.append(secret.hidden[possible])
            labels += list(itertools.compress(secret.labels, possible))
            start.append(start[-1] + int(possible.sum()))
        outputs = [channel.outputs for channel in channels.values()]
        shape = (start[-1], *map(len, outputs))
        return cls(
            tuple(names),
            tuple(own[1:] for own in outputs),  # the first is "withheld"
            tuple(targets),
            np.array(start[:-1], dtype=np.intp),
            np.concatenate(hidden),
            tuple(labels),
            np.concatenate(tables).reshape(shape),
        )

    @property
    def outputs(self) -> tuple[int, ...]:
        """How many different answers each name has."""
        return self.told.shape[1:]

    @cached_property
    def flat(self) -> Array:
        """``told`` with the answers in one axis, the last name fastest."""
        return self.told.reshape(len(self.told), -1)

    @cached_property
    def prior(self) -> Array:
        return np.asarray(self.flat.sum(1))

    @cached_property
    def owner(self) -> Codes:
        """The target of each row."""
        sizes = np.diff(np.append(self.start, len(self.told)))
        return np.asarray(np.repeat(np.arange(len(self.targets)), sizes))

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events with odds: neither certain nor impossible beforehand."""
        return tuple(event for target in range(len(self.targets)) for event in self._events(target))

    @cached_property
    def released(self) -> Mask:
        """(answers, names): which names show a value in each answer."""
        codes = np.indices(self.outputs).reshape(len(self.names), -1)
        return np.asarray(codes.T > 0)

    def secrets(self, event: int) -> tuple[Value, ...]:
        """The values the event is made of."""
        return tuple(self.labels[row] for row in self.events[event].inside.rows)

    def at(self, p: Array) -> Look:
        """The law of the answers when each name is released with probability p."""
        law = self.told.copy()
        for axis, rate in enumerate(p.tolist()):
            before = math.prod(law.shape[: axis + 1])
            along = law.reshape(before, law.shape[axis + 1], -1)
            tails = along[:, 1].copy() if along.shape[1] > 1 else 0.0
            for shown in range(2, along.shape[1]):
                tails += along[:, shown]
            along[:, 0] += (1.0 - rate) * tails
        return Look(self, p, law.reshape(len(self.told), -1))

    def _events(self, target: int) -> list[Event]:
        mine = np.flatnonzero(self.owner == target)
        secrets = mine[self.hidden[mine]]
        listed = [*(secrets[[k]] for k in range(len(secrets)))]
        listed += [secrets] if len(secrets) > 1 else []
        return [
            Event(target, self._side(rows), self._side(np.setdiff1d(mine, rows)))
            for rows in listed
            if len(rows) < len(mine)
        ]

    def _side(self, rows: Codes) -> Side:
        return Side(rows, float(self.prior[rows].sum()))


@dataclass(frozen=True)
class Look:
    """A cloud at one p: law[s, y] = P(s, y) but for a factor p_i for every i that y shows."""

    cloud: Cloud
    p: Array
    law: Array

    @cached_property
    def answers(self) -> Array:
        """P(y), but for the factors p_i."""
        start = [*self.cloud.start.tolist(), len(self.law)]
        return np.asarray(self.law[start[0] : start[1]].sum(0))

    @cached_property
    def mass(self) -> Array:
        """P(y)."""
        rates = [
            np.array([1.0, *[rate] * (outputs - 1)])
            for rate, outputs in zip(self.p.tolist(), self.cloud.outputs, strict=True)
        ]
        return np.asarray(self.answers * reduce(np.multiply.outer, rates, np.array(1.0)).ravel())

    @cached_property
    def excess(self) -> Array:
        """x = P(s|y) / P(s) - 1 (0 where y is impossible)."""
        expected = self.cloud.prior[:, None] * self.answers
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, self.law / expected - 1.0, 0.0)

    @cached_property
    def information(self) -> Array:
        """I(S_j; Y) of every target, in nats."""
        # h(x) = (1+x) log(1+x) - x without its series: x itself has no more digits near 0.
        x = np.maximum(self.excess, LEAST)
        told = self.cloud.prior * (((1.0 + x) * np.log1p(x) - x) @ self.mass)
        return np.maximum(np.add.reduceat(told, self.cloud.start), 0.0)

    @cached_property
    def sides(self) -> tuple[Array, Array]:
        """(events, answers): P(y | event) and P(y | not the event), but for the factors p_i."""
        shape = (len(self.cloud.events), self.law.shape[1])
        inside, outside = np.zeros(shape), np.zeros(shape)
        for k, event in enumerate(self.cloud.events):
            inside[k] = event.inside.of(self.law)
            outside[k] = event.outside.of(self.law)
        return inside, outside

    @cached_property
    def log_factors(self) -> Array:
        """(events, answers): the log factor on the odds of the event; -inf where impossible.

        Also for answers that show what is never released at this p: their limit as p_i -> 0.
        """
        inside, outside = self.sides
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(inside > 0, np.log(inside / outside), -np.inf)

    @property
    def happens(self) -> Mask:
        """Which answers show only names that are released at all."""
        return np.asarray(~(self.cloud.released & (self.p == 0)).any(1))

    def log_odds(self) -> float:
        """The worst log factor over events and the answers that may happen."""
        return float(self.log_factors[:, self.happens].max(initial=-np.inf))

    def above(self, log_cap: float) -> Array:
        """For each target the probability of an answer that raises some odds beyond the cap."""
        far = self.log_factors > log_cap
        shares = np.zeros(len(self.cloud.targets))
        for target in range(len(shares)):
            own = [k for k, event in enumerate(self.cloud.events) if event.target == target]
            shares[target] = self.mass[far[own].any(0)].sum()
        return shares

    def beyond(self, log_cap: float) -> Array:
        """For each event E the sum over answers of (P(y, E) - cap odds(E) P(y, not E))+.

        A mean of a convex function of the posterior, so it never rises when less is released; and
        at most the probability of the answers above the cap.
        """
        scaled = self.mass / np.where(self.answers > 0, self.answers, 1.0)
        inside, outside = (side * scaled for side in self.sides)
        prior = np.array([event.prior for event in self.cloud.events])
        return np.asarray(prior * np.maximum(inside - math.exp(log_cap) * outside, 0.0).sum(1))


def entropy(belief: Belief, target: str, secrets: tuple[Value, ...]) -> float:
    """H(S): what there is to learn of a target, whatever is released."""
    law = Secret.of(belief.domain, target, secrets).classes @ belief.marginal([target])
    return -math.fsum(mass * math.log(mass) for mass in law.tolist() if mass > 0)


def releases(
    belief: Belief,
    sensitive: Mapping[str, tuple[Value, ...]],
    names: Sequence[str],
    shows: Shows = "value",
) -> dict[str, Channel]:
    """What each name shows when its coin shows heads: "withheld", or what may be released."""
    mechanism = OneSided(dict.fromkeys(names, math.inf), sensitive, shows)
    return {name: mechanism.channel(belief.domain, name) for name in names}


def rows(targets: Mapping[str, tuple[Value, ...]]) -> int:
    """How many classes the targets have in all, at most."""
    return sum(1 + len(secrets) for secrets in targets.values())


def _released(belief: Belief, channels: Mapping[str, Channel], target: str) -> Array:
    """P(x_target, r) with every name released, axes (values of the target, answers)."""
    names = list(channels)
    order = sorted(names, key=lambda name: name == target)  # `outputs` lists kept variables last
    law = belief.outputs([target], {name: channels[name] for name in order})
    shape = [len(channels[name].outputs) for name in order]
    table = law.excess.reshape(law.excess.shape[0], *shape)
    if target in names:
        table = np.moveaxis(table, -1, 1 + names.index(target))
    return table.reshape(len(table), -1)
