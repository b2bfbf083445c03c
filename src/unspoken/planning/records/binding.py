"""Which answers bind, and what a cap costs there: the multipliers of the program.

By how much the objective grows with the logarithm of the cap, sum_y price_y cap other . W_y: where
a cap is larger by one percent, about a hundredth of it more is shown. Where the smallest share
comes first it grows by its own prices, and takes of the sum what a larger one costs. Records
without the secret give a binding answer for cover, as those with it may; what they could show and
do not is withheld.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.conditions import Condition, Rule
from unspoken.planning.records.program import Layout

__all__ = ["LEAST", "Binding", "Cost", "binding", "cost_of"]

LEAST = 1e-6  # of all that is shown; less is none


@dataclass(frozen=True)
class Cost:
    """Of a rule and who sees it, of every answer y price_y cap other . W_y and other . W_y; and
    what a smallest share that grows with its cap takes, 0 or less.
    """

    rule: Rule
    answers: Answers
    price: Array
    other: Array
    taken: Array | float = 0.0


@dataclass(frozen=True)
class Binding:
    """An answer that may not be given more often by who has a secret.

    ``about``: the event; ``shown``: the labels in the answer; ``price``: what more is shown if the
    cap on it alone grew e times, to first order, less where only the smallest share is larger then;
    ``fixed``: the same if that stayed as it is; ``probability``: of the answer without the secret,
    under a set of beliefs at least; ``given``: with it or without. ``withheld``: of those who give
    it without the secret the share that could show a name and does not. ``contexts``: by number,
    those that the event is given, which ``about`` says last.
    """

    about: str
    shown: Mapping[str, object]
    price: float
    fixed: float
    probability: float
    given: float
    withheld: Mapping[str, float]
    contexts: tuple[int, ...] = ()

    def costs(self, name: str) -> float:
        """What of the fixed price is for showing a name, or for not showing it, for cover."""
        return self.fixed * (1.0 if name in self.shown else self.withheld.get(name, 0.0))

    def as_json(self) -> dict[str, Any]:
        """One object; labels as words."""
        shown = {name: str(value) for name, value in self.shown.items()}
        return {**vars(self), "shown": shown, "withheld": dict(self.withheld)}

    def __str__(self) -> str:
        said = ", ".join(f"{name} {value}" for name, value in self.shown.items()) or "nothing"
        more = f"{said}, about {self.about}: 1 % more cap there"
        if self.price < 0:
            return f"{more} takes {-self.price / 100:.2g}, for a larger smallest share"
        return f"{more} adds {self.price / 100:.2g}"


def cost_of(rule: Condition, seen: Answers, pairs: Pairs, shares: Array, price: Array) -> Cost:
    """Of a rule for one belief, at a price of each answer."""
    other = _sums(seen, rule.rates[1][pairs.cell] * np.maximum(shares, 0.0))
    return Cost(rule, seen, price * float(rule.cap) * other, other)


def binding(
    layout: Layout, costs: Iterable[Cost], shares: Array, objective: float
) -> tuple[Binding, ...]:
    """The dearest first; ``shares``: how often each pair is shown."""
    cells, pairs = layout.cells, layout.pairs
    masses = cells.probability[pairs.cell] * np.maximum(shares, 0.0)
    blank = cells.free[pairs.cell] & ~pairs.pattern
    found = []
    for cost in costs:
        rule, seen, price = cost.rule, cost.answers, cost.price + cost.taken
        most = np.maximum(cost.price, -np.asarray(cost.taken))
        answers = np.flatnonzero(most > LEAST * max(objective, 1e-300))
        if not len(answers):
            continue
        without = masses * rule.others[pairs.cell]
        given, by_others = (_sums(seen, each)[answers] for each in (masses, without))
        by_others = np.maximum(by_others, 1e-300)
        withheld = {
            name: _sums(seen, without * (blank >> axis & 1))[answers] / by_others
            for axis, name in enumerate(cells.domain.names)
            if seen.sees >> axis & 1
        }  # fmt: skip
        for place, y in enumerate(answers.tolist()):
            shown = seen.named(cells, pairs, y)
            parts = {n: float(share[place]) for n, share in withheld.items() if share[place] > 0}
            paid, fixed, other = (float(each[y]) for each in (price, cost.price, cost.other))
            often = float(given[place])
            found.append(Binding(rule.name, shown, paid, fixed, other, often, parts, rule.contexts))
    return tuple(sorted(found, key=lambda each: -each.price))


def _sums(seen: Answers, masses: Array) -> Array:
    """Of each answer, over the pairs that give it."""
    sums: Array = np.bincount(seen.of_pair, masses, len(seen)).astype(np.float64)
    return sums
