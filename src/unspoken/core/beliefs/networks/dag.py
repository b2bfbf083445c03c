"""The arrows of a network: who comes before whom, and what may say something about what.

Variables are numbers 0 .. n-1 here; names come in only where something is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from unspoken.core.errors import InputError

__all__ = ["Dag", "cycle", "topological"]


@dataclass(frozen=True)
class Dag:
    """``parents[v]``: the variables with an arrow to v. Cycles are refused by name."""

    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]  # every variable after its parents

    @classmethod
    def of(cls, parents: Sequence[Sequence[int]], names: Sequence[str]) -> Dag:
        order = topological(parents)
        if len(order) < len(parents):
            named = " -> ".join(names[v] for v in cycle(parents, set(order)))
            raise InputError(f"network.parents: {named} is a cycle; take one arrow out")
        return cls(tuple(tuple(above) for above in parents), tuple(order))

    @cached_property
    def children(self) -> list[list[int]]:
        return _children(self.parents)

    def ancestors(self, of: Iterable[int]) -> set[int]:
        """These variables and all from which a path of arrows leads to one of them."""
        ancestors: set[int] = set()
        waiting = list(of)
        while waiting:
            v = waiting.pop()
            if v not in ancestors:
                ancestors.add(v)
                waiting.extend(self.parents[v])
        return ancestors

    def reach(self, sources: Iterable[int], known: Iterable[int], noisy: Iterable[int]) -> set[int]:
        """Where an active trail leads to from ``sources`` (Bayes-ball; d-separation is the rest).

        ``known`` values block chains and forks and open the colliders at and above them. ``noisy``
        variables show a noisy output: that opens colliders too, and blocks nothing.
        """
        blocked = set(known)
        opened = self.ancestors([*blocked, *noisy])
        reached: set[int] = set()
        visited: set[tuple[int, bool]] = set()
        waiting = [(v, True) for v in sources]  # True: coming from a child, or starting here
        while waiting:
            v, upward = waiting.pop()
            if (v, upward) in visited:
                continue
            visited.add((v, upward))
            if v not in blocked:
                reached.add(v)
                waiting.extend((child, False) for child in self.children[v])
            if (v not in blocked) if upward else (v in opened):
                waiting.extend((parent, True) for parent in self.parents[v])
        return reached


def topological(parents: Sequence[Sequence[int]]) -> list[int]:
    """Every variable after its parents; what is on a cycle, or below one, is left out."""
    waits, children = [len(above) for above in parents], _children(parents)
    order = [v for v, count in enumerate(waits) if count == 0]
    for v in order:  # grows while it is read
        for child in children[v]:
            waits[child] -= 1
            if waits[child] == 0:
                order.append(child)
    return order


def _children(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for v, above in enumerate(parents):
        for parent in above:
            children[parent].append(v)
    return children


def cycle(parents: Sequence[Sequence[int]], placed: set[int]) -> list[int]:
    """Walk up among what could not be placed: every one of these has a parent that could not be."""
    walk = [next(v for v in range(len(parents)) if v not in placed)]
    while walk[-1] not in walk[:-1]:
        walk.append(next(parent for parent in parents[walk[-1]] if parent not in placed))
    return walk[walk.index(walk[-1]) :][::-1]
