"""The view of outputs that each come from one variable, through a channel of its own."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NoReturn

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import CELLS
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.domain import Value
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.secret import Secret
from unspoken.core.views import FiniteView, HeadsView, Seen, View

__all__ = ["LocalQuestion", "can_happen", "event_view", "local_view"]

# How many sets of coins are listed where the cloud is not, and how many cells that may take in all.
SETS, SETS_CELLS = 2_000, 2**22
# How many cells a window around the target may take, where the belief knows what shields it.
WINDOW = 2**20


def local_view(
    belief: Belief, channels: Mapping[str, Channel], adversary: Adversary, secret: Secret
) -> View:
    """The exact cloud while it can be listed, else bounds on it.

    Outputs of known variables and of independent ones tell nothing, so they are left out; coins
    that never show heads only where listing them is what costs too much.
    """
    open_ones = {name: channel for name, channel in channels.items() if name not in adversary.known}
    question = LocalQuestion.of(belief, open_ones, adversary, secret).narrowed()
    seen = tuple(question.channels)
    if question.fits(seen):
        return question.listed(seen)
    telling = [name for name in seen if channels[name].heads > 0]
    return question.listed(telling) if question.fits(telling) else question.bounded()


def event_view(
    belief: Belief, events: Mapping[str, Channel], adversary: Adversary, secret: Secret
) -> FiniteView:
    """The posterior after one event, each channel being the likelihood of what was seen.

    What tells nothing is left out here too, but it has to be possible.
    """
    open_ones = {n: channel for n, channel in events.items() if n not in adversary.known_values}
    question = LocalQuestion.of(belief, open_ones, adversary, secret).narrowed()
    seen = question.channels
    if not question.fits(tuple(seen)):
        question.refuse()
    view = question.listed(tuple(seen))
    return view if can_happen(belief, events, question) else view.never()


def can_happen(belief: Belief, events: Mapping[str, Channel], question: LocalQuestion) -> bool:
    """Whether the events that ``question`` leaves out, as they tell nothing, are possible."""
    fixed = question.adversary.known_values
    for name in fixed:
        if name in events and not events[name].possible[belief.domain.code(name, fixed[name])]:
            return False
    left = {
        name: channel
        for name, channel in events.items()
        if name not in {*fixed, *question.channels}
    }
    return not left or question.belief.possible(left)


@dataclass(frozen=True)
class LocalQuestion:
    """One adversary before one belief, with the channels of what they see."""

    belief: Belief
    channels: Mapping[str, Channel]
    adversary: Adversary
    secret: Secret
    worst_over: tuple[str, ...]

    @classmethod
    def of(
        cls, belief: Belief, channels: Mapping[str, Channel], adversary: Adversary, secret: Secret
    ) -> LocalQuestion:
        """Known values are conditioned on at once; known names stay, as contexts."""
        if adversary.known_values:
            known = belief.given(adversary.known_values)
            return cls(known, channels, adversary, secret, worst_over=())
        known, worst_over = belief.knowing(adversary.known)
        return cls(known, channels, adversary, secret, worst_over)

    def narrowed(self) -> LocalQuestion:
        """Without the outputs that tell nothing about what is kept."""
        telling = self.belief.relevant(self.keep, tuple(self.channels))
        return replace(self, channels={name: self.channels[name] for name in telling})

    @property
    def keep(self) -> tuple[str, ...]:
        return (*self.worst_over, *self.adversary.targets)

    def fits(self, seen: Sequence[str]) -> bool:
        """Whether the belief knows these jointly and their cloud can be listed."""
        return self.size(seen) <= CELLS

    def size(self, seen: Sequence[str]) -> float:
        """The cells it takes to list what these variables show."""
        return self.belief.effort(self.keep, {name: self.channels[name] for name in seen})

    def listed(self, seen: Sequence[str], heads: bool = False) -> FiniteView:
        """The cloud of what these variables show, or (``heads``) show once their coins fell so."""
        channels = self.ordered(seen)
        if heads:
            channels = {name: channel.on_heads() for name, channel in channels.items()}
        shown: dict[Seen, Sequence[Output]] = {
            n: channel.outputs for n, channel in channels.items()
        }
        asked = replace(self, channels=channels)
        likelihood = self.belief.outputs(self.keep, channels)
        return asked.cloud(likelihood, shown, asked.rounding(shown))

    def ordered(self, seen: Sequence[str]) -> dict[str, Channel]:
        """The channels of these variables, those of kept ones last, as `outputs` lists them."""
        kept = [name for name in seen if name in self.keep]
        order = [*(name for name in seen if name not in kept), *kept]
        return {name: self.channels[name] for name in order}

    def cloud(
        self,
        likelihood: Likelihood,
        shown: Mapping[Seen, Sequence[Output]],
        rounding: Rounding,
    ) -> FiniteView:
        """The listed cloud of a likelihood that keeps (contexts ..., targets ...).

        ``rounding``: what is behind it.
        """
        likelihood = _grouped(likelihood, len(self.adversary.targets))
        return FiniteView(
            target=", ".join(self.adversary.targets),
            classes=self.secret.labels,
            secret=self.secret.hidden,
            contexts=tuple(itertools.compress(self._contexts(), likelihood.possible)),
            seen=dict(shown),
            lifts=likelihood.lifts(self.secret.classes, rounding),
            premise=self.belief.premise,
        )

    def rounding(self, shown: Iterable[Seen]) -> Rounding:
        """What is behind the belief's numbers contracted with the channels of these.

        A channel of d values takes two sums over them and eight operations.
        """
        seen = [name for name in self.channels if name in shown]
        channels = [self.channels[name] for name in seen]
        sums = sum(2.0 * len(channel.excess) + 8.0 for channel in channels)
        names = dict.fromkeys([*self.keep, *seen])
        in_belief = self.belief.rounding(tuple(names)) + Rounding(sums)
        return reduce(operator.add, (channel.rounding for channel in channels), in_belief)

    def bounded(self) -> HeadsView:
        """Bounds on a cloud that cannot be listed (views/heads.py)."""
        if not self.fits(()):
            self.refuse()
        tells = {name: c.heads for name, c in self.channels.items() if c.heads > 0}
        window, shield = self._shielded()
        sets = [] if shield else [coins for coins in self._sets(list(tells)) if self.fits(coins)]
        shares = [_exactly(coins, tells) for coins in sets]
        parts = [(), window] if shield else self._parts(sets)
        return HeadsView(
            parts=[self.listed(part) for part in parts],
            heads=[
                (p, self.listed(coins, heads=True)) for p, coins in zip(shares, sets, strict=True)
            ],
            rest=max(0.0, 1.0 - math.fsum([*shares, _exactly((), tells)])),
            coins=len(tells),
            above=[self.listed(()).revealed(), *shield],
            premise=self.belief.premise,
        )

    def _shielded(self) -> tuple[tuple[str, ...], list[FiniteView]]:
        """The widest surroundings there is room for: what is seen in them, and the view of somebody
        who sees that and the values that shield it. More is not seen outside (data processing).
        """
        window: tuple[str, ...] = ()
        widest: dict[str, Channel] = {}
        for inner, boundary in self.belief.shields(self.keep):
            seen = tuple(name for name in self.channels if name in inner or name in self.keep)
            channels = {name: self.channels[name] for name in seen}
            for name in boundary:
                values = self.belief.domain.values_of(name)
                channels[name] = Channel.of(values, np.eye(len(values)))
            if self.belief.effort(self.keep, channels) > WINDOW:
                break
            window, widest = seen, channels
        if not widest:
            return (), []
        shield = replace(self, channels=widest)
        return window, [shield.listed(tuple(widest))]

    def refuse(self) -> NoReturn:
        """Say what the belief does not know, or that listing it is beyond the budget."""
        names = list(dict.fromkeys([*self.keep, *self.channels]))
        if not self.belief.knows_jointly(names):
            self.belief.marginal(names)
        about = ", ".join(self.adversary.targets)
        raise TooLarge(
            f"about {about}, with {len(names)} variables: more than {CELLS:,} "
            "cells to list; name fewer in knows, sees or the outcome"
        )

    def _sets(self, names: list[str]) -> Iterator[tuple[str, ...]]:
        """Sets of coins, small ones first: whole sizes of them, while the budget lasts."""
        listed, cells = 0, 0.0
        for count in range(1, len(names) + 1):
            listed += math.comb(len(names), count)
            if count > 1 and listed > SETS:
                return
            sets = list(itertools.combinations(names, count))
            cells += sum(self.size(coins) for coins in sets)
            if count > 1 and cells > SETS_CELLS:
                return
            yield from sets

    def _parts(self, sets: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Parts of the coalition to look at from below: each one alone, and one grown greedily."""
        grown: tuple[str, ...] = ()
        for name in self.channels:
            grown = (*grown, name) if self.fits((*grown, name)) else grown
        return [(), grown, *(coins for coins in sets if len(coins) == 1)]

    def _contexts(self) -> list[dict[str, Value]]:
        if self.adversary.known_values:
            return [dict(self.adversary.known_values)]
        values = [self.belief.domain.values_of(name) for name in self.worst_over]
        return [dict(zip(self.worst_over, row, strict=True)) for row in itertools.product(*values)]


def _grouped(likelihood: Likelihood, targets: int) -> Likelihood:
    """Several targets as one variable whose values are their combinations."""
    if targets == 1:
        return likelihood
    shape = (*likelihood.prior.shape[: likelihood.prior.ndim - targets], -1)
    excess = likelihood.excess.reshape(*shape, likelihood.excess.shape[-1])
    return replace(likelihood, prior=likelihood.prior.reshape(shape), excess=excess)


def _exactly(coins: Sequence[str], tells: Mapping[str, float]) -> float:
    """The probability that these coins show heads and all others tails."""
    return math.prod(p if name in coins else 1 - p for name, p in tells.items())
