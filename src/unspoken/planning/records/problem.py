"""What a holder asks of a plan with one coin a record, checked and with every default filled in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.errors import InputError, quoted
from unspoken.core.mechanisms import RecordCoin
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.entropy import entropy
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import expect, items
from unspoken.core.types.premise import Premise, weakest
from unspoken.planning.problem import by_name
from unspoken.planning.protection import Limit, Protection, odds_limit
from unspoken.planning.records.answers import maximal
from unspoken.planning.records.bits import BitLimit
from unspoken.planning.records.cells import Cells
from unspoken.planning.records.conditions import (
    Event,
    Rule,
    attribute_events,
    by_label,
    default_events,
    explicit,
    given,
    neighbours,
)
from unspoken.planning.records.context_beliefs import ContextBeliefs, contexts_of
from unspoken.planning.records.earlier import check_earlier
from unspoken.planning.records.known import Known, events_of

__all__ = ["RecordOptions", "RecordProblem"]


BEYOND = 700.0  # an epsilon that excludes everything, as good as none

Events = str | Sequence[Mapping[str, Sequence[Value]]]


@dataclass(frozen=True)
class RecordOptions:
    """What only plans with one coin a record have; see `unspoken.plan`."""

    reads: Sequence[str] | None = None
    shares: Mapping[str, Sequence[str]] | None = None
    events: Events = "default"
    contexts: Sequence[tuple[float, Belief]] | None = None
    pooled_cap: float | None = None
    own_reads: bool = False
    order: Sequence[str] = ()
    floor: float | None = None
    unbiased: bool = False
    knows: Sequence[Any] = ()
    extends: RecordCoin | None = None

    @property
    def out(self) -> tuple[str, ...]:
        """What is shown of records already."""
        return () if self.extends is None else self.extends.names

    def refuse(self) -> None:
        """For cell plans, which have none of them."""
        default = RecordOptions()
        for name, value in vars(self).items():
            if value is not getattr(default, name):
                raise InputError(f'plan.{name} needs by="record": one coin a cell has no such rows')


LOOKED_AT = 5_000  # pairs up to which what is neither read nor secret is looked at, too


@dataclass(frozen=True)
class RecordProblem:
    """Maximise what is shown of a record, worth [name][label], within caps on every answer.

    ``coalitions``: bit masks over the kept names, ``alike``: groups of names; what is shown of a
    group depends on nothing else of the record. ``limits``: nats per target.
    """

    belief: Belief  # that the worth is counted by
    domain: Domain  # of the names that matter
    beliefs: tuple[tuple[float, Belief], ...]  # of each context, with its share of the rows
    premise: Premise
    sensitive: Mapping[str, tuple[Value, ...]]
    secrets: Mapping[str, tuple[Value, ...]]
    reads: tuple[str, ...]
    coalitions: tuple[tuple[str, ...], ...]
    cap: float
    pooled_cap: float
    events: Events
    known: Known
    limit: Limit
    worth: Mapping[str, Array]
    shares: Mapping[str, tuple[str, ...]]
    alike: tuple[tuple[str, ...], ...]
    floor: float
    extends: RecordCoin | None = None

    @classmethod
    def of(
        cls,
        belief: Belief | None,
        protection: Protection,
        asked: RecordOptions,
        weights: Any = None,
    ) -> RecordProblem:
        contexts = contexts_of(asked.contexts)
        whole = contexts[0][1] if belief is None and contexts else belief
        expect(whole, Belief, "plan.belief", A_BELIEF)
        whole = cast(Belief, whole)
        hidden = protection.withheld(whole)
        kept_secret = protection.secret(whole, hidden)
        if asked.extends is not None:
            check_earlier(asked.extends, whole.domain, hidden, vars(asked))
        reads, pools = _seen(whole, asked, protection.pools(whole))
        shares = _shares(whole, asked.shares)
        for application, names in shares.items():
            _read(names, reads, f"plan.shares of {application}")
        known = Known.of(whole, asked.knows, (*reads, *asked.out))
        events = events_of(whole, asked.events)
        needed = {*reads, *asked.out, *known.names, *(n for n in kept_secret if kept_secret[n])}
        needed |= {name for event in events if not isinstance(events, str) for name in event}
        beliefs = contexts or ((1.0, whole),)
        needed |= _looked_at(beliefs, reads, asked.floor is not None)
        kept = tuple(name for name in whole.domain.names if name in needed)
        return cls(
            belief=whole,
            domain=Domain(kept, tuple(whole.domain.values_of(name) for name in kept)),
            beliefs=beliefs,
            premise=weakest(each.premise for _, each in beliefs),
            sensitive={name: hidden[name] for name in kept},
            secrets={name: kept_secret[name] for name in kept if kept_secret[name]},
            reads=reads,
            coalitions=tuple(pools),
            cap=protection.cap,
            pooled_cap=odds_limit(asked.pooled_cap, "plan.pooled_cap"),
            events=events,
            known=known,
            limit=protection.limit(whole),
            worth=_worth(whole, weights, reads),
            shares=shares,
            alike=_alike(whole, asked, pools, reads),
            floor=_floor(asked.floor),
            extends=asked.extends,
        )

    def mask(self, names: Iterable[str]) -> int:
        """Bits of these names."""
        return sum(1 << self.domain.names.index(name) for name in {*names})

    def sees(self) -> tuple[int, ...]:
        """Of every coalition that is part of no other."""
        return maximal([self._has(names) for names in self.coalitions])

    def _has(self, names: Iterable[str]) -> int:
        """What those who read these have: of all that is read also what is out already, of which
        nobody may read more.
        """
        out = () if self.extends is None else self.extends.names
        return self.mask({*names, *out} if {*names} >= {*self.reads} else names)

    @property
    def unlooked(self) -> tuple[str, ...]:
        """The names left out that a release might look at with profit: what they say of a record
        differs from belief to belief, or rows are held against its neighbours.
        """
        if self.floor == math.inf and not self.believed.several:
            return ()
        return tuple(n for n in self.belief.domain.names if n not in self.domain.names)

    @property
    def needs_whole(self) -> bool:
        """Whether rows are about records that nobody expects, too."""
        return bool(self.alike) or self.floor < math.inf or self.believed.of_sets

    @cached_property
    def believed(self) -> ContextBeliefs:
        return ContextBeliefs(tuple(belief for _, belief in self.beliefs))

    def cells(self, whole: bool = False) -> Cells:
        """What can occur, or the whole domain; each with all that may be out of it."""
        cells = Cells.of(
            self.domain,
            self.believed.tables(self.domain.names),
            [share for share, _ in self.beliefs],
            [
                np.array([value in self.sensitive[name] for value in values], dtype=bool)
                for name, values in zip(self.domain.names, self.domain.values, strict=True)
            ],
            self.mask(self.reads),
            whole or self.needs_whole,
        )
        return cells if self.extends is None else cells.extending(self.extends)

    def axes(self) -> dict[int, Codes]:
        """The secrets, as positions of names and of labels."""
        return {
            self.domain.axis(name): np.array(self.domain.codes(name, values))
            for name, values in self.secrets.items()
        }

    def about(self, cells: Cells) -> list[Event]:
        """What no answer may tell of."""
        axes = self.axes()
        if isinstance(self.events, str):
            events = {"default": default_events, "attribute": attribute_events}[self.events](
                cells, axes
            )
        else:
            events = explicit(cells, self.events)
        return self.known.whether(cells, events)

    def held(self, cells: Cells, cap: Fraction) -> list[Rule]:
        """The rows of every coalition, whatever of this it knows."""
        events, of = self.about(cells), self.believed.rules
        rows = of(cells, [*events, *given(events, by_label(cells, self.known.of_all))], cap)
        for seen, names in self.known.of_some:
            rows += of(cells, given(events, by_label(cells, names)), cap, self._has(seen))
        return rows

    def rules(self, cells: Cells) -> list[Rule]:
        """Every row there is."""
        rows = self.held(cells, Fraction(self.cap)) if self.cap < math.inf else []
        if self.pooled_cap < math.inf:
            events, pooled = self.about(cells), Fraction(self.pooled_cap)
            events += given(events, by_label(cells, self.known.of_any))
            rows += self.believed.rules(cells, events, pooled, self._has(self.reads))
        if self.floor < math.inf:
            factor = Fraction(math.nextafter(math.exp(self.floor), 0.0))
            everything = self._has(self.reads)
            rows += neighbours(cells, self.axes(), max(factor, Fraction(1)), everything)
        return rows

    def limits(self, cells: Cells, all_of_them: bool = False) -> list[BitLimit]:
        """On bits, for every coalition: in each context, and where it is not known; those that
        could be reached, or all, infinite ones too. Of a set under the belief in its middle, which
        plans say; caps hold for all of it.
        """
        laws, found = [cells.probability], list[BitLimit]()
        if len(cells.laws) > 1:
            laws += [(law / law.sum()).astype(np.float64) for law in cells.laws]
        for axis, labels in self.axes().items():
            name = self.domain.names[axis]
            limit = (
                self.limit.get(name, math.inf) if isinstance(self.limit, Mapping) else self.limit
            )
            secret = cells.secret(axis, labels)
            for law in laws:
                all_told = entropy(np.bincount(secret, law).astype(np.float64))
                if all_of_them or limit < all_told * (1 + 1e-9):
                    found += [BitLimit(law, secret, sees, limit) for sees in self.sees()]
        return found

    def prices(self, cells: Cells) -> Array:
        """What a shown label is worth [cell, attribute]."""
        columns = [
            self.worth[name][codes] if name in self.worth else np.zeros(len(cells))
            for name, codes in zip(self.domain.names, cells.codes.T, strict=True)
        ]
        return np.stack(columns, axis=1)


def _looked_at(
    beliefs: Sequence[tuple[float, Belief]], reads: Sequence[str], floor: bool
) -> set[str]:
    """All names, where they matter and a program has room for them. Of one law what is shown of x
    may be averaged over the rest u of the record, by P(u | x), and tells the same; of several laws
    there are several P(u | x), and looking at u may show more.
    """
    domain = beliefs[0][1].domain
    matter = floor or ContextBeliefs(tuple(each for _, each in beliefs)).several
    room = math.prod(domain.sizes) << len(reads) <= LOOKED_AT
    return {*domain.names} if matter and room else set()


def _alike(
    belief: Belief, asked: RecordOptions, pools: Sequence[Sequence[str]], reads: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """The groups of names whose answers depend on nothing else."""
    order = _names(belief, asked.order, "plan.order", ())
    groups = [order[: k + 1] for k in range(len(order))]
    groups += map(tuple, pools) if _flag(asked.own_reads, "plan.own_reads") else ()
    groups += ((name,) for name in reads) if _flag(asked.unbiased, "plan.unbiased") else ()
    return tuple(dict.fromkeys(tuple(n for n in group if n in reads) for group in groups))


def _names(belief: Belief, given: Any, where: str, default: Sequence[str]) -> tuple[str, ...]:
    """Names of variables, each once."""
    names = tuple(default) if given is None else items(given, where)
    for name in names:
        belief.domain.axis(name, where)
    return tuple(dict.fromkeys(names))


def _seen(
    belief: Belief, asked: RecordOptions, coalitions: tuple[tuple[str, ...], ...] | None
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """What may be shown, and what each coalition sees of it; what nobody sees is not shown."""
    reads = _names(belief, asked.reads, "plan.reads", belief.domain.names)
    pools = coalitions or (reads,)
    for pool in pools:
        _read(pool, (*reads, *asked.out), "plan.coalitions")
    seen = tuple(name for name in reads if any(name in pool for pool in pools))
    if not seen:
        raise InputError("plan.reads: nothing is read by anybody; name what may be shown")
    return seen, pools


def _read(names: Sequence[str], reads: Sequence[str], where: str) -> None:
    for name in names:
        if name not in reads:
            raise InputError(f"{where}: {name} is not among what is read; add it to reads")


def _shares(belief: Belief, given: Any) -> dict[str, tuple[str, ...]]:
    """{application: names it reads}."""
    expect({} if given is None else given, Mapping, "plan.shares", "give {application: [names]}")
    shares = {
        str(application): _names(belief, names, f"plan.shares of {application}", ())
        for application, names in (given or {}).items()
    }
    for application, names in shares.items():
        if not names:
            raise InputError(f"plan.shares of {application}: reads nothing; name what it reads")
    return shares


def _flag(given: Any, where: str) -> bool:
    expect(given, bool, where, "write True or False")
    return bool(given)


def _floor(given: Any) -> float:
    eps = math.inf if given is None else number(given)
    if not eps >= 0:
        raise InputError(f"plan.floor: {given} must be an epsilon, 0 or more, or None")
    return eps if eps < BEYOND else math.inf


def _worth(belief: Belief, given: Any, reads: Sequence[str]) -> dict[str, Array]:
    """What one shown label is worth, per name and label: 1, or {name: w}, or {name: {value: w}}."""
    worth = {name: np.ones(len(belief.domain.values_of(name))) for name in reads}
    for name, stated in by_name(belief, given, "plan.weights").items():
        values = belief.domain.values_of(name, "plan.weights")
        if name not in worth:
            raise InputError(f"plan.weights: {name} is not among what is read; add it to reads")
        each = stated if isinstance(stated, Mapping) else dict.fromkeys(values, stated)
        for value, weight in each.items():
            if not 0 <= number(weight) < math.inf:
                raise InputError(
                    f"plan.weights of {name}: {quoted(weight)} must be 0 or more, finite"
                )
            worth[name][belief.domain.code(name, value, "plan.weights")] = number(weight)
    return worth
