"""The oracle of noisy answers: what an adversary sees, at 50 digits, with no code of the library.

    counts --every cell, coin, symbol--> law {known: {seen: {noise-free answers: class weights}}}
    law --Laplace mixtures at many answers--> points, for the largest values
    law --every answer, in stretches--> pieces, for the means

A piece is what some answers have in common: its class weights alone (both tails of a mixture, a
whole number, a value seen), or a stretch along which they are R e^-t + L e^(t - length).
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

DIGITS = 50
WITHHELD, RELEASED, NOT_SENSITIVE = "-", "+", "not sensitive"
NODES, SHARES = np.polynomial.legendre.leggauss(16)

Number = Any  # of mpmath
Vector = list[Number]  # one number for each class
Table = dict[tuple[Fraction, ...], Vector]  # noise-free answers -> class weights


@dataclass(frozen=True)
class Answer:
    """sum_i w_i x_i + f_i(x_i) with Laplace noise of a scale, or geometric noise of an alpha."""

    weights: Mapping[str, float]
    scale: float | None = None
    alpha: float | None = None
    terms: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)

    def of(self, row: Mapping[str, Any]) -> Fraction:
        parts = [Fraction(w) * Fraction(row[name]) for name, w in self.weights.items() if w]
        parts += [Fraction(of.get(row[name], 0)) for name, of in self.terms.items()]
        return sum(parts, Fraction(0))


@dataclass(frozen=True)
class Release:
    """One-sided, with the persistent coin of the cell: a uniform draw below 1 - e^-epsilon."""

    name: str
    epsilon: float
    sensitive: tuple[Any, ...]
    shows: str = "value"

    def symbol(self, value: Any, chance: Number, draw: Number) -> Any:
        if value in self.sensitive or not draw < chance:
            return WITHHELD
        return value if self.shows == "value" else RELEASED


@dataclass(frozen=True)
class Local:
    """Symbols drawn afresh, given the value of one variable."""

    name: str
    law: Mapping[Any, Mapping[Any, Number]]


def response(name: str, values: Sequence[Any], epsilon: float) -> Local:
    """k-ary randomised response."""
    with mpmath.workdps(DIGITS):
        true = mpmath.exp(epsilon) if epsilon < mpmath.inf else mpmath.inf
        other = 1 / (true + len(values) - 1)
        own = 1 - (len(values) - 1) * other
    return Local(name, {v: {w: own if v == w else other for w in values} for v in values})


@dataclass(frozen=True)
class World:
    names: tuple[str, ...]
    values: Mapping[str, Sequence[Any]]
    counts: Mapping[tuple[Any, ...], int]
    releases: tuple[Release, ...] = ()
    locals: tuple[Local, ...] = ()
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class Look:
    targets: tuple[str, ...]
    secret: tuple[Hashable, ...] | None = None
    knows: tuple[str, ...] | Mapping[str, Any] = ()


@dataclass(frozen=True)
class Stretch:
    """Weights R e^-t + L e^(t - length) for t from 0 to length, times dt / 2."""

    right: Vector
    left: Vector
    length: Number


Piece = Vector | Stretch


@dataclass(frozen=True)
class Context:
    """One value of what is known: the prior weights of the possible classes, and what is seen."""

    prior: Vector
    secret: tuple[bool, ...]
    answers: tuple[Answer, ...]
    tables: list[Table]

    def points(self) -> Iterator[Vector]:
        """Class weights at the noise-free answers, between them, and beyond them."""
        for table in self.tables:
            for place in itertools.product(*map(self._places, *[self.answers], _columns(table))):
                point = self.at(place, table)
                if any(point):
                    yield point

    def at(self, place: Sequence[Fraction], table: Table) -> Vector:
        """Class weights at these answers, up to a common factor."""
        factors = {s: _likelihood(self.answers, place, s) for s in table}
        return [
            mpmath.fsum(w[c] * factors[s] for s, w in table.items()) for c in range(len(self.prior))
        ]

    @staticmethod
    def _places(answer: Answer, own: list[Fraction]) -> list[Fraction]:
        if answer.alpha is not None:
            return [Fraction(r) for r in range(int(own[0]) - 1, int(own[-1]) + 2)]
        between = [(a + b) / 2 for a, b in itertools.pairwise(own)][:: 1 + len(own) // 4]
        far = Fraction(answer.scale or 1)
        return [own[0] - far, *own, *between, own[-1] + far]

    def pieces(self) -> Iterator[Piece]:
        for table in self.tables:
            yield from _pieces(self.answers, table)


def _columns(table: Iterable[tuple[Fraction, ...]]) -> list[list[Fraction]]:
    return [sorted(set(column)) for column in zip(*table, strict=True)]


def _number(exact: Fraction) -> Number:
    return mpmath.mpf(exact.numerator) / exact.denominator


def _likelihood(answers: Sequence[Answer], place: Sequence[Fraction], s: Sequence[Fraction]) -> Any:
    product = mpmath.mpf(1)
    for answer, r, own in zip(answers, place, s, strict=True):
        product *= _kernel(answer, abs(r - own))
    return product


def _kernel(answer: Answer, distance: Fraction) -> Number:
    if answer.alpha is not None:
        return mpmath.mpf(answer.alpha) ** int(distance)
    return mpmath.exp(-_number(distance) / mpmath.mpf(answer.scale))


def _pieces(answers: Sequence[Answer], table: Table) -> Iterator[Piece]:
    """Every answer listed: whole numbers one by one, one Laplace answer exactly, more by Gauss."""
    if not answers:
        yield [mpmath.fsum(own) for own in zip(*table.values(), strict=True)]
        return
    first, rest = answers[0], answers[1:]
    if first.alpha is None and rest and rest[-1].alpha is not None:  # the whole numbers first
        swapped = {(s[-1], *s[:-1]): w for s, w in table.items()}
        yield from _pieces((answers[-1], *answers[:-1]), swapped)
    elif first.alpha is None and not rest:
        yield from _stretches(first, table)
    else:
        for place, share in _listed(first, _columns(table)[0]):
            smaller: Table = defaultdict(lambda: [mpmath.mpf(0)] * len(next(iter(table.values()))))
            for s, weights in table.items():
                factor = share * _kernel(first, abs(place - s[0]))
                smaller[s[1:]] = [
                    a + b * factor for a, b in zip(smaller[s[1:]], weights, strict=True)
                ]
            yield from _pieces(rest, smaller)


def _listed(answer: Answer, own: list[Fraction]) -> Iterator[tuple[Fraction, Number]]:
    """(answer, mass factor): all whole numbers and both tails, or nodes of Gauss and both tails."""
    if answer.alpha is not None:
        alpha = mpmath.mpf(answer.alpha)
        peak = (1 - alpha) / (1 + alpha)
        yield from ((Fraction(r), peak) for r in range(int(own[0]), int(own[-1]) + 1))
        yield from ((end, peak * alpha / (1 - alpha)) for end in (own[0], own[-1]))
        return
    scale = Fraction(answer.scale or 0)
    yield from ((end, mpmath.mpf(1) / 2) for end in (own[0], own[-1]))
    for low, high in itertools.pairwise(own):
        parts = int((high - low) / scale) + 1
        for part, (node, share) in itertools.product(range(parts), zip(NODES, SHARES, strict=True)):
            place = low + (high - low) * (part + (1 + Fraction(node)) / 2) / parts
            yield place, _number((high - low) / scale / parts) * mpmath.mpf(share) / 4


def _stretches(answer: Answer, table: Table) -> Iterator[Piece]:
    """Both tails (one posterior each), and what lies between two neighbouring answers."""
    own = [s for (s,) in sorted(table)]
    scale = Fraction(answer.scale or 0)
    lengths = [_number((b - a) / scale) for a, b in itertools.pairwise(own)]
    size = range(len(table[own[0],]))

    def arriving(order: list[Fraction], steps: list[Number]) -> list[Vector]:
        """What all answers so far send to each: by the definition of the mixture, step by step."""
        running = list(table[order[0],])
        found = [running]
        for at, step in zip(order[1:], steps, strict=True):
            fade = mpmath.exp(-step)
            running = [running[c] * fade + table[at,][c] for c in size]
            found.append(running)
        return found

    right = arriving(own, lengths)
    left = arriving(own[::-1], lengths[::-1])[::-1]
    yield [w / 2 for w in left[0]]
    yield [w / 2 for w in right[-1]]
    for i, length in enumerate(lengths):
        yield Stretch(right[i], left[i + 1], length)


def contexts(world: World, look: Look) -> list[Context]:
    """What each adversary with this knowledge sees."""
    labels, secret = _classes(world, look)
    tables: dict[Any, dict[Any, Table]] = defaultdict(lambda: defaultdict(dict))
    for cell, count in world.counts.items():
        row = dict(zip(world.names, cell, strict=True))
        known = tuple(row[name] for name in look.knows)
        if not count or (isinstance(look.knows, Mapping) and known != tuple(look.knows.values())):
            continue
        sums = tuple(answer.of(row) for answer in world.answers)
        c = labels(tuple(row[name] for name in look.targets))
        for seen, chance in _seen(world, row):
            table = tables[known][seen]
            table.setdefault(sums, [mpmath.mpf(0)] * len(secret))[c] += count * chance
    return [_context(list(own.values()), secret, world.answers) for own in tables.values()]


def _context(tables: list[Table], secret: tuple[bool, ...], answers: Any) -> Context:
    """Normalised, without the classes that cannot be."""
    prior = [mpmath.fsum(w[c] for t in tables for w in t.values()) for c in range(len(secret))]
    total, kept = mpmath.fsum(prior), [c for c, p in enumerate(prior) if p]
    shrunk = [{s: [w[c] / total for c in kept] for s, w in t.items()} for t in tables]
    return Context(
        [prior[c] / total for c in kept], tuple(secret[c] for c in kept), answers, shrunk
    )


def _classes(world: World, look: Look) -> tuple[Callable[[Any], int], tuple[bool, ...]]:
    values = list(itertools.product(*(world.values[name] for name in look.targets)))
    wanted = values if look.secret is None else list(look.secret)
    if look.secret is not None and len(look.targets) == 1:
        wanted = [(value,) for value in look.secret]
    everything = len(wanted) == len(values)
    secret = (True,) * len(wanted) if everything else (*(True,) * len(wanted), False)
    return (lambda value: wanted.index(value) if value in wanted else len(wanted)), secret


def _seen(world: World, row: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], Number]]:
    """Everything seen of one cell but the noisy answers, with its probability."""
    names = dict.fromkeys(release.name for release in world.releases)
    parts = [_drawn([r for r in world.releases if r.name == name], row[name]) for name in names]
    parts += [list(local.law[row[local.name]].items()) for local in world.locals]
    for combination in itertools.product(*parts):
        chance = mpmath.fprod(share for _, share in combination)
        if chance:
            yield tuple(symbol for symbol, _ in combination), chance


def _drawn(releases: list[Release], value: Any) -> list[tuple[Any, Number]]:
    """One uniform draw for all releases of a cell: between two thresholds nothing changes."""
    chances = [-mpmath.expm1(-mpmath.mpf(release.epsilon)) for release in releases]
    edges = sorted({mpmath.mpf(0), *chances, mpmath.mpf(1)})
    return [
        (tuple(r.symbol(value, p, low) for r, p in zip(releases, chances, strict=True)), high - low)
        for low, high in itertools.pairwise(edges)
    ]
