"""The law of linear queries beside the variables that are kept: what noise is then added to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import CELLS, Array
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.likelihood import Likelihood

__all__ = [
    "EXACT",
    "Blur",
    "Sums",
    "Weight",
    "Weights",
    "answers_off",
    "distances",
    "factors",
    "known_terms",
    "moved_by",
    "slopes",
    "term",
]

# How many axes a table may have (NumPy allows 64).
AXES = 60
# Products of multiples of FINE are floats exactly, and so are their sums, while these are small.
FINE = 2.0**-10
# On a lattice a term is a multiple of the unit up to this share of itself.
EXACT = 1e-14
# What one variable adds: w for w x, or the number of each of its values, in their order.
Weight = float | tuple[float, ...]
# One linear query: S = sum_i f_i(x_i); a variable that is not named adds 0.
Weights = Mapping[str, Weight]


def factors(domain: Domain, weight: Weight, name: str) -> tuple[float, Array]:
    """f_i(x) as a number times those of the values; of a weight of 0 no numbers are needed."""
    if isinstance(weight, tuple):
        return 1.0, np.array(weight)
    if not weight:
        return 0.0, np.zeros(len(domain.values_of(name)))
    return weight, domain.numbers(name)


def term(domain: Domain, weight: Weight, name: str) -> Array:
    """f_i(x) for each value of a variable."""
    times, numbers = factors(domain, weight, name)
    return times * numbers


def moved_by(domain: Domain, name: str, queries: Sequence[tuple[float, Weight]]) -> float:
    """max over x, x' of sum_c r_c |f_c(x) - f_c(x')|: how far one variable moves all answers.

    ``queries``: r_c and f_c, of each query.
    """
    used = [(rate, weight) for rate, weight in queries if weight]
    if not used:
        return 0.0
    if any(math.isinf(rate) and np.ptp(term(domain, weight, name)) for rate, weight in used):
        return math.inf
    used = [(rate, weight) for rate, weight in used if not math.isinf(rate)]
    if any(isinstance(weight, tuple) for _, weight in used):
        return float(distances(domain, name, used).max())
    total = sum(rate * abs(slope(weight, name)) for rate, weight in used)
    return total * float(np.ptp(domain.numbers(name)))


def distances(domain: Domain, name: str, queries: Sequence[tuple[float, Weight]]) -> Array:
    """sum_c r_c |f_c(x) - f_c(x')| for all values x and x' of a variable."""
    apart = np.zeros([len(domain.values_of(name))] * 2)
    for rate, weight in queries:
        times, numbers = factors(domain, weight, name)
        apart += rate * abs(times) * np.abs(np.subtract.outer(numbers, numbers))
    return apart


def slope(weight: Weight, name: str) -> float:
    """w, of a variable without listed values."""
    if isinstance(weight, tuple):
        raise InputError(
            f'query: "{name}" is any number in a range, so that none has a term of its own; give '
            "it a weight"
        )
    return weight


def slopes(weights: Weights, names: Sequence[str]) -> list[float]:
    """w of each of these variables, which have no listed values."""
    return [slope(weights.get(name, 0.0), name) for name in names]


def known_terms(domain: Domain, weights: Weights, known: Mapping[str, Value]) -> Array:
    """f_i(x_i) of what is known of the variables that are added up."""
    terms = []
    for name, value in known.items():
        weight = weights.get(name)
        if isinstance(weight, tuple):
            terms.append(weight[domain.code(name, value)])
        elif weight:
            domain.numbers(name)  # complains where values are no numbers
            terms.append(weight * number(value))
    return np.array(terms)


def answers_off(domain: Domain, weights: Weights, share: float) -> float:
    """By how much rounding may move a noise-free answer sum_i f_i(x_i).

    Not at all, where weights and values are multiples of 1, or of FINE, and their sums have no more
    than the digits of floats. Else a product each, sums of n, and ``share`` of every term.
    """
    used = {name: w for name, w in weights.items() if w and name in domain.names}
    terms = [factors(domain, w, name) for name, w in used.items()]
    size = sum(abs(w) * float(np.abs(numbers).max()) for w, numbers in terms)
    for fine in (1.0, FINE):
        exact = all(not w % fine and not (numbers % fine).any() for w, numbers in terms)
        if exact and size < fine**2 / UNIT:
            return 0.0
    return size * ((2.0 + len(terms)) * UNIT + share)


@dataclass(frozen=True)
class Blur:
    """The variance of something Gaussian, off by a factor e^``eta`` at most."""

    variance: float
    eta: float


@dataclass(frozen=True)
class Sums:
    """P(x_keep, S_1 = s_1, ..., S_q = s_q), on the product grid of what each query can answer.

    ``points[c]`` are the possible values of query c, ascending; the axes of ``table`` are the kept
    variables, then the queries. ``in_logs``: where products of probabilities leave the range of
    floats. ``blur``: the queries are these answers plus something continuous that depends on
    nothing kept (the rest of a Gaussian); far out its tails tell as much as the answers themselves,
    on the mean they tell less. ``off``: by how much answers are off, where the belief says so.
    ``rounded``: the operations behind an entry of the table, beyond those behind the belief's own;
    ``share``: by how much of itself each term of an answer is off (on a lattice, EXACT).
    """

    points: tuple[Array, ...]
    table: Array
    in_logs: bool = False
    blur: tuple[Blur, ...] = ()
    off: tuple[float, ...] = ()
    rounded: float = 0.0
    share: float = 0.0

    @property
    def blurred(self) -> bool:
        return bool(self.blur)

    @classmethod
    def of(
        cls, table: Array, kept: int, terms: Sequence[Sequence[Array]], in_logs: bool = False
    ) -> Sums:
        """From a joint table: its first ``kept`` axes stay, the later ones are only summed over.

        ``terms[c][axis]`` are the contributions f_i(x_i) of each axis to query c.
        """
        nothing, add = (-np.inf, np.logaddexp) if in_logs else (0.0, np.add)
        occurs = table > nothing
        cells = np.argwhere(occurs)
        points, codes = [], [cells[:, axis] for axis in range(kept)]
        for query_terms in terms:
            answers = sum(
                (term[cells[:, axis]] for axis, term in enumerate(query_terms)), np.zeros(1)
            )
            possible, code = np.unique(np.broadcast_to(answers, len(cells)), return_inverse=True)
            points.append(possible)
            codes.append(code)
        size = math.prod(table.shape[:kept]) * math.prod(map(len, points))
        if size > CELLS or kept + len(terms) > AXES:
            raise TooLarge(
                f"{len(terms)} noisy answers: {size:,} combinations of what they can be, more than "
                f"{CELLS:,}; see fewer at once, or use coarser values"
            )
        law = np.full((*table.shape[:kept], *(len(possible) for possible in points)), nothing)
        add.at(law, tuple(codes), table[occurs])
        return cls(tuple(points), law, in_logs, rounded=math.prod(table.shape[kept:]))

    def bare(self) -> Likelihood:
        """With nothing else seen: one outcome, that tells nothing."""
        if self.in_logs:
            return Likelihood(np.exp(self.table), np.full(1, -np.inf), self.table[..., None], True)
        return Likelihood(self.table, np.zeros(1), np.zeros((*self.table.shape, 1)), False)
