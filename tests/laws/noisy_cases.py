"""Random questions about noisy answers and local channels, for the oracle and the library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import mpmath
import numpy as np

import unspoken
from tests import noisy_measures
from tests.laws.cases import FAMILIES, LETTERS
from tests.noisy_oracle import Answer, Local, Look, Release, World, response
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import (
    Finite,
    Geometric,
    Laplace,
    Mechanism,
    OneSided,
    RandomizedResponse,
    Together,
)

Rng = np.random.Generator
DIVERGENCES = ("mutual-information", "relative-entropy")


@dataclass(frozen=True)
class Drawn:
    """A mechanism, and what the oracle makes of it."""

    mechanism: Mechanism
    releases: tuple[Release, ...] = ()
    locals: tuple[Local, ...] = ()
    answers: tuple[Answer, ...] = ()

    def beside(self, other: Drawn) -> Drawn:
        return Drawn(
            Together([self.mechanism, other.mechanism]),
            self.releases + other.releases,
            self.locals + other.locals,
            self.answers + other.answers,
        )


@dataclass(frozen=True)
class Question:
    """One question: ``world`` and ``look`` for the oracle, the rest for the library."""

    world: World
    look: Look
    belief: unspoken.Joint
    mechanism: Mechanism
    adversary: unspoken.Adversary
    options: Mapping[str, float] = field(default_factory=dict)

    def bound(self, measure: Any) -> unspoken.Bound:
        """As computed: two ways of computing agree in all digits (test_last_digits: the rest)."""
        options = self.options if measure == "delta" else {}
        cloud: Any = unspoken.view(self.belief, self.mechanism, self.adversary)
        return MEASURES[measure].of(cloud, **options)

    def truths(self, *names: str) -> dict[str, float]:
        return noisy_measures.measures(names, self.world, self.look, **self.options)

    def rounding(self, measure: Any, truth: float) -> float:
        """By how much the rounding of the belief's own numbers may move a leakage next to 0."""
        spans = [min(1.0, span(answer, self.world)) for answer in self.world.answers]
        local = bool(self.world.releases or self.world.locals)
        size = 1.0 if local else min(1.0, sum(spans))
        error = 4e-15 * size
        return error * (math.sqrt(truth) + error) if measure in DIVERGENCES else error


def span(answer: Answer, world: World) -> float:
    """Over how many scales the noise-free answers spread."""
    rate = 1 / answer.scale if answer.scale is not None else -math.log(answer.alpha or 0)
    widths = [abs(w) * np.ptp(np.array(world.values[n], float)) for n, w in answer.weights.items()]
    widths += [np.ptp([of.get(v, 0) for v in world.values[n]]) for n, of in answer.terms.items()]
    return float(rate * sum(widths))


def laplace(rng: Rng, world: World, coordinates: int = 1, scale: float | None = None) -> Drawn:
    """Weights of any sign on some of the variables; the scale is 0.05 to 1e6 times the range."""
    chosen = [n for n in world.names if rng.random() < 0.7] or [str(rng.choice(world.names))]
    rows = {n: [float(w) or 0.5 for w in rng.normal(size=coordinates).round(2)] for n in chosen}
    own = [Answer({n: w[c] for n, w in rows.items()}, scale=1.0) for c in range(coordinates)]
    wide = max(span(answer, world) for answer in own)
    if scale is None:
        scale = float(10 ** rng.uniform(math.log10(0.05), 6 if rng.random() < 0.3 else 1)) * wide
    weights: Any = rows if coordinates > 1 else {n: w[0] for n, w in rows.items()}
    return Drawn(
        Laplace(scale, weights), answers=tuple(replace(answer, scale=scale) for answer in own)
    )


def geometric(rng: Rng, world: World) -> Drawn:
    weights = {n: int(rng.integers(-2, 3)) for n in world.names if rng.random() < 0.8}
    weights = weights if any(weights.values()) else {world.names[0]: 1}
    alpha = float(rng.choice([1e-6, 0.99999, rng.uniform(0.05, 0.95)]))
    return Drawn(Geometric(alpha, weights), answers=(Answer(weights, alpha=alpha),))


def terms(rng: Rng, world: World) -> Drawn:
    """A number for each of some values of a variable, and a weight, or none, on another one."""
    first, second = (str(name) for name in rng.permutation(world.names)[:2])
    chosen = [v for v in world.values[first] if rng.random() < 0.7] or [world.values[first][0]]
    of = {first: {v: float(rng.integers(-8, 9)) / 4 for v in chosen}}
    weights = {second: float(rng.integers(-2, 3))} if rng.random() < 0.5 else {}
    own = Answer(weights, scale=1.0, terms=of)
    scale = float(10 ** rng.uniform(-1, 3)) * (span(own, world) or 1.0)
    noisy = Laplace(scale, weights or None, of)
    return Drawn(noisy, answers=(replace(own, scale=scale),))


def histogram(rng: Rng, world: World) -> Drawn:
    """How often each value of one variable occurs, with geometric noise on each count."""
    name = str(rng.choice(world.names))
    values, alpha = world.values[name], float(rng.uniform(0.05, 0.95))
    unit = {v: [int(v == each) for each in values] for v in values}
    own = (Answer({}, alpha=alpha, terms={name: {each: 1}}) for each in values)
    return Drawn(Geometric(alpha, terms={name: unit}), answers=tuple(own))


def randomized(rng: Rng, world: World) -> Drawn:
    name = str(rng.choice(world.names))
    epsilon = float(rng.choice([0.0, 1e-6, 40.0, math.inf, rng.uniform(0.1, 3)]))
    return Drawn(
        RandomizedResponse(name, epsilon), locals=(response(name, world.values[name], epsilon),)
    )


def finite(rng: Rng, world: World) -> Drawn:
    """Rows of 32nds, some of them with zeros."""
    name, outputs = str(rng.choice(world.names)), int(rng.integers(1, 5))
    rows = [rng.multinomial(32, rng.dirichlet(np.ones(outputs))) for _ in world.values[name]]
    law = {
        v: {y: mpmath.mpf(int(k)) / 32 for y, k in enumerate(row)}
        for v, row in zip(world.values[name], rows, strict=True)
    }
    return Drawn(Finite(name, np.array(rows) / 32), locals=(Local(name, law),))


def one_sided(rng: Rng, world: World, name: str | None = None) -> Drawn:
    """One attribute, or this one; persistent coins."""
    name = name or str(rng.choice(world.names))
    values = world.values[name]
    hidden = tuple(v for v in values if rng.random() < 0.4)
    epsilon = float(rng.choice([1e-6, 30.0, math.inf, rng.uniform(0.1, 3)]))
    shows: Any = str(rng.choice(["value", "bit"]))
    mechanism = OneSided({name: epsilon}, {name: hidden}, shows=shows)
    return Drawn(mechanism, releases=(Release(name, epsilon, hidden, shows),))


def shared(rng: Rng, world: World) -> Drawn:
    """Two one-sided releases of one attribute: one coin, different epsilons and secrets."""
    first = one_sided(rng, world)
    return first.beside(one_sided(rng, world, first.releases[0].name))


def twice(rng: Rng, world: World) -> Drawn:
    """Any local channel seen twice, by asking."""
    one = finite(rng, world) if rng.random() < 0.5 else randomized(rng, world)
    return Drawn(one.mechanism, locals=one.locals * 2)


KINDS: dict[str, Callable[[Rng, World], Drawn]] = {
    "laplace": laplace,
    "geometric": geometric,
    "terms": terms,
    "geometric histogram": histogram,
    "randomized-response": randomized,
    "finite": finite,
    "shared coin": shared,
    "asked twice": twice,
    "laplace and a release": lambda rng, w: laplace(rng, w).beside(one_sided(rng, w)),
    "laplace and a channel": lambda rng, w: finite(rng, w).beside(laplace(rng, w)),
    "geometric and a shared coin": lambda rng, w: geometric(rng, w).beside(shared(rng, w)),
    "two geometric": lambda rng, w: geometric(rng, w).beside(geometric(rng, w)),
    "geometric and laplace": lambda rng, w: laplace(rng, w).beside(geometric(rng, w)),
}
# With two continuous answers the oracle knows the largest values exactly, the means but nearly.
PAIRS: dict[str, Callable[[Rng, World], Drawn]] = {
    "vector": lambda rng, w: laplace(rng, w, 2),
    "two laplace": lambda rng, w: laplace(rng, w).beside(laplace(rng, w)),
}


def small_world(rng: Rng, family: str, whole: bool, cells: int = 20) -> World:
    """2 to 4 variables with 2 to 4 values, numbers that are negative and not whole, or whole."""
    while True:
        sizes = tuple(int(d) for d in rng.integers(2, 5, size=rng.integers(2, 5)))
        if math.prod(sizes) <= cells:
            break
    counts = FAMILIES[family](rng, sizes)
    names = tuple(LETTERS[: len(sizes)])
    values: dict[str, Any] = {}
    for name, size in zip(names, sizes, strict=True):
        numbers = rng.permutation(np.arange(-3, 4))[:size]
        values[name] = tuple(numbers.tolist() if whole else (numbers / 4 + 0.1).round(3).tolist())
    every = zip(product(*values.values()), counts.ravel().tolist(), strict=True)
    return World(names, values, {cell: int(count) for cell, count in every})


def question(rng: Rng, family: str, kind: str, cells: int = 20) -> Question:
    whole = "geometric" in kind
    world = small_world(rng, family, whole, cells)
    return asked(
        rng, world, {**KINDS, **PAIRS}[kind](rng, world), 2 if kind == "asked twice" else 1
    )


def asked(rng: Rng, world: World, drawn: Drawn, asks: int = 1) -> Question:
    """A random adversary before this mechanism."""
    world = replace(world, releases=drawn.releases, locals=drawn.locals, answers=drawn.answers)
    order = [str(n) for n in rng.permutation(world.names)]
    group = len(order) > 2 and rng.random() < 0.2
    targets, others = tuple(order[: 1 + group]), order[1 + group :]
    known: Any = tuple(n for n in others if rng.random() < 0.25)
    if known and rng.random() < 0.5:
        possible = [cell for cell, count in world.counts.items() if count]
        cell = possible[int(rng.integers(len(possible)))]
        known = {n: cell[world.names.index(n)] for n in known}
    secret = _secret(rng, world, targets)
    sees = None
    if rng.random() < 0.2:
        world, sees = _fewer(rng, world)
    counts = np.array(list(world.counts.values()), float).reshape(
        [len(world.values[n]) for n in world.names]
    )
    adversary = unspoken.Adversary(
        list(targets) if group else targets[0],
        secret=None if secret is None else list(secret),
        knows=known,
        sees=sees,
        asks=asks,
    )
    if secret is None and not group:  # what a mechanism hides is secret by default
        hidden = [v for r in drawn.releases if r.name == targets[0] for v in r.sensitive]
        secret = tuple(dict.fromkeys(hidden)) or None
    belief = unspoken.Joint(counts, names=world.names, values=list(world.values.values()))
    options = {"eps": float(rng.choice([0.0, 0.1, 1.0]))}
    return Question(
        world, Look(targets, secret, known), belief, drawn.mechanism, adversary, options
    )


def _secret(rng: Rng, world: World, targets: tuple[str, ...]) -> tuple[Any, ...] | None:
    if rng.random() < 0.5:
        return None
    values = list(product(*(world.values[n] for n in targets)))
    chosen = [v for v in values if rng.random() < 0.5] or values[:1]
    return tuple(v[0] for v in chosen) if len(targets) == 1 else tuple(chosen)


def _fewer(rng: Rng, world: World) -> tuple[World, list[str]]:
    """Only some outputs reach the adversary; noisy ones are numbered where there are several."""
    names = [f"answer {i}" for i in range(1, len(world.answers) + 1)]
    names = ["answer"] if len(names) == 1 else names
    outputs = dict.fromkeys([r.name for r in world.releases] + [c.name for c in world.locals])
    sees = [name for name in [*outputs, *names] if rng.random() < 0.6]
    return replace(
        world,
        releases=tuple(r for r in world.releases if r.name in sees),
        locals=tuple(c for c in world.locals if c.name in sees),
        answers=tuple(a for a, n in zip(world.answers, names, strict=True) if n in sees),
    ), sees
