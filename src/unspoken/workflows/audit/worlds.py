"""What a scenario is made of: the bound that is claimed, what attackers know, and a way to draw.

Most are a belief, a mechanism and an adversary; the bound is then the one that `leakage` gives, by
the one path of every number. What *really* runs may be another mechanism, which nobody is told of:
that is how faults are planted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.mechanisms import Mechanism
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.questions import leakage
from unspoken.core.types.bound import log_or_inf
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import WITHHELD, Domain, Value
from unspoken.core.types.sums import term
from unspoken.storage.coins import Coins, MasterKey, encode_keys
from unspoken.storage.prf import KEY_BYTES
from unspoken.tables.engines.arrow import array
from unspoken.workflows.audit.attacks import PublicKnowledge, Scorer
from unspoken.workflows.audit.judging import ClaimedBound
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials

__all__ = ["Hypotheses", "World", "in_steps", "modelled"]

CELLS = 1 << 14  # of a belief, up to which Bayes's rule beside a noisy answer goes over all
AT_ONCE = 4_000_000
STEP = 2.0**-16  # of noisy answers
KEY = MasterKey(bytes(range(KEY_BYTES)))  # of coins that are kept, for rows that are drawn


class Draw(Protocol):
    """Draws so many trials."""

    def __call__(self, rng: np.random.Generator, trials: int, /) -> Trials: ...


@dataclass(frozen=True)
class World:
    """A bound, what everybody knows, and ``draw``, which draws so many trials."""

    claim: ClaimedBound
    known: PublicKnowledge
    draw: Draw


def in_steps(answers: Array) -> Array:
    """Answers as releases have them, in steps: of doubles the last digits tell what noise was added
    to (Mironov, 2012), which an attack here found by itself.
    """
    stepped: Array = np.round(answers / STEP) * STEP
    return stepped


@dataclass(frozen=True)
class Hypotheses:
    """Whose secret it is: ``secret`` values against ``others``, by default all others."""

    adversary: Adversary
    secret: tuple[Value, ...]
    others: tuple[Value, ...]

    @property
    def target(self) -> str:
        return self.adversary.targets[0]


def modelled(
    belief: Belief,
    mechanism: Mechanism,
    asked: Hypotheses,
    measure: str,
    epsilon: float = 0.0,
    *,
    really: Mechanism | None = None,
    really_asks: int | None = None,
    kept: bool = False,
) -> World:
    """A world of one belief. ``kept``: values are let out by the very coins that releases toss."""
    options = {"eps": epsilon} if measure == "delta" else {}
    who = asked.adversary
    bound = leakage(belief, mechanism, who, measure, **options)  # type: ignore[arg-type]
    high = bound.high if measure == "delta" else bound.nats
    book = _Book.of(belief.domain, mechanism, who)
    claim = ClaimedBound(measure, high, _prior(belief, asked), epsilon, bound.why)
    runs = mechanism if really is None else really
    draw = _Draw(belief, runs, asked, book, really_asks or int(who.asks_of(asked.target)), kept)
    return World(claim, PublicKnowledge(_bayes(belief, mechanism, asked, book), book.sizes), draw)


def _prior(belief: Belief, asked: Hypotheses) -> float:
    """How likely the secret is among the two cases that are told apart."""
    domain, of = belief.domain, asked.adversary.known_values
    law = (belief.given(of) if of else belief).marginal([asked.target])
    secret, others = (
        math.fsum(law[domain.codes(asked.target, values)].tolist())
        for values in (asked.secret, asked.others)
    )
    return secret / (secret + others)


@dataclass(frozen=True)
class _Book:
    """Which number stands for which output: a label's, or the answer itself (size 0)."""

    names: tuple[str, ...]
    labels: Mapping[str, Mapping[Output, float]]

    @classmethod
    def of(cls, domain: Domain, mechanism: Mechanism, who: Adversary) -> _Book:
        parts = mechanism.parts(domain, who)
        answers = parts.answers()
        shown = dict.fromkeys([*parts.by_name(), *(n for c in parts.of_records for n in c.reads)])
        seen = [*who.seen_among(shown)]
        labels: dict[str, Mapping[Output, float]] = {}
        listed = {name: part.outputs for name, part in parts.by_name().items()}
        listed |= {noise.name: tuple(noise.outputs) for noise in parts.noises}
        for name in seen:
            outputs = listed[name] if name in listed else domain.values_of(name)
            named = [output for output in outputs if output != WITHHELD]
            labels[name] = {WITHHELD: WITHHELD_AS, **{o: float(k) for k, o in enumerate(named)}}
        return cls((*seen, *answers), labels)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(self.labels[name]) if name in self.labels else 0 for name in self.names)

    def numbers(self, seen: Mapping[str, Sequence[Output]]) -> Array:
        """A column for each."""
        return np.stack([self.column(name, seen[name]) for name in self.names], 1)

    def column(self, name: str, outputs: Sequence[Output]) -> Array:
        if name not in self.labels:
            return in_steps(np.asarray(outputs, dtype=np.float64))
        book = self.labels[name]
        return np.array([book.get(output, len(book)) for output in outputs], dtype=np.float64)


@dataclass(frozen=True)
class _Draw:
    """Trials of what really runs, of the two cases that are told apart, given what is known."""

    belief: Belief
    mechanism: Mechanism
    asked: Hypotheses
    book: _Book
    asks: int
    kept: bool

    def __call__(self, rng: np.random.Generator, trials: int) -> Trials:
        domain, target = self.belief.domain, self.asked.target
        cells = self.belief.sample(rng, trials)
        held = np.ones(trials, dtype=bool)
        for name, value in self.asked.adversary.known_values.items():
            held &= cells[:, domain.axis(name)] == domain.code(name, value)
        classes = cells[:, domain.axis(target)]
        secret = np.isin(classes, domain.codes(target, self.asked.secret))
        other = np.isin(classes, domain.codes(target, self.asked.others))
        rows = np.flatnonzero(held & (secret | other))
        seen = (
            self._let_out(cells[rows])
            if self.kept
            else self.mechanism.sample(domain, cells[rows], rng, self.asks)
        )
        return Trials(self.book.numbers(seen), secret[rows])

    def _let_out(self, cells: Codes) -> dict[str, list[Output]]:
        """By the coins of releases, which a key and the numbers of rows decide."""
        domain = self.belief.domain
        keys = encode_keys([array(pa.int64(), np.arange(len(cells)))])
        codes = {name: cells[:, place] for place, name in enumerate(domain.names)}
        shown = self.mechanism.let_out(domain, codes, Coins(KEY, "", keys))
        seen: dict[str, list[Output]] = {}
        for name, mask in shown.items():
            hidden = set(self.mechanism.sensitive_values(domain, name) or ())
            values = domain.values_of(name)
            seen[name] = [
                values[code] if heads and values[code] not in hidden else WITHHELD
                for code, heads in zip(codes[name].tolist(), mask.tolist(), strict=True)
            ]
        return seen


def _bayes(belief: Belief, mechanism: Mechanism, asked: Hypotheses, book: _Book) -> Scorer | None:
    """log P(seen | secret) / P(seen | not), up to a constant."""
    parts = mechanism.parts(belief.domain, asked.adversary)
    if not parts.answers():
        return _by_outcome(belief, mechanism, asked, book)
    small = math.prod(map(len, (belief.domain.values_of(n) for n in belief.domain.names))) <= CELLS
    return _by_cell(belief, mechanism, asked, book) if small and not parts.beside_queries else None


def _by_outcome(belief: Belief, mechanism: Mechanism, asked: Hypotheses, book: _Book) -> Scorer:
    """Of answers that can be listed: the posterior of each."""
    who = replace(asked.adversary, secret=belief.domain.values_of(asked.target))
    score = {}
    for point in mechanism.view(belief, who).outcomes():
        after = [
            math.fsum(point.posterior.get(value, 0.0) for value in values)
            for values in (asked.secret, asked.others)
        ]
        row = book.numbers({name: [point.outcome[name]] for name in book.names})
        score[row.tobytes()] = log_or_inf(after[0]) - log_or_inf(after[1]) if any(after) else 0.0

    def scored(seen: Array) -> Array:
        found, back = np.unique(seen, axis=0, return_inverse=True)
        return np.array([score.get(row.tobytes(), 0.0) for row in found])[back.ravel()]

    return scored


def _by_cell(belief: Belief, mechanism: Mechanism, asked: Hypotheses, book: _Book) -> Scorer:
    """Of noisy answers: sum over every cell of the belief, P(cell) times the noise's density."""
    domain = belief.domain
    table = belief.marginal(domain.names).copy()
    for name, value in asked.adversary.known_values.items():
        other = np.arange(len(domain.values_of(name))) != domain.code(name, value)
        np.moveaxis(table, domain.axis(name), 0)[other] = 0.0
    cells = np.argwhere(table > 0)
    mass, codes = table[table > 0], cells[:, domain.axis(asked.target)]
    queries = mechanism.parts(domain, asked.adversary).answers()
    sums = {
        name: sum(
            (
                term(domain, weight, on)[cells[:, domain.axis(on)]]
                for on, weight in query.weights.items()
                if weight
            ),
            np.zeros(len(cells)),
        )
        for name, query in queries.items()
    }
    cases = [
        np.isin(codes, domain.codes(asked.target, values))
        for values in (asked.secret, asked.others)
    ]

    def weighed(rows: Array) -> Array:
        log = np.zeros((len(rows), len(cells)))
        with np.errstate(divide="ignore"):
            for place, name in enumerate(book.names):
                log += np.log(queries[name].noise.kernel(rows[:, place, None] - sums[name]))
            weight = np.exp(log - log.max(1, keepdims=True)) * mass
            secret, others = (np.log(weight[:, case].sum(1)) for case in cases)
        return np.asarray(secret - others)

    def scored(seen: Array) -> Array:
        step = max(1, AT_ONCE // len(cells))
        return np.concatenate(
            [weighed(seen[at : at + step]) for at in range(0, len(seen), step)] or [np.zeros(0)]
        )

    return scored
