"""Who looks at an answer, and what the worst of them learns at a scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Protocol

import numpy as np

from unspoken.adversary import Adversary
from unspoken.calibration.exact.contexts import each_value
from unspoken.calibration.exact.least import Found
from unspoken.calibration.exact.separation import Separation
from unspoken.calibration.problem import Problem
from unspoken.measures import MEASURES
from unspoken.numerics.arrays import Array
from unspoken.questions import leakages
from unspoken.types.bound import Bound

__all__ = ["Listed", "One", "Oracle", "all_but", "knowing", "one"]

# How many names are written out.
NAMED = 4
# Into how many pieces cells are cut before somebody is looked at with all digits.
CLOSER = 64
# So many values of what is known are looked at one after the other, for all targets at once.
FEW = 64


class Curves(Protocol):
    """What some adversaries learn at any scale."""

    def upper(self, scale: float, pieces: int = 1) -> Array:
        """What each of them does not exceed; closer with more ``pieces``."""
        ...

    def leak(self, place: int, scale: float) -> float:
        """What one of them learns."""
        ...

    def bound(self, place: int, scale: float) -> Bound:
        """The same in full."""
        ...

    def kept(self, places: Sequence[int]) -> Curves: ...


@dataclass(frozen=True)
class Targets:
    """Who knows the same, and these values of it, for many targets at once: a row each."""

    problem: Problem
    names: tuple[str, ...]
    separation: Separation
    knows: tuple[str, ...] = ()

    def upper(self, scale: float, pieces: int = 1) -> Array:
        return self.separation.at(scale)

    def leak(self, place: int, scale: float) -> float:
        return float(self.separation.rows([place]).at(scale)[0])

    def bound(self, place: int, scale: float) -> Bound:
        return one(self.problem, Adversary(self.names[place], knows=self.knows)).told(scale)

    def kept(self, places: Sequence[int]) -> Targets:
        names = tuple(self.names[k] for k in places)
        return Targets(self.problem, names, self.separation.rows(places), self.knows)


@dataclass(frozen=True)
class Views:
    """Who knows nothing else, by a measure that is largest at some point: all targets at once."""

    problem: Problem
    names: tuple[str, ...]

    def upper(self, scale: float, pieces: int = 1) -> Array:
        own, mechanism = self.problem, self.problem.mechanism(scale)
        told = leakages(own.remembered, mechanism, own.measure, self.names, **own.options)
        return np.array([bound.value for bound in told.values()])

    def leak(self, place: int, scale: float) -> float:
        return self.problem.leak(Adversary(self.names[place]), scale).value

    def bound(self, place: int, scale: float) -> Bound:
        return one(self.problem, Adversary(self.names[place])).told(scale)

    def kept(self, places: Sequence[int]) -> Views:
        return Views(self.problem, tuple(self.names[k] for k in places))


@dataclass(frozen=True)
class One:
    """One adversary; the worst of what they may know.

    ``rough``: quickly, not too little, and closer with more pieces; None: ``exact`` is quick.
    """

    told: Callable[[float], Bound]
    exact: Callable[[float], float]
    rough: Callable[[float, int], float] | None = None

    def upper(self, scale: float, pieces: int = 1) -> Array:
        return np.array([self.rough(scale, pieces) if self.rough else self.exact(scale)])

    def leak(self, place: int, scale: float) -> float:
        return self.exact(scale)

    def bound(self, place: int, scale: float) -> Bound:
        return self.told(scale)

    def kept(self, places: Sequence[int]) -> One:
        return self


@dataclass
class Listed:
    """Adversaries that are all looked at; whoever keeps the limit once is done with (least.py)."""

    limit: float
    groups: Sequence[Curves]

    def worst(self, scale: float) -> Found:
        """The most promising first; who cannot be worse than the one found is not looked at."""
        uppers = [group.upper(scale) for group in self.groups]
        order = sorted(range(len(uppers)), key=lambda g: -uppers[g].max())
        value, worst, at = -np.inf, self.groups[0], 0
        for g in order:
            if uppers[g].max() <= value:
                break
            if value > -np.inf:
                uppers[g] = np.minimum(uppers[g], self.groups[g].upper(scale, CLOSER))
            if uppers[g].max() <= value:
                continue
            place = int(uppers[g].argmax())
            own = self.groups[g].leak(place, scale)
            if own > value:
                value, worst, at = own, self.groups[g], place
        left = list[Curves]()
        for group, upper in zip(self.groups, uppers, strict=True):
            above = np.flatnonzero(upper > self.limit).tolist()
            if above:
                left.append(group if len(above) == len(upper) else group.kept(above))
        self.groups = left or self.groups
        return Found(value, lambda s: worst.leak(at, s), lambda s: worst.bound(at, s))


@dataclass(frozen=True)
class Oracle:
    """A search of its own: what nobody exceeds at a scale, and the worst adversary it found."""

    problem: Problem
    search: Callable[[float], tuple[float, Adversary]]

    def worst(self, scale: float) -> Found:
        value, adversary = self.search(scale)
        known, belief = set(adversary.known), self.problem.belief
        open_ones = [name for name in belief.domain.names if name not in known]
        beside = {name for own in open_ones for name in belief.blanket(own)} & known
        border = [name for name in adversary.known if name in beside]
        (target,) = adversary.targets
        own = all_but(self.problem, target, [n for n in open_ones if n != target], border)
        return Found(value, own.exact, own.told)


def knowing(problem: Problem, known: tuple[str, ...] = ()) -> Listed:
    """Those who know these and nothing else, after each of the others."""
    belief = problem.belief
    names = _unlike(problem, [name for name in belief.domain.names if name not in known])
    if not problem.fast and not known and MEASURES[problem.measure].over == "sup":
        return Listed(problem.limit, [Views(problem, tuple(names))])
    few = not known or (belief.cells(known) <= FEW and belief.knows_jointly(known))
    if problem.fast and few:
        parts = list(each_value(problem, known))
        sums = [part.remembered.sums_of_each(names, part.queries) for part in parts]
        laws = [Separation.of(own) for own in sums if own is not None]
        if len(laws) == len(parts):
            own = tuple(names)
            return Listed(problem.limit, [Targets(problem, own, law, known) for law in laws])
    return Listed(problem.limit, [one(problem, Adversary(name, knows=known)) for name in names])


def all_but(problem: Problem, target: str, hidden: Sequence[str], boundary: Sequence[str]) -> One:
    """Who knows all but the ``hidden``: of that only the boundary says anything about them.

    The rest is a known part of the answers.
    """
    open_ones = {*hidden, target}
    weights = {
        name: [query.get(name, 0.0) for query in problem.queries]
        for name in problem.belief.domain.names
        if name in open_ones
    }
    return one(replace(problem, weights=weights), Adversary(target, knows=tuple(boundary)))


def one(problem: Problem, adversary: Adversary) -> One:
    """What one adversary learns at any scale."""

    @cache
    def bound(scale: float) -> Bound:
        return replace(problem.leak(adversary, scale), why=_who(adversary))

    if not problem.fast:
        return One(bound, lambda s: bound(s).value, partial(problem.most, adversary))
    belief, matter = problem.remembered.knowing(adversary.known)
    queries = [
        {name: w for name, w in query.items() if name in belief.domain.names}
        for query in problem.queries
    ]
    law = Separation.of(belief.sums([*matter, *adversary.targets], queries))

    def leak(scale: float) -> float:
        return float(law.at(scale).max(initial=0.0))

    return One(bound, leak)


def _who(adversary: Adversary) -> str:
    named = ", ".join(adversary.known[:NAMED]) + (", ..." if adversary.known[NAMED:] else "")
    return f"{adversary.target}, to somebody who knows {named or 'nothing else'}"


def _unlike(problem: Problem, names: Sequence[str]) -> Sequence[str]:
    """Of those that neither the belief nor their weights tell apart, one."""
    kinds = {name: kind for kind, own in enumerate(problem.belief.alike()) for name in own}
    firsts: dict[tuple[float, ...], str] = {}
    for name in names:
        weights = (query.get(name, 0.0) for query in problem.queries)
        firsts.setdefault((kinds[name], *weights), name)
    return list(firsts.values())
