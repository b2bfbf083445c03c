"""A belief about a hierarchy: each variable depends on the one above it only."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.beliefs.forests.markov import Markov, is_matrix
from unspoken.core.beliefs.networks.dag import cycle, topological
from unspoken.core.errors import InputError, quoted, unknown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.tables import as_law, as_laws
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import check_names, expect, items
from unspoken.core.types.premise import Premise

__all__ = ["Tree"]

Parent = Mapping[str, str | None] | Sequence[int | None]
Tables = Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike | None] | npt.ArrayLike


class Tree(Markov):
    """A tree of arrows from one root; once values are known, a forest with a root below each.

    ``parent``: {child: parent}, or for each variable the number of its parent, with -1 (or None)
    for the root. ``root``: the law of the root. ``tables``: P(child | parent), a row for each value
    of the parent: {child: matrix}, a list of matrices in the order of the variables (whatever the
    root has there is not looked at), or one matrix for every arrow. Probabilities or counts.
    ``names`` default to the root and then the children in the order of ``parent``, or x0, x1, ...
    """

    def __init__(
        self,
        parent: Parent,
        root: npt.ArrayLike,
        tables: Tables,
        names: Iterable[str] | None = None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        names, parents = _numbered(parent, names)
        order = _downward(parents, names)
        top = as_law(root, "tree.root")
        if top.ndim != 1:
            raise InputError("tree.root: must be a flat list of probabilities")
        laws = [top[None]] * len(parents)
        given = _tables(tables, names, order[0])
        read: dict[int, Array] = {}  # the same table is one, however many arrows have it
        for v in order[1:]:
            table, above = given[v], parents[v]
            if id(table) not in read:
                read[id(table)] = as_laws(table, f"tree.tables[{names[v]}]")
            laws[v] = read[id(table)]
            if len(laws[v]) != laws[above].shape[1]:
                raise InputError(
                    f"tree.tables[{names[v]}]: {len(laws[v])} rows, but its parent {names[above]} "
                    f"has {laws[above].shape[1]} values; give a row for each"
                )
        self._hold(
            Forest.of(parents, laws),
            Domain.of([law.shape[1] for law in laws], names, values),
            Premise.of(premise),
        )


def _numbered(parent: Parent, names: Iterable[str] | None) -> tuple[list[str], list[int]]:
    """The variables, and for each the number of its parent; -1 has none."""
    if not isinstance(parent, Mapping):
        parents = [_number(number) for number in items(parent, "tree.parent")]
        named = [f"x{v}" for v in range(len(parents))] if names is None else _names(names)
        if len(named) != len(parents):
            raise InputError(f"tree.names: {len(named)} names for {len(parents)} variables")
        strange = next((number for number in parents if not -1 <= number < len(parents)), None)
        if strange is not None:
            raise InputError(
                f"tree.parent: {strange} is the number of no variable; they are 0 to "
                f"{len(parents) - 1}, and -1 for the parent of the root"
            )
        return named, parents
    above = {child: name for child, name in parent.items() if name is not None}
    for name in (*parent, *above.values()):
        expect(name, str, "tree.parent", "give {child: parent}, both by name")
    roots = dict.fromkeys(name for name in [*above.values(), *parent] if name not in above)
    everyone = [*roots, *above]
    named = everyone if names is None else _names(names)
    number = {name: v for v, name in enumerate(named)}
    strange_name = next((name for name in everyone if name not in number), None)
    if strange_name is not None:
        raise unknown("tree.parent", strange_name, named)
    return named, [number[above[name]] if name in above else -1 for name in named]


def _names(given: Iterable[str]) -> list[str]:
    """The names, which are words."""
    names = list(given) if isinstance(given, str) else [*items(given, "tree.names")]
    check_names(names, "tree.names")
    return names


def _number(parent: Any) -> int:
    try:
        return -1 if parent is None else operator.index(parent)
    except TypeError:
        raise InputError(
            f"tree.parent: {quoted(parent)} is no whole number; give each variable the "
            "number of its "
            "parent, or {child: parent}"
        ) from None


def _downward(parents: Sequence[int], names: Sequence[str]) -> list[int]:
    """The root, then every variable after its parent."""
    roots = [v for v, parent in enumerate(parents) if parent < 0]
    if len(roots) > 1:
        named = ", ".join(names[v] for v in roots[:4]) + (", ..." if len(roots) > 4 else "")
        raise InputError(f"tree.parent: {named} have no parent each; a tree has one root")
    above = [[parent] if parent >= 0 else [] for parent in parents]
    order = topological(above)
    if not roots or len(order) < len(parents):
        named = " -> ".join(names[v] for v in cycle(above, set(order))) if parents else "nothing"
        raise InputError(f"tree.parent: {named} has no root above it; a tree has one")
    return order


def _tables(tables: Any, names: Sequence[str], root: int) -> list[Any]:
    """A table for each variable; what the root has is not looked at."""
    if isinstance(tables, Mapping):
        strange = next((name for name in tables if name not in set(names)), None)
        if strange is not None:
            raise unknown("tree.tables", strange, names)
        missing = next((n for v, n in enumerate(names) if v != root and n not in tables), None)
        if missing is not None:
            raise InputError(f"tree.tables: no table for {missing}; give one for each child")
        return [tables.get(name, ()) for name in names]
    tables = list(tables) if isinstance(tables, Iterator) else tables
    if is_matrix(tables):
        return [tables] * len(names)
    given = list(tables)
    if len(given) != len(names):
        raise InputError(f"tree.tables: {len(given)} tables for {len(names)} variables")
    missing = next((n for v, n in enumerate(names) if v != root and given[v] is None), None)
    if missing is not None:
        raise InputError(f"tree.tables: no table for {missing}; give one for each child")
    return given
