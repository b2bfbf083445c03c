"""A belief in which no variable says anything about another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from unsaid.beliefs.belief import Belief, probabilities
from unsaid.errors import InputError
from unsaid.numerics.arrays import Array, Codes
from unsaid.types.bound import Premise
from unsaid.types.domain import Domain, Value

__all__ = ["Independent", "marginal_tables"]


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

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in about)

    def pairs(self) -> list[tuple[str, str]]:
        return []

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        columns = [rng.choice(table.size, size=rows, p=table) for table in self.tables]
        return np.stack(columns, axis=1)


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
