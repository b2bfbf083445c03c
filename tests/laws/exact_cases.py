"""Questions whose answers are known to all digits: exact_worlds.py, and what is shown of a cell. A
cloud is then one of whole numbers, and the measures are those of tests/oracle.py.

    law {cell: weight} x what is seen of a cell {outcome: weight} -> {context: cloud}
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import unspoken
from tests import oracle
from tests.laws.exact_worlds import BELIEFS, Cell, Rng, World, exact_exp, normal, product, rows
from unspoken.core.mechanisms import Mechanism

Weights = dict[Any, Fraction]  # of outcomes
Clouds = Mapping[Cell, oracle.Cloud]  # of what is known
Law = Mapping[Cell, Mapping[Any, int]]  # of cells and what is seen of them


@dataclass(frozen=True)
class Shown:
    """A mechanism, and what is seen of a cell: {outcome: weight}, the same total for every cell.

    ``words``: an outcome as `unspoken.odds` takes it, None where it has no plain words. ``means``:
    whether the weights are those of all outcomes, or likelihoods where measures can be largest.
    """

    mechanism: Mechanism
    of: Callable[[Cell], Weights]
    words: Callable[[Any], dict[str, Any] | None] = lambda outcome: None
    means: bool = True


def beside(*shown: Shown) -> Shown:
    def of(cell: Cell) -> Weights:
        return {
            tuple(y for y, _ in row): product(w for _, w in row)
            for row in itertools.product(*(each.of(cell).items() for each in shown))
        }

    together = unspoken.Together([each.mechanism for each in shown])
    return Shown(together, of, means=all(each.means for each in shown))


def epsilon(rng: Rng) -> float:
    return float(10.0 ** rng.uniform(-15, 1) if rng.random() < 0.4 else rng.uniform(0.05, 4))


def one_sided(rng: Rng, world: World) -> Shown:
    names, sizes = world.names, world.belief.domain.sizes
    seen = [v for v in range(len(names)) if rng.random() < 0.6] or [0]
    eps = {v: epsilon(rng) for v in seen}
    hidden = {v: [int(rng.integers(sizes[v]))] for v in range(len(names)) if rng.random() < 0.8}
    shows: Any = str(rng.choice(["value", "bit"]))
    asks = int(rng.integers(1, 3)) if rng.random() < 0.3 else 1
    coins = {v: exact_exp(-Fraction(eps[v])) for v in seen}

    def of(cell: Cell) -> Weights:
        each = []
        for v in seen:
            word: Any = "shown" if shows == "bit" else cell[v]
            silent, free = coins[v], cell[v] not in hidden.get(v, ())
            each.append(((None, silent), (word, 1 - silent)) if free else ((None, Fraction(1)),))
        rows = itertools.product(*each)
        return {tuple(y for y, _ in row): product(w for _, w in row) for row in rows}

    def words(outcome: Any) -> dict[str, Any]:
        said = {None: unspoken.WITHHELD, "shown": unspoken.RELEASED}
        return {names[v]: said.get(y, y) for v, y in zip(seen, outcome, strict=True)}

    mechanism = unspoken.OneSided(
        {names[v]: eps[v] for v in seen}, {names[v]: own for v, own in hidden.items()}, shows=shows
    )
    if asks == 1:
        return Shown(mechanism, of, words)
    return beside_itself(replace(mechanism, coins="fresh"), of)


def beside_itself(mechanism: Any, once: Callable[[Cell], Weights]) -> Shown:
    def of(cell: Cell) -> Weights:
        own = once(cell)
        return {(y, z): v * w for (y, v), (z, w) in itertools.product(own.items(), own.items())}

    return Shown(unspoken.Together([mechanism, mechanism]), of)


def finite(rng: Rng, world: World) -> Shown:
    v = int(rng.integers(len(world.names)))
    matrix = rows(rng, world.belief.domain.sizes[v], int(rng.integers(2, 4)))
    exact = [normal(row) for row in matrix]
    name = world.names[v]
    return Shown(
        unspoken.Finite(name, matrix),
        lambda cell: dict(enumerate(exact[cell[v]])),
        lambda outcome: {name: outcome},
    )


def randomized_response(rng: Rng, world: World) -> Shown:
    v, eps = int(rng.integers(len(world.names))), epsilon(rng)
    lie, size = exact_exp(-Fraction(eps)), world.belief.domain.sizes[v]
    name = world.names[v]
    return Shown(
        unspoken.RandomizedResponse(name, eps),
        lambda cell: {y: Fraction(1) if y == cell[v] else lie for y in range(size)},
        lambda outcome: {name: outcome},
    )


def weights(rng: Rng, world: World, whole: bool) -> list[float]:
    if whole or rng.random() < 0.5:
        return [float(w) for w in rng.integers(-1, 3, size=len(world.names))]
    return [float(w) for w in np.round(rng.normal(size=len(world.names)), 3)]


def answer(cell: Cell, own: Sequence[float]) -> Fraction:
    return sum((Fraction(w) * x for w, x in zip(own, cell, strict=True)), Fraction(0))


def geometric(rng: Rng, world: World) -> Shown:
    own, alpha = weights(rng, world, True), float(rng.uniform(0.02, 0.98))
    possible = sorted({answer(cell, own) for cell, p in world.law.items() if p})
    low, high, a = int(possible[0]), int(possible[-1]), Fraction(alpha)

    def of(cell: Cell) -> Weights:
        s = int(answer(cell, own))
        within = {r: (1 - a) / (1 + a) * a ** abs(r - s) for r in range(low, high + 1)}
        ends = {low: a ** abs(low - s), high: a ** abs(high - s)}
        if low == high:
            return {low: Fraction(1)}
        return within | {r: w / (1 + a) for r, w in ends.items()}

    return Shown(unspoken.Geometric(alpha, own), of)


def laplace(rng: Rng, world: World) -> Shown:
    return laplace_of(world, weights(rng, world, False), float(10.0 ** rng.uniform(-1.5, 4)))


def laplace_of(world: World, own: Sequence[float], scale: float) -> Shown:
    """At the noise-free answers, where measures are largest, as likely as a neighbour's half-way
    mixtures make them: weights (tanh + tanh) / 2 of half the gaps, which add up to 1.
    """
    possible = sorted({answer(cell, own) for cell, p in world.law.items() if p})
    away = {abs(r - s) for r in possible for s in possible}
    kernel = {d: exact_exp(-d / Fraction(scale)) for d in away}
    gaps = [kernel[s - r] for r, s in itertools.pairwise(possible)]
    half = [Fraction(1), *((1 - e) / (1 + e) for e in gaps), Fraction(1)]
    share = {r: (a + b) / 2 for r, a, b in zip(possible, half, half[1:], strict=False)}

    def of(cell: Cell) -> Weights:
        sums = answer(cell, own)
        return {r: share[r] * kernel[abs(r - sums)] for r in possible}

    return Shown(unspoken.Laplace(scale, own), of, means=False)


def together(rng: Rng, world: World) -> Shown:
    local = [finite, randomized_response][int(rng.integers(2))](rng, world)
    return beside(
        local, [geometric, laplace, randomized_response][int(rng.integers(3))](rng, world)
    )


MECHANISMS = {
    f.__name__.replace("_", "-"): f
    for f in (one_sided, finite, randomized_response, geometric, laplace, together)
}


@dataclass(frozen=True)
class Question:
    """``clouds``: of every known context."""

    world: World
    shown: Shown
    adversary: unspoken.Adversary
    clouds: Clouds
    secret: tuple[int, ...]

    def truth(self, measure: str) -> Any:
        """In the unit of the bound, at 60 digits; the worst context."""
        about: dict[str, Callable[[oracle.Cloud], Any]] = {
            "odds": lambda cloud: oracle.worst_odds(cloud, self.secret),
            "exclusion": lambda cloud: oracle.likelihood_ratio(cloud, self.secret),
        }
        definition = {**oracle.DEFINITIONS, **about}[measure]
        found = [as_mpf(definition(cloud)) for cloud in self.clouds.values()]
        return max(found)

    def event(self, outcome: Any) -> Any:
        """The factor on the odds of any of the secrets; None where it cannot happen."""
        factors = []
        for cloud in self.clouds.values():
            prior, after = oracle.priors(cloud), cloud.get(outcome)
            before = sum(prior.get(label, 0) for label in self.secret)
            rest = sum(prior.values()) - before
            if after:
                yes = sum(after.get(label, 0) for label in self.secret)
                no = sum(after.values()) - yes
                certain = not (before and rest)
                factors.append(1 if certain else oracle.factor(yes, no, before, rest))
        return as_mpf(max(factors)) if factors else None


def as_mpf(number: Any) -> Any:
    """What is nothing but the last of the digits beside 0, or beside a factor of 1, is that."""
    if isinstance(number, Fraction):
        return oracle.ratio(number)
    value = mpmath.mpf(number)
    beside = (mpmath.mpf(0), mpmath.mpf(1))
    return next(
        (own for own in beside if abs(value - own) < mpmath.mpf(10) ** (8 - mpmath.mp.dps)), value
    )


def question(rng: Rng, belief: str, mechanism: str) -> Question:
    world = BELIEFS[belief](rng)
    shown = MECHANISMS[mechanism](rng, world)
    names, sizes = world.names, world.belief.domain.sizes
    target = int(rng.integers(len(names)))
    secret = tuple(
        sorted(rng.permutation(sizes[target])[: rng.integers(1, sizes[target])].tolist())
    )
    others = [v for v in range(len(names)) if v != target]
    known = sorted(v for v in others if rng.random() < 0.25)
    knows: Any = tuple(names[v] for v in known)
    fixed: Cell | None = None
    if known and rng.random() < 0.5:
        possible = [cell for cell, p in world.law.items() if p]
        cell = possible[int(rng.integers(len(possible)))]
        fixed = tuple(cell[v] for v in known)
        knows = dict(zip(knows, fixed, strict=True))
    adversary = unspoken.Adversary(names[target], secret=list(secret), knows=knows)

    def label(value: int) -> Any:
        return value if value in secret else "other"

    clouds = clouds_of(law_of(world, shown), target, known, label)
    if fixed is not None:
        clouds = {fixed: clouds[fixed]}
    return Question(world, shown, adversary, clouds, secret)


def law_of(world: World, shown: Shown) -> Law:
    """Of every cell what is seen of it, as whole numbers that all have one denominator."""
    rows = {cell: shown.of(cell) for cell, p in world.law.items() if p}
    cells = math.lcm(*(world.law[cell].denominator for cell in rows))
    seen = math.lcm(*(w.denominator for row in rows.values() for w in row.values()))
    return {
        cell: {y: int(world.law[cell] * cells) * int(w * seen) for y, w in row.items() if w}
        for cell, row in rows.items()
    }


def clouds_of(
    law: Law, target: int, known: Sequence[int], label: Callable[[int], Any] = lambda value: value
) -> Clouds:
    """For every value of what is known: outcome -> class of the target -> weight."""
    found: dict[Cell, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for cell, row in law.items():
        cloud, own = found[tuple(cell[v] for v in known)], label(cell[target])
        for outcome, weight in row.items():
            cloud[outcome][own] += weight
    return found


def questions(seed: Sequence[int], belief: str, mechanism: str, count: int) -> Iterator[Question]:
    for i in range(count):
        rng = np.random.default_rng([*seed, i])
        yield question(rng, belief, mechanism)
