"""What is drawn has the law that is claimed: noise, one-sided noise, cell coins and record coins.

Every check is an exact one: counts of draws are binomial, and sums of geometric numbers negative
binomial. Each case is also drawn with a fault in it, which has to be noticed: a scale 6 % too large
or too small, a shift by 2 % of the scale, a probability 1 % off. Of all sound cases together one
alarms falsely less than once in a million runs; faults lie 12 standard deviations off or more. That
a shift is noticed needs many draws: in a daily run it is tried with a case of each kind, under
stress with every one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom, nbinom

from tests.effort import DAILY
from unspoken.core.adversary import Adversary
from unspoken.core.mechanisms import Geometric, Laplace, OneSidedNoise, Suppression
from unspoken.core.numerics.arrays import Counts, Words
from unspoken.core.numerics.coin_thresholds import released, threshold
from unspoken.core.types.domain import Domain
from unspoken.core.types.noise import Noise
from unspoken.noise.discrete_laplace import one_sided_noise, two_sided_noise, with_noise
from unspoken.noise.drawing import draw, on_grid, with_noise_of
from unspoken.storage.coins import MasterKey, attribute_keys, encode_keys, fresh_draws, record_keys
from unspoken.storage.coins import draw as tossed
from unspoken.workflows.query import noise as answers
from unspoken.workflows.query.numbers import Number

ALARM = 1e-6
CHECKS = 4  # of a case, at most
FEW, MANY = 60_000, 400_000  # draws that show a scale, and a shift, that is off
SCALE, SHIFT, SHARE = 1.06, 0.02, 1.01

Draw = Callable[[float, int], Counts]  # how often noise is as asked: with scales times, so many
Tails = list[tuple[float, float]]  # of each check: P(less or as little), P(more or as much)


def tails(law: Any, seen: int) -> tuple[float, float]:
    return float(law.cdf(seen)), float(law.sf(seen - 1))


@dataclass(frozen=True)
class NoiseCase:
    """``draw(times, n)``: n draws with ``times`` the scale, checked by the law of ``scale``."""

    name: str
    draw: Draw
    scale: float
    one_sided: bool = False
    many: int = MANY

    def sound(self, few: bool) -> list[tuple[float, float]]:
        return self.checked(self.draw(1.0, FEW if few else self.many))

    def faults(self, few: bool) -> Iterator[tuple[str, Tails]]:
        for times in (SCALE, 1 / SCALE):
            yield f"scale times {times:.3g}", self.checked(self.draw(times, FEW))
        if not few and self.many == MANY:
            drawn, rng = self.draw(1.0, MANY), np.random.default_rng(1)
            by = SHIFT * self.scale
            drawn = drawn + math.floor(by) + (rng.random(drawn.size) < by % 1)
            yield "shifted", self.checked(drawn)

    def checked(self, noise: Counts) -> Tails:
        """Noise that is not 0, its signs, and by how much it is beyond 1."""
        a, n = math.exp(-1.0 / self.scale), noise.size
        if self.one_sided:  # what is taken away
            assert noise.min() >= 0
            zero = tails(binom(n, -math.expm1(-1.0 / self.scale)), int((noise == 0).sum()))
            return [zero, tails(nbinom(n, 1 - a), int(noise.sum()))]
        other = int((noise != 0).sum())
        beyond = int(np.abs(noise).sum()) - other
        return [
            tails(binom(n, 2 * a / (1 + a)), other),
            tails(binom(other, 0.5), int((noise > 0).sum())),
            tails(nbinom(other, 1 - a), beyond),
        ]


@dataclass(frozen=True)
class CoinCase:
    """``hits(times, n)``: how many of n coins fall so, the threshold being ``times`` too high."""

    name: str
    hits: Callable[[float, int], int]
    p: float

    @property
    def count(self) -> int:
        """With so many a share 1 % off lies 12 standard deviations off."""
        return math.ceil((12.5 / 0.0099) ** 2 * (1 - self.p) / self.p) + 1000

    def sound(self, few: bool) -> list[tuple[float, float]]:
        return [tails(binom(self.count, self.p), self.hits(1.0, self.count))]

    def faults(self, few: bool) -> Iterator[tuple[str, Tails]]:
        for times in (SHARE, 1 / SHARE):
            seen = self.hits(times, self.count)
            yield f"p times {times:.3g}", [tails(binom(self.count, self.p), seen)]


def two_sided(times: float, n: int, scale: float, value: int) -> Counts:
    numbers = np.full(n, value)
    return two_sided_noise(numbers, times * scale) - numbers


def one_sided(times: float, n: int, scale: float, value: int) -> Counts:
    numbers = np.full(n, value)
    return numbers - one_sided_noise(numbers, times * scale)


def of_noise(times: float, n: int, noise: Noise, shape: Sequence[int]) -> Counts:
    """Vectors, each of whose numbers has noise of its own."""
    wider = Noise(noise.rate / times, noise.whole, noise.one_sided)
    numbers = np.arange(n).reshape(-1, *shape)
    drawn = with_noise_of(wider, numbers) - numbers
    return (-drawn if noise.one_sided else drawn).ravel()


def of_learning(times: float, n: int, sensitivity: int, epsilon: float) -> Counts:
    counts = np.arange(n)
    return with_noise(counts, sensitivity, epsilon / times) - counts


def of_answers(times: float, n: int, alpha: float) -> Counts:
    """One answer after the other, of a histogram."""
    bins = range(25)
    unit = {"A": {value: [int(value == each) for each in bins] for value in bins}}
    domain, histogram = Domain.of([25], ["A"], [bins]), Geometric(alpha ** (1 / times), terms=unit)
    every = [draw(histogram, domain, bins) for _ in range(n // 25)]
    return np.array(every, np.int64).ravel() - np.tile(bins, n // 25)


def of_queries(times: float, n: int, wide: float, reach: int) -> Counts:
    """As `unspoken query` draws: ``wide`` times as far as one row moves a number, or ``reach``."""
    scale = answers.AnswerNoise([], wide * times, {}).scale(Number(("x",), (0, reach), (2,)))
    sums = np.arange(n)
    return two_sided_noise(sums, scale) - sums


def bounded(function: Callable[..., Any], *arguments: Any) -> Callable[[float, int], Any]:
    return lambda times, n: function(times, n, *arguments)


def of_a_grid(scale: float, step: float) -> Noise:
    domain = Domain.of([2], ["x"], [[0, 100]])
    (query,) = on_grid(Laplace(scale), domain, step).parts(domain, _WHO).queries
    return query.noise


def noises() -> Iterator[NoiseCase]:
    for scale in (0.3, 0.5, 1.0, 1.5, 2.0, 3.7, 8.0, 20.0, 100.0, 1e3, 1e5, 1e6):
        for value in (0, -(2**39)):
            draws = bounded(two_sided, scale, value)
            yield NoiseCase(f"scale {scale:g} on {value}", draws, scale)
    for alpha in (0.05, 0.2, 0.5, 0.75, 0.9, 0.99, 0.999):
        for shape in ((), (2,), (5, 4)):
            noise = Noise(-math.log(alpha), whole=True)
            name = f"geometric {alpha:g} of {shape}"
            yield NoiseCase(name, bounded(of_noise, noise, shape), 1 / noise.rate)
    for scale, step in ((3.0, 1.0), (1.0, 2.0**-10), (0.5, 0.01), (250.0, 100.0)):
        noise = of_a_grid(scale, step)
        name = f"laplace {scale:g} in steps of {step:g}"
        yield NoiseCase(name, bounded(of_noise, noise, ()), scale / step)
    for sensitivity in (1, 2, 7):
        for epsilon in (0.1, 0.5, 1.0, 2.0):
            draws = bounded(of_learning, sensitivity, epsilon)
            name = f"counts of learning, {sensitivity} at {epsilon:g}"
            yield NoiseCase(name, draws, sensitivity / epsilon)
    for wide, reach in ((0.5, 1), (2.0, 1), (3.7, 5), (40.0, 60)):
        draws = bounded(of_queries, wide, reach)
        yield NoiseCase(f"queries of {reach} at {wide:g}", draws, wide * reach)
    for alpha in (0.5, 0.9):
        name = f"one answer after the other, {alpha:g}"
        yield NoiseCase(name, bounded(of_answers, alpha), -1 / math.log(alpha), many=FEW)


def one_sided_noises() -> Iterator[NoiseCase]:
    for scale in (0.4, 1.0, 2.5, 10.0, 1e3, 1e6):
        for value in (0, 2**39):
            draws = bounded(one_sided, scale, value)
            yield NoiseCase(f"one-sided {scale:g} from {value}", draws, scale, one_sided=True)
    for alpha in (0.2, 0.5, 0.9, 0.99):
        (query,) = OneSidedNoise(alpha, {"x": {1: 1}}, {}).parts(_BIT, _WHO).queries
        draws = bounded(of_noise, query.noise, (2,))
        yield NoiseCase(
            f"one-sided {alpha:g} of pairs", draws, -1 / math.log(alpha), one_sided=True
        )


def cells(times: float, n: int, p: float, master: MasterKey, text: bool) -> int:
    keys = attribute_keys(master, "a", "2026")
    records = [np.arange(n)] if not text else [_texts(n)]
    return int(released(tossed(keys, encode_keys(records)), _below(p * times)).sum())


def fresh(times: float, n: int, p: float) -> int:
    return int(released(fresh_draws(n), _below(p * times)).sum())


def records(times: float, n: int, weight: int, of: str) -> int:
    """Records that show this pattern, of three: of the weight, of a quarter, of what is left."""
    weights = {("A",): int(weight * times), ("A", "B"): 2**60}
    coin = Suppression({(1, 1): weights}, ["A", "B"], [[0, 1], [0, 1]], {"A": [0], "B": [0]})
    uniforms: Words = tossed(record_keys(MASTERS[0], of, "2026"), encode_keys([np.arange(n)]))
    return int((coin.patterns(np.ones((n, 2), np.intp), uniforms) == 1).sum())


def coins() -> Iterator[CoinCase]:
    for p in (0.25, 1 / 3, 0.5, 0.632, 0.75, 0.9):
        for number, master in enumerate(MASTERS):
            draws = bounded(cells, p, master, False)
            yield CoinCase(f"cell coins of {p:.3g}, key {number}", draws, _at(p))
        yield CoinCase(f"fresh coins of {p:.3g}", bounded(fresh, p), _at(p))
    for p in (0.5, 0.9):
        yield CoinCase(f"text keys of {p}", bounded(cells, p, MASTERS[0], True), _at(p))
    for weight in (2**60, 5 * 2**58, 3 * 2**59, 2**61, 11 * 2**58):
        for of in ("one table", "another"):
            name = f"record coins of {weight / 2**62:.4g}, {of}"
            yield CoinCase(name, bounded(records, weight, of), weight / 2**62)


def _texts(n: int) -> Any:
    return pa.array(np.arange(n)).cast(pa.string())


def _below(p: float) -> int:
    return threshold(-math.log1p(-p))


def _at(p: float) -> float:
    return _below(p) / 2.0**64


_BIT = Domain.of([2], ["x"], [[0, 1]])
_WHO = Adversary("x")
MASTERS = [MasterKey(bytes([i]) * 32) for i in (3, 4)]
CASES: list[NoiseCase | CoinCase] = [*noises(), *one_sided_noises(), *coins()]
SOME = [
    "scale 2 on 0",
    "queries of 5 at 3.7",
    "geometric 0.9 of (2,)",
    "one-sided 2.5 from 0",
    "cell coins of 0.75, key 0",
    "record coins of 0.6875, another",
]


def alarms(found: Tails) -> bool:
    return min(map(min, found)) < ALARM / (2 * CHECKS * len(CASES))


def looked_at(case: NoiseCase | CoinCase, few: bool) -> None:
    assert not alarms(case.sound(few)), case.name
    for fault, found in case.faults(few):
        assert alarms(found), (case.name, fault)


def test_there_are_enough_cases() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 100


@pytest.mark.parametrize("name", SOME)
def test_some(name: str) -> None:
    """One of each kind, with every fault."""
    looked_at(next(case for case in CASES if case.name == name), few=False)


@pytest.mark.slow
@pytest.mark.stress
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_draw(case: NoiseCase | CoinCase) -> None:
    looked_at(case, few=DAILY)
