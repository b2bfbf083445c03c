"""A belief in which no variable says anything about another."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import reduce

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs.belief import (
    Belief,
    different,
    draws,
    evidence,
    impossible,
    nothing_left,
)
from unspoken.core.beliefs.forests.markov import occurring
from unspoken.core.beliefs.lattice import Lattice
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import CELLS, Array, Codes, least_positive
from unspoken.core.numerics.ring import LEAST, LINEAR, LOGS, Ring
from unspoken.core.numerics.tables import as_law
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import items
from unspoken.core.types.premise import Premise
from unspoken.core.types.sums import Sums, Weights

__all__ = ["Independent", "law_of_sum", "marginal_tables"]


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
        premise: Premise | str = "stated",
    ) -> None:
        tables, names = marginal_tables(marginals, names, "independent.marginals")
        self.domain = Domain.of([table.size for table in tables], names, values)
        self.tables = tables
        self.premise = Premise.of(premise)
        self.known: frozenset[str] = frozenset()

    def operations(self, names: Sequence[str]) -> float:
        """A quotient each for counts and a product each; d terms of each, where they add up."""
        return 4.0 + sum(self.cells([name]) + 2.0 for name in names)

    def marginal(self, names: Sequence[str]) -> Array:
        tables = [self.tables[self.domain.axis(name)] for name in different(names)]
        return reduce(np.multiply.outer, tables, np.array(1.0))

    def _joint(self, names: Sequence[str]) -> tuple[Array, bool]:
        if self._rarest(names) > LEAST:
            return self.marginal(names), False
        with np.errstate(divide="ignore"):
            logs = [np.log(self.marginal([name])) for name in names]
        return reduce(np.add.outer, logs, np.array(0.0)), True

    def _rarest(self, names: Sequence[str]) -> float:
        """The least probability of anything that may happen to these."""
        return math.prod(least_positive(self.marginal([name])) for name in names)

    def given(self, known: Mapping[str, Value]) -> Independent:
        for name, value in evidence(known).items():
            code = self.domain.code(name, value, "given")
            if not self.tables[self.domain.axis(name)][code] > 0:
                raise impossible(known)
        domain = self.domain.without(known)
        if not domain.names:
            raise nothing_left()
        kept = [self.tables[self.domain.axis(name)] for name in domain.names]
        return Independent(kept, domain.names, domain.values, self.premise)

    def knowing(self, names: Sequence[str]) -> tuple[Independent, tuple[str, ...]]:
        """What is known says nothing about the rest, and is no part of what is left of a sum."""
        if not names:
            return self, ()
        later = copy(self)
        later.known = self.known.union(names)
        return later, ()

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in about)

    def pairs(self) -> list[tuple[str, str]]:
        return []

    def blocks(self) -> list[tuple[str, ...]]:
        return [(name,) for name in self.domain.names]

    def alike(self) -> list[tuple[str, ...]]:
        groups: dict[tuple[bytes, tuple[Value, ...]], list[str]] = {}
        for name, table, values in zip(
            self.domain.names, self.tables, self.domain.values, strict=True
        ):
            groups.setdefault((table.tobytes(), values), []).append(name)
        return [tuple(names) for names in groups.values()]

    def possible(self, events: Mapping[str, Channel]) -> bool:
        return all(super(Independent, self).possible({name: events[name]}) for name in events)

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        """On the multiples of a common unit, where that takes less than the joint table."""
        added = [
            {name: w for name, w in weights.items() if w and name not in self.known}
            for weights in queries
        ]
        terms = [{name: self._term(weights, name) for name in weights} for weights in added]
        summed = [
            n for n in dict.fromkeys(n for weights in added for n in weights) if n not in keep
        ]
        room = CELLS // self.cells(keep)
        lattice = Lattice.of(terms, room)
        joint = self.cells([*keep, *summed])
        if lattice is None or not lattice.dense:
            if joint <= CELLS:
                return super().sums(keep, added)
            raise TooLarge(
                f"sum over {len(summed)} variables: they have no common unit of which the sums are "
                f"at most {room:,} multiples; round weights or values more coarsely"
            )
        if joint <= self.cells(keep) * lattice.size:
            return super().sums(keep, added)
        still = np.zeros(1, dtype=np.int64)
        steps = {name: lattice.steps.get(name, still).tolist() for name in [*keep, *summed]}
        law = law_of_sum([self.marginal([name]) for name in summed], [steps[n] for n in summed])
        law = np.concatenate([law, np.zeros(lattice.size - len(law))])
        law[law < NEGLIGIBLE] = 0.0
        kept = [self.marginal([name]) for name in keep]
        ring = LINEAR if self._rarest(keep) * NEGLIGIBLE > LEAST else LOGS
        law = ring.of(law)
        for name, table in zip(reversed(keep), reversed(kept), strict=True):
            law = _beside(ring.of(table), steps[name], law, ring)
        points = [lattice.points(c) for c in range(len(queries))]
        return occurring(points, law.reshape(*law.shape[:-1], *map(len, points)), ring.in_logs)

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        count = draws(rng, rows)
        columns = [rng.choice(table.size, size=count, p=table) for table in self.tables]
        return np.stack(columns, axis=1)


def law_of_sum(tables: Sequence[Array], steps: Sequence[Sequence[int]]) -> Array:
    """P(sum of steps = 0, 1, ...) of independent variables, a variable at a time.

    Shifted copies are added: all terms are positive, so the rare ends, which decide what noise
    cannot hide, keep their digits (a Fourier transform would lose them).
    """
    law = np.ones(1)
    for table, moves in zip(tables, steps, strict=True):
        after = np.zeros(len(law) + max(moves))
        for mass, step in zip(table.tolist(), moves, strict=True):
            if mass > 0:
                after[step : step + len(law)] += mass * law
        law = after
    return law


def _beside(table: Array, steps: Sequence[int], law: Array, ring: Ring) -> Array:
    """P(x, ..., sum + steps[x]), the law's last axis being the sum."""
    kept = np.full((len(table), *law.shape), ring.zero)
    for row, mass, step in zip(kept, table.tolist(), itertools.cycle(steps), strict=False):
        row[..., step:] = ring.times(mass, law[..., : law.shape[-1] - step])
    return kept


def marginal_tables(
    marginals: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike] | Array,
    names: Iterable[str] | None,
    what: str,
) -> tuple[list[Array], Iterable[str] | None]:
    """The single-variable tables, and the names if the marginals carry them."""
    if isinstance(marginals, Mapping):
        names = tuple(marginals) if names is None else items(names, "names")
        words = all(isinstance(name, str) for name in names)
        if not words or set(names) != {*marginals} or len(names) != len(marginals):
            raise InputError(f"{what}: names and marginals do not list the same variables")
        marginals = [marginals[name] for name in names]
    tables = [as_law(table, f"{what}[{i}]") for i, table in enumerate(items(marginals, what))]
    if not tables:
        raise InputError(f"{what}: empty; give one list of probabilities for each variable")
    flat = next((i for i, table in enumerate(tables) if table.ndim != 1), None)
    if flat is not None:
        raise InputError(f"{what}[{flat}]: must be a flat list of probabilities")
    return tables, names
