"""Random worlds, what is shown of their records, and what that tells by plain enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.effort import EFFORT
from unspoken import WITHHELD, Adversary
from unspoken.core.mechanisms import Mechanism, Suppression
from unspoken.core.mechanisms.record_table import WHOLE

Record = tuple[int, ...]
Law = Mapping[tuple[Any, ...], Fraction]  # of what is seen of each name
Shows = dict[Record, dict[tuple[str, ...], int]]
KINDS = ("dense", "sparse", "xor", "copies", "rare")


@dataclass(frozen=True)
class World:
    """Counts of records, with what is shown of them and what is sensitive."""

    counts: Any
    shows: Shows
    hidden: Mapping[str, list[int]]

    @property
    def names(self) -> list[str]:
        return [f"x{i}" for i in range(self.counts.ndim)]

    @property
    def belief(self) -> unspoken.Joint:
        return unspoken.Joint(self.counts, names=self.names)

    @property
    def coin(self) -> Suppression:
        return self.coin_of(self.shows)

    def coin_of(self, shows: Shows) -> Suppression:
        return Suppression(shows, self.names, [range(d) for d in self.counts.shape], self.hidden)

    def law(self, shows: Shows, sees: Sequence[str]) -> Callable[[Record], Law]:
        """What a reader of these names sees of each record."""

        def of(record: Record) -> Law:
            own = shows.get(record, {})
            law: dict[tuple[Any, ...], Fraction] = {}
            for pattern, weight in [*own.items(), ((), WHOLE - sum(own.values()))]:
                label = dict(zip(self.names, record, strict=True))
                y = tuple(label[name] if name in pattern else WITHHELD for name in sees)
                law[y] = law.get(y, Fraction(0)) + Fraction(weight, WHOLE)
            return law

        return of


def counts(rng: Any, kind: str, sizes: Sequence[int]) -> Any:
    """Joint tables of every sort; none is empty."""
    table = rng.integers(1, 20, sizes)
    if kind == "sparse":
        table = table * (rng.random(sizes) < 0.4)
    if kind == "rare":
        table = np.where(rng.random(sizes) < 0.2, 1, table * 10**6)
    if kind == "xor":
        cells = np.indices(sizes)
        table = table * (cells[-1] == cells[:-1].sum(0) % sizes[-1])
    if kind == "copies":
        table = table * (np.ptp(np.indices(sizes), axis=0) == 0)
    table[(0,) * len(sizes)] += not table.any()
    return table


def shown(rng: Any, sizes: Sequence[int], hidden: Mapping[str, list[int]]) -> Shows:
    """Some patterns of most records; some have weight 0, some records always show something."""
    table: Shows = {}
    for record in itertools.product(*map(range, sizes)):
        free = [name for name, v in zip(hidden, record, strict=True) if v not in hidden[name]]
        patterns = [s for r in range(len(free)) for s in itertools.combinations(free, r + 1)]
        rng.shuffle(patterns)
        left, own = WHOLE, dict[tuple[str, ...], int]()
        for pattern in patterns[: int(rng.integers(0, 4))]:
            weight = int(rng.integers(0, left + 1)) if rng.random() < 0.9 else left
            own[tuple(pattern)], left = weight, left - weight
        if rng.random() < 0.8:
            table[record] = own
    return table


def world(rng: Any, kind: str) -> World:
    sizes = rng.integers(2, 4, int(rng.integers(2, 5))).tolist()
    hidden = {f"x{i}": [0] if rng.random() < 0.6 else [] for i in range(len(sizes))}
    return World(counts(rng, kind, sizes), shown(rng, sizes, hidden), hidden)


def both(first: Callable[[Record], Law], second: Callable[[Record], Law]) -> Any:
    """Two independent answers about each record, side by side."""

    def of(record: Record) -> Law:
        law: dict[tuple[Any, ...], Fraction] = {}
        for (y, p), (z, q) in itertools.product(first(record).items(), second(record).items()):
            law[y + z] = law.get(y + z, Fraction(0)) + p * q
        return law

    return of


Masses = dict[tuple[Any, ...], tuple[Fraction, Fraction]]


def masses(world: World, law: Callable[[Record], Law], who: Adversary) -> Masses:
    """P(known, y, secret) and P(known, y, not secret), by (what is known, y)."""
    at = [world.names.index(name) for name in who.known]
    targets = [world.names.index(name) for name in who.targets]
    found: Masses = {}
    for cell in np.ndindex(*world.counts.shape):
        if not world.counts[cell]:
            continue
        known, p = tuple(cell[i] for i in at), Fraction(int(world.counts[cell]))
        value: Any = tuple(cell[i] for i in targets)
        value = value if len(targets) > 1 else value[0]
        secret = value in (who.secret or ())
        for y, q in law(cell).items():
            if q:
                a, b = found.get((known, y), (Fraction(0), Fraction(0)))
                found[known, y] = (a + p * q, b) if secret else (a, b + p * q)
    return found


def worst_odds(found: Masses) -> float:
    """The largest factor on the odds of the secret; 1 where it is certain beforehand."""
    prior: dict[Any, tuple[Fraction, Fraction]] = {}
    for (known, _), (a, b) in found.items():
        c, d = prior.get(known, (Fraction(0), Fraction(0)))
        prior[known] = (a + c, b + d)
    return max(factor(pair, prior[known]) for (known, _), pair in found.items())


def factor(pair: tuple[Fraction, Fraction], prior: tuple[Fraction, Fraction]) -> float:
    if not all(prior):
        return 1.0
    return float(pair[0] * prior[1] / (pair[1] * prior[0])) if pair[1] else math.inf


def asked(rng: Any, world: World) -> Adversary:
    """Anybody: a target or two, what they know, what they see."""
    names = [str(name) for name in rng.permutation(world.names)]
    several = len(names) > 2 and rng.random() < 0.25
    targets, rest = names[: 1 + several], names[1 + several :]
    knows = [name for name in rest if rng.random() < 0.3]
    sees = [name for name in names if rng.random() < 0.7] or names[:1]
    secret: list[Any] = [(0, 0)] if several else [0]
    return Adversary(targets if several else targets[0], secret, knows=knows, sees=sees)


def compare(world: World, mechanism: Mechanism, who: Adversary, law: Callable[[Record], Law],
            columns: Sequence[str]) -> None:  # fmt: skip
    """Every point of the cloud, and the worst odds; ``columns``: of what the law's answers are."""
    found = masses(world, law, who)
    totals: dict[Any, Fraction] = {}
    for (known, _), pair in found.items():
        totals[known] = totals.get(known, Fraction(0)) + sum(pair)
    cloud = unspoken.view(world.belief, mechanism, who)
    points = cloud.outcomes()
    assert len(points) == len(found)
    for point in points:
        known = tuple(point.known[name] for name in who.known)
        a, b = found[known, flat(point.outcome, columns)]
        assert point.mass == pytest.approx(float((a + b) / totals[known]), rel=1e-13)
        hidden = [point.posterior[value] for value in who.secret or ()]
        assert sum(hidden) == pytest.approx(float(a / (a + b)), rel=1e-12, abs=1e-300)
    same(unspoken.leakage(world.belief, mechanism, who, "odds"), found)


def same(bound: unspoken.Bound, found: Masses) -> None:
    expected = worst_odds(found)
    assert bound.low <= expected * (1 + 1e-14)
    assert bound.high >= expected * (1 - 1e-14)
    assert bound.high <= expected * (1 + 1e-10)


def flat(outcome: Mapping[str, Any], columns: Sequence[str]) -> tuple[Any, ...]:
    """Outputs in the order of the columns; what is seen of one name several times is a tuple."""
    left = {name: list(y) if isinstance(y, tuple) else [y] for name, y in outcome.items()}
    return tuple(left[name].pop(0) for name in columns)


def worlds(seed: int, rounds: int = 6) -> Iterator[tuple[Any, World, Adversary]]:
    for number, kind in enumerate(KINDS):
        for i in range(rounds * EFFORT):
            rng = np.random.default_rng([seed, number, i])
            drawn = world(rng, kind)
            yield rng, drawn, asked(rng, drawn)
