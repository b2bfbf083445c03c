"""Noisy numbers that depend on several variables of a record at once, as a kernel over its cells.

A record x adds f_c(x) to number c, and noise moves that as `Geometric` does. What the answer y_c
says of x it says when it is moved to the nearest number from min f_c to max f_c, since beyond these
all likelihoods keep their ratios:

    P(y | x) ~ alpha^|y - f_c(x)| = alpha^(y - max f_c) alpha^(max f_c - f_c(x))    for y >= max f_c

So there are finitely many outcomes, and what is seen is as exact as coins of records are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import CELLS, Codes, Counts
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kernel import Kernel, Outcomes, positions
from unspoken.core.types.noise import Noise

__all__ = ["ANSWER", "RecordNoise"]

# What noisy answers are called among the outputs; several are numbered from 1.
ANSWER = "answer"


@dataclass(frozen=True, eq=False)
class RecordNoise:
    """``adds[c, i, j, ...]``: f_c of the i-th of the first values, the j-th of the second, ...;
    0 of values that are not named.
    """

    alpha: float
    values: Mapping[str, Sequence[Value]]
    adds: Counts

    @property
    def names(self) -> tuple[str, ...]:
        """What it depends on."""
        return tuple(self.values)

    @property
    def name(self) -> str:
        """What its answers are called among the outputs."""
        return f"{ANSWER} of {', '.join(self.names)}"

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.name,) if len(self.adds) else ()

    def seeing(self, names: Sequence[str]) -> RecordNoise:
        """As far as these outputs are seen."""
        return self if self.name in names else replace(self, adds=self.adds[:0])

    @property
    def rate(self) -> float:
        return -math.log(self.alpha)

    @property
    def epsilon(self) -> float:
        """rate max over x, x' of sum_c |f_c(x) - f_c(x')|: the most that any record changes."""
        return self.rate * _apart(self._listed.tobytes(), len(self.adds))

    @property
    def outcomes(self) -> int:
        """How many there are to look at."""
        return math.prod((self._high - self._low + 1).tolist())

    @property
    def outputs(self) -> list[Output]:
        """All of them, as they are called."""
        return list(map(_called, self._answers().tolist()))

    @cached_property
    def _padded(self) -> Counts:
        """With a last place on each axis for values that are not named."""
        return np.pad(self.adds, [(0, 0), *[(0, 1)] * (self.adds.ndim - 1)])

    @property
    def _listed(self) -> Counts:
        return self._padded.reshape(len(self.adds), -1)

    @cached_property
    def _low(self) -> Counts:
        return np.asarray(self._listed.min(1))

    @cached_property
    def _high(self) -> Counts:
        return np.asarray(self._listed.max(1))

    def _added(self, domain: Domain, codes: Mapping[str, Codes]) -> Counts:
        """f_c(x) of cells by the positions of their values: [cell, c]."""
        places = []
        for name, values in self.values.items():
            place = np.full(len(domain.values_of(name)), len(values))
            for k, value in enumerate(values):
                place[domain.code(name, value)] = k
            places.append(place[codes[name]])
        return np.asarray(np.moveaxis(self._padded, 0, -1)[tuple(places)])

    def kernel(self, domain: Domain, codes: Mapping[str, Codes]) -> Kernel:
        """P(y | x) = e^(w_y - rate d(x, y)) with d = sum_c |y_c - f_c(x)|, and w_y the weights of
        the numbers moved to y: 1 / (1 + alpha) at an end, (1 - alpha) / (1 + alpha) between. Common
        is the farthest d of any cell.
        """
        added, code = np.unique(self._added(domain, codes), axis=0, return_inverse=True)
        if self.outcomes * max(len(added), len(code.ravel()), len(self.adds)) > CELLS:
            raise TooLarge(
                f"{self.name}: {self.outcomes:,} answers of {len(code.ravel()):,} cells to look "
                "at; see fewer at once"
            )
        answers = self._answers()
        apart = np.abs(answers[None] - added[:, None]).sum(2)
        farthest = apart.max(0)
        between = np.where(self._low == self._high, 0.0, -math.log1p(self.alpha))
        inner = (answers > self._low) & (answers < self._high)
        weight = (between + inner * math.log(-math.expm1(-self.rate))).sum(1)
        excess = np.exp(weight - self.rate * apart) * -np.expm1(self.rate * (apart - farthest))
        row, outcome = np.nonzero(excess)
        first = np.searchsorted(row, np.arange(len(added) + 1))
        entry, starts = positions(first, code.ravel())
        return Kernel(
            Outcomes((self.name,) * len(self.adds), self._outputs, answers - self._low),
            weight - self.rate * farthest,
            starts,
            outcome[entry],
            excess[row, outcome][entry],
            Rounding.of_numbers(8.0 + 4.0 * len(self.adds) + 3.0 * self.rate * farthest.max()),
        )

    def _answers(self) -> Counts:
        """All there are: [y, c]."""
        sizes = (self._high - self._low + 1).tolist()
        grid = np.indices(sizes).reshape(len(sizes), -1).T
        return np.asarray(grid + self._low)

    @property
    def _outputs(self) -> tuple[tuple[Output, ...], ...]:
        ends = zip(self._low.tolist(), self._high.tolist(), strict=True)
        return tuple(tuple(range(low, high + 1)) for low, high in ends)

    def sample(
        self, domain: Domain, cells: Codes, rng: np.random.Generator
    ) -> dict[str, list[Output]]:
        """What is seen of each of these records, to simulate."""
        codes = {name: cells[:, domain.axis(name)] for name in self.names}
        added, noise = self._added(domain, codes), Noise(self.rate, whole=True)
        drawn = np.stack([noise.sample(rng, len(cells)) for _ in self.adds], axis=1)
        seen = np.clip(added + drawn.astype(np.int64), self._low, self._high).tolist()
        return {self.name: list(map(_called, seen))}


@lru_cache(16)  # the same numbers are looked at with noise of many scales
def _apart(listed: bytes, numbers: int) -> int:
    rows = np.unique(np.frombuffer(listed, np.int64).reshape(numbers, -1).T, axis=0)
    return max(int(np.abs(rows - row).sum(1).max()) for row in rows)


def _called(answer: list[int]) -> Output:
    return answer[0] if len(answer) == 1 else tuple(answer)
