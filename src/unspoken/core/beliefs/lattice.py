"""The possible answers of linear queries, numbered: every term w_i x_i is a whole number of steps.

Where all terms are multiples of a common unit (counts, whole numbers, tenths), the answers are a
lattice base + unit k, and laws on it are plain arrays. Several queries are one with mixed radix:
k = k_1 M + k_2 with M beyond the largest k_2, so adding numbers adds each of them. Where there is
no such unit, the unit is 2^-60 of the whole range, and only the answers that occur are listed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.types.sums import EXACT

__all__ = ["Lattice"]

# Terms are multiples of a unit if they are so up to EXACT of themselves; units that are a smaller
# share of the largest are not looked for.
FINE = 1e-9
# Laws of one query (of several) are arrays over the lattice up to this many points; small lattices
# always are, larger ones if the values could be combined to a good part of the points.
POINTS, POINTS_OF_SEVERAL, FEW = 2**18, 2**14, 2**10

Terms = Mapping[Any, Array]  # what each variable adds, for each of its values


@dataclass(frozen=True)
class Lattice:
    """``steps[v]``: for each value of v, how many units it adds; ``dense``: list every point."""

    steps: Mapping[Any, Codes]
    base: tuple[float, ...]
    units: tuple[float, ...]
    tops: tuple[int, ...]  # the largest number of units, query by query
    dense: bool

    @classmethod
    def of(cls, queries: Sequence[Terms], room: int | None = None) -> Lattice | None:
        """None: several queries that have no units, or more points than there is room for."""
        names = {v: len(adds) for terms in queries for v, adds in terms.items()}
        above = [{v: adds - adds.min() for v, adds in terms.items()} for terms in queries]
        common = [_unit(terms) for terms in above]
        units = [unit or _finest(adds) for unit, adds in zip(common, above, strict=True)]
        counts = [
            {v: np.rint(adds / unit).astype(np.int64) for v, adds in terms.items()}
            for terms, unit in zip(above, units, strict=True)
        ]
        tops = tuple(sum(int(adds.max()) for adds in terms.values()) for terms in counts)
        size = math.prod(top + 1 for top in tops)
        several = len(queries) > 1
        most = POINTS_OF_SEVERAL if several else min(POINTS, max(FEW, math.prod(names.values())))
        most = most if room is None else room
        dense = None not in common and size <= most
        if several and not dense:
            return None
        steps = {v: np.zeros(d, dtype=np.int64) for v, d in names.items()}
        for terms, radix in zip(counts, _radices(tops), strict=True):
            for v, adds in terms.items():
                steps[v] = steps[v] + radix * adds
        base = tuple(math.fsum(float(adds.min()) for adds in terms.values()) for terms in queries)
        return cls(steps, base, tuple(units), tops, dense)

    @property
    def size(self) -> int:
        """How many points there are."""
        return math.prod(top + 1 for top in self.tops)

    def points(self, query: int, codes: Codes | None = None) -> Array:
        """The answers themselves."""
        codes = np.arange(self.tops[query] + 1) if codes is None else codes
        return np.asarray(self.base[query] + self.units[query] * codes, dtype=np.float64)


def _radices(tops: Sequence[int]) -> list[int]:
    """The last query runs fastest."""
    return [math.prod(top + 1 for top in tops[c + 1 :]) for c in range(len(tops))]


def _unit(terms: Terms) -> float | None:
    """The largest number of which all terms are multiples (Euclid), if there is one."""
    steps = np.unique(np.concatenate([np.zeros(1), *terms.values()]))[1:]
    if not steps.size:
        return 1.0
    unit = float(steps[0])
    for k, step in enumerate(steps.tolist()):
        rest = abs(step - round(step / unit) * unit)
        known = [step]
        if rest > FINE * step:
            known = steps[: k + 1].tolist()
            while rest > FINE * step:
                unit, rest = rest, abs(unit - round(unit / rest) * rest)
        for term in known:  # small ones first: they tell best how many units they are
            unit = term / round(term / unit)
        if len(known) > 1 and not _multiples(steps[: k + 1], unit):
            return None
    return unit if _multiples(steps, unit) else None


def _multiples(steps: Array, unit: float) -> bool:
    off = np.abs(steps - np.rint(steps / unit) * unit)
    return bool((off <= EXACT * steps).all())


def _finest(terms: Terms) -> float:
    whole = math.fsum(float(adds.max()) for adds in terms.values())
    return math.ldexp(1.0, math.frexp(whole)[1] - 60)
