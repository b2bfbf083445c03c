"""Which variables may depend on one another, by the pairs that a belief states."""

from __future__ import annotations

from unspoken.beliefs import Belief

__all__ = ["beside", "blocks"]


def beside(belief: Belief) -> dict[str, frozenset[str]]:
    """For each variable those it forms a dependent pair with."""
    pairs: dict[str, set[str]] = {}
    for first, second in belief.pairs():
        pairs.setdefault(first, set()).add(second)
        pairs.setdefault(second, set()).add(first)
    return {name: frozenset(others) for name, others in pairs.items()}


def blocks(belief: Belief) -> list[list[int]]:
    """The variables in groups that the belief states to be independent of one another."""
    near, waiting, groups = beside(belief), set(belief.domain.names), []
    for start in belief.domain.names:
        group, reached = [], [start]
        while reached:
            name = reached.pop()
            if name in waiting:
                waiting.remove(name)
                group.append(belief.domain.axis(name))
                reached.extend(near.get(name, ()))
        if group:
            groups.append(sorted(group))
    return groups
