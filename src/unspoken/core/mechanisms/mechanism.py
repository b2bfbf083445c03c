"""What every mechanism answers: a new one says what it shows (`parts`), the rest is derived."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.errors import InputError
from unspoken.core.mechanisms.arguments import Argument
from unspoken.core.mechanisms.each import points_of_each
from unspoken.core.mechanisms.events import check_words, likelihoods
from unspoken.core.mechanisms.local import event_view, local_view
from unspoken.core.mechanisms.noisy import answer_view, noisy_view
from unspoken.core.mechanisms.observed import Observed
from unspoken.core.mechanisms.parts import ANSWER, Parts
from unspoken.core.mechanisms.record_chain import RecordChain
from unspoken.core.mechanisms.record_shares import RecordShares
from unspoken.core.mechanisms.record_toss import both
from unspoken.core.mechanisms.recorded import Recorded, recorded_view
from unspoken.core.numerics.arrays import Codes, Mask
from unspoken.core.numerics.coin_thresholds import CoinSource
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.secret import Secret
from unspoken.core.types.sums import term
from unspoken.core.views import FiniteView, View

__all__ = ["Mechanism", "RecordCoin"]


class Mechanism(ABC):
    """A frozen description of P(Y|X): its fields are its parameters, and what a ledger stores.

    Mechanisms compare, copy and pickle. ``kind`` is the word for this one in files, ``arguments``
    says of each argument of its constructor what is written there (arguments.py).
    """

    kind: ClassVar[str] = ""
    arguments: ClassVar[Mapping[str, Argument]]

    @abstractmethod
    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        """What it shows this adversary; complains about names the domain does not have."""

    def parts_of_all(self, domain: Domain) -> Parts:
        """The same to who sees all of it; kept, for the domain that was asked about last."""
        kept: tuple[Domain, Parts] | None = self.__dict__.get("_parts_of_all")
        if kept is None or kept[0] is not domain:
            kept = domain, self.parts(domain, Adversary(domain.names[0]))
            self.__dict__["_parts_of_all"] = kept  # as a cached property: it is frozen
        return kept[1]

    def exponents(self) -> Mapping[str, float]:
        """The persistent coins it looks at: 1 - e^-exponent is what they let out, by variable."""
        return {}

    def record_coins(self) -> tuple[RecordCoin, ...]:
        """The persistent coins of whole records that it looks at, and what it delivers of each."""
        return ()

    def drawn_anew(self) -> tuple[Mechanism, ...]:
        """What of it looks at no persistent coin, so that every release of it shows more."""
        return (self,)

    def scaled(self, share: float) -> Mechanism:
        """With this share of the exponents of its coins; 0 shows nothing of what they let out."""
        return self

    @property
    def about(self) -> Mapping[str, Collection[Value]]:
        """The values that its noisy numbers tell apart, by variable."""
        return {}

    @property
    def delivered(self) -> tuple[str, ...]:
        """The variables whose values it may show, by persistent coins."""
        return ()

    def showing(self, names: Iterable[str]) -> Mechanism:
        """The same coins, by which only values of these are delivered."""
        return self

    def beside_earlier(self) -> Mechanism:
        """With all that it extends: who is given it has seen that before."""
        return self

    def shown(self, belief: Belief) -> Mapping[str, float]:
        """How often a value that may be shown is, by variable; of what lets out none, nothing."""
        return {}

    def shown_given(self, belief: Belief) -> Mapping[str, Mapping[Value, float]]:
        """The same of every value, where it is not the same of all."""
        return {}

    def shown_least(
        self, belief: Belief, unexpected: bool = False
    ) -> Mapping[str, Mapping[Value, float]]:
        """Where records show a value more or less often: the least of any record with it; or of
        those that are ``unexpected``, which the belief has at 0, and its shares leave out.
        """
        return {}

    def depends(self, names: Sequence[str]) -> tuple[str, ...]:
        """The variables on which it depends what is shown of these."""
        return tuple(names)

    def let_out(
        self, domain: Domain, codes: Mapping[str, Codes], coins: CoinSource
    ) -> Mapping[str, Mask]:
        """Which rows' persistent coins let out their value, by variable.

        ``codes``: where the values of the rows are in the domain; -1: nowhere.
        """
        return {}

    def hides(self, name: str) -> tuple[Value, ...]:
        """Values of one variable that it is known never to show."""
        return ()

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        """The values of one variable that are never shown; None where nothing is said of it."""
        return None

    def describe(self) -> dict[str, Any]:
        """It as plain data, for JSON; `from_description` makes it of that again."""
        if not self.kind:
            raise InputError(f"mechanism: {type(self).__name__} has no word in files")
        fields = ((name, getattr(self, name)) for name in self.arguments)
        given = {name: value for name, value in fields if value is not None}
        written = {n: self.arguments[n].written(x, f"{self.kind}.{n}") for n, x in given.items()}
        return {"kind": self.kind, **written}

    @cached_property
    def described(self) -> Mapping[str, Any]:
        """What `describe` gives, made once: for whoever only reads it."""
        return self.describe()

    @cached_property
    def written(self) -> str:
        """The same as JSON, with sorted keys: many events have it."""
        return json.dumps(self.described, sort_keys=True, allow_nan=False)

    @classmethod
    def made(
        cls,
        given: Mapping[str, Any],
        where: str,
        part: Callable[[Mapping[str, Any], str], Mechanism],
    ) -> Mechanism:
        """From the plain data of its arguments; ``part`` makes a mechanism that is one of them."""
        return cls(
            **{n: cls.arguments[n].held(value, f"{where}.{n}") for n, value in given.items()}
        )

    def view(
        self, belief: Belief, adversary: Adversary, outcome: Mapping[str, Output] | None = None
    ) -> View:
        """What the adversary may come to believe; with ``outcome``, after that one event only.

        A belief answers with its cloud, a set of beliefs for all its members.
        """
        return belief.viewed(self, adversary, outcome)

    def cloud(
        self, belief: Belief, adversary: Adversary, outcome: Mapping[str, Output] | None = None
    ) -> View:
        """The adversary's cloud, of one belief."""
        seen = self.observed(belief.domain, adversary, outcome)
        if seen.queries:
            if outcome is None:
                return noisy_view(belief, seen, adversary)
            return answer_view(belief, seen, adversary, outcome)
        if seen.recorded is not None:
            return recorded_view(belief, seen.recorded, adversary, seen.secret)
        cloud = local_view if outcome is None else event_view
        return cloud(belief, seen.channels, adversary, seen.secret)

    def observed(
        self, domain: Domain, adversary: Adversary, outcome: Mapping[str, Output] | None = None
    ) -> Observed:
        """What reaches this adversary; with ``outcome`` only that, each channel its likelihood."""
        parts = self.parts(domain, adversary)
        secret = self._secret(domain, adversary)
        channels, queries = parts.by_name(), parts.answers()
        noises = [noise.name for noise in parts.noises]
        _check(domain, adversary, [*queries, *noises])
        channels = {name: channels[name] for name in adversary.seen_among(channels)}
        if adversary.sees is None or ANSWER not in adversary.sees:  # which means all answers
            queries = {name: queries[name] for name in adversary.seen_among(queries)}
            seen = adversary.seen_among(noises)
            parts = replace(parts, noises=tuple(n for n in parts.noises if n.name in seen))
        coins = parts.of_records
        if outcome is None:
            recorded = Recorded(domain, coins, channels) if coins else None
            return Observed({} if coins else channels, queries, secret, recorded)
        words = {name: outcome[name] for name in outcome if name not in queries}
        check_words(words, [*channels, *(n for coin in coins for n in coin.reads)], queries)
        asked = {name: queries[name] for name in outcome if name in queries}
        coins = tuple(c for c in (coin.seeing([*words]) for coin in coins) if c.reads)
        channels = {name: channels[name] for name in words if name in channels}
        if coins:
            return Observed({}, asked, secret, Recorded(domain, coins, channels, words))
        return Observed(likelihoods(domain, channels, words), asked, secret)

    def sample(
        self, domain: Domain, cells: Codes, rng: np.random.Generator, asks: int = 1
    ) -> dict[str, list[Output]]:
        """Outputs for ``cells`` (a column a variable, as drawn by `Belief.sample`), to simulate."""
        parts = self.parts(domain, Adversary(domain.names[0], asks=asks))
        seen: dict[str, list[Output]] = {
            name: channel.sample(cells[:, domain.axis(name)], rng)
            for name, channel in parts.by_name().items()
        }
        for coin in parts.of_records:
            for name, shown in coin.sample(domain, cells, rng).items():
                beside = seen.get(name)
                seen[name] = shown if beside is None else both(shown, beside)
        for name, query in parts.answers().items():
            terms = [
                term(domain, weight, summed)[cells[:, domain.axis(summed)]]
                for summed, weight in query.weights.items()
                if weight
            ]
            noise = query.noise.sample(rng, len(cells))
            seen[name] = sum(terms, noise).tolist()
        return seen

    def each_at_once(self, belief: Belief) -> int:
        """For so many variables the law of a noisy sum beside each is had at once; 0: for none."""
        parts = self.parts(belief.domain, Adversary(belief.domain.names[0]))
        alone = len(parts.queries) == 1 and not parts.beside_queries
        return belief.each_at_once([parts.queries[0].weights]) if alone else 0

    def points_of_each(self, belief: Belief, names: Sequence[str]) -> Iterator[FiniteView] | None:
        """For every target the view at which sup-measures are largest, if all are quickly had."""
        parts, domain = self.parts(belief.domain, Adversary(names[0])), belief.domain
        if not self.each_at_once(belief):
            return None
        if ANSWER in domain.names or any(self.sensitive_values(domain, name) for name in names):
            return None  # which is refused; or they are asked about secrets of their own
        return points_of_each(belief, names, parts.queries[0])

    def _secret(self, domain: Domain, adversary: Adversary) -> Secret:
        values = adversary.secret
        if values is None and len(adversary.targets) == 1:
            domain.axis(adversary.targets[0], "adversary.target")
            values = self.sensitive_values(domain, adversary.targets[0])
        return Secret.of(domain, adversary.target, values)


class RecordCoin(Mechanism):
    """One that tosses a persistent coin a record, by a table that ``digest`` names.

    ``names``: what a record has, all of which its answer depends on; ``reads``: of which names it
    reaches somebody (None: of all). Two are the same that show the same of whom.
    """

    reads: tuple[str, ...] | None

    @property
    @abstractmethod
    def digest(self) -> str: ...

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def coins(self) -> tuple[str, ...]:
        """The digest of every coin that is tossed for it, those that it extends first."""

    @property
    @abstractmethod
    def chain(self) -> RecordChain:
        """The tables of these."""

    @property
    @abstractmethod
    def sensitive(self) -> Mapping[str, tuple[Value, ...]]:
        """The labels of each of the names that are never shown."""

    @abstractmethod
    def showing(self, names: Iterable[str]) -> Self:
        """The same coin, of which only these names are delivered."""

    @property
    @abstractmethod
    def whole(self) -> Self:
        """The same coin, of which all is delivered."""

    @property
    def delivered(self) -> tuple[str, ...]:
        """The names of which anything reaches somebody."""
        return self.names if self.reads is None else self.reads

    def hides(self, name: str) -> tuple[Value, ...]:
        return self.sensitive.get(name, ())

    def drawn_anew(self) -> tuple[Mechanism, ...]:
        return ()

    def depends(self, names: Sequence[str]) -> tuple[str, ...]:
        return self.names

    def shown(self, belief: Belief) -> dict[str, float]:
        """P(i is shown | x_i may be) of every name delivered."""
        shares = RecordShares.of(self.chain, belief)
        return {name: shares.of_free(name, self.hides(name)) for name in self.delivered}

    def shown_given(self, belief: Belief) -> dict[str, dict[Value, float]]:
        """a_i(v) = P(i is shown | x_i = v) of every name delivered and every label that can be.

        A recipient who counts a shown label v as 1 / a_i(v) cells counts right under this belief.
        """
        shares = RecordShares.of(self.chain, belief)
        return {name: shares.given(name) for name in self.delivered}

    def shown_least(
        self, belief: Belief, unexpected: bool = False
    ) -> dict[str, dict[Value, float]]:
        shares = RecordShares.of(self.chain, belief)
        found = {name: shares.least(name, unexpected) for name in self.delivered}
        return {
            name: {value: share for value, share in least.items() if value not in self.hides(name)}
            for name, least in found.items()
        }

    def beside(self, other: RecordCoin) -> Self:
        """What whoever has both is delivered, of one table."""
        return self.whole.showing({*self.delivered, *other.delivered})

    def record_coins(self) -> tuple[RecordCoin, ...]:
        return (self,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordCoin) and self._what() == other._what()

    def __hash__(self) -> int:
        return hash(self._what())

    def _what(self) -> tuple[object, ...]:
        return self.digest, self.reads


def _check(domain: Domain, adversary: Adversary, answers: Collection[str]) -> None:
    for name in adversary.known:
        domain.axis(name, "adversary.knows")
    everything = (ANSWER,) if answers else ()
    for name in adversary.sees or ():
        if name not in (*answers, *everything):
            domain.axis(name, "adversary.sees")
    for name in adversary.asks if isinstance(adversary.asks, Mapping) else ():
        if name not in everything:  # asking once more takes all of a query's numbers
            domain.axis(name, "adversary.asks")
