"""Random tables, mechanisms and adversaries, in the oracle's words and in the library's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

import unspoken
from tests import oracle
from tests.oracle import Look, Setting
from unspoken.core.measures import MEASURES

Rng = np.random.Generator
Counts = np.ndarray

LETTERS = "ABCDEFGH"
WORDS = ("red", "green", "blue", "grey", "pink", "gold")
EXTREME = (0.0, 1e-12, 50.0, math.inf)
SYMBOLS = {oracle.WITHHELD: unspoken.WITHHELD, oracle.RELEASED: unspoken.RELEASED}
BUDGET = 3000  # cells times transcripts: what the oracle lists for one question


def shape(rng: Rng) -> tuple[int, ...]:
    """2 to 4 variables with 2 to 4 values, at most 64 cells."""
    while True:
        sizes = tuple(int(d) for d in rng.integers(2, 5, size=rng.integers(2, 5)))
        if math.prod(sizes) <= 64:
            return sizes


def whole(probabilities: Any, total: int = 1 << 24) -> Counts:
    """Counts in proportion; what is possible stays possible."""
    scaled = np.asarray(probabilities, dtype=float)
    return np.where(scaled > 0, np.maximum(np.rint(scaled / scaled.sum() * total), 1), 0)


def dirichlet(rng: Rng, sizes: tuple[int, ...]) -> Counts:
    return whole(
        rng.dirichlet(np.full(math.prod(sizes), rng.choice([0.3, 1.0, 5.0]))).reshape(sizes)
    )


def sparse(rng: Rng, sizes: tuple[int, ...]) -> Counts:
    """Many combinations are impossible."""
    while True:
        table = dirichlet(rng, sizes) * (rng.random(sizes) < rng.choice([0.3, 0.6]))
        if np.count_nonzero(table) >= 2:
            return table


def copies(rng: Rng, sizes: tuple[int, ...]) -> Counts:
    """Every variable is a function of the first one."""
    table = np.zeros(sizes)
    maps = [rng.integers(0, size, size=sizes[0]) for size in sizes[1:]]
    for value, mass in enumerate(rng.dirichlet(np.ones(sizes[0]))):
        table[(value, *(int(f[value]) for f in maps))] += mass
    return whole(table)


def xor(rng: Rng, sizes: tuple[int, ...]) -> Counts:
    """Uniform variables whose sum, modulo the last domain, is the last variable."""
    table = np.zeros(sizes)
    for cell in np.ndindex(*sizes[:-1]):
        table[(*cell, sum(cell) % sizes[-1])] = 1
    return table


def near_independent(rng: Rng, sizes: tuple[int, ...]) -> Counts:
    """A product, bent by a relative 1e-2 to 1e-5."""
    table = product_of([rng.dirichlet(np.full(size, 3.0)) for size in sizes])
    bend = 10.0 ** -rng.integers(2, 6) * rng.uniform(-1, 1, size=sizes)
    return whole(table * (1 + bend), total=1 << 48)


def independent(rng: Rng, sizes: tuple[int, ...]) -> Counts:
    """Exactly a product."""
    return product_of([rng.integers(1, 9, size=size).astype(float) for size in sizes])


def rare(rng: Rng, sizes: tuple[int, ...]) -> Counts:
    """The first value of the first variable has probability about 1e-9, and moves the others."""
    table = dirichlet(rng, sizes)
    scale = np.full(sizes[0], 1e9)
    scale[0] = 1.0
    return whole(table * scale.reshape(-1, *[1] * (len(sizes) - 1)), total=1 << 50)


def product_of(marginals: list[Any]) -> Counts:
    table = np.ones(())
    for marginal in marginals:
        table = np.multiply.outer(table, marginal)
    return table


FAMILIES: dict[str, Callable[[Rng, tuple[int, ...]], Counts]] = {
    "dirichlet": dirichlet,
    "sparse": sparse,
    "copies": copies,
    "xor": xor,
    "near-independent": near_independent,
    "independent": independent,
    "rare": rare,
}


def table_of(counts: Counts, rng: Rng) -> dict[str, Any]:
    """The part of a Setting that says what the data are: values are numbers or words."""
    names = tuple(LETTERS[: counts.ndim])
    words = rng.random() < 0.3
    values = {
        n: WORDS[:d] if words else tuple(range(d)) for n, d in zip(names, counts.shape, strict=True)
    }
    cells = product(*values.values())
    flat = {cell: int(count) for cell, count in zip(cells, counts.ravel(), strict=True)}
    return {"names": names, "values": values, "counts": flat}


def random_epsilon(rng: Rng) -> float:
    return float(rng.choice(EXTREME) if rng.random() < 0.3 else rng.uniform(0.1, 5))


def random_mechanism(rng: Rng, table: Mapping[str, Any]) -> Setting:
    """Some attributes released, any set of values sensitive: none, some or all of them."""
    names, values = table["names"], table["values"]
    released = [n for n in names if rng.random() < 0.8] or [names[-1]]
    epsilon = {n: random_epsilon(rng) for n in released}
    sensitive = {}
    for name in names:
        kind = rng.choice(["some", "none", "all"], p=[0.84, 0.1, 0.06])
        size = {"none": 0, "all": len(values[name])}.get(
            kind, int(rng.integers(1, len(values[name])))
        )
        chosen = sorted(rng.permutation(len(values[name]))[:size])
        if chosen:
            sensitive[name] = tuple(values[name][i] for i in chosen)
    coins = str(rng.choice(["persistent", "fresh"]))
    asks = {n: int(rng.integers(1, 4)) for n in released} if rng.random() < 0.5 else {}
    setting = Setting(
        epsilon=epsilon,
        sensitive=sensitive,
        shows=str(rng.choice(["value", "bit"])),
        coins=coins,
        asks=asks,
        **table,
    )
    return setting if size_of(setting) <= BUDGET else replace(setting, asks={})


def size_of(setting: Setting) -> int:
    """How many cells times transcripts the oracle has to list."""
    tosses = [setting.asks.get(n, 1) if setting.coins == "fresh" else 1 for n in setting.epsilon]
    return sum(1 for count in setting.counts.values() if count) * 2 ** sum(tosses)


def random_look(rng: Rng, setting: Setting) -> Look:
    target = str(rng.choice(setting.names))
    others = [n for n in setting.names if n != target]
    known: Any = ()
    if rng.random() < 0.4:
        known = tuple(
            str(n) for n in rng.permutation(others)[: int(rng.integers(1, len(others) + 1))]
        )
        if rng.random() < 0.5:
            cell = some_cell(rng, setting)
            known = {n: cell[setting.names.index(n)] for n in known}
    secret = None
    if rng.random() < 0.25:
        values = setting.values[target]
        secret = tuple(v for v in values if rng.random() < 0.5) or (values[0],)
    sees = None
    if rng.random() < 0.4:
        sees = tuple(n for n in setting.epsilon if rng.random() < 0.6)
    return Look(target, secret, known, sees)


def some_cell(rng: Rng, setting: Setting) -> tuple[Any, ...]:
    possible = [cell for cell, count in setting.counts.items() if count]
    return possible[int(rng.integers(len(possible)))]


def patterns(rng: Rng, setting: Setting, look: Look, limit: int) -> Iterator[dict[str, Any]]:
    """Outcomes to condition on: withheld, released, a value or nothing said of each seen one."""
    sees = look.sees if look.sees is not None else tuple(setting.epsilon)
    choices = []
    for name in sees:
        shown = list(setting.values[name]) if setting.shows == "value" else []
        choices.append([None, oracle.WITHHELD, oracle.RELEASED, *shown])
    everything = list(product(*choices))
    for index in rng.permutation(len(everything))[:limit]:
        pattern = dict(zip(sees, everything[int(index)], strict=True))
        yield {name: wanted for name, wanted in pattern.items() if wanted is not None}


@dataclass(frozen=True)
class Question:
    """One setting and one look, as the library's objects."""

    setting: Setting
    look: Look

    @property
    def belief(self) -> unspoken.Joint:
        values = [self.setting.values[name] for name in self.setting.names]
        counts = list(self.setting.counts.values())
        table = np.array(counts, dtype=float).reshape([len(v) for v in values])
        return unspoken.Joint(table, names=self.setting.names, values=values)

    @property
    def mechanism(self) -> unspoken.OneSided:
        s = self.setting
        sensitive = {name: list(values) for name, values in s.sensitive.items()}
        words: dict[str, Any] = {"shows": s.shows, "coins": s.coins}
        return unspoken.OneSided(dict(s.epsilon), sensitive, **words)

    @property
    def adversary(self) -> unspoken.Adversary:
        secret, knows, sees = self.look.secret, self.look.knows, self.look.sees
        return unspoken.Adversary(
            self.look.target,
            secret=None if secret is None else list(secret),
            knows=dict(knows) if isinstance(knows, Mapping) else knows,
            sees=None if sees is None else list(sees),
            asks=dict(self.setting.asks) or 1,
        )

    def leakage(self, measure: Any) -> unspoken.Bound:
        return unspoken.leakage(self.belief, self.mechanism, self.adversary, measure=measure)

    def leakages(self) -> dict[str, unspoken.Bound]:
        """Every measure of one view."""
        cloud: Any = unspoken.view(self.belief, self.mechanism, self.adversary)
        return {name: MEASURES[name].of(cloud) for name in oracle.MEASURES}

    def points(self) -> list[Any]:
        """The points of the cloud."""
        cloud: Any = unspoken.view(self.belief, self.mechanism, self.adversary)
        return list(cloud.outcomes())

    def odds(self, outcome: Mapping[str, Any]) -> unspoken.Bound:
        said = {name: SYMBOLS.get(wanted, wanted) for name, wanted in outcome.items()}
        return unspoken.odds(self.belief, self.mechanism, self.adversary, outcome=said)

    def __str__(self) -> str:
        """Code that asks the same question."""
        s, q = self.setting, self.look
        values = [list(s.values[n]) for n in s.names]
        table = np.array(list(s.counts.values())).reshape([len(v) for v in values]).tolist()
        return (
            f"b = unspoken.Joint({table}, names={list(s.names)}, values={values})\n"
            f"m = unspoken.OneSided({dict(s.epsilon)}, {dict(s.sensitive)}, shows={s.shows!r}, "
            f"coins={s.coins!r})\n"
            f"a = unspoken.Adversary({q.target!r}, secret={q.secret}, knows={q.knows}, "
            f"sees={q.sees}, asks={dict(s.asks) or 1})"
        )


def close(got: float, expected: float, atol: float = 0.0) -> bool:
    """Equal to a relative 1e-9; an exact 0 to an absolute 1e-15."""
    if math.isinf(expected) or expected == 0:
        return got == expected or abs(got - expected) <= 1e-15
    return math.isclose(got, expected, rel_tol=1e-9, abs_tol=atol)


def rounding_of(name: str, truth: float) -> float:
    """How far the rounding of the table's entries alone can move a number next to 0.

    A log lift moves by a few units in the last place of 1, a divergence by its root times that.
    """
    divergence = name in ("mutual-information", "relative-entropy")
    return 1e-15 * (math.sqrt(truth) if divergence and truth < 1 else 1.0)


# What the likeliest answer moves by as little as rounding does, and what jumps where two beliefs
# are equal: next to 0 no float table says more of these. (Odds are next to 1, not to 0.)
ROUNDED = ("bayes-leakage", "delta", "exclusion", "guessing", "maximal-leakage")
