"""A belief in which no variable says anything about another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import reduce

import numpy as np
import numpy.typing as npt

from unsaid.beliefs.belief import Belief, probabilities
from unsaid.beliefs.multiples import Multiples, law_of_sum
from unsaid.errors import InputError, TooLarge
from unsaid.numerics.arrays import CELLS, Array, Codes
from unsaid.types.bound import Premise
from unsaid.types.channel import Channel
from unsaid.types.domain import Domain, Value
from unsaid.types.sums import Sums, Weights

__all__ = ["Independent", "marginal_tables"]


# Sums of the other variables rarer than e^-400 are left out, before they run out of digits. That
# changes no comparison of the kept ones: the law of the others is the same for all of them.
NEGLIGIBLE = math.exp(-400.0)


class Independent(Belief):
    """``marginals``: one list of probabilities or counts for each variable, or {name: list}."""

    def __init__(
        self,
        marginals: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike] | Array,
        names: Iterable[str] | None = None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
        premise: str = "stated",
    ) -> None:
        tables, names = marginal_tables(marginals, names, "independent.marginals")
        self.domain = Domain.of([table.size for table in tables], names, values)
        self.tables = tables
        self.premise = Premise(premise)
        self.known: frozenset[str] = frozenset()

    def marginal(self, names: Sequence[str]) -> Array:
        tables = [self.tables[self.domain.axis(name)] for name in names]
        return reduce(np.multiply.outer, tables, np.array(1.0))

    def given(self, known: Mapping[str, Value]) -> Independent:
        for name, value in known.items():
            code = self.domain.code(name, value, "given")
            if not self.tables[self.domain.axis(name)][code] > 0:
                raise InputError(f"given {dict(known)}: this belief holds that impossible")
        domain = self.domain.without(known)
        kept = [self.tables[self.domain.axis(name)] for name in domain.names]
        return Independent(kept, domain.names, domain.values, self.premise)

    def knowing(self, names: Sequence[str]) -> tuple[Independent, tuple[str, ...]]:
        """What is known says nothing about the rest, and is no part of what is left of a sum."""
        later = copy(self)
        later.known = self.known.union(names)
        return later, ()

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in about)

    def pairs(self) -> list[tuple[str, str]]:
        return []

    def blocks(self) -> list[tuple[str, ...]]:
        return [(name,) for name in self.domain.names]

    def possible(self, events: Mapping[str, Channel]) -> bool:
        return all(super(Independent, self).possible({name: events[name]}) for name in events)

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        """On the multiples of a common unit, where that takes less than the joint table."""
        used = [
            {name: w for name, w in weights.items() if w and name not in self.known}
            for weights in queries
        ]
        named = dict.fromkeys(name for own in used for name in own)
        summed = [name for name in named if name not in keep]
        numbers = {name: self.domain.numbers(name) for name in named}
        grids = [Multiples.of(own, numbers) for own in used]
        sizes = [grid.size for grid in grids]
        joint, cells = self.cells([*keep, *summed]), self.cells(keep) * math.prod(sizes)
        if joint <= min(cells, CELLS):
            return super().sums(keep, used)
        if cells > CELLS:
            raise TooLarge(
                f"sum over {len(summed)} variables: {cells:,} cells on the multiples of "
                f"{_units(grids)}, more than {CELLS:,}; round weights or values more coarsely"
            )
        steps = _flat_steps(self, [*keep, *summed], grids)
        law = law_of_sum(
            [self.tables[self.domain.axis(name)] for name in summed],
            [steps[name] for name in summed],
            math.prod(sizes),
        )
        law[law < NEGLIGIBLE] = 0.0
        for name in reversed(keep):
            law = _beside(self.tables[self.domain.axis(name)], steps[name], law)
        return _trimmed(law.reshape(*law.shape[:-1], *sizes), len(keep), grids)

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        columns = [rng.choice(table.size, size=rows, p=table) for table in self.tables]
        return np.stack(columns, axis=1)


def _flat_steps(
    belief: Independent, names: Sequence[str], grids: Sequence[Multiples]
) -> dict[str, list[int]]:
    """By how much a value moves the place in the flattened grid of all queries' sums.

    No carry is possible: each axis is as long as its own sums can reach.
    """
    sizes = [grid.size for grid in grids]
    strides = [math.prod(sizes[c + 1 :]) for c in range(len(sizes))]
    flat = {}
    for name in names:
        still = [0] * len(belief.domain.values_of(name))
        moves = [grid.steps.get(name, still) for grid in grids]
        flat[name] = [
            sum(stride * step for stride, step in zip(strides, row, strict=True))
            for row in zip(*moves, strict=True)
        ]
    return flat


def _beside(table: Array, steps: Sequence[int], law: Array) -> Array:
    """P(x, ..., sum + steps[x]), the law's last axis being the sum."""
    kept = np.zeros((len(table), *law.shape))
    for row, mass, step in zip(kept, table.tolist(), steps, strict=True):
        row[..., step:] = mass * law[..., : law.shape[-1] - step]
    return kept


def _trimmed(table: Array, kept: int, grids: Sequence[Multiples]) -> Sums:
    """The sums that can occur."""
    points = []
    for c, grid in enumerate(grids):
        others = tuple(axis for axis in range(table.ndim) if axis != kept + c)
        occurs = np.flatnonzero(table.sum(others))
        table = table.take(occurs, axis=kept + c)
        points.append(grid.points(occurs))
    return Sums(tuple(points), table)


def _units(grids: Sequence[Multiples]) -> str:
    return " and ".join(dict.fromkeys(f"{float(grid.unit):g}" for grid in grids))


def marginal_tables(
    marginals: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike] | Array,
    names: Iterable[str] | None,
    what: str,
) -> tuple[list[Array], Iterable[str] | None]:
    """The single-variable tables, and the names if the marginals carry them."""
    if isinstance(marginals, Mapping):
        names = tuple(marginals) if names is None else tuple(names)
        missing = [name for name in names if name not in marginals]
        if missing or len(names) != len(marginals):
            raise InputError(f"{what}: names and marginals do not list the same variables")
        marginals = [marginals[name] for name in names]
    tables = [probabilities(one, f"{what}[{i}]") for i, one in enumerate(marginals)]
    if not tables:
        raise InputError(f"{what}: empty; give one list of probabilities for each variable")
    flat = next((i for i, table in enumerate(tables) if table.ndim != 1), None)
    if flat is not None:
        raise InputError(f"{what}[{flat}]: must be a flat list of probabilities")
    return tables, names
