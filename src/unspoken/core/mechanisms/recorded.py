"""The view of coins that look at whole records, beside channels of single variables.

P(y | x_keep) = sum over the rest of P(x) W(y | x), entry by entry: of the patterns that a record
may be shown in few have weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms.events import meant, silent_places
from unspoken.core.mechanisms.local import LocalQuestion
from unspoken.core.mechanisms.record_noise import RecordNoise
from unspoken.core.mechanisms.record_toss import RecordToss
from unspoken.core.numerics.arrays import CELLS, Array, Codes, Mask, sums_in
from unspoken.core.numerics.rounding import Rounding, pairwise
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kernel import Kernel
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.secret import Secret
from unspoken.core.views import FiniteView, Seen

__all__ = ["Recorded", "recorded_view"]


@dataclass(frozen=True)
class Recorded:
    """What is seen of records, and of single variables beside them: all of it, or (``words``) one
    event. ``domain``: of the belief, before anything was known.
    """

    domain: Domain
    coins: tuple[RecordToss | RecordNoise, ...]
    channels: Mapping[str, Channel]
    words: Mapping[str, Output] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that what is seen depends on."""
        of_coins = (name for coin in self.coins for name in coin.names)
        return tuple(dict.fromkeys([*of_coins, *self.channels]))

    def without(self, names: Sequence[str]) -> Recorded:
        """But for the channels of these."""
        left = {name: c for name, c in self.channels.items() if name not in names}
        return Recorded(self.domain, self.coins, left, self.words)

    def kernel(self, codes: Mapping[str, Codes]) -> Kernel:
        """P(y | x) for cells by the positions of their labels."""
        parts = [coin.kernel(self.domain, codes) for coin in self.coins]
        parts += [
            Kernel.of_channel(name, channel, codes[name]) for name, channel in self.channels.items()
        ]
        every = reduce(Kernel.beside, parts)
        return every if self.words is None else every.event(self._happens(every), self.words)

    def _happens(self, kernel: Kernel) -> Mask:
        """Which outcomes the words cover."""
        happens = np.ones(len(kernel.outcomes), dtype=bool)
        for name, word in (self.words or {}).items():
            outputs, code = kernel.outcomes.shows(name)
            silent = silent_places(*kernel.outcomes.of_name(name))
            covered = meant(self.domain, name, word, outputs, silent)
            happens &= np.array([output in covered for output in outputs])[code]
        return happens


@dataclass(frozen=True)
class Contracted:
    """A table of the variables with these names (None: of an answer), of which the first ``kept``
    stay; ``fixed``: values known beforehand, which the table is given already.
    """

    recorded: Recorded
    table: Array
    names: tuple[str | None, ...]
    kept: int
    fixed: Mapping[str, Value]

    @cached_property
    def _cells(self) -> Codes:
        """Those that can be."""
        return np.flatnonzero(self.table)

    @cached_property
    def kernel(self) -> Kernel:
        places = np.unravel_index(self._cells, self.table.shape)
        codes = {name: place for name, place in zip(self.names, places, strict=True) if name}
        for name, value in self.fixed.items():
            code = self.recorded.domain.code(name, value)
            codes[name] = np.full(len(self._cells), code, dtype=np.intp)
        return self.recorded.kernel(codes)

    @property
    def _keep(self) -> tuple[int, ...]:
        return self.table.shape[: self.kept]

    @cached_property
    def _sums(self) -> tuple[Array, int]:
        """E[kept, y], and the additions behind each."""
        kernel, kept = self.kernel, math.prod(self._keep)
        size = kept * len(kernel.outcomes)
        if size > CELLS:
            raise TooLarge(
                f"suppression: {len(kernel.outcomes):,} outcomes of {kept:,} kept values, more "
                f"than {CELLS:,} together; name fewer in knows or sees"
            )
        rest = math.prod(self.table.shape[self.kept :])
        bins = (self._cells // rest)[kernel.cell] * len(kernel.outcomes) + kernel.outcome
        return sums_in(bins, self.table.ravel()[self._cells][kernel.cell] * kernel.excess, size)

    @cached_property
    def likelihood(self) -> Likelihood:
        excess = self._sums[0].reshape(*self._keep, -1)
        prior = self.table.reshape(*self._keep, -1).sum(-1)
        return Likelihood(prior, self.kernel.log_common, excess, False)

    @property
    def rounding(self) -> Rounding:
        """A product for each entry, and sums over the cells not kept."""
        rest = math.prod(self.table.shape[self.kept :])
        return self.kernel.rounding + Rounding(4.0 + self._sums[1] + pairwise(rest))


def recorded_view(
    belief: Belief, recorded: Recorded, adversary: Adversary, secret: Secret
) -> FiniteView:
    """The cloud, or the posterior after one event.

    Of what is known the coin shows more all the same: whether it is shown depends on the rest.
    """
    question = asked(belief, adversary, secret)
    if recorded.words is None:
        recorded = recorded.without(adversary.known)
    names = table_names(question, recorded, adversary)
    table = question.belief._plain(names)
    held = Contracted(recorded, table, names, len(question.keep), adversary.known_values)
    rounding = question.belief.rounding(names) + held.rounding
    shown: dict[Seen, Sequence[Output]] = {held.kernel.outcomes.names: held.kernel.outcomes}
    return question.cloud(held.likelihood, shown, rounding)


def asked(belief: Belief, adversary: Adversary, secret: Secret) -> LocalQuestion:
    """Every value of what is known is a context of its own: records depend on it."""
    if adversary.known_values:
        known = belief.given(adversary.known_values)
        return LocalQuestion(known, {}, adversary, secret, worst_over=())
    return LocalQuestion(belief, {}, adversary, secret, adversary.known)


def table_names(
    question: LocalQuestion, recorded: Recorded, adversary: Adversary
) -> tuple[str, ...]:
    """The variables whose joint table it takes; refused where the belief does not know it."""
    fixed = adversary.known_values
    names = dict.fromkeys([*question.keep, *(n for n in recorded.names if n not in fixed)])
    belief = question.belief
    if not belief.knows_jointly(tuple(names)):
        belief.marginal(tuple(names))
    if belief.cells(tuple(names)) > CELLS:
        raise TooLarge(
            f"suppression, about {', '.join(adversary.targets)}: the table of {len(names)} "
            f"variables has {belief.cells(tuple(names)):,} cells, more than {CELLS:,}; use fewer "
            "labels, or know fewer variables"
        )
    return tuple(names)
