"""The view of noisy answers to linear queries, beside whatever local outputs are seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.beliefs.contraction import contract
from unspoken.core.errors import InputError, NotKnown, TooLarge, quoted
from unspoken.core.mechanisms.banded import band_view
from unspoken.core.mechanisms.local import LocalQuestion, can_happen
from unspoken.core.mechanisms.observed import Observed
from unspoken.core.mechanisms.parts import Query
from unspoken.core.mechanisms.recorded import Contracted, Recorded
from unspoken.core.numerics.arrays import CELLS, Array, Mask
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.ring import RANGE
from unspoken.core.numerics.rounding import UNIT, Rounding
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.noise import Bins, Noise, rounded, through
from unspoken.core.types.sums import Sums, answers_off, known_terms
from unspoken.core.views import BaseView, FiniteView, NoisyView, Seen

__all__ = ["answer_view", "noisy_view"]


def noisy_view(belief: Belief, seen: Observed, adversary: Adversary) -> BaseView:
    """Exact largest values; means between what nodes and what cells tell (types/noise.py).

    Where all noise is on whole numbers the nodes are the answers, and the cloud is listed. Where
    the answers cannot be listed, they are bounded (views/band.py).
    """
    answers = seen.queries
    source = NoisyAnswers.of(belief, seen, adversary)
    try:
        if source.blurred and any(query.noise.whole for query in answers.values()):
            raise NotKnown("noise on whole numbers: these answers are continuous; use Laplace")
        nodes = tuple(
            query.noise.nodes(points)
            for query, points in zip(answers.values(), source.sums.points, strict=True)
        )
        source.check(math.prod(map(len, nodes)))
    except TooLarge:
        if seen.beside_queries:
            raise
        alone = [
            noisy_view(belief, Observed({}, {name: query}, seen.secret), adversary)
            for name, query in answers.items()
            if len(answers) > 1
        ]
        return band_view(source.question, list(answers.values()), alone)
    listed = all(q.noise.lists(at) for q, at in zip(answers.values(), nodes, strict=True))
    if listed and not source.sums.blurred:
        return source.listed(source.nodes(nodes))
    return NoisyView(source, nodes)


def answer_view(
    belief: Belief, seen: Observed, adversary: Adversary, outcome: Mapping[str, Output]
) -> FiniteView:
    """The posterior after these very answers, and the events beside them.

    Events of variables known by name only stay: they say which values of them are possible.
    """
    source = NoisyAnswers.of(belief, seen, adversary, one_answer=True)
    if source.blurred:
        raise NotKnown("outcome: this belief knows how far an answer can move odds, not where")
    at, possible = list[Array](), True
    for (name, query), points in zip(seen.queries.items(), source.sums.points, strict=True):
        answer = _number(name, outcome[name], query) - source.known[name].sum()
        tells = query.noise.at(answer, points)
        at.append(points[-1:] if tells is None else tells)
        possible = possible and tells is not None
    view = source.listed(source.nodes(at))
    view = replace(view, seen={**view.seen, **{name: (outcome[name],) for name in seen.queries}})
    possible = possible and can_happen(belief, seen.channels, source.question)
    return view if possible else view.never()


@dataclass(frozen=True)
class NoisyAnswers:
    """One question about a belief, with the noisy queries whose answers are seen too."""

    question: LocalQuestion
    channels: Mapping[str, Channel]
    answers: Mapping[str, Query]
    known: Mapping[str, Array]  # what of each answer is known, and so no part of the sums
    recorded: Recorded | None = None  # what is seen of records beside, and with it all channels

    @classmethod
    def of(
        cls, belief: Belief, seen: Observed, adversary: Adversary, one_answer: bool = False
    ) -> NoisyAnswers:
        """Outputs of summed variables tell about the rest of a sum.

        What ``one_answer`` says of the rest depends on every value known, and so does what is shown
        of a record; the largest that any can say does not depend on what is only added to all of
        them (`Belief.knowing`).
        """
        answers, recorded, secret = seen.queries, seen.recorded, seen.secret
        fixed = adversary.known_values if one_answer else adversary.known
        channels = {name: each for name, each in seen.channels.items() if name not in fixed}
        for name in answers:
            if name in belief.domain.names:
                raise InputError(f'belief: call "{name}" otherwise; noisy answers are called that')
        summed = {name for query in answers.values() for name, w in query.weights.items() if w}
        about = dict.fromkeys([*adversary.targets, *adversary.known, *summed])
        telling = belief.relevant(tuple(about), tuple(channels))
        beside = {name: channels[name] for name in telling}
        if (one_answer or recorded) and not adversary.known_values:
            question = LocalQuestion(belief, beside, adversary, secret, adversary.known)
        else:
            question = LocalQuestion.of(belief, beside, adversary, secret)
        known = {
            name: known_terms(belief.domain, query.weights, adversary.known_values)
            for name, query in answers.items()
        }
        if recorded and not recorded.words:
            recorded = recorded.without(adversary.known)
        return cls(question, question.ordered(telling), answers, known, recorded)

    @cached_property
    def sums(self) -> Sums:
        """The law of the noise-free answers beside the kept variables and the local outputs'."""
        domain = self.question.belief.domain
        weights = [
            {name: w for name, w in query.weights.items() if name in domain.names}
            for query in self.answers.values()
        ]
        return self.question.belief.sums([*self.question.keep, *self._summed], weights)

    @property
    def blurred(self) -> bool:
        return self.sums.blurred

    @property
    def noises(self) -> tuple[Noise, ...]:
        return tuple(query.noise for query in self.answers.values())

    def nodes(self, nodes: Sequence[Array]) -> tuple[Bins, ...]:
        return tuple(noise.at_least(at) for at, noise in zip(nodes, self.noises, strict=True))

    def cells(self, nodes: Sequence[Array]) -> tuple[Bins, ...]:
        return tuple(noise.at_most(at) for at, noise in zip(nodes, self.noises, strict=True))

    def room(self) -> float:
        """How many bins, over all queries, can be listed."""
        return CELLS / self._cells

    def check(self, points: int) -> None:
        """Refuse to list more points of the answers than there is room for."""
        wanted = self._cells * points
        if wanted > CELLS:
            raise TooLarge(
                f"{len(self.answers)} noisy answers: {wanted:,} points to look at, more than "
                f"{CELLS:,}; see fewer at once, or use coarser values"
            )

    def listed(self, bins: Sequence[Bins]) -> FiniteView:
        """The cloud of somebody who sees in which bins the answers lie."""
        self.check(math.prod(map(len, bins)))
        shown: dict[Seen, Sequence[Output]] = {
            name: channel.outputs for name, channel in self.channels.items()
        }
        if self._contracted:
            outcomes = self._contracted.kernel.outcomes
            shown[outcomes.names] = outcomes
        for name, answer_bins in zip(self.answers, bins, strict=True):
            shown[name] = (answer_bins.high + self.known[name].sum()).tolist()
        rounding = self._rounding(bins, shown) + self._behind(shown)
        likelihood = through(self.law, self.sums.points, bins)
        if self._independent:
            likelihood, rounding = likelihood.of_anybody(), rounding.of_common
        seen = self.question.cloud(likelihood, shown, rounding)
        if len(seen.contexts) == 1:
            return seen
        return replace(seen, lifts=replace(seen.lifts, ends=self._own(bins)))

    def _own(self, bins: Sequence[Bins]) -> Mask:
        """Which outcomes are answers that each context can have without noise: [context, outcome].

        All others are mixtures of these (types/noise.py), so that nothing is largest there, and far
        from them, at answers that only other contexts have, logarithms have lost their digits.
        """
        law, queries = self.law, len(bins)
        kept = law.prior.ndim - queries
        masses = law.prior.reshape(
            -1, self.question.secret.classes.shape[1], *law.prior.shape[kept:]
        )
        reachable = np.ones((len(masses), self.law.log_common.size), dtype=bool)
        for c, (points, at) in enumerate(zip(self.sums.points, bins, strict=True)):
            possible = masses.sum(tuple(a for a in range(1, masses.ndim) if a != 2 + c)) > 0
            where = np.minimum(np.searchsorted(points, at.low), len(points) - 1)
            here = possible[:, where] & (points[where] == at.low) & (at.low == at.high)
            reachable = (reachable[:, :, None] & here[:, None, :]).reshape(len(reachable), -1)
        reachable |= ~reachable.any(1, keepdims=True)  # one answer of its own
        possible = masses.sum(tuple(range(1, masses.ndim))) > 0
        return np.asarray(reachable[possible])

    def _rounding(self, bins: Sequence[Bins], shown: Iterable[Seen]) -> Rounding:
        """Beyond the belief and the channels: sums, their answers, and noise.

        A table of logarithms becomes plain numbers beside channels, e^-x being off by u of x.
        """
        question, sums = self.question, self.sums
        moved = sums.off or (0.0,) * len(sums.points)
        off = [
            more
            + answers_off(question.belief.domain, self.answers[name].weights, sums.share)
            + _known_off(self.known[name], float(np.abs(at).max(initial=0.0)))
            for name, at, more in zip(self.answers, sums.points, moved, strict=True)
        ]
        in_sums = Rounding(sums.rounded)
        if (self.channels or self.recorded) and sums.in_logs:
            operations = question.belief.rounding(question.belief.domain.names).on_logs
            in_sums = in_sums + Rounding.of_numbers(RANGE * (operations + sums.rounded))
        beside = self._behind(shown) + in_sums if self.channels or self.recorded else None
        return in_sums + rounded(sums.points, bins, off, beside)

    def _behind(self, shown: Iterable[Seen]) -> Rounding:
        """What is behind the belief's numbers contracted with what is seen beside the answers."""
        if self._contracted:
            return self.question.belief.rounding(self._names) + self._contracted.rounding
        return self.question.rounding(shown)

    @cached_property
    def law(self) -> Likelihood:
        """P(kept, answers, local outputs), before any noise."""
        if not self.channels and not self.recorded:
            return self.sums.bare()
        if self._contracted:
            return self._contracted.likelihood
        return self._beside_channels(self._table)

    @property
    def _independent(self) -> bool:
        """Whether the answers, which are all that is seen, say nothing of what is kept."""
        if self.channels or self.recorded or self.blurred:
            return False
        belief, queries = self.question.belief, [query.weights for query in self.answers.values()]
        added = {name for weights in queries for name, weight in weights.items() if weight}
        inside = tuple(name for name in belief.domain.names if name in added)
        return not belief.relevant(self.question.keep, inside)

    @cached_property
    def _contracted(self) -> Contracted | None:
        """With what is seen of records: of the kept variables and the answers."""
        if self.recorded is None:
            return None
        keep = (*self.question.keep, *[None] * len(self.answers))
        fixed = self.question.adversary.known_values
        return Contracted(self.recorded, self._table, (*keep, *self._summed), len(keep), fixed)

    @property
    def _table(self) -> Array:
        """P(kept, answers, the variables whose outputs are seen beside them)."""
        kept, summed = len(self.question.keep), len(self._summed)
        table = np.exp(self.sums.table) if self.sums.in_logs else self.sums.table
        if self.sums.in_logs and (table[self.sums.table > -np.inf] == 0).any():
            raise TooLarge("noisy answers beside released values: probabilities below 1e-308")
        last = range(table.ndim - summed, table.ndim)
        return np.moveaxis(table, range(kept, kept + summed), last)

    def _beside_channels(self, table: Array) -> Likelihood:
        kept = len(self.question.keep)
        axes = {
            self.question.keep.index(name): channel
            for name, channel in self.channels.items()
            if name in self.question.keep
        }
        return contract(
            table, kept + len(self.answers), axes, [self.channels[name] for name in self._summed]
        )

    @property
    def _cells(self) -> int:
        """The numbers that each point of the answers takes: contexts, targets, local outputs. Known
        before they are made, but beside records.
        """
        if self._contracted:
            return self.law.excess.size // math.prod(map(len, self.sums.points))
        kept = self.sums.table.shape[: len(self.question.keep)]
        return math.prod([*kept, *(len(channel.outputs) for channel in self.channels.values())])

    @property
    def _summed(self) -> list[str]:
        names = [*self.channels]
        if self.recorded:
            fixed = self.question.adversary.known_values
            names = [name for name in self.recorded.names if name not in fixed]
        return [name for name in names if name not in self.question.keep]

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self.question.keep, *self._summed)


def _known_off(terms: Array, answers: float) -> float:
    """What is known is added up, and taken off an answer that was seen."""
    size = float(np.abs(terms).sum())
    return (2.0 + terms.size) * UNIT * (size + answers) if terms.size else 0.0


def _number(name: str, seen: Output, query: Query) -> float:
    answer = number(seen)
    if not math.isfinite(answer) or (query.noise.whole and answer != int(answer)):
        kind = "whole number" if query.noise.whole else "number"
        raise InputError(f'outcome: "{name}" is {quoted(seen)}; a {kind} is expected')
    return answer
