"""How much noise: each number's scale is lambda times how far one record moves it.

lambda is the least that breaks no limit beside all that was given out before. More of it is
post-processing, so every leakage falls with it, and halving finds it from the safe side.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import Geometric, Mechanism, RecordCounts, Together
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.roots import last_where
from unspoken.noise.discrete_laplace import scale_of
from unspoken.tables.learning.intervals.noise_law import reach
from unspoken.tables.learning.marks.labels import Labelling
from unspoken.workflows.query.numbers import Number
from unspoken.workflows.query.select import WHERE

__all__ = ["CHANCE", "EPSILONS", "AnswerNoise", "by_epsilon", "coarse", "least", "moved", "within"]

CHANCE = 0.05  # that an error goes further than its bar
# lambda, where it is looked for: with less, one record would change what is told by more than e^2
# a number, whatever is believed; beyond the largest there is nothing but noise.
LEAST, MOST = 0.5, 2.0**24
EPSILONS = 1e-6, 20.0  # that may be declared
NEAR = 2.0**-8  # how close to the least one, relatively
NEARLY = 2.0**-32  # by which sums of floats are off at most, and more
TOGETHER = 1024  # combinations of cells that are compared with each other
DIGITS = 3  # of lambda, rounded up
LESS = 0.1, 0.01  # of all that is left: what else is offered


@dataclass(frozen=True)
class AnswerNoise:
    """``times``: lambda; ``labellings``: where each attribute's labels are."""

    numbers: Sequence[Number]
    times: float
    labellings: Mapping[str, Labelling]

    def scale(self, number: Number) -> float:
        """What it is drawn with: by OpenDP's own account a step tells no more than is charged."""
        return scale_of(1, 1.0 / (self.times * number.reach))

    @property
    def mechanism(self) -> Mechanism:
        """What one record tells: numbers of one attribute and one scale are one vector."""
        vectors: dict[tuple[tuple[str, ...], int], list[Number]] = {}
        for each in self.numbers:
            vectors.setdefault((each.names, each.reach), []).append(each)
        parts = [*map(self._vector, vectors.values())]
        return parts[0] if len(parts) == 1 else Together(parts)

    def _vector(self, numbers: Sequence[Number]) -> Mechanism:
        each = [number.terms(self.labellings) for number in numbers]
        (labels, _), adds = each[0], np.stack([added for _, added in each])
        scale = self.times * numbers[0].reach
        alpha = math.exp(-1.0 / scale)
        while -math.log(alpha) < 1.0 / scale:  # never more noise than is drawn
            alpha = math.nextafter(alpha, 0.0)
        if len(labels) > 1:
            return RecordCounts(alpha, labels, tuple(adds))
        ((name, values),) = labels.items()
        rows = adds.T.astype(np.float64).tolist()
        return Geometric(alpha, terms={name: dict(zip(values, rows, strict=True))})

    @property
    def epsilon(self) -> float:
        """What one record changes at most: no answer is more than e^this times as likely."""
        return moved(self.numbers) / self.times

    def error(self, number: Number, counts: int = 1, chance: float = CHANCE) -> int:
        """No error of so many numbers is larger, but with this chance; in steps."""
        return reach(counts, self.scale(number), chance)

    def least_error(self) -> float:
        """How far off the number is that is known best, in rows."""
        return min(self.error(each) / each.reach for each in self.numbers)

    def offered(self, rows: int) -> str:
        """The epsilon that this is, with what the best known number is off by; refused without one,
        where that is more than all ``rows``.
        """
        error = self.least_error()
        alone = "but as noise alone" if error > rows else "or leave it out"
        off = f"± {math.ceil(error):,} of {rows:,} rows"
        return f"epsilon {coarse(self.epsilon):.3g} would fit ({off}), {alone}"

    def less(self, rows: int) -> Iterator[tuple[float, AnswerNoise]]:
        """For a tenth of this epsilon, and a hundredth, as far as that is no noise alone."""
        for part in LESS:
            epsilon = float(f"{coarse(part * self.epsilon, digits=1):g}")
            if epsilon >= EPSILONS[0]:
                other = replace(self, times=by_epsilon(self.numbers, epsilon))
                if other.least_error() <= rows:
                    yield epsilon, other


def moved(numbers: Sequence[Number]) -> float:
    """How far one record moves all numbers together, each in units of its own reach."""
    return _moved(tuple(numbers))


@lru_cache(16)  # noise is looked for by halving, for the same numbers
def _moved(numbers: tuple[Number, ...]) -> float:
    left, each = list(numbers), list[float]()
    while left:
        names = {*left[0].names}
        while beside := [n for n in left if names & {*n.names} and not names >= {*n.names}]:
            names.update(*(n.names for n in beside))
        each.append(_of_some([n for n in left if names >= {*n.names}]))
        left = [n for n in left if not names >= {*n.names}]
    return math.fsum(each)


def _of_some(numbers: Sequence[Number]) -> float:
    """Over all pairs of cells of attributes that no other number is about: of all attributes of
    these at once, each row being what one record adds, in whole numbers by reach. Of too many cells
    those that are about the same attributes are looked at by themselves, which is no less.
    """
    sizes = {name: d for n in numbers for name, d in zip(n.names, n.shape, strict=True)}
    apart = sorted({n.names for n in numbers})
    if len(apart) > 1 and math.prod(sizes.values()) > TOGETHER:
        return math.fsum(_of_some([n for n in numbers if n.names == names]) for names in apart)
    grid = np.indices([*sizes.values()]).reshape(len(sizes), -1)
    places = dict(zip(sizes, grid, strict=True))
    added = [n.table[tuple(places[name] for name in n.names)] for n in numbers]
    rows = np.unique(np.stack(added, axis=1), axis=0)
    reaches = sorted({n.reach for n in numbers})
    like = [[k for k, n in enumerate(numbers) if n.reach == reach] for reach in reaches]
    most = 0.0
    for row in rows:
        changes = np.abs(rows - row)
        sums = np.stack([changes[:, columns].sum(1) for columns in like], axis=1)
        far = (sums / reaches).sum(1)
        largest = np.unique(sums[far >= far.max() * (1 - NEARLY)], axis=0).tolist()
        most = max([most, *(math.fsum(map(operator.truediv, each, reaches)) for each in largest)])
    return most


def within(epsilon: float) -> float:
    """An epsilon that noise is drawn for."""
    given, (low, high) = number(epsilon), EPSILONS
    if not low <= given <= high:
        raise InputError(f"epsilon {given:g}: write a number from {low:g} to {high:g}")
    return given


def by_epsilon(numbers: Sequence[Number], epsilon: float) -> float:
    """The lambda of a declared epsilon."""
    given, reach = within(epsilon), moved(numbers)
    times = reach / given
    while reach / times > given:
        times = math.nextafter(times, math.inf)
    return times


def least(broken: Callable[[float], str | None]) -> float:
    """The least lambda for which nothing is ``broken``; refused where none is."""
    worst = broken(MOST)
    if worst:
        raise LimitExceeded(
            f"{WHERE}: {worst}, however much noise there is: what was given out before leaves "
            "nothing for answers. Raise that limit; beside cells, another time write a smaller "
            "odds_cap under [plan] before anything is given out (docs/answers.md: beside a "
            "release)",
            "no answer with noise does",
        )

    ends = math.log(MOST), math.log(LEAST)
    return _up(math.exp(last_where(lambda log: not broken(math.exp(log)), *ends, NEAR)))


def coarse(epsilon: float, digits: int = DIGITS) -> float:
    """Few digits, and no more of it: what is said to fit does."""
    unit = 10.0 ** (math.floor(math.log10(epsilon)) - digits + 1)
    return math.floor(epsilon / unit) * unit


def _up(times: float) -> float:
    """Few digits, and more noise: what leaves is coarse."""
    unit = 10.0 ** (math.floor(math.log10(times)) - DIGITS + 1)
    return math.ceil(times / unit) * unit
