"""The laws of pairs P(x_j | x_i) as tables, and how far x_j lies from the ends of its range."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.beliefs import Belief
from unspoken.core.numerics.arrays import CELLS, Array, Mask, most_of_few
from unspoken.core.types.sums import distances, slopes
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["Links", "PairLaws", "TargetMoves", "alike", "pair_laws", "moves_of_targets"]


@dataclass(frozen=True)
class PairLaws:
    """P(x_j | x_i) for some j and i: ``laws[j, i, a, x]``, of 0 where x_i cannot be a.

    ``weights[j, i]``: |w_j|, and 0 where j is i. ``ends[j]``: how far each value of x_j is from
    either end of its range. Where a variable has terms, its weight is 1 and the distances are those
    of its terms, sum_c |f_cj(x) - f_cj(x')|, from any of its values x': the ends of what they are
    in several dimensions (core/types/sums.py).
    """

    weights: Array
    laws: Array
    ends: Array  # (j, ends, values of x_j)

    @cached_property
    def possible(self) -> Mask:
        """Which values a can be, for every j and i."""
        return np.asarray(self.laws.any(axis=-1))

    @cached_property
    def occurring(self) -> Mask:
        """Which values x_j can be at all, as [j, 1, x]."""
        rows = self.laws.reshape(len(self.laws), -1, self.laws.shape[-1])
        return np.asarray(rows.any(axis=1, keepdims=True))

    @cached_property
    def means(self) -> Array:
        """max_c E[|x_j - c| | x_i = a] for every j, i and a."""
        largest: Array = self._expected(self.ends).max(-1)
        return largest

    def mean(self, sigma: float) -> Array:
        largest: Array = self.means.max(-1)
        return largest

    def farthest(self, sigma: float) -> Array:
        """sigma log E e^(distance from the farthest end / sigma)."""
        return self._moment(self.ends.max(1, keepdims=True), sigma)

    def either(self, sigma: float) -> Array:
        """The same of the end that is worse."""
        return self._moment(self.ends, sigma)

    def lower(self, sigma: float) -> Array:
        """The same of the lower end."""
        return self._moment(self.ends[:, :1], sigma)

    def _moment(self, distances: Array, sigma: float) -> Array:
        """sigma log max over a, c of E[e^(distances[j, c, x_j] / sigma) | x_i = a], as [j, i].

        The largest distance of a value that can be is taken out: far below it nothing counts.
        """
        distances = np.where(self.occurring, distances, -np.inf)
        peak = distances.max((1, 2), keepdims=True)
        with np.errstate(over="ignore"):  # so far below the peak that nothing counts
            shares = np.exp((distances - peak) / sigma)
        expected = self._expected(shares)
        moments = most_of_few(expected.reshape(*expected.shape[:2], -1))
        moved: Array = peak[:, 0] + sigma * np.log(moments)
        return moved

    def _expected(self, of: Array) -> Array:
        """E[of[j, c, x_j] | x_i = a], as [j, i, a, c]: one product of matrices for each j."""
        flat = self.laws.reshape(len(self.laws), -1, self.laws.shape[-1])
        return (flat @ of.swapaxes(1, 2)).reshape(*self.laws.shape[:3], -1)


@dataclass(frozen=True)
class TargetMoves:
    """D_i for some targets i, and the others that count for them.

    TargetMoves have as many values each, and so have those of one table.
    """

    reaches: Array
    tables: Sequence[PairLaws]

    def total(self, moves: Callable[[PairLaws, float], Array], sigma: float) -> Array:
        """D_i + sum_j |w_j| times what x_j moves by, at this scale."""
        each = ((laws.weights * moves(laws, sigma)).sum(0) for laws in self.tables)
        total: Array = self.reaches + sum(each, np.zeros(1))
        return total


Links = Collection[tuple[str, str]]


def moves_of_targets(
    problem: NoiseProblem, blocks: Iterable[Sequence[str]], links: Links | None = None
) -> Iterator[TargetMoves]:
    """Every variable, and all others in its block that the answer moves with.

    ``links``: (target, other) for those that count; None: all.
    """
    belief, reaches = problem.belief, problem.reaches
    for block in blocks:
        kinds = list(alike(belief, [name for name in block if reaches[name]]))
        cells = max(belief.cells([name]) for name in block) ** 2 * len(block)
        for names in alike(belief, block):
            for few in _few(names, max(1, CELLS // cells)):
                beside = ([name for name in kind if [name] != few] for kind in kinds)
                tables = [pair_laws(problem, kind, few, links) for kind in beside if kind]
                yield TargetMoves(np.array([reaches[name] for name in few]), tables)


def alike(belief: Belief, names: Iterable[str]) -> Iterator[list[str]]:
    """Those with as many values as one another."""
    kinds: dict[int, list[str]] = {}
    for name in names:
        kinds.setdefault(belief.cells([name]), []).append(name)
    return iter(kinds.values())


def _few(names: list[str], most: int) -> Iterator[list[str]]:
    return (names[at : at + most] for at in range(0, len(names), most))


def pair_laws(
    problem: NoiseProblem, names: Sequence[str], of: Sequence[str], links: Links | None = None
) -> PairLaws:
    """These beside the targets ``of``; as many values each."""
    belief = problem.belief
    joint = belief.beside(names, of)
    mass = (joint @ np.ones(joint.shape[3]))[..., None]
    laws = joint / np.where(mass > 0, mass, 1.0)
    weights, ends = _moves(problem, names)
    return PairLaws(weights[:, None] * _counting(names, of, links), laws, ends)


def _moves(problem: NoiseProblem, names: Sequence[str]) -> tuple[Array, Array]:
    """The weights and the distances from ends; where none has terms, from two only."""
    domain, queries = problem.belief.domain, problem.queries
    each = {name: [query.get(name, 0.0) for query in queries] for name in names}
    if any(isinstance(weight, tuple) for weights in each.values() for weight in weights):
        apart = [distances(domain, n, [(1.0, w) for w in each[n] if w]) for n in names]
        return np.ones(len(names)), np.stack(apart)
    weights = np.abs([slopes(query, names) for query in queries]).sum(0)
    numbers = np.stack([domain.numbers(name) for name in names])
    low, high = numbers.min(1, keepdims=True), numbers.max(1, keepdims=True)
    return weights, np.stack([numbers - low, high - numbers], axis=1)


def _counting(names: Sequence[str], of: Sequence[str], links: Links | None) -> Mask:
    """Which names count for which targets: all but itself, or those that are linked."""
    row = {name: k for k, name in enumerate(names)}
    column = {name: k for k, name in enumerate(of)}
    counts = np.full((len(names), len(of)), links is None)
    for i, name in [(i, i) for i in of] if links is None else links:
        if i in column and name in row:
            counts[row[name], column[i]] = links is not None and i != name
    return counts
