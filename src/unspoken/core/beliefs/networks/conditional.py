"""The laws of a network, every variable given its parents, and what is left of them once some
values are known: the factors that whoever sums over the rest has to multiply.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy.typing as npt

from unspoken.core.beliefs.networks.dag import Dag
from unspoken.core.beliefs.networks.elimination import CliqueTree
from unspoken.core.beliefs.networks.potentials import Potential
from unspoken.core.errors import InputError, unknown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import Ring
from unspoken.core.numerics.tables import as_laws, own_table
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import items

__all__ = ["Conditionals"]

Values = Mapping[str, Sequence[Value]] | Sequence[Sequence[Value]] | None


@dataclass(frozen=True)
class Conditionals:
    """``laws[v]``: axes parents of v in their order, then v itself; every row sums to 1.

    ``known[v]``: the position of a known value; such a variable is in no factor any more.
    """

    domain: Domain
    dag: Dag
    laws: tuple[Array, ...]
    known: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        parents: Mapping[str, Sequence[str]],
        tables: Mapping[str, npt.ArrayLike],
        values: Values,
    ) -> Conditionals:
        _check_mapping(parents, "network.parents")
        _check_mapping(tables, "network.tables")
        names = tuple(parents)
        if not names:
            raise InputError("network.parents: empty; give {name: [its parents]} for each variable")
        arrows = [_parents(name, parents[name], names) for name in names]
        strange = [name for name in tables if name not in parents]
        if strange:
            raise unknown("network.tables", strange[0], names)
        missing = [name for name in names if name not in tables]
        if missing:
            raise InputError(
                f"network.tables: no table for {missing[0]}; give one for each variable"
            )
        dag = Dag.of(arrows, names)
        numbers = [_numbers(tables[name], f"network.tables[{name}]") for name in names]
        domain = Domain.of([table.shape[-1] for table in numbers], names, values)
        laws = (_law(domain, dag, v, table) for v, table in enumerate(numbers))
        return cls(domain, dag, tuple(laws))

    @property
    def open(self) -> list[int]:
        """The variables whose values are not known."""
        return [v for v in range(len(self.laws)) if v not in self.known]

    def scopes(self, about: Iterable[int] | None = None) -> list[tuple[int, ...]]:
        """The open variables of each law that matters to what ``about`` are (None: all do).

        What is below them and below everything known is barren: its laws sum to 1.
        """
        return [
            tuple(u for u in (*self.dag.parents[v], v) if u not in self.known)
            for v in self._needed(about)
        ]

    def factors(self, tree: CliqueTree, about: Iterable[int] | None, ring: Ring) -> list[Potential]:
        """These laws at the known values, as the tree has them."""
        return [
            Potential.of([tree.rank[u] for u in scope], self._at_known(v)[None, None], ring)
            for scope, v in zip(self.scopes(about), self._needed(about), strict=True)
        ]

    def tree(self, kept: Sequence[int] = (), shown: Sequence[int] = ()) -> CliqueTree:
        """How to sum out all that matters to these but what is kept."""
        return CliqueTree.of(self.scopes([*kept, *shown]), self.domain.sizes, kept)

    @cached_property
    def whole(self) -> CliqueTree:
        """The clique tree of all open variables."""
        return self.tree((), self.open)

    def _needed(self, about: Iterable[int] | None) -> list[int]:
        if about is None:
            return list(range(len(self.laws)))
        return sorted(self.dag.ancestors([*about, *self.known]))

    def _at_known(self, v: int) -> Array:
        index = (self.known.get(u, slice(None)) for u in (*self.dag.parents[v], v))
        at_known: Array = self.laws[v][tuple(index)]
        return at_known


def _check_mapping(given: object, where: str) -> None:
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: a mapping is expected, with an entry for each name")


def _parents(name: str, parents: Sequence[str], names: Sequence[str]) -> list[int]:
    parents = items(parents, f"network.parents[{name}]")
    for parent in parents:
        if not isinstance(parent, str) or parent not in names:
            raise unknown(f"network.parents[{name}]", parent, names)
    if len(set(parents)) < len(parents):
        raise InputError(f"network.parents[{name}]: a parent is listed twice")
    return [names.index(parent) for parent in parents]


def _numbers(table: npt.ArrayLike, where: str) -> Array:
    numbers = own_table(table, where)
    if numbers.ndim == 0 or numbers.size == 0:
        raise InputError(f"{where}: empty; give a row of probabilities for each case")
    return numbers


def _law(domain: Domain, dag: Dag, v: int, table: Array) -> Array:
    """The table with every row a law."""
    name, parents = domain.names[v], dag.parents[v]
    shape = tuple(domain.sizes[u] for u in (*parents, v))
    if table.shape != shape:
        axes = ", ".join(domain.names[u] for u in (*parents, v))
        raise InputError(
            f"network.tables[{name}]: shape {table.shape}, its axes {axes} need {shape}"
        )

    def case(row: tuple[int, ...]) -> str:
        values = (
            f"{domain.names[u]}={domain.values[u][k]}" for u, k in zip(parents, row, strict=True)
        )
        return f" given {', '.join(values)}" if row else ""

    return as_laws(table, f"network.tables[{name}]", None, case)
