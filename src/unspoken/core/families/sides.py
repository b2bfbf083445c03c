"""What a set of tables says of the cells on one side of an event, and the ends of an answer there.

    Q(x) = P(x) / P(side),   low <= P <= up,   least <= P(side) <= most,   sum_x Q(x) = 1

Where counts of the side itself gave the intervals, they are P(x | side)'s own and least = most = 1.
How likely an answer is then lies between two fractional knapsacks: all is at ``low``, and what is
left goes where the weights are largest, or least, first. With P(side) free the quotient is best
where cells above a threshold of the weight are at their upper ends and all others at their lower.
Both are computed in whole numbers, ends rounded outward.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Integers, Mask
from unspoken.core.numerics.rounding import UNIT

__all__ = ["MASS", "WHOLE", "Marginal", "Side"]

MASS = 2**60  # a probability of 1, as a whole number
WHOLE = MASS**2  # the unit of the ends of an answer


@dataclass(frozen=True, eq=False)
class Marginal:
    """Of some variables (``axes``, a bit mask): their combination in each cell [cell], ``place``,
    and between which ends P(combination | side) is.
    """

    axes: int
    place: Codes
    least: Array
    most: Array


@dataclass(frozen=True, eq=False)
class Side:
    """``low``, ``up``: [cell], 0 beside this side; ``least``, ``most``: of P(side);
    ``marginals``: what else is known of it, of combinations that were counted by themselves.
    """

    low: Array
    up: Array
    least: float = 1.0
    most: float = 1.0
    marginals: tuple[Marginal, ...] = ()

    @property
    def conditional(self) -> bool:
        """Whether the intervals are those of P(x | side)."""
        return self.least == self.most == 1.0

    @property
    def cells(self) -> Mask:
        there: Mask = self.up > 0
        return there

    @property
    def width(self) -> float:
        """How wide the intervals for P(x | side) are, in all."""
        most = np.minimum(self.up / self.least, 1.0) if self.least else np.sign(self.up)
        return float((most - self.low / self.most).sum())

    @property
    def apart(self) -> Side:
        """A larger set: as if P(side) were another for each record."""
        if self.conditional:
            return self
        least, most = max(self.least, float(self.low.sum())), min(self.most, float(self.up.sum()))
        up = np.minimum(self.up / least, 1.0) if least else np.sign(self.up)
        return Side(self.low / most, up)

    def part(self, cells: Mask) -> Side:
        """Some of its cells, given one of them."""
        low, up, beside = self.low * cells, self.up * cells, self.up * ~cells
        if not beside.any():
            return self
        rest = math.fsum((self.low * ~cells).tolist()), math.fsum(beside.tolist())
        least, most = math.fsum(low.tolist()), math.fsum(up.tolist())
        least, most = max(least, self.least - rest[1]), min(most, self.most - rest[0])
        for held in self.marginals:
            # Combinations that are wholly in the part, and those that are in it at all.
            whole = np.bincount(held.place, self.cells & ~cells, len(held.least)) == 0
            any_of = np.bincount(held.place, self.cells & cells, len(held.most)) > 0
            least = max(least, float(held.least[whole & any_of].sum()))
            most = min(most, float(held.most[any_of].sum()))
        least, most = least - len(low) * UNIT, most + len(low) * UNIT
        return Side(low, up, max(least, 0.0), max(most, least, 0.0))

    def summed(self, place: Codes, count: int, axes: Mapping[int, int]) -> Side:
        """About fewer variables: cells that go to the same ``place`` [cell] are one of ``count``.

        ``axes``: what the kept variables are among them.
        """
        off = 2 * len(place) * UNIT
        low, up = (np.bincount(place, end, count).astype(np.float64) for end in (self.low, self.up))
        first = np.unique(place, return_index=True)[1]
        kept = tuple(
            Marginal(moved, held.place[first], held.least, held.most)
            for held in self.marginals
            if (moved := _moved(held.axes, axes)) is not None
        )
        low, up = low * (1 - off), np.minimum(up * (1 + off), self.most)
        return Side(low, up, self.least, self.most, kept)

    def weighing(self, axes: Codes, cell: Codes, low: Array, up: Array) -> tuple[Array, Array]:
        """The least and the most that some cells weigh, ``low`` and ``up`` being the sums of their
        ends: [set]. All of a set agree with its ``cell`` on the ``axes`` (a bit mask).
        """
        least = 1.0 - (float(self.up.sum()) - up)
        most = 1.0 - (float(self.low.sum()) - low)
        for held, sums in zip(self.marginals, self._sums, strict=True):
            at = np.flatnonzero(axes & held.axes == held.axes)
            of = held.place[cell[at]]
            below, above = (ends[of] for ends in sums)
            most[at] = np.minimum(most[at], held.most[of] - (below - low[at]))
            least[at] = np.maximum(least[at], held.least[of] - (above - up[at]))
        return least, most

    def mass(self, at: Codes) -> tuple[float, float]:
        """The least and the most that these cells weigh together."""
        low, up = float(self.low[at].sum()), float(self.up[at].sum())
        least = 1.0 - (float(self.up.sum()) - up)
        most = 1.0 - (float(self.low.sum()) - low)
        if len(at) and self.marginals:
            of = self._agreed(at)
            least_of, most_of, below, above = (ends[of] for ends in self._listed)
            most = float((most_of - (below - low)).min(initial=most))
            least = float((least_of - (above - up)).max(initial=least))
        return least, most

    def _agreed(self, at: Codes) -> Codes:
        """The combinations that all of these cells have, in the list of those of all marginals.

        None where a variable differs that is a marginal by itself; seldom is there any other.
        """
        alone, differ = 0, 0
        for held in self.marginals:
            if held.axes.bit_count() == 1:
                alone |= held.axes
                differ |= held.axes if (held.place[at] != held.place[at[0]]).any() else 0
        found, first = list[int](), 0
        for held in self.marginals:
            if not held.axes & differ:
                of = held.place[at[0]]
                if not held.axes & ~alone or (held.place[at] == of).all():
                    found.append(first + int(of))
            first += len(held.most)
        return np.array(found, dtype=np.intp)

    @cached_property
    def _listed(self) -> tuple[Array, Array, Array, Array]:
        """Of all combinations, by marginal: both ends, and what those of their cells add up to."""
        ends = (
            (h.least, h.most, *sums) for h, sums in zip(self.marginals, self._sums, strict=True)
        )
        least, most, below, above = map(np.concatenate, zip(*ends, strict=True))
        return least, most, below, above

    @cached_property
    def _sums(self) -> list[tuple[Array, Array]]:
        """Of each marginal what the ends of the cells of each combination add up to."""
        return [
            (
                np.bincount(held.place, self.low, len(held.most)).astype(np.float64),
                np.bincount(held.place, self.up, len(held.most)).astype(np.float64),
            )
            for held in self.marginals
        ]

    def agrees(self, law: Array, off: float) -> bool:
        """Whether its marginals are these of a law [cell]."""
        for held in self.marginals:
            found = np.bincount(held.place, law, len(held.most))
            if (found > held.most + off).any() or (found < held.least - off).any():
                return False
        return True

    @cached_property
    def _whole(self) -> tuple[list[int], list[int], int, int]:
        """The ends as whole numbers, rounded outward, and their sums."""
        low = [math.floor(mass * MASS) for mass in self.low.tolist()]
        up = [math.ceil(mass * MASS) for mass in self.up.tolist()]
        return low, up, sum(low), sum(up)

    @cached_property
    def _held(self) -> list[tuple[int, list[int], Integers, Integers, Integers, Integers]]:
        """The marginals, and the sums of the cells' own ends, likewise."""
        low, up, _, _ = self._whole
        held = []
        for each in self.marginals:
            sums = np.zeros((2, len(each.most)), dtype=object)
            for row, ends in zip(sums, (low, up), strict=True):
                np.add.at(row, each.place, np.array(ends, dtype=object))
            least = np.array([math.floor(end * MASS) for end in each.least.tolist()], dtype=object)
            most = np.array([math.ceil(end * MASS) for end in each.most.tolist()], dtype=object)
            held.append((each.axes, each.place.tolist(), least, most, sums[0], sums[1]))
        return held

    def end(self, cells: Sequence[int], weights: Sequence[int], sign: int, axes: int = 0) -> int:
        """The largest (sign 1) or least (-1) Q . w, in units of 1 / WHOLE, rounded outward; w is 0
        at all cells but these, which agree on the ``axes`` (a bit mask).
        """
        low, up, all_low, all_up = self._whole
        held = [(w, low[x], up[x]) for x, w in zip(cells, weights, strict=True) if up[x]]
        if not held:
            return 0
        held.sort(key=lambda cell: -sign * cell[0])
        below, above = sum(cell[1] for cell in held), sum(cell[2] for cell in held)
        beside = all_low - below, all_up - above  # the least and the most mass of all other cells
        if not self.conditional:
            ends = math.floor(self.least * MASS), math.ceil(self.most * MASS)
            return _quotient(held, below, beside, ends, sign)
        masses = [MASS - beside[0] if sign > 0 else MASS - beside[1]]
        for determined, place, least, most, lows, ups in self._held:
            if axes & determined == determined:
                at = place[cells[0]]
                masses.append(
                    most[at] - (lows[at] - below) if sign > 0 else least[at] - (ups[at] - above)
                )
        return _filled(held, below, min(masses) if sign > 0 else max(masses)) * MASS


def _moved(bits: int, axes: Mapping[int, int]) -> int | None:
    """A bit mask of variables that were renumbered; None where one is not among them."""
    old = [axis for axis in range(bits.bit_length()) if bits >> axis & 1]
    return sum(1 << axes[axis] for axis in old) if {*old} <= {*axes} else None


def _filled(held: Sequence[tuple[int, int, int]], below: int, mass: int) -> int:
    """All at the lower ends, and what is left of the mass on the first of them."""
    total, left = sum(weight * low for weight, low, _ in held), mass - below
    for weight, low, up in held:
        if left <= 0:
            break
        more = min(left, up - low)
        total, left = total + weight * more, left - more
    return total


def _quotient(
    held: Sequence[tuple[int, int, int]],
    below: int,
    beside: tuple[int, int],
    ends: tuple[int, int],
    sign: int,
) -> int:
    """The best sum P w / sum P. Others have weight 0: for the most they are filled last, for the
    least first. Once no cell brings the quotient on, none that comes later does.
    """
    value, mass = sum(weight * low for weight, low, _ in held), below + beside[0]
    others = beside[1] - beside[0]
    if sign < 0:
        mass += max(0, min(others, ends[1] - mass))
    for weight, low, up in held:
        better = mass == 0 or sign * (weight * mass - value) > 0
        room = min(up - low, (ends[1] if better else ends[0]) - mass)
        if room > 0:
            value, mass = value + weight * room, mass + room
    if sign > 0:
        mass += max(0, min(others, ends[0] - mass))
    if mass == 0:
        return 0
    return -(-value * WHOLE // mass) if sign > 0 else value * WHOLE // mass
