"""Coalitions too large to list: one answer that can be worked out is never above the bound.

That all cells are withheld is the telling answer where secrets stick together. Its odds are exact
for any length (an event); the bound is of somebody who is told what shields the target.
"""

from __future__ import annotations

import pytest

import unspoken
from tests.selection import slow_values
from unspoken import WITHHELD


def sticky(stay: float) -> list[list[float]]:
    return [[stay, 1 - stay], [1 - stay, stay]]


def chain(stay: float, length: int = 60) -> unspoken.Chain:
    return unspoken.Chain([0.5, 0.5], sticky(stay), length=length)


def tree(stay: float, size: int = 63) -> unspoken.Tree:
    """A binary one: whatever surrounds a node has several ways out."""
    parents = {f"x{i}": f"x{(i - 1) // 2}" for i in range(1, size)}
    tables = {name: sticky(stay) for name in parents}
    return unspoken.Tree(parents, [0.5, 0.5], tables)


@pytest.mark.parametrize("stay", [0.9, *slow_values(0.99)])
@pytest.mark.parametrize("epsilon", [0.3, *slow_values(1.0)])
@pytest.mark.parametrize("make", [chain, tree])
@pytest.mark.parametrize("place", [0.0, *slow_values(0.3, 0.5), 1.0])
def test_no_answer_is_above_the_bound(
    make: object, stay: float, epsilon: float, place: float
) -> None:
    belief = make(stay)  # type: ignore[operator]
    names = belief.domain.names
    target = names[round(place * (len(names) - 1))]
    mechanism = unspoken.OneSided(dict.fromkeys(names, epsilon))
    adversary = unspoken.Adversary(target)
    bound = unspoken.leakage(belief, mechanism, adversary, "odds")
    answer = unspoken.odds(belief, mechanism, adversary, dict.fromkeys(names, WITHHELD))
    assert answer.value <= bound.high * (1 + 1e-12)
