"""Intervals for what an event says of the rest: P(x | event) and P(x | not event).

Odds of an answer y about the event are max Q W_y / min R W_y over the tables Q and R of the two
boxes: two knapsacks of mass 1 that do not restrain one another, exact by sorting. Such boxes are
what counting rows with and without the event gives, each with its own errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from unspoken.beliefs import A_BELIEF, Belief
from unspoken.errors import InputError
from unspoken.families.box import Box
from unspoken.families.ends import Ends
from unspoken.families.knapsack import Cells, between
from unspoken.families.searched import Furthest, Pair
from unspoken.families.sides import Marginal, Side
from unspoken.families.tables import TableSet
from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.numerics.rounding import UNIT
from unspoken.numerics.tables import table_of
from unspoken.types.domain import Domain, Value
from unspoken.types.kinds import expect, items
from unspoken.types.premise import Premise

__all__ = ["Intervals"]

Entries = TypeVar("Entries", Array, Mask)
# Names, and the ends of what their combinations have.
Ranges = tuple[Sequence[str], Array, Array]
# A variable and some of its values.
Event = tuple[str, Sequence[Value]]


@dataclass(frozen=True)
class Declared:
    """``cells``: of the event, [cell]; ``low``, ``up``: of P(x | event) inside, of P(x | not event)

    outside; ``weight``: the least and largest P(event) allowed; ``marginals``: inside and outside.
    """

    cells: Mask
    low: Array
    up: Array
    weight: tuple[float, float]
    marginals: tuple[tuple[Marginal, ...], tuple[Marginal, ...]] = ((), ())

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The event and its complement."""
        inside, outside = (
            Side(self.low * own, self.up * own, marginals=held)
            for own, held in zip((self.cells, ~self.cells), self.marginals, strict=True)
        )
        return inside, outside

    def side(self, cells: Mask) -> Mask | None:
        """The event, if it has these cells, or its complement; else None."""
        if np.array_equal(cells, self.cells):
            return self.cells
        return ~self.cells if np.array_equal(cells, ~self.cells) else None

    def part(self, side: Mask, context: Mask, loose: float) -> Cells:
        """The cells of one side that agree with what is known, beside its others."""
        others = side & ~context
        beside = float(self.low[others].sum()) - loose, float(self.up[others].sum()) + loose
        at = side & context
        return Cells.of(self.low[at], self.up[at], beside)

    def best(self, side: Mask, kernel: Array, sign: int, loose: float) -> tuple[float, Array]:
        """The largest or least mean of a kernel over a whole side, and its law [cell].

        Where the kernel is not 0, cells may agree on some variables, whose marginals say more.
        """
        held = self.sides[0 if np.array_equal(side, self.cells) else 1]
        at = np.flatnonzero(side & (kernel != 0)) if held.marginals else np.flatnonzero(side)
        rest = side.copy()
        rest[at] = False
        low, up, law = self.low[at], self.up[at], np.zeros(side.size)
        least, most = held.mass(at)
        cells = Cells.of(low, up, (1.0 - most - loose, 1.0 - least + loose))
        mass = cells.most if sign > 0 else cells.least
        law[at] = cells.weighing(kernel[at], sign, np.array([mass]))[0]
        law[rest] = between(self.low[rest], self.up[rest], 1.0 - float(law[at].sum()))
        return float(law[at] @ kernel[at]), law

    def law(self, side: Mask, context: Mask, masses: Array) -> Array:
        """A law [cell] of one side with these masses in the context."""
        law, others = np.zeros(side.size), side & ~context
        law[side & context] = masses
        law[others] = between(self.low[others], self.up[others], 1 - float(masses.sum()))
        return law

    def mixed(self, law: Array) -> Array:
        """Both laws, with a P(event) that is allowed, as near a half as may be."""
        weight = min(max(0.5, self.weight[0]), self.weight[1])
        return np.where(self.cells, weight, 1 - weight) * law


@dataclass(frozen=True)
class Margin:
    """A set about some of the variables. ``place``: the cell there of each cell [cell] here;

    ``first``: a cell here for each of those there.
    """

    held: Intervals
    place: Codes
    first: Codes

    @classmethod
    def of(cls, held: Intervals, domain: Domain) -> Margin:
        expect(held, Intervals, "intervals.margins", "give a list of Intervals")
        codes = np.indices(domain.sizes).reshape(len(domain.names), -1)
        at = [domain.axis(name, "intervals.margins") for name in held.domain.names]
        if any(
            domain.values[axis] != own for axis, own in zip(at, held.domain.values, strict=True)
        ):
            raise InputError(
                "intervals.margins: have other values; all are about the same variables"
            )
        place = np.ravel_multi_index(tuple(codes[axis] for axis in at), held.domain.sizes)
        return cls(held, place, np.unique(place, return_index=True)[1])

    def asked(self, *tables: Entries) -> list[Entries] | None:
        """The tables as tables of its variables, if they depend on no others."""
        own = [table[self.first] for table in tables]
        same = all(np.array_equal(a[self.place], b) for a, b in zip(own, tables, strict=True))
        return own if same else None

    def holds(self, table: Array) -> bool:
        summed: Array = np.bincount(self.place, table).astype(np.float64)
        return self.held.holds(summed)

    def spread(self, table: Array, law: Array) -> Array:
        """A table there as one here, the rest being as in this law [cell]."""
        whole = np.bincount(self.place, law)[self.place]
        within = 1.0 / np.bincount(self.place)[self.place]
        np.divide(law, whole, out=within, where=whole > 0)
        spread: Array = table[self.place] * within
        return spread


class Intervals(TableSet):
    """Every P with lower <= P(x | event) <= upper, and outside the event P(x | not event).

    ``intervals``: {(name, values): (lower, upper)}, the event being that the variable takes one of
    the values; both tables are in the order of the ``belief``'s. P(event) may be anything, or
    within ``probability``, {(name, values): (least, most)}. Files list tables instead, [{name,
    values, lower, upper, probability}]. Of several events every one holds; another event is
    answered from what they say of single cells. ``margins``: sets about some of the variables that
    hold too, and answer what is asked of no others: their cells have more of all rows.
    ``marginals``: {event: (inside, outside)}, lists of (names, lower, upper): between these are
    P(names | event) and P(names | not event).
    """

    kind = "intervals"

    def __init__(
        self,
        belief: Belief,
        intervals: Mapping[tuple[Any, Any], tuple[npt.ArrayLike, npt.ArrayLike]]
        | Sequence[Mapping[str, Any]],
        probability: Mapping[Any, tuple[float, float]] | None = None,
        premise: Premise | str = "stated",
        margins: Sequence[Intervals] = (),
        marginals: Mapping[Any, tuple[Sequence[Ranges], Sequence[Ranges]]] | None = None,
    ) -> None:
        expect(belief, Belief, "intervals.belief", A_BELIEF)
        self.centre, self.domain = belief, belief.domain
        self.premise = Premise.of(premise)
        if not isinstance(intervals, Mapping):
            intervals, probability = _listed(intervals, probability)
        if not intervals:
            raise InputError('intervals: name an event at least, {("A", (0,)): (lower, upper)}')
        self.rounded = 8 * UNIT * math.prod(self.domain.sizes)
        allowed = {} if probability is None else probability
        expect(allowed, Mapping, "intervals.probability", "give {event: (least, most)}")
        known = {_key(event): ends for event, ends in allowed.items()}
        declared = {_key(event): ends for event, ends in intervals.items()}
        for event in known:
            if event not in declared:
                raise InputError(f"intervals.probability: {event} is not among the events")
        beside = {_key(event): held for event, held in (marginals or {}).items()}
        self.events = {
            event: self._declared(
                event, ends, known.get(event, (0.0, 1.0)), beside.get(event, ((), ()))
            )
            for event, ends in declared.items()
        }
        self.margins = [
            Margin.of(each, self.domain) for each in items(margins, "intervals.margins")
        ]
        _ = self.joint_cells  # refused here if they leave nothing

    @cached_property
    def joint_cells(self) -> Box:
        """What all events say of single cells: P(x) = P(event) P(x | event)."""
        low, up = np.zeros(self.domain.sizes), np.ones(self.domain.sizes)
        for declared in self.events.values():
            least, most = declared.weight
            ends = [
                np.where(declared.cells, inside, outside).reshape(self.domain.sizes) * end
                for inside, outside, end in (
                    (least, 1 - most, declared.low.reshape(self.domain.sizes)),
                    (most, 1 - least, declared.up.reshape(self.domain.sizes)),
                )
            ]
            low, up = np.maximum(low, ends[0]), np.minimum(up, ends[1])
        if (low > up + self.rounded).any():
            raise InputError("intervals: are empty; no table agrees with all of the events")
        return Box(np.minimum(low, up), up, self.domain.names, self.domain.values, self.premise)

    def furthest(self, pair: Pair, kernel: Array) -> Furthest | None:
        """Exact for the events declared: their two sides do not restrain one another."""
        for margin in self.margins:
            masks, own = margin.asked(pair.above, pair.below, pair.context), margin.asked(kernel)
            if masks is not None and own is not None:
                found = margin.held.loosened(self.loose).furthest(Pair(*masks), own[0])
                law = self.centre.marginal(self.domain.names).ravel()
                return found and replace(found, table=margin.spread(found.table, law))
        for declared in self.events.values():
            if np.array_equal(pair.below, ~pair.above) and declared.side(pair.above) is not None:
                return self._between(declared, pair, kernel)
        return self.joint_cells.loosened(self.loose).furthest(pair, kernel)

    def _between(self, declared: Declared, pair: Pair, kernel: Array) -> Furthest | None:
        laws, means = np.zeros(kernel.size), []
        for side, sign in ((pair.above, 1), (pair.below, -1)):
            if pair.context.all() and any(declared.marginals):
                mean, law = declared.best(side, kernel, sign, self.loose)
                means.append(mean)
                laws += law
                continue
            part, at = declared.part(side, pair.context, self.loose), side & pair.context
            if not part.possible:
                return None
            masses = part.best(kernel[at], sign)
            means.append(float(part.mean(masses[None], kernel[at], sign)[0]))
            laws += declared.law(side, pair.context, masses)
        return Furthest.of(means[0], means[1], declared.mixed(laws))

    def likely(self, cells: Mask, context: Mask, kernel: Array) -> tuple[float, float] | None:
        for margin in self.margins:
            masks, own = margin.asked(cells, context), margin.asked(kernel)
            if masks is not None and own is not None:
                held = margin.held.loosened(self.loose)
                return held.likely(masks[0], masks[1], own[0])
        for declared in self.events.values():
            side = declared.side(cells)
            if side is not None:
                if context.all() and any(declared.marginals):
                    ends = (declared.best(side, kernel, sign, self.loose)[0] for sign in (-1, 1))
                    least, most = ends
                    return least, most
                part = declared.part(side, context, self.loose)
                return part.range(kernel[side & context]) if part.possible else None
        return self.joint_cells.loosened(self.loose).likely(cells, context, kernel)

    def weight(self, cells: Mask, context: Mask) -> tuple[float, float]:
        for declared in self.events.values():
            if context.all() and declared.side(cells) is not None:
                least, most = declared.weight
                least, most = max(least - self.loose, 0.0), min(most + self.loose, 1.0)
                return (
                    (least, most)
                    if np.array_equal(cells, declared.cells)
                    else (1 - most, 1 - least)
                )
        return self.joint_cells.loosened(self.loose).weight(cells, context)

    @property
    def middle(self) -> Belief:
        """What they are drawn around, though noise may leave it out."""
        return self.centre

    def side(self, cells: Mask) -> Side:
        """As the event says that has them on one side, or as single cells do: what is narrowest."""
        off, joint = self.rounded, self.joint_cells.ends
        found = [Side(joint.lower.ravel() * (1 - off), joint.upper.ravel() * (1 + off)).part(cells)]
        for declared in self.events.values():
            own = declared.cells, ~declared.cells
            for side, held in zip(own, declared.sides, strict=True):
                if not (cells & ~side).any():
                    found.append(held.part(cells))
        return min(found, key=lambda side: (not side.conditional, side.width))

    def allowed(self) -> Mask:
        return self.joint_cells.allowed()

    def examples(self) -> list[Array]:
        """The belief they are drawn around, and what the first event says: if all agree."""
        declared = next(iter(self.events.values()))
        cells, nothing = declared.cells, np.zeros(0)
        nowhere = np.zeros(cells.size, dtype=bool)
        law = declared.law(cells, nowhere, nothing) + declared.law(~cells, nowhere, nothing)
        centre = self.centre.marginal(self.domain.names).ravel()
        return [table for table in (centre, declared.mixed(law)) if self.holds(table)]

    def holds(self, table: Array) -> bool:
        agrees = all(self._agrees(declared, table) for declared in self.events.values())
        return agrees and all(margin.holds(table) for margin in self.margins)

    def _agrees(self, declared: Declared, table: Array) -> bool:
        inside, off = float(table[declared.cells].sum()), self.rounded
        total = np.where(declared.cells, inside, float(table[~declared.cells].sum()))
        law = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
        fits = (law >= declared.low - off) & (law <= declared.up + off) | (total == 0)
        if not (fits.all() and declared.weight[0] - off <= inside <= declared.weight[1] + off):
            return False
        sides = zip((declared.cells, ~declared.cells), declared.sides, strict=True)
        return all(not law[own].any() or held.agrees(law * own, off) for own, held in sides)

    def _declared(
        self,
        event: Event,
        ends: tuple[npt.ArrayLike, npt.ArrayLike],
        weight: tuple[float, float],
        marginals: tuple[Sequence[Ranges], Sequence[Ranges]],
    ) -> Declared:
        name, values = event
        where = f"intervals of {name} {list(values)}"
        cells = self._cells(name, values)
        if not (isinstance(ends, Sequence) and len(ends) == 2):
            raise InputError(f"{where}: a pair of tables is expected, (lower, upper)")
        held = Ends.of(*ends, self.domain.names, self.domain.values, where)
        least, most = _weight(weight, where)
        for side in (cells, ~cells):
            low, up = (float(end.ravel()[side].sum()) for end in (held.lower, held.upper))
            if low > 1 + self.rounded or up < 1 - self.rounded:
                raise InputError(
                    f"{where}: is empty, masses are {low:g} to {up:g}; both sides need 1"
                )
        inside, outside = (tuple(self._marginal(*each, where) for each in of) for of in marginals)
        ends = held.lower.ravel(), held.upper.ravel()
        return Declared(cells, *ends, (least, most), (inside, outside))

    def _marginal(self, names: Sequence[str], low: Array, up: Array, where: str) -> Marginal:
        axes = [self.domain.axis(name, where) for name in names]
        sizes = tuple(self.domain.sizes[axis] for axis in axes)
        values = [self.domain.values[axis] for axis in axes]
        ends = Ends.of(low, up, names, values, f"{where}, {', '.join(names)}")
        codes = np.indices(self.domain.sizes).reshape(len(self.domain.sizes), -1)[axes]
        place = np.ravel_multi_index(tuple(codes), sizes)
        bits = sum(1 << axis for axis in axes)
        return Marginal(bits, place, ends.lower.ravel(), ends.upper.ravel())

    def _cells(self, name: str, values: Sequence[Value]) -> Mask:
        """The cells of an event: neither none nor all."""
        axis = self.domain.axis(name, "intervals")
        codes = [self.domain.code(name, value, "intervals") for value in values]
        chosen = np.isin(np.indices(self.domain.sizes)[axis], codes)
        if not chosen.any() or chosen.all():
            raise InputError(f"intervals of {name}: name some of its values, and not all of them")
        return chosen.ravel()

    def facts(self) -> list[tuple[str, str]]:
        names = [f"{name} {', '.join(map(str, values))}" for name, values in self.events]
        return [*super().facts()[:1], ("given", "; ".join(names)), ("premise", str(self.premise))]


def _weight(given: object, where: str) -> tuple[float, float]:
    """The least and the largest P(event)."""
    ends = np.array(table_of(given, f"{where}: probability")).ravel()
    if len(ends) != 2 or not 0 <= ends[0] <= ends[1] <= 1:
        raise InputError(f"{where}: probability is a pair, 0 <= least <= most <= 1")
    return float(ends[0]), float(ends[1])


def _listed(tables: Any, probability: object) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Intervals and probabilities by event, from a list of tables as files have them."""
    keys, wanted = {"name", "values", "lower", "upper"}, "name, values, lower, upper, probability"
    tables = items(tables, "intervals")
    if probability is not None:
        raise InputError("intervals.probability: stands in each table of the list of intervals")
    ends, weights = {}, {}
    for table in tables:
        if not isinstance(table, Mapping) or not keys <= {*table} <= {*keys, "probability"}:
            raise InputError(f"intervals: a list of tables is expected, each with {wanted}")
        event = _key((table["name"], table["values"]))
        ends[event] = table["lower"], table["upper"]
        if "probability" in table:
            weights[event] = table["probability"]
    return ends, weights


def _key(event: Event) -> tuple[str, tuple[Value, ...]]:
    if not (isinstance(event, tuple) and len(event) == 2):
        raise InputError(f'intervals: {event!r} is no event; write ("A", (0,)), a name and values')
    items(event[1], "intervals")
    return event[0], tuple(event[1])
