"""What the pooled answers of some variables say about some targets, for every p at once.

The belief is contracted once with everything released, to the joint law

    table[s, r] = P(S = s, R = r),   r_i = the value of i, or "withheld" where it is sensitive.

A coin then turns r_i into "withheld" with probability 1 - p_i, so for any p the joint law of the
secret and the answers costs one pass an axis. Rows are the classes of all targets, one after the
other; the mass of an answer is the sum over any one target's rows. What was released keeps its
probability without the factor p_i (`AnswerLaw.table`): lifts and odds do not contain it, and so
they have their limits as p_i -> 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from unspoken.core.beliefs import Belief
from unspoken.core.mechanisms import OneSided
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.domain import Value
from unspoken.core.types.secret import Secret

__all__ = [
    "LEAST",
    "AnswerLaw",
    "JointLaw",
    "SecretEvent",
    "releases",
    "rows",
]

Shows = Literal["value", "bit"]

# A lift of 0 is x = -1; just above it everything is finite and equal to the last digit.
LEAST = math.nextafter(-1.0, 0.0)


@dataclass(frozen=True)
class SecretEvent:
    """Something nobody is to learn of a target: one of its secrets, or that it is any of them; and
    what else the target can be. Both [row].
    """

    target: int
    inside: Mask
    outside: Mask


@dataclass(frozen=True)
class JointLaw:
    """P(S, R) of every target; ``names`` are released.

    Rows are the classes of all targets, ``labels[row]``; those of target j begin at ``start[j]``.
    """

    names: tuple[str, ...]
    values: tuple[tuple[Output, ...], ...]  # of each name, what can be released
    targets: tuple[str, ...]
    start: Codes  # the first row of each target
    hidden: Mask  # (rows,)  whether the class is a secret
    labels: tuple[Value, ...]  # (rows,)
    table: Array  # [row, r_1, r_2, ...]; r_i: "withheld", or one of ``values[i]``

    @classmethod
    def of(
        cls,
        belief: Belief,
        sensitive: Mapping[str, tuple[Value, ...]],
        targets: Mapping[str, tuple[Value, ...]],
        names: Sequence[str],
        shows: Shows = "value",
    ) -> JointLaw:
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
            tuple(shown[1:] for shown in outputs),  # the first is "withheld"
            tuple(targets),
            np.array(start[:-1], dtype=np.intp),
            np.concatenate(hidden),
            tuple(labels),
            np.concatenate(tables).reshape(shape),
        )

    @property
    def outputs(self) -> tuple[int, ...]:
        """How many different answers each name has."""
        return self.table.shape[1:]

    @cached_property
    def flat(self) -> Array:
        """``table`` with the answers in one axis, the last name fastest."""
        return self.table.reshape(len(self.table), -1)

    @cached_property
    def prior(self) -> Array:
        return np.asarray(self.flat.sum(1))

    @cached_property
    def owner(self) -> Codes:
        """The target of each row."""
        sizes = np.diff(np.append(self.start, len(self.table)))
        return np.asarray(np.repeat(np.arange(len(self.targets)), sizes))

    @cached_property
    def events(self) -> tuple[SecretEvent, ...]:
        """The events with odds: neither certain nor impossible beforehand."""
        return tuple(event for target in range(len(self.targets)) for event in self._events(target))

    @cached_property
    def sides(self) -> tuple[Array, Array]:
        """What is inside every event, and what is outside, [event, row]."""
        inside = np.array([event.inside for event in self.events], dtype=np.float64)
        outside = np.array([event.outside for event in self.events], dtype=np.float64)
        return inside.reshape(-1, len(self.table)), outside.reshape(-1, len(self.table))

    @cached_property
    def priors(self) -> tuple[Array, Array]:
        """P(E) and P(not E), each [event, 1]."""
        inside, outside = ((side @ self.prior)[:, None] for side in self.sides)
        return inside, outside

    @cached_property
    def released(self) -> Mask:
        """(answers, names): which names show a value in each answer."""
        codes = np.indices(self.outputs).reshape(len(self.names), -1)
        return np.asarray(codes.T > 0)

    def events_of(self, target: int) -> list[int]:
        """Which of the events are about this target."""
        return [k for k, event in enumerate(self.events) if event.target == target]

    def secrets(self, event: int) -> tuple[Value, ...]:
        """The values the event is made of."""
        return tuple(self.labels[row] for row in np.flatnonzero(self.events[event].inside))

    def at(self, p: Array) -> AnswerLaw:
        """The law of the answers when each name is released with probability p."""
        law = self.table.copy()
        for axis, rate in enumerate(p.tolist()):
            before = math.prod(law.shape[: axis + 1])
            along = law.reshape(before, law.shape[axis + 1], -1)
            tails = along[:, 1].copy() if along.shape[1] > 1 else 0.0
            for shown in range(2, along.shape[1]):
                tails += along[:, shown]
            along[:, 0] += (1.0 - rate) * tails
        return AnswerLaw(self, p, law.reshape(len(self.table), -1))

    def _events(self, target: int) -> list[SecretEvent]:
        mine = self.owner == target
        secret = mine & self.hidden
        events = [np.arange(len(mine)) == row for row in np.flatnonzero(secret)]
        events += [secret] if len(events) > 1 else []
        return [
            SecretEvent(target, event, mine & ~event) for event in events if (mine & ~event).any()
        ]


@dataclass(frozen=True)
class AnswerLaw:
    """A joint law at one p: table[s, y] = P(s, y) but for a factor p_i for every i that y shows."""

    joint: JointLaw
    p: Array
    table: Array

    @cached_property
    def unscaled_mass(self) -> Array:
        """P(y), [y], but for the factors p_i."""
        start = [*self.joint.start.tolist(), len(self.table)]
        return np.asarray(self.table[start[0] : start[1]].sum(0))

    @cached_property
    def mass(self) -> Array:
        """P(y), [y]."""
        factors = np.where(self.joint.released, self.p, 1.0).prod(1)
        return np.asarray(self.unscaled_mass * factors)

    @cached_property
    def excess(self) -> Array:
        """x = P(s|y) / P(s) - 1, [s, y] (0 where y is impossible)."""
        expected = self.joint.prior[:, None] * self.unscaled_mass
        lifts = np.ones_like(self.table)
        np.divide(self.table, expected, out=lifts, where=expected > 0)
        return lifts - 1.0

    @cached_property
    def information(self) -> Array:
        """I(S_j; Y) = sum_s P(s) sum_y P(y) h(x[s, y]) of every target j, in nats."""
        # h(x) = (1+x) log(1+x) - x without its series: x itself has no more digits near 0.
        x = np.maximum(self.excess, LEAST)
        of_class = self.joint.prior * (((1.0 + x) * np.log1p(x) - x) @ self.mass)
        return np.maximum(np.add.reduceat(of_class, self.joint.start), 0.0)

    @cached_property
    def likelihoods(self) -> tuple[Array, Array]:
        """P(y | E) and P(y | not E), each [event, y], but for the factors p_i."""
        (inside, outside), (p, q) = self.joint.sides, self.joint.priors
        return np.asarray(inside @ self.table / p), np.asarray(outside @ self.table / q)

    @cached_property
    def log_factors(self) -> Array:
        """log P(y | E) / P(y | not E), [event, y]: on the odds of E; -inf where y is impossible.

        Also for answers that show what is never released at this p: their limit as p_i -> 0.
        """
        inside, outside = self.likelihoods
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(inside > 0, np.log(inside / outside), -np.inf)

    @property
    def happens(self) -> Mask:
        """Which answers show only names that are released at all, [y]."""
        return np.asarray(~(self.joint.released & (self.p == 0)).any(1))

    def log_odds(self) -> float:
        """The worst log factor over events and the answers that may happen."""
        factors = self.log_factors if self.p.all() else self.log_factors[:, self.happens]
        return float(factors.max(initial=-np.inf))

    def above(self, log_cap: float) -> Array:
        """The probability of an answer that raises some odds beyond the cap, [target]."""
        far = self.log_factors > log_cap
        shares = np.zeros(len(self.joint.targets))
        for target in range(len(shares)):
            events = self.joint.events_of(target)
            shares[target] = self.mass[far[events].any(0)].sum()
        return shares

    def hockey_stick(self, log_cap: float) -> Array:
        """sum_y (P(y, E) - cap odds(E) P(y, not E))+, [event].

        A mean of a convex function of the posterior, so it never rises when less is released; and
        at most the probability of the answers above the cap.
        """
        scaled = self.mass / np.where(self.unscaled_mass > 0, self.unscaled_mass, 1.0)
        inside, outside = (likelihood * scaled for likelihood in self.likelihoods)
        above = np.maximum(inside - math.exp(log_cap) * outside, 0.0)
        return np.asarray(self.joint.priors[0][:, 0] * above.sum(1))


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
