"""Which answers bind, and what a cap costs there: the multipliers of the program.

By how much the objective grows with the logarithm of the cap, sum_y price_y cap other . W_y: where
a cap is larger by one percent, about a hundredth of it more is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.numerics.arrays import Array
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.conditions import Rule
from unspoken.planning.records.model import Model
from unspoken.planning.records.solver import Solved

__all__ = ["Binding", "binding"]

LEAST = 1e-6  # of all that is shown; less is none


@dataclass(frozen=True)
class Binding:
    """An answer that may not be given more often by who has a secret.

    ``about``: the event; ``shown``: the labels in the answer; ``price``: what more is shown if the
    cap on it alone grew e times, to first order; ``probability``: of the answer without the secret,
    under a set of beliefs at least.
    """

    about: str
    shown: Mapping[str, object]
    price: float
    probability: float

    def as_json(self) -> dict[str, Any]:
        """One object; labels as words."""
        shown = {name: str(value) for name, value in self.shown.items()}
        return {
            "about": self.about,
            "shown": shown,
            "price": self.price,
            "probability": self.probability,
        }

    def __str__(self) -> str:
        said = ", ".join(f"{name} {value}" for name, value in self.shown.items()) or "nothing"
        return f"{said}, about {self.about}: 1 % more cap there adds {self.price / 100:.2g}"


def binding(model: Model, solved: Solved) -> tuple[Binding, ...]:
    """The dearest first."""
    cells, pairs = model.layout.cells, model.layout.pairs
    found = []
    for rule, seen, cost, other in _costs(model, solved):
        for answer in np.flatnonzero(cost > LEAST * max(solved.objective, 1e-300)).tolist():
            shown = seen.named(cells, pairs, answer)
            found.append(Binding(rule.name, shown, float(cost[answer]), float(other[answer])))
    return tuple(sorted(found, key=lambda each: -each.price))


def _costs(model: Model, solved: Solved) -> Iterator[tuple[Rule, Answers, Array, Array]]:
    """Of each rule, price_y cap other . W_y and other . W_y of every answer."""
    pairs, count = model.layout.pairs, len(model.values)
    prices = model.caps.prices(model.layout, solved.multipliers)
    for (rule, seen), price in zip(model.layout.stated, prices, strict=True):
        masses = rule.rates[1][pairs.cell] * np.maximum(solved.x[:count], 0.0)
        other = np.bincount(seen.of_pair, masses, len(seen)).astype(np.float64)
        yield rule, seen, price * float(rule.cap) * other, other
    yield from model.boxed.costs(solved.multipliers[model.starts[4] :], solved.x)
