"""What a set of tables says of one noisy sum: for each value of the target, by the sums unknown.

Two cells with the same noise-free answer weigh alike in every likelihood, so of each row (a, x_K)
only the least and the largest mass on each sum matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs.asking import NoisySum
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.families.ends import Ends
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.ring import RANGE
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Domain
from unspoken.core.types.premise import Premise
from unspoken.core.types.sums import answers_off, term

__all__ = ["Masses"]

# How many numbers may be looked at in all, a sum at a time.
WORK = 2**7 * CELLS


@dataclass(frozen=True)
class Masses:
    """``lower[a, c, s]`` and ``upper``: of value a of the target, context c, sum ``points[s]``.

    ``term`` is what each value of the target adds, ``rate`` one over the scale of the noise, and
    ``added`` how many cells were added up for a row; ``off``: how far the answers may be off.
    """

    lower: Array
    upper: Array
    points: Array
    term: Array
    rate: float
    added: int
    off: float

    @classmethod
    def of(cls, ends: Ends, query: NoisySum, adversary: Adversary, what: str) -> Masses:
        """For one adversary and one query."""
        domain = ends.domain
        target, known = adversary.targets[0], adversary.known
        unknown = [name for name in domain.names if name not in (target, *known)]
        terms = {
            name: term(domain, w, name)
            for name, w in query.weights.items()
            if w and name not in known
        }
        sums = np.zeros(1)
        for name in unknown:
            added = terms.get(name, np.zeros(len(domain.values_of(name))))
            sums = np.add.outer(sums, added).ravel()
        points, code = np.unique(sums, return_inverse=True)
        axes = [domain.axis(name) for name in (target, *known, *unknown)]
        contexts = _contexts(domain, adversary)
        shape = (len(domain.values_of(target)), -1, len(sums))
        lower, upper = (
            _by_sum(table.transpose(axes).reshape(shape)[:, contexts], code, len(points))
            for table in (ends.lower, ends.upper)
        )
        added = terms.get(target, np.zeros(shape[0]))
        off = answers_off(domain, query.weights, 0.0)
        made = cls(lower, upper, points, added, query.noise.rate, len(sums), off)
        if (np.ptp(points) + np.ptp(added)) * query.noise.rate > RANGE:
            raise InputError(f"{what}: sums range over more than {RANGE:g} noise scales")
        if made.answers.size * lower.size > WORK:
            raise TooLarge(f"{what}: {made.answers.size * lower.size:,} numbers; know or ask less")
        return made

    @property
    def answers(self) -> Array:
        """All noise-free answers: whatever P is, the largest log-ratio is at one of them."""
        return np.unique(self.points[:, None] + self.term)

    def bound(self, low: float, high: float, premise: Premise, why: str) -> Bound:
        """Between a log-ratio that is reached and one that none exceeds, and what was rounded.

        Two quotients of two sums each, their logarithms, and a kernel of e^-x (3 x u).
        """
        reach = self.rate * float(np.ptp(self.points) + np.ptp(self.term))
        operations = 8 * self.added + 64 + 12 * reach + 4 * self.rate * self.off / UNIT
        off = UNIT * operations * max(1.0, high) if high else 0.0
        return Bound.rounded((low, high), (low - off, high + off), premise, why)

    def kernel(self, answer: float, value: int) -> Array:
        """e^(-rate |answer - s - term|) for all s."""
        weight: Array = np.exp(-self.rate * np.abs(answer - self.points - self.term[value]))
        return weight


def _contexts(domain: Domain, adversary: Adversary) -> Codes:
    """The combinations of known values that are looked at: one, or all."""
    sizes = [len(domain.values_of(name)) for name in adversary.known]
    every = np.arange(math.prod(sizes))
    if not adversary.known_values:
        return every
    codes = [domain.code(name, value) for name, value in adversary.known_values.items()]
    return np.atleast_1d(np.ravel_multi_index(tuple(codes), sizes))


def _by_sum(rows: Array, code: Codes, points: int) -> Array:
    """The cells of each row added up by their sums."""
    masses = np.zeros((points, *rows.shape[:2]))
    np.add.at(masses, code.ravel(), np.moveaxis(rows, 2, 0))
    return np.moveaxis(masses, 0, 2)
