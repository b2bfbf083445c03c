"""The view of a mechanism that treats every variable by a channel of its own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from unsaid.adversary import Adversary
from unsaid.beliefs import Belief
from unsaid.errors import TooLarge
from unsaid.numerics.arrays import Mask
from unsaid.types.channel import Channel
from unsaid.types.domain import NOT_SENSITIVE, Domain, Value
from unsaid.views import FiniteView, HeadsView, View

__all__ = ["CELLS", "Secret", "event_view", "local_view"]

# Outcomes x kept cells up to which a cloud is listed: about 64 MB an array.
CELLS = 2**23
# How many sets of coins are listed where the cloud is not, and how many cells that may take in all.
SETS, SETS_CELLS = 2_000, 2**22


@dataclass(frozen=True)
class Secret:
    """S: the target's value where it is sensitive, else "not sensitive" (one merged class)."""

    labels: tuple[Value, ...]
    classes: Mask  # classes[s, x]: value x of the target belongs to class s
    hidden: Mask  # which classes nobody is to learn of

    @classmethod
    def of(cls, domain: Domain, target: str, values: Sequence[Value] | None) -> Secret:
        """``values``: the sensitive ones; None: every value is a secret of its own."""
        everything = domain.values_of(target, "adversary.target")
        own = list(dict.fromkeys(everything if values is None else values))
        codes = [domain.code(target, value, "adversary.secret") for value in own]
        rows = np.eye(len(everything), dtype=bool)[codes].reshape(len(own), len(everything))
        merged = ~rows.any(0)
        if merged.any():
            return cls(
                (*own, NOT_SENSITIVE),
                np.vstack([rows, merged]),
                np.array([True] * len(own) + [False]),
            )
        return cls(tuple(own), rows, np.ones(len(own), dtype=bool))


def local_view(
    belief: Belief, channels: Mapping[str, Channel], adversary: Adversary, secret: Secret
) -> View:
    """The exact cloud while it can be listed, else bounds on it.

    Outputs of known variables and of independent ones tell nothing, so they are left out; coins
    that never show heads only where listing them is what costs too much.
    """
    open_ones = [name for name in channels if name not in adversary.known]
    seen = belief.relevant((adversary.target, *adversary.known), open_ones)
    question = Question.of(belief, {name: channels[name] for name in seen}, adversary, secret)
    for names in (seen, [name for name in seen if channels[name].heads > 0]):
        if question.fits(names):
            return question.listed(names)
    return question.bounded()


def event_view(
    belief: Belief, events: Mapping[str, Channel], adversary: Adversary, secret: Secret
) -> FiniteView:
    """The posterior after one event, each channel being the likelihood of what was seen.

    What tells nothing is left out here too, but it has to be possible.
    """
    fixed = adversary.known_values
    open_ones = [name for name in events if name not in fixed]
    seen = belief.relevant((adversary.target, *adversary.known), open_ones)
    question = Question.of(belief, {name: events[name] for name in seen}, adversary, secret)
    if not question.fits(seen):
        question.refuse()
    view = question.listed(seen)
    silent = [name for name in events if name not in seen]
    possible = all(_can_happen(belief, name, events[name], fixed) for name in silent)
    return view if possible else view.never()


@dataclass(frozen=True)
class Question:
    """One adversary before one belief, with the channels of what they see."""

    belief: Belief
    channels: Mapping[str, Channel]
    adversary: Adversary
    secret: Secret

    @classmethod
    def of(
        cls, belief: Belief, channels: Mapping[str, Channel], adversary: Adversary, secret: Secret
    ) -> Question:
        """Known values are conditioned on at once; known names stay, as contexts."""
        fixed = adversary.known_values
        return cls(belief.given(fixed) if fixed else belief, channels, adversary, secret)

    @property
    def keep(self) -> tuple[str, ...]:
        worst_over = () if self.adversary.known_values else self.adversary.known
        return (*worst_over, self.adversary.target)

    def fits(self, seen: Sequence[str]) -> bool:
        """Whether the belief knows these jointly and their cloud can be listed."""
        names = [*self.keep, *(name for name in seen if name not in self.keep)]
        return self.belief.knows_jointly(names) and self.size(seen) <= CELLS

    def size(self, seen: Sequence[str]) -> int:
        """The cells it takes to list what these variables show."""
        size = self.belief.cells(self.keep)
        for name in seen:
            size *= max(self.belief.cells([name]), len(self.channels[name].outputs))
        return size

    def listed(self, seen: Sequence[str], heads: bool = False) -> FiniteView:
        """The cloud of what these variables show, or (``heads``) show once their coins fell so."""
        own = [name for name in seen if name in self.keep]
        order = [*(name for name in seen if name not in own), *own]
        channels = {name: self.channels[name] for name in order}
        if heads:
            channels = {name: channel.on_heads() for name, channel in channels.items()}
        likelihood = self.belief.outputs(self.keep, channels)
        return FiniteView(
            target=self.adversary.target,
            classes=self.secret.labels,
            secret=self.secret.hidden,
            contexts=tuple(itertools.compress(self._contexts(), likelihood.possible)),
            seen={name: channels[name].outputs for name in order},
            lifts=likelihood.lifts(self.secret.classes),
            premise=self.belief.premise,
        )

    def bounded(self) -> HeadsView:
        """Bounds on a cloud that cannot be listed (views/heads.py)."""
        if not self.fits(()):
            self.refuse()
        tells = {name: c.heads for name, c in self.channels.items() if c.heads > 0}
        sets = [own for own in self._sets(list(tells)) if self.fits(own)]
        shares = [_exactly(own, tells) for own in sets]
        nothing = self.listed(())
        return HeadsView(
            parts=[self.listed(own) for own in self._parts(sets)],
            heads=[(p, self.listed(own, heads=True)) for p, own in zip(shares, sets, strict=True)],
            rest=max(0.0, 1.0 - math.fsum([*shares, _exactly((), tells)])),
            revealed=nothing.told_all(),
            premise=self.belief.premise,
        )

    def refuse(self) -> NoReturn:
        """Say what the belief does not know, or that listing it is beyond the budget."""
        names = list(dict.fromkeys([*self.keep, *self.channels]))
        if not self.belief.knows_jointly(names):
            self.belief.marginal(names)
        raise TooLarge(
            f"about {self.adversary.target}, with {len(names)} variables: more than {CELLS:,} "
            "cells to list; name fewer in knows, sees or the outcome"
        )

    def _sets(self, names: list[str]) -> Iterator[tuple[str, ...]]:
        """Sets of coins, small ones first: whole sizes of them, while the budget lasts."""
        listed = cells = 0
        for count in range(1, len(names) + 1):
            listed += math.comb(len(names), count)
            if count > 1 and listed > SETS:
                return
            sets = list(itertools.combinations(names, count))
            cells += sum(self.size(own) for own in sets)
            if count > 1 and cells > SETS_CELLS:
                return
            yield from sets

    def _parts(self, sets: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Parts of the coalition to look at from below: each one alone, and one grown greedily."""
        grown: tuple[str, ...] = ()
        for name in self.channels:
            grown = (*grown, name) if self.fits((*grown, name)) else grown
        return [(), grown, *(own for own in sets if len(own) == 1)]

    def _contexts(self) -> list[dict[str, Value]]:
        if self.adversary.known_values:
            return [dict(self.adversary.known_values)]
        values = [self.belief.domain.values_of(name) for name in self.keep[:-1]]
        return [dict(zip(self.keep, row, strict=False)) for row in itertools.product(*values)]


def _exactly(own: Sequence[str], tells: Mapping[str, float]) -> float:
    """The probability that these coins show heads and all others tails."""
    return math.prod(p if name in own else 1 - p for name, p in tells.items())


def _can_happen(belief: Belief, name: str, event: Channel, fixed: Mapping[str, Value]) -> bool:
    """Whether the event about this one variable has positive probability."""
    held = belief.marginal([name]) > 0
    if name in fixed:
        held = np.arange(held.size) == belief.domain.code(name, fixed[name])
    likely = (event.log_common > -np.inf) | (event.excess > 0)
    return bool(likely[held].any())
