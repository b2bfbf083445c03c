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

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.errors import InputError, quoted
from unspoken.core.families.box import Box
from unspoken.core.families.declared import Declared
from unspoken.core.families.ends import Ends
from unspoken.core.families.searched import Furthest, Pair
from unspoken.core.families.sides import Marginal, Side
from unspoken.core.families.tables import TableSet
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.numerics.tables import table_of
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import expect, items
from unspoken.core.types.premise import Premise

__all__ = ["Intervals"]

PLACES = 62  # of a kernel, as a whole number
Entries = TypeVar("Entries", Array, Mask)
# Names, and the ends of what their combinations have.
Ranges = tuple[Sequence[str], Array, Array]
# A variable and some of its values.
Event = tuple[str, Sequence[Value]]


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
            domain.values[axis] != values
            for axis, values in zip(at, held.domain.values, strict=True)
        ):
            raise InputError(
                "intervals.margins: have other values; all are about the same variables"
            )
        place = np.ravel_multi_index(tuple(codes[axis] for axis in at), held.domain.sizes)
        return cls(held, place, np.unique(place, return_index=True)[1])

    def asked(self, *tables: Entries) -> list[Entries] | None:
        """The tables as tables of its variables, if they depend on no others."""
        narrowed = [table[self.first] for table in tables]
        same = all(np.array_equal(a[self.place], b) for a, b in zip(narrowed, tables, strict=True))
        return narrowed if same else None

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
        beside = _by_event(marginals)
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
        """Exact for the events declared: their two sides do not restrain one another.

        All that is known holds at once, so it is the least of what they say.
        """
        found = [self._of_all(pair, kernel)]
        for margin in self.margins:
            masks = margin.asked(pair.above, pair.below, pair.context)
            kernels = margin.asked(kernel)
            if masks is not None and kernels is not None:
                each = margin.held.loosened(self.loose).furthest(Pair(*masks), kernels[0])
                law = self.centre.marginal(self.domain.names).ravel()
                found.append(each and replace(each, table=margin.spread(each.table, law)))
        possible = [each for each in found if each is not None]
        if len(possible) < len(found):
            return None
        return min(possible, key=lambda each: each.log_ratio)

    def _of_all(self, pair: Pair, kernel: Array) -> Furthest | None:
        """By the intervals about all variables."""
        for declared in self.events.values():
            if np.array_equal(pair.below, ~pair.above) and declared.side(pair.above) is not None:
                return self._between(declared, pair, kernel)
        found = self.joint_cells.loosened(self.loose).furthest(pair, kernel)
        return found and self._nearer(found, pair, kernel)

    def _nearer(self, found: Furthest, pair: Pair, kernel: Array) -> Furthest:
        """No further than what the events say of each class by itself, which may be less."""
        ends = []
        for cells, sign in ((pair.above, 1), (pair.below, -1)):
            held = self._sides.setdefault((cells & pair.context).tobytes(), [])
            if not held:
                held.append(self.side(cells & pair.context))
            at = np.flatnonzero((kernel > 0) & cells & pair.context)
            codes = np.unravel_index(at, self.domain.sizes)
            axes = sum(
                1 << axis
                for axis, axis_codes in enumerate(codes)
                if len(np.unique(axis_codes)) == 1
            )
            rounded = np.ceil if sign > 0 else np.floor
            weights = [int(weight) for weight in rounded(np.ldexp(kernel[at], PLACES)).tolist()]
            ends.append(held[0].end(at.tolist(), weights, sign, axes))
        if not all(ends):
            return found
        apart = math.log(ends[0] / ends[1]) + 8 * UNIT
        return replace(found, log_ratio=min(found.log_ratio, apart))

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
            masks, kernels = margin.asked(cells, context), margin.asked(kernel)
            if masks is not None and kernels is not None:
                held = margin.held.loosened(self.loose)
                return held.likely(masks[0], masks[1], kernels[0])
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

    @cached_property
    def _sides(self) -> dict[bytes, list[Side]]:
        """Those that were asked for."""
        return {}

    @cached_property
    def _whole(self) -> Side:
        """All cells, with what is known of P(event) and, of several, of P(any of them)."""
        off, joint = self.rounded, self.joint_cells.ends
        each = [(declared.cells, *declared.weight) for declared in self.events.values()]
        union = np.logical_or.reduce([event for event, _, _ in each])
        least, most = max(low for _, low, _ in each), min(1.0, sum(up for _, _, up in each))
        held = tuple(
            Marginal(0, event.astype(np.intp), np.array([1 - up, low]), np.array([1 - low, up]))
            for event, low, up in [*each, (union, least, most)]
        )
        ends = joint.lower.ravel() * (1 - off), joint.upper.ravel() * (1 + off)
        return Side(*ends, marginals=held)

    @property
    def middle(self) -> Belief:
        """What they are drawn around, though noise may leave it out."""
        return self.centre

    def side(self, cells: Mask) -> Side:
        """As the event says that has them on one side, or as single cells do: what is narrowest."""
        found = [self._whole.part(cells)]
        for declared in self.events.values():
            halves = declared.cells, ~declared.cells
            for side, held in zip(halves, declared.sides, strict=True):
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
        return all(not law[cells].any() or held.agrees(law * cells, off) for cells, held in sides)

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
        codes = self.domain.codes(name, values, "intervals")
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


def _by_event(marginals: Any) -> dict[tuple[str, tuple[Value, ...]], Any]:
    """{event: (inside, outside)} by the events' own form."""
    given = {} if marginals is None else marginals
    expect(given, Mapping, "intervals.marginals", "give {event: (inside, outside)}")
    for held in given.values():
        if not (isinstance(held, tuple | list) and len(held) == 2):
            raise InputError("intervals.marginals: two lists for each event, inside and outside")
    return {_key(event): held for event, held in given.items()}


def _key(event: Event) -> tuple[str, tuple[Value, ...]]:
    if not (isinstance(event, tuple) and len(event) == 2):
        raise InputError(
            f'intervals: {quoted(event)} is no event; write ("A", (0,)), a name and values'
        )
    items(event[1], "intervals")
    return event[0], tuple(event[1])
