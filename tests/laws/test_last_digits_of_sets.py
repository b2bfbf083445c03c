"""What some belief of a set tells lies between the outer ends to its last digit: exact optima."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import unspoken
from tests import oracle
from tests.effort import EFFORT, tries
from tests.laws.exact_cases import MECHANISMS, Shown
from tests.laws.exact_sets import Filled, alone, furthest
from tests.laws.exact_worlds import Rng, World

pytestmark = [pytest.mark.slow, pytest.mark.stress]

CASES = tries(4) if EFFORT == 1 else 5 * EFFORT**2
SUPREMA: Any = ("max-log-ratio", "exclusion", "odds")
Cell = tuple[int, ...]


def world(rng: Rng) -> World:
    sizes = tuple(int(d) for d in rng.integers(2, 4, size=rng.integers(2, 4)))
    table = rng.dirichlet(np.full(int(np.prod(sizes)), rng.choice([0.5, 2.0]))).reshape(sizes)
    table = np.maximum(table, 1e-12) * 10.0 ** rng.uniform(-6 * rng.random(), 0, sizes)
    table /= table.sum()
    law = {cell: Fraction(float(table[cell])) for cell in np.ndindex(*sizes)}
    return World(unspoken.Joint(table), law)


@dataclass(frozen=True)
class Asked:
    """Who looks: a target, some values of it that are secret, and what is known."""

    sizes: Cell
    target: int
    secret: tuple[int, ...]
    known: tuple[int, ...]

    @classmethod
    def of(cls, rng: Rng, sizes: Cell) -> Asked:
        target = int(rng.integers(len(sizes)))
        hidden = rng.permutation(sizes[target])[: rng.integers(sizes[target])]
        known = (v for v in range(len(sizes)) if v != target and rng.random() < 0.25)
        return cls(sizes, target, tuple(sorted(hidden.tolist())), tuple(known))

    @property
    def adversary(self) -> unspoken.Adversary:
        knows = tuple(f"x{v}" for v in self.known)
        secret = list(self.secret) or None
        return unspoken.Adversary(f"x{self.target}", secret=secret, knows=knows)

    def sides(self, measure: str) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
        """Values of the target, those whose likelihood is the larger first."""
        secrets = [frozenset([value]) for value in self.secret]
        every = frozenset(range(self.sizes[self.target]))
        if measure == "odds":
            both = [frozenset(self.secret)] if len(secrets) > 1 else []
            yield from ((event, every - event) for event in (*secrets, *both))
            return
        each = [frozenset([value]) for value in every]
        classes = [*secrets, every - frozenset(self.secret)] if secrets else each
        first = secrets if measure == "exclusion" else classes
        yield from ((a, b) for a, b in itertools.product(first, classes) if a != b)

    def contexts(self) -> Iterator[list[Cell]]:
        cells = list(itertools.product(*map(range, self.sizes)))
        for codes in itertools.product(*(range(self.sizes[v]) for v in self.known)):
            yield [c for c in cells if tuple(c[v] for v in self.known) == codes]


def of_box(shown: Shown, asked: Asked, ends: dict[Cell, Any], measure: str) -> Any:
    """The largest log-ratio under any table between these ends."""
    found, rows = [mpmath.mpf(1)], {cell: shown.of(cell) for cell in ends}
    outcomes = {y for row in rows.values() for y, w in row.items() if w}
    for context, (a, b) in itertools.product(asked.contexts(), asked.sides(measure)):
        sides = [[c for c in context if c[asked.target] in own] for own in (a, b)]
        others = [ends[c] for c in ends if c not in {*sides[0], *sides[1]}]
        rest = (sum(low for low, _ in others), sum(up for _, up in others))
        for y in outcomes:
            above, below = (
                Filled.of([(*ends[c], rows[c].get(y, Fraction(0))) for c in side], sign)
                for side, sign in zip(sides, (1, -1), strict=True)
            )
            ratio = furthest(above, below, rest)
            found += [] if ratio is None else [ratio]
    return mpmath.log(max(found))


def around(rng: Rng, law: Any) -> tuple[Any, Any]:
    """Intervals that hold the law; some of them a point, some down to 0."""
    wide = rng.uniform(0, 0.6, law.shape) * (rng.random(law.shape) < 0.8)
    low = np.where(rng.random(law.shape) < 0.15, 0.0, law * (1 - wide))
    return low, np.minimum(law * (1 + wide * rng.choice([0.1, 1, 10])), 1.0)


def holds(bound: unspoken.Bound, truth: Any) -> bool:
    return bool(mpmath.mpf(bound.low) <= truth <= mpmath.mpf(bound.high))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_box(mechanism: str) -> None:
    with mpmath.workdps(oracle.DIGITS):
        for seed in range(CASES):
            rng = np.random.default_rng([21, seed, len(mechanism)])
            drawn = world(rng)
            shown, asked = (
                MECHANISMS[mechanism](rng, drawn),
                Asked.of(rng, drawn.belief.domain.sizes),
            )
            low, up = around(rng, drawn.belief.marginal(drawn.names))
            exact = {c: (Fraction(float(low[c])), Fraction(float(up[c]))) for c in drawn.law}
            if not sum(e[0] for e in exact.values()) <= 1 <= sum(e[1] for e in exact.values()):
                continue
            if mechanism == "one-sided" and not asked.secret:
                continue  # what it hides of the target is the secret
            box = unspoken.Box(low, up)
            for measure in SUPREMA if asked.secret else SUPREMA[:1]:
                truth = of_box(shown, asked, exact, measure)
                truth = mpmath.exp(truth) if measure == "odds" else truth
                bound = unspoken.leakage(box, shown.mechanism, asked.adversary, measure)
                assert holds(bound, truth), (
                    seed,
                    measure,
                    mpmath.nstr(truth, 20),
                    bound.low,
                    bound.high,
                )


def apart(most: Any, least: Any) -> Any:
    """most / least, where they can be; 1 where nothing can be seen."""
    if most is None or least is None or not (most or least):
        return mpmath.mpf(1)
    return oracle.ratio(most / least) if least else mpmath.inf


def of_intervals(shown: Shown, asked: Asked, ends: dict[Cell, Any]) -> Any:
    """The largest odds of the event, both of whose sides weigh 1."""
    found, rows = [mpmath.mpf(1)], {cell: shown.of(cell) for cell in ends}
    outcomes = {y for row in rows.values() for y, w in row.items() if w}
    for context, y in itertools.product(asked.contexts(), outcomes):
        means = []
        for inside, sign in ((True, 1), (False, -1)):
            side = [c for c in ends if (c[asked.target] in asked.secret) == inside]
            others = [ends[c] for c in side if c not in context]
            own = [(*ends[c], rows[c].get(y, Fraction(0))) for c in side if c in context]
            beside = (sum(low for low, _ in others), sum(up for _, up in others))
            mean = alone(Filled.of(own, sign), beside, sign)
            means.append(None if mean is None else sign * mean)
        found.append(apart(*means))
    return max(found)


def of_rows(shown: Shown, asked: Asked, ends: dict[Cell, Any]) -> Any:
    """The largest log-ratio of any two values, each of whose rows weighs 1."""
    found, rows = [mpmath.mpf(1)], {cell: shown.of(cell) for cell in ends}
    outcomes = {y for row in rows.values() for y, w in row.items() if w}
    for context, y in itertools.product(asked.contexts(), outcomes):
        most, least = {}, {}
        for value in range(asked.sizes[asked.target]):
            own = [c for c in context if c[asked.target] == value]
            cells = [(*ends[c], rows[c].get(y, Fraction(0))) for c in own]
            top, low = (alone(Filled.of(cells, s), (Fraction(0), Fraction(0)), s) for s in (1, -1))
            if top is not None and low is not None:
                most[value], least[value] = top, -low
        pairs = itertools.permutations(most, 2)
        found += [apart(most[a], least[b]) for a, b in pairs]
    return mpmath.log(max(found))


def conditional(rng: Rng, law: Any, given: Any) -> tuple[Any, Any]:
    """Intervals around the law given which of the groups; [0, 1] now and then."""
    total = np.bincount(given.ravel(), law.ravel())[given]
    low, up = around(rng, law / total)
    wide = rng.random(law.shape) < 0.1
    return np.where(wide, 0.0, low * (1 - 1e-9)), np.where(
        wide, 1.0, np.minimum(up * (1 + 1e-9), 1.0)
    )


@pytest.mark.parametrize("kind", ["intervals", "rows"])
def test_conditional_intervals(kind: str) -> None:
    with mpmath.workdps(oracle.DIGITS):
        for seed, mechanism in itertools.product(range(CASES), MECHANISMS):
            rng = np.random.default_rng([22, seed, len(mechanism), len(kind)])
            drawn = world(rng)
            sizes = drawn.belief.domain.sizes
            shown, asked = MECHANISMS[mechanism](rng, drawn), Asked.of(rng, sizes)
            if (mechanism == "one-sided" and kind == "rows") or (
                kind == "intervals" and not asked.secret
            ):
                continue  # what it hides of the target is the secret
            codes, law = np.indices(sizes), drawn.belief.marginal(drawn.names)
            group = np.isin(codes[asked.target], asked.secret).astype(int)
            if kind == "rows":
                axes = [asked.target, *asked.known]
                group = np.ravel_multi_index(tuple(codes[axes]), tuple(sizes[a] for a in axes))
            low, up = conditional(rng, law, group)
            ends = {c: (Fraction(float(low[c])), Fraction(float(up[c]))) for c in drawn.law}
            who = asked.adversary
            if kind == "rows":
                truth = of_rows(shown, asked, ends)
                who = unspoken.Adversary(who.target, knows=who.knows)
                held: Any = unspoken.Rows(low, up, [f"x{a}" for a in axes])
                bound = unspoken.leakage(held, shown.mechanism, who)
            else:
                truth = of_intervals(shown, asked, ends)
                event = (f"x{asked.target}", asked.secret)
                held = unspoken.Intervals(drawn.belief, {event: (low, up)})
                if len(asked.secret) > 1:
                    continue  # each secret by itself is another event
                bound = unspoken.leakage(held, shown.mechanism, who, "odds")
            assert holds(bound, truth), (seed, mechanism, mpmath.nstr(truth, 20), bound)
