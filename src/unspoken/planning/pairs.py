"""Which variables may depend on one another, by the pairs that beliefs state."""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.core.beliefs import Belief

__all__ = ["dependents", "independent_groups"]


def dependents(*beliefs: Belief) -> dict[str, frozenset[str]]:
    """For each variable those it forms a dependent pair with, in any of the beliefs."""
    pairs: dict[str, set[str]] = {}
    for first, second in (pair for belief in beliefs for pair in belief.pairs()):
        pairs.setdefault(first, set()).add(second)
        pairs.setdefault(second, set()).add(first)
    return {name: frozenset(others) for name, others in pairs.items()}


def independent_groups(beliefs: Sequence[Belief]) -> list[list[int]]:
    """The variables in groups that all beliefs state to be independent of one another."""
    domain, near = beliefs[0].domain, dependents(*beliefs)
    waiting, groups = set(domain.names), []
    for start in domain.names:
        group, reached = [], [start]
        while reached:
            name = reached.pop()
            if name in waiting:
                waiting.remove(name)
                group.append(domain.axis(name))
                reached.extend(near.get(name, ()))
        if group:
            groups.append(sorted(group))
    return groups
