"""What is stated of how often cells are shown: rounded down, and 1 only of what all records show.

A share is an average under the belief. Records that the belief has at 0 have no weight in it; where
the counts have noise, there are such records all the same. So 1, which is said of every cell, is
said only where no record of the domain shows less, and whose cells a share is not about is named.
"""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.core.beliefs import Belief
from unspoken.core.mechanisms import Mechanism
from unspoken.core.types.domain import Value
from unspoken.storage.coarse import STEPS, probability
from unspoken.storage.prose import listed

__all__ = ["less_often", "stated", "stated_given", "unexpected"]

MOST = (STEPS - 1) / STEPS  # of what some record shows less often


def stated(mechanism: Mechanism, belief: Belief) -> dict[str, float]:
    """How often what may be shown of each name is."""
    least = mechanism.shown_least(belief)
    return {
        name: _stated(p, min(least.get(name, {}).values(), default=1.0))
        for name, p in mechanism.shown(belief).items()
    }


def stated_given(mechanism: Mechanism, belief: Belief) -> dict[str, dict[Value, float]]:
    """The same of every label, where that differs."""
    least = mechanism.shown_least(belief)
    return {
        name: {value: _stated(a, least.get(name, {}).get(value, 1.0)) for value, a in of.items()}
        for name, of in mechanism.shown_given(belief).items()
    }


def unexpected(mechanism: Mechanism, belief: Belief) -> list[str]:
    """The names that records which the belief has at 0 show less often than others."""
    shown, least = mechanism.shown(belief), mechanism.shown_least(belief, unexpected=True)
    return [
        name
        for name, p in shown.items()
        if probability(min(least.get(name, {}).values(), default=1.0)) < probability(p)
    ]


def less_often(names: Sequence[str]) -> str:
    """That in words."""
    return (
        f"Rows of combinations that the counts have at 0 may show {listed(names)} less often, or "
        "never: no share is about them."
    )


def _stated(share: float, least: float) -> float:
    rounded = probability(share)
    return rounded if probability(least) == 1 else min(rounded, MOST)
