"""The laws of mechanisms: mass, repetition, post-processing, company, knowledge, names, secrets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.effort import EFFORT
from tests.laws.cases import FAMILIES
from tests.laws.noisy_cases import KINDS, PAIRS, Drawn, Question, asked, question, small_world
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
from unspoken.core.types.noise import Noise

pytestmark = [pytest.mark.slow, pytest.mark.stress]

# Not all measures of a secret fall when secrets are merged: guesses count classes, and odds are of
# any of the secrets, which no single one of the others need be.
COARSER = tuple(n for n in MEASURES if n not in ("guessing", "bayes-leakage", "odds"))
QUICK: Any = tuple(name for name, own in MEASURES.items() if own.over == "sup")
EVERYTHING = (*QUICK, "mutual-information")
# What is left of the digits where two ways of adding up meet.
ROUNDING = 4e-15
each_family = pytest.mark.parametrize("family", FAMILIES)
each_kind = pytest.mark.parametrize("kind", [*KINDS, "vector"])


def draws(seed: int, kind: str, rounds: int = 1) -> Iterator[tuple[Any, Question]]:
    """Questions of one kind, over all families."""
    for number, family in enumerate(FAMILIES):
        for i in range(rounds * EFFORT):
            rng = np.random.default_rng([seed, number, list({**KINDS, **PAIRS}).index(kind), i])
            yield rng, question(rng, family, kind, cells=8 if kind == "vector" else 16)


def bounds(one: Question, names: tuple[str, ...] = QUICK) -> dict[str, unspoken.Bound]:
    return {name: one.bound(name) for name in names}


def at_most(less: Question, more: Question, names: tuple[str, ...] = EVERYTHING) -> None:
    """Measure by measure: what must not be above the other, as far as the bounds can say."""
    for name in names:
        one, other = less.bound(name), more.bound(name)
        slack = ROUNDING + more.rounding(name, other.high) + less.rounding(name, one.low)
        assert one.low <= other.high * (1 + 1e-9) + slack, (name, one, other, less, more)


def alike(
    one: Question, other: Question, names: tuple[str, ...] = EVERYTHING, rel: float = 1e-9
) -> None:
    for name in names:
        got, expected = one.bound(name), other.bound(name)
        slack = ROUNDING + one.rounding(name, expected.high) + other.rounding(name, expected.high)
        assert got.low <= expected.high * (1 + rel) + slack, (name, got, expected, one)
        assert expected.low <= got.high * (1 + rel) + slack, (name, got, expected, one)
        if name in QUICK:
            assert got.high == pytest.approx(expected.high, rel=rel, abs=slack), (name, one)


@each_kind
def test_masses_sum_to_one(kind: str) -> None:
    """In every context; of noisy answers those of the nodes."""
    for _, one in draws(200, kind):
        view = unspoken.view(one.belief, one.mechanism, one.adversary)
        mass: dict[Any, float] = {}
        mixed: dict[Any, dict[Any, float]] = {}
        for point in view.outcomes():
            context = tuple(point.known.items())
            mass[context] = mass.get(context, 0.0) + point.mass
            own = mixed.setdefault(context, dict.fromkeys(point.prior, 0.0))
            for label, share in point.posterior.items():
                own[label] += point.mass * share
            assert sum(point.posterior.values()) == pytest.approx(1, abs=1e-12)
        assert list(mass.values()) == pytest.approx([1.0] * len(mass), abs=1e-12)
        for point in view.outcomes():  # the posteriors' mean is the prior
            assert mixed[tuple(point.known.items())] == pytest.approx(dict(point.prior), abs=1e-12)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("rate", [1e-9, 0.3, 5.0, 900.0])
def test_bins_sum_to_one(rate: float, whole: bool) -> None:
    """Wherever the noise-free answer lies, nodes and cells have mass 1 in all."""
    noise, points = Noise(rate, whole), np.array([-3.0, -1.0, 0.0, 4.0])
    for bins in (noise.at_least(noise.nodes(points)), noise.at_most(noise.nodes(points))):
        for s in points:
            away = np.maximum(np.maximum(bins.low - s, s - bins.high), 0.0)
            assert (bins.weight * np.exp(-rate * away)).sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize(
    "kind", ["randomized-response", "finite", "geometric", "laplace", "shared coin"]
)
def test_n_uses_together_are_n_one_by_one(kind: str) -> None:
    """Asking n times is seeing n copies; of a persistent coin it is seeing one."""
    for rng, one in draws(201, kind):
        n = int(rng.integers(2, 4)) if kind != "laplace" else 2
        free = replace(one, adversary=replace(one.adversary, sees=None, asks=1))
        often = replace(free, adversary=replace(free.adversary, asks=n))
        copies = replace(free, mechanism=Together([one.mechanism] * n))
        names = QUICK if kind == "laplace" else EVERYTHING
        alike(often, copies, names)
        if kind == "shared coin":
            alike(often, free, names)


def weaker(mechanism: Mechanism, rng: Any) -> Mechanism:
    """The same, with more noise: a post-processing of it."""
    more = 1 + float(rng.choice([1e-3, 0.5, 10.0]))
    change: dict[type, Callable[[Any], Mechanism]] = {
        Laplace: lambda m: replace(m, scale=m.scale * more),
        Geometric: lambda m: replace(m, alpha=m.alpha ** (1 / more)),
        RandomizedResponse: lambda m: replace(m, epsilon=m.epsilon / more),
        OneSided: lambda m: replace(m, epsilon={n: e / more for n, e in m.epsilon.items()}),
        Together: lambda m: Together([weaker(own, rng) for own in m.mechanisms]),
        Finite: lambda m: Finite(m.name, m.matrix @ blurring(m.matrix.shape[1], more), m.outputs),
    }
    return change[type(mechanism)](mechanism)


def blurring(outputs: int, more: float) -> Any:
    keep = 1 / more
    return keep * np.eye(outputs) + (1 - keep) / outputs


@each_kind
def test_more_noise_never_leaks_more(kind: str) -> None:
    if kind != "geometric":  # whose alpha close to 1 leaves no digits to compare
        for rng, one in draws(202, kind):
            few = kind in ("laplace", "finite", "randomized-response") or EFFORT > 1
            noisier = replace(one, mechanism=weaker(one.mechanism, rng))
            at_most(noisier, one, EVERYTHING if few else QUICK)


@each_family
def test_together_is_at_least_each_part(family: str) -> None:
    kinds = [kind for kind in KINDS if kind not in ("asked twice", "two geometric")]
    for i in range(4 * EFFORT):
        rng = np.random.default_rng([203, list(FAMILIES).index(family), i])
        first = question(rng, family, str(rng.choice(kinds)), cells=12)
        own = replace(first, adversary=replace(first.adversary, sees=None))
        other: Drawn = KINDS["randomized-response"](rng, first.world)
        both = replace(own, mechanism=Together([own.mechanism, other.mechanism]))
        # What is secret by default may differ: the union of what the parts hide.
        secret = own.adversary.secret or [*hidden(own)] or None
        named = replace(own.adversary, secret=secret)
        for part in (own.mechanism, other.mechanism):
            at_most(
                replace(own, mechanism=part, adversary=named), replace(both, adversary=named), QUICK
            )


def hidden(one: Question) -> dict[Any, None]:
    """The values of the target that some release of the mechanism hides."""
    target = one.adversary.target
    values = [v for r in one.world.releases if r.name == target for v in r.sensitive]
    return dict.fromkeys(values)


@each_family
def test_what_is_known_tells_nothing_new(family: str) -> None:
    """Outputs of a known variable, and noisy answers about known ones alone, change nothing."""
    for i in range(3 * EFFORT):
        rng = np.random.default_rng([204, list(FAMILIES).index(family), i])
        world = small_world(rng, family, whole=True, cells=16)
        target, known = (str(n) for n in rng.permutation(world.names)[:2])
        rest = KINDS["laplace"](rng, world).mechanism
        more = [
            RandomizedResponse(known, 1.0),
            Finite(known, np.eye(len(world.values[known]))),
            OneSided({known: 2.0}, {known: [world.values[known][0]]}),
            Geometric(0.4, {known: 3}),
            Laplace(0.2, {known: 1.5}),
        ]
        base = asked(rng, world, Drawn(rest))
        adversary = unspoken.Adversary(target, knows=[known])
        alone = replace(base, mechanism=rest, adversary=adversary)
        for extra in more:
            company = replace(alone, mechanism=Together([rest, extra]))
            alike(company, alone, QUICK)
            only = replace(alone, mechanism=extra)
            for name in QUICK:
                nothing = 1.0 if MEASURES[name].unit == "odds" else 0.0
                assert only.bound(name).high == pytest.approx(nothing, abs=1e-12), (name, only)


@dataclass(frozen=True)
class Renamed:
    """Other names, in another order, with values moved and stretched."""

    order: tuple[str, ...]
    factor: float = 4.0
    moved: float = 8.0

    def name(self, name: str) -> str:
        return f"new {name}"

    def belief(self, belief: unspoken.Joint) -> unspoken.Joint:
        axes = [belief.domain.axis(name) for name in self.order]
        values = [[self.value(value) for value in belief.domain.values[axis]] for axis in axes]
        table = np.transpose(belief.table, axes)
        return unspoken.Joint(table, names=list(map(self.name, self.order)), values=values)

    def value(self, value: Any) -> Any:
        return value * self.factor + self.moved

    def values(self, values: Any) -> Any:
        return [
            tuple(map(self.value, v)) if isinstance(v, tuple) else self.value(v) for v in values
        ]

    def mechanism(self, own: Any) -> Mechanism:
        def weights(given: Any) -> Any:
            return {self.name(n): w for n, w in given.items()}

        change: dict[type, Callable[[], Mechanism]] = {
            Laplace: lambda: Laplace(
                own.scale * self.factor, own.weights and weights(own.weights), self.terms(own.terms)
            ),
            RandomizedResponse: lambda: RandomizedResponse(self.name(own.name), own.epsilon),
            Finite: lambda: Finite(self.name(own.name), own.matrix, own.outputs),
            OneSided: lambda: replace(
                own,
                epsilon=weights(own.epsilon),
                sensitive={self.name(n): self.values(v) for n, v in own.sensitive.items()},
            ),
            Together: lambda: Together([self.mechanism(part) for part in own.mechanisms]),
        }
        return change[type(own)]()

    def terms(self, own: Any) -> Any:
        """What values add, in the new units."""
        return own and {
            self.name(n): {self.value(v): x * self.factor for v, x in of.items()}
            for n, of in own.items()
        }

    def adversary(self, own: unspoken.Adversary) -> unspoken.Adversary:
        knows: Any = [self.name(n) for n in own.knows]
        if isinstance(own.knows, Mapping):
            knows = {self.name(n): self.value(v) for n, v in own.knows.items()}
        sees = own.sees and [n if n.startswith("answer") else self.name(n) for n in own.sees]
        one = isinstance(own.target, str)
        return replace(
            own,
            target=self.name(own.targets[0]) if one else [self.name(n) for n in own.targets],
            secret=None if own.secret is None else self.values(own.secret),
            knows=knows,
            sees=sees,
        )


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "geometric" not in kind])
def test_names_order_units_and_origin_do_not_matter(kind: str) -> None:
    """Values in other units, from another origin: the scale goes along, the leakage stays."""
    for rng, one in draws(205, kind):
        new = Renamed(tuple(str(n) for n in rng.permutation(one.world.names)))
        other = replace(
            one,
            belief=new.belief(one.belief),
            mechanism=new.mechanism(one.mechanism),
            adversary=new.adversary(one.adversary),
        )
        alike(other, one, EVERYTHING if kind == "laplace" or EFFORT > 1 else QUICK)


@each_kind
def test_a_coarser_secret(kind: str) -> None:
    """Who distinguishes fewer values of the target learns less about it."""
    for _, one in draws(206, kind):
        names = list(one.adversary.targets)
        values = [one.world.values[name] for name in names]
        every: Any = list(values[0])
        if len(names) > 1:
            every = [(a, b) for a in values[0] for b in values[1]]
        fine = replace(one, adversary=replace(one.adversary, secret=every))
        coarse = replace(one, adversary=replace(one.adversary, secret=every[:1]))
        means = ("mutual-information", "delta") if kind == "laplace" or EFFORT > 1 else ()
        at_most(coarse, fine, tuple(n for n in COARSER if n in QUICK or n in means))


@each_family
def test_a_group_is_its_product(family: str) -> None:
    """Asking about A and B at once is asking about the one variable (A, B)."""
    for i in range(2 * EFFORT):
        rng = np.random.default_rng([207, list(FAMILIES).index(family), i])
        world = small_world(rng, family, whole=False, cells=16)
        if len(world.names) < 3:
            continue
        a, b, *rest = world.names
        table = np.array(list(world.counts.values()), float)
        sizes = [len(world.values[n]) for n in world.names]
        weight = dict.fromkeys(rest, 1.0)
        pairs = [(u, v) for u in world.values[a] for v in world.values[b]]
        values = [list(world.values[n]) for n in world.names]
        apart = unspoken.Joint(table.reshape(sizes), names=world.names, values=values)
        merged = unspoken.Joint(
            table.reshape(sizes[0] * sizes[1], *sizes[2:]),
            names=["pair", *rest],
            values=[pairs, *values[2:]],
        )
        mechanism = Together([Laplace(1.7, weight), RandomizedResponse(rest[0], 0.7)])
        for name in QUICK:
            one = unspoken.leakage(apart, mechanism, unspoken.Adversary([a, b]), name)
            other = unspoken.leakage(merged, mechanism, unspoken.Adversary("pair"), name)
            assert one.high == pytest.approx(other.high, rel=1e-12, abs=1e-15)


def test_more_noise_is_laplace_through_laplace() -> None:
    """Lap(b) = Lap(a) * [(a/b)^2 delta_0 + (1 - (a/b)^2) Lap(b)]: characteristic functions."""
    for a, b, w in ((1.0, 2.0, 3.0), (0.3, 0.31, 10.0), (2.0, 50.0, 0.01)):
        mixture = (a / b) ** 2 + (1 - (a / b) ** 2) / (1 + (b * w) ** 2)
        assert 1 / (1 + (b * w) ** 2) == pytest.approx(mixture / (1 + (a * w) ** 2), rel=1e-13)
    assert math.isclose(1 / (1 + 36.0), 0.027027027027027027)
