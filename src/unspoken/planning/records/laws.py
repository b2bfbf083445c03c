"""What no release exceeds where sides have a common threshold: rows for some laws of each side.

A row for one law of each side asks less than that for all of them, so the best within such rows is
a bound. Two of each are taken: where the table that was found tells most, and what the multipliers
stand for, the part theta_ix of what record x may have more of side i than at its lower end, with

    sum_i price_i width_ix theta_ix = multiplier of x,    sum_x width_ix theta_ix = what i has left

which scaling the one and the other in turn comes near to. Any parts are those of a law.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.planning.records.boxed import BoxRows, EndKey, added
from unspoken.planning.records.solver import Coefficients, Constraints, Solved

__all__ = ["LawRows"]

LAPS = 60  # of scaling; after these little moves


@dataclass(frozen=True)
class LawRows:
    """``rows`` of a program that stands in for one of sets; ``laws``: that its multipliers are."""

    boxed: BoxRows
    laws: Mapping[EndKey, Array]
    rows: Constraints

    @classmethod
    def of(cls, boxed: BoxRows, at: slice, solved: Solved) -> LawRows:
        """``at``: where the rows of the sets are in the program that is solved."""
        multipliers = solved.multipliers[at]
        prices = boxed.prices(multipliers)
        parts = _balanced(boxed, prices, multipliers)
        laws = {
            key: end.law(prices[key], multipliers) if end.common is None else end.law_of(parts[key])
            for key, end in boxed.ends.items()
        }
        found = cls(boxed, laws, _rows(boxed, laws))
        return replace(found, rows=Constraints.stacked([found.rows, found.worst(solved.x)]))

    def worst(self, x: Array) -> Constraints:
        """Rows for laws of the sides without the secret by which answers of x are least likely."""
        laws = {
            key: self.laws[key] if end.common is None else end.law_of(end.worst(x))
            for key, end in self.boxed.ends.items()
        }
        return _rows(self.boxed, laws)

    def taken(self, multipliers: Array) -> tuple[Array, Array]:
        """What these rows take off each pair, and the sum of the terms' sizes."""
        return self.rows.taken(np.maximum(multipliers, 0.0), len(self.boxed.layout.pairs))


def _balanced(
    boxed: BoxRows, prices: Mapping[EndKey, Array], multipliers: Array
) -> dict[EndKey, Array]:
    """The parts of every end that has a common threshold."""
    found = dict[EndKey, Array]()
    for sees, common in (boxed.common or {}).items():
        ends = {key: e for key, e in boxed.ends.items() if e.common is not None and key[1] == sees}
        answer = {key: end.masses.answer[end.places] for key, end in ends.items()}
        price = {key: prices[key][answer[key]] for key in ends}
        more = {key: end.widths for key, end in ends.items()}
        left = {key: end.left for key, end in ends.items()}
        wanted = np.abs(multipliers[common.rows])
        for _ in range(LAPS):
            paid = np.zeros(len(wanted))
            for key, end in ends.items():
                paid[end.common] += price[key] * more[key]
            times = np.divide(wanted, paid, out=np.ones_like(paid), where=paid > 0)
            for key, end in ends.items():
                scaled = np.minimum(more[key] * times[end.common], end.widths)
                have = np.bincount(answer[key], scaled, len(left[key])).astype(np.float64)
                enough = np.divide(left[key], have, out=np.ones_like(have), where=have > 0)
                more[key] = np.minimum(scaled * enough[answer[key]], end.widths)
        found |= {key: more[key] / end.widths for key, end in ends.items()}
    return found


def _rows(boxed: BoxRows, laws: Mapping[EndKey, Array]) -> Constraints:
    """secret . W_y <= cap other . W_y for every rule and answer, each side having one law."""
    parts = []
    for (_, answers), (_, _, used) in zip(boxed.rules, boxed.uses, strict=True):
        terms = []
        for weight, key in used:
            end, law = boxed.ends[key], laws[key]
            held = end.masses
            number = law[held.place] * held.rate
            coefficients = Coefficients(len(answers), held.answer[held.place], held.pair, number)
            terms.append((end.sign * weight, coefficients))
        parts.append(added(terms).divided()[0])
    return Constraints.at_most(Coefficients.stacked(parts), 0.0)
