"""Beliefs in which variables depend on one another along the arrows of a forest only."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from unspoken.core.beliefs.belief import (
    Belief,
    different,
    draws,
    evidence,
    impossible,
    is_event,
    nothing_left,
)
from unspoken.core.beliefs.forests.each import sums_of_each
from unspoken.core.beliefs.forests.events import Events, Evidence
from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.beliefs.forests.halves import is_path, operations
from unspoken.core.beliefs.forests.knowing import given
from unspoken.core.beliefs.forests.messages import collect
from unspoken.core.beliefs.forests.pairs import beside
from unspoken.core.beliefs.forests.sums import Dense, Sparse
from unspoken.core.beliefs.lattice import Lattice
from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.ring import LEAST, Ring, with_all_digits
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.premise import Premise
from unspoken.core.types.sums import EXACT, Sums, Weights

__all__ = ["Markov", "is_matrix", "occurring"]


class Markov(Belief):
    """``forest`` holds the laws; what is left of it once values are known is a forest again."""

    def _hold(self, forest: Forest, domain: Domain, premise: Premise) -> None:
        self._forest, self.domain, self.premise = forest, domain, premise
        self._before = 8.0  # operations, before what is left of the forest was so

    @property
    def forest(self) -> Forest:
        return self._forest

    def operations(self, names: Sequence[str]) -> float:
        """See `Forest.operations`; known values were weighted by messages in a forest before."""
        return self._before + self.forest.operations

    def marginal(self, names: Sequence[str]) -> Array:
        axes = self._few(names)
        if len(axes) == 1:
            return self.forest.singles[axes[0]]
        if not axes:
            return np.array(1.0)
        table, in_logs = self._products(axes)
        return np.exp(table) if in_logs else table

    def _joint(self, names: Sequence[str]) -> tuple[Array, bool]:
        table = self.marginal(names)
        if table.min(initial=1.0) > LEAST:
            return table, False
        return self._products(self._few(names))

    def _products(self, axes: Sequence[int]) -> tuple[Array, bool]:
        """Their joint table, and whether it is one of logarithms."""
        shape = [self.domain.sizes[axis] for axis in axes]
        return with_all_digits(
            lambda ring: (self._evidence(axes, {}, ring).weight.reshape(shape), ring.in_logs)
        )

    def given(self, known: Mapping[str, Value]) -> Self:
        codes = {
            self.domain.axis(name, "given"): self.domain.code(name, value, "given")
            for name, value in evidence(known).items()
        }
        if len(codes) == len(self.domain.names):
            raise nothing_left()
        forest = given(self.forest, codes)
        if forest is None:
            raise impossible(known)
        later = type(self).__new__(type(self))
        later._hold(forest, self.domain.without(known), self.premise)
        later._before = 2.0 * self.operations(())
        return later

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Those on a tree with any of ``about``.

        Whether these block one another depends on which of them are known, which is not said here;
        once known values are `given`, the trees are cut there.
        """
        tree, axis = self.forest.tree, self.domain.axis
        trees = {tree[axis(name)] for name in about}
        return tuple(name for name in names if tree[axis(name)] in trees)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs on a tree."""
        numbered = list(zip(self.domain.names, self.forest.tree, strict=True))
        return [(a, b) for (a, i), (b, j) in itertools.combinations(numbered, 2) if i == j]

    def blocks(self) -> list[tuple[str, ...]]:
        """The variables of each tree: different trees are independent of each other."""
        trees: dict[int, list[str]] = {}
        for name, number in zip(self.domain.names, self.forest.tree, strict=True):
            trees.setdefault(number, []).append(name)
        return [tuple(names) for names in trees.values()]

    def blanket(self, name: str) -> tuple[str, ...]:
        """The Markov blanket: given these, the others say nothing about ``name``."""
        return self._named(self.forest.neighbours(self.domain.axis(name)))

    def shields(self, about: Sequence[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """(inner, boundary) within 0, 1, 2, ... arrows of ``about`` and one arrow further.

        Given the boundary, nothing outside says anything about what is inside.
        """
        for inner, edge in self.forest.balls(map(self.domain.axis, about)):
            yield self._named(inner), self._named(edge)

    def effort(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> float:
        """One event is passed along the arrows; several outputs need the joint table."""
        if not is_event(channels):
            return super().effort(keep, channels)
        return 2 * self.cells(keep) * max(self.domain.sizes)

    def outputs(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> Likelihood:
        """One event takes no joint table, however many are seen (beliefs/forests/events.py)."""
        if not is_event(channels):
            return super().outputs(keep, channels)
        kept = self._few(keep)
        events = {self.domain.axis(name): channel for name, channel in channels.items()}

        def excess(ring: Ring) -> tuple[float, Array, bool]:
            evidence = self._evidence(kept, events, ring)
            if not evidence.in_range(ring):
                return evidence.log_common, evidence.logs(ring), True
            plain = np.exp(evidence.excess) if ring.in_logs else evidence.excess
            return evidence.log_common, np.ldexp(plain, evidence.exponent), False

        log_common, numbers, in_logs = with_all_digits(excess)
        prior = self._plain(keep)
        return Likelihood(prior, np.array([log_common]), numbers.reshape(*prior.shape, 1), in_logs)

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        """The law of sums is passed along the arrows (beliefs/forests/sums.py)."""
        lattice = Lattice.of(self._terms(queries))
        if lattice is None or not lattice.steps:
            added = [name for weights in queries for name, w in weights.items() if w]
            self._few(tuple(dict.fromkeys([*keep, *added])))
            return super().sums(keep, queries)
        kept, sizes, steps = self._few(keep), self.forest.sizes, lattice.steps
        if lattice.dense and self.cells(keep) * lattice.size > CELLS:
            raise TooLarge(
                f"sum over {len(steps)} variables: {lattice.size:,} answers for each of "
                f"{self.cells(keep):,} cells kept, more than {CELLS:,} in all; keep fewer"
            )
        kind = Dense if lattice.dense else Sparse
        law, ring = with_all_digits(
            lambda ring: (collect(self.forest, kept, steps, kind(steps, sizes, ring)), ring)
        )
        shape = [sizes[v] for v in kept]
        if not lattice.dense:
            points = [lattice.points(0, law.codes)]
            return occurring(points, law.table.reshape(*shape, -1), ring.in_logs)
        table = np.full((len(law.table), lattice.size), ring.zero)
        table[:, : len(law.codes)] = law.table[:, 0]
        points = [lattice.points(c) for c in range(len(queries))]
        return occurring(points, table.reshape(*shape, *map(len, points)), ring.in_logs)

    def each_at_once(self, queries: Sequence[Weights]) -> int:
        lattice = Lattice.of(self._terms(queries)) if len(queries) == 1 else None
        if lattice is None or not lattice.dense:
            return 0
        return CELLS // (max(self.domain.sizes) * lattice.size)

    def sums_of_each(self, names: Sequence[str], queries: Sequence[Weights]) -> Sums | None:
        """P(x_i, S) for each x_i in ``names`` (the first axis) at once, on the same points.

        Variables with fewer values are padded with zeros. None where there is more than one query,
        no lattice of answers, or a table beyond the budget: then ask for one name after the other.
        """
        axes = [self.domain.axis(name) for name in names]
        lattice = Lattice.of(self._terms(queries)) if len(queries) == 1 else None
        if lattice is None or len(axes) > self.each_at_once(queries):
            return None
        forest, steps, size = self.forest, lattice.steps, lattice.size
        halved = is_path(forest) and self.each_at_once(queries) < len(forest.parents)
        table, in_logs = with_all_digits(
            lambda ring: (sums_of_each(forest, axes, steps, size, ring, halved), ring.in_logs)
        )
        sums = occurring([lattice.points(0)], table, in_logs)
        return replace(sums, rounded=operations(forest, size)) if halved else sums

    def beside(self, names: Sequence[str], targets: Sequence[str]) -> Array:
        """Messages from all targets at once (beliefs/forests/pairs.py)."""
        axis = self.domain.axis
        return beside(
            self.forest, [axis(name) for name in names], [axis(target) for target in targets]
        )

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        return self.forest.sample(rng, draws(rng, rows))

    def _terms(self, queries: Sequence[Weights]) -> list[dict[int, Array]]:
        """For each query, what each variable adds for each of its values."""
        return [
            {self.domain.axis(name): self._term(weights, name) for name, w in weights.items() if w}
            for weights in queries
        ]

    def _evidence(self, keep: Sequence[int], events: Mapping[int, Channel], ring: Ring) -> Evidence:
        return collect(self.forest, keep, events, Events(events, self.forest.sizes, ring))

    def _few(self, names: Sequence[str]) -> list[int]:
        """Their axes; refused where a table of them would be too large."""
        if self.cells(different(names)) > CELLS:
            raise TooLarge(
                f"joint table of {len(names)} variables: {self.cells(names):,} cells, more "
                f"than {CELLS:,}; ask about fewer at once"
            )
        return [self.domain.axis(name) for name in names]

    def _named(self, axes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.domain.names[axis] for axis in sorted(axes))


def is_matrix(tables: Any) -> bool:
    """Whether it is one matrix, and not a list of them: all of its entries are rows of numbers."""
    try:
        flat = [row is not None and np.ndim(row[0]) == 0 for row in tables]
        return bool(flat) and all(flat)
    except (TypeError, ValueError, IndexError, KeyError):
        return True  # neither; one matrix is what there will be complaints about


def occurring(points: Sequence[Array], table: Array, in_logs: bool) -> Sums:
    """Without the answers that never occur."""
    kept = table.ndim - len(points)
    possible = table > -np.inf if in_logs else table > 0
    for c, axis in enumerate(range(kept, table.ndim)):
        others = tuple(other for other in range(table.ndim) if other != axis)
        occurs = possible.any(axis=others)
        if not occurs.all():
            points = [*points[:c], points[c][occurs], *points[c + 1 :]]
            table, possible = table.compress(occurs, axis), possible.compress(occurs, axis)
    # Laws of two parts of a sum are convolved: so many terms, joined at most twice.
    return Sums(tuple(points), table, in_logs, rounded=2.0 * sum(map(len, points)), share=EXACT)
