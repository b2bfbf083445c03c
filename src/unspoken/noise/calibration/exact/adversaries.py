"""Who looks at an answer, and what the worst of them learns at a scale."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import ClassVar, Protocol

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.measures import MEASURES
from unspoken.core.numerics.arrays import Array
from unspoken.core.questions import views_of_each
from unspoken.core.types.bound import Bound
from unspoken.noise.calibration.exact.contexts import each_value
from unspoken.noise.calibration.exact.separation import Separation
from unspoken.noise.calibration.exact.threats import WorstAt
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = [
    "Adversaries",
    "OneAdversary",
    "Searched",
    "all_but",
    "knowing",
    "listed",
    "one_adversary",
]

# How many names are written out.
NAMED = 4
# Into how many pieces cells are cut before somebody is looked at with all digits.
CLOSER = 64
# So many values of what is known are looked at one after the other, for all targets at once.
FEW = 64


class LeakCurves(Protocol):
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

    def kept(self, places: Sequence[int]) -> LeakCurves: ...


@dataclass(frozen=True)
class RatiosOfEach:
    """Who knows the same, and these values of it, for many targets at once: a row each."""

    problem: NoiseProblem
    names: tuple[str, ...]
    separation: Separation
    knows: tuple[str, ...] = ()

    def upper(self, scale: float, pieces: int = 1) -> Array:
        return self.separation.at(scale)

    def leak(self, place: int, scale: float) -> float:
        return float(self.separation.rows([place]).at(scale)[0])

    def bound(self, place: int, scale: float) -> Bound:
        adversary = Adversary(self.names[place], knows=self.knows)
        return one_adversary(self.problem, adversary).bound(0, scale)

    def kept(self, places: Sequence[int]) -> RatiosOfEach:
        names = tuple(self.names[k] for k in places)
        return RatiosOfEach(self.problem, names, self.separation.rows(places), self.knows)


@dataclass(frozen=True)
class PointsOfEach:
    """Who knows nothing else, by a measure that is largest at some point: all targets at once."""

    problem: NoiseProblem
    names: tuple[str, ...]

    def upper(self, scale: float, pieces: int = 1) -> Array:
        problem, mechanism = self.problem, self.problem.mechanism(scale)
        measure = MEASURES[problem.measure]
        each = views_of_each(problem.worked_out_once, mechanism, measure, self.names)
        return np.array([measure.of(view, **problem.options).value for view in each])

    def leak(self, place: int, scale: float) -> float:
        return self.problem.leak(Adversary(self.names[place]), scale)

    def bound(self, place: int, scale: float) -> Bound:
        return one_adversary(self.problem, Adversary(self.names[place])).bound(0, scale)

    def kept(self, places: Sequence[int]) -> PointsOfEach:
        return PointsOfEach(self.problem, tuple(self.names[k] for k in places))


@dataclass(frozen=True)
class OneAdversary:
    """One adversary; the worst of what they may know.

    ``quick``: not too little, and closer with more pieces; None: ``leak_at`` is quick.
    """

    bound_at: Callable[[float], Bound]
    leak_at: Callable[[float], float]
    quick: Callable[[float, int], float] | None = None

    def upper(self, scale: float, pieces: int = 1) -> Array:
        return np.array([self.quick(scale, pieces) if self.quick else self.leak_at(scale)])

    def leak(self, place: int, scale: float) -> float:
        return self.leak_at(scale)

    def bound(self, place: int, scale: float) -> Bound:
        return self.bound_at(scale)

    def kept(self, places: Sequence[int]) -> OneAdversary:
        return self


@dataclass
class Adversaries:
    """All are looked at; whoever keeps the limit once is done with (threats.py)."""

    slow: ClassVar[bool] = False
    limit: float
    groups: Sequence[LeakCurves]

    def worst(self, scale: float) -> WorstAt:
        """The most promising first; who cannot be worse than the worst so far is not looked at."""
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
            leak = self.groups[g].leak(place, scale)
            if leak > value:
                value, worst, at = leak, self.groups[g], place
        left = list[LeakCurves]()
        for group, upper in zip(self.groups, uppers, strict=True):
            above = np.flatnonzero(upper > self.limit).tolist()
            if above:
                left.append(group if len(above) == len(upper) else group.kept(above))
        self.groups = left or self.groups
        return WorstAt(value, partial(worst.leak, at), partial(worst.bound, at))


@dataclass(frozen=True)
class Searched:
    """A search of its own: what nobody exceeds at a scale, and the worst adversary it found."""

    slow: ClassVar[bool] = True
    problem: NoiseProblem
    search: Callable[[float], tuple[float, Adversary]]

    def worst(self, scale: float) -> WorstAt:
        value, adversary = self.search(scale)
        known, belief = set(adversary.known), self.problem.belief
        unknown = [name for name in belief.domain.names if name not in known]
        beside = {name for other in unknown for name in belief.blanket(other)} & known
        border = [name for name in adversary.known if name in beside]
        (target,) = adversary.targets
        hidden = [name for name in unknown if name != target]
        worst = all_but(self.problem, target, hidden, border)
        return WorstAt(value, worst.leak_at, worst.bound_at)


def knowing(problem: NoiseProblem, known: tuple[str, ...] = ()) -> Adversaries:
    """Those who know these and nothing else, after each of the others."""
    belief = problem.belief
    names = _unlike(problem, [name for name in belief.domain.names if name not in known])
    if not problem.fast and not known and MEASURES[problem.measure].over == "sup":
        return Adversaries(problem.limit, [PointsOfEach(problem, tuple(names))])
    few = not known or (belief.cells(known) <= FEW and belief.knows_jointly(known))
    if problem.fast and few:
        contexts = list(each_value(problem, known))
        sums = [
            context.worked_out_once.sums_of_each(names, context.queries) for context in contexts
        ]
        laws = [Separation.of(law) for law in sums if law is not None]
        if len(laws) == len(contexts):
            groups = [RatiosOfEach(problem, tuple(names), law, known) for law in laws]
            return Adversaries(problem.limit, groups)
    return listed(problem, [Adversary(name, knows=known) for name in names])


def listed(problem: NoiseProblem, adversaries: Sequence[Adversary]) -> Adversaries:
    """These, one by one."""
    return Adversaries(problem.limit, [one_adversary(problem, who) for who in adversaries])


def all_but(
    problem: NoiseProblem, target: str, hidden: Sequence[str], boundary: Sequence[str]
) -> OneAdversary:
    """Who knows all but the ``hidden``: of that only the boundary says anything about them.

    The rest is a known part of the answers.
    """
    unknown = {*hidden, target}
    names = [name for name in problem.belief.domain.names if name in unknown]
    adversary = Adversary(target, knows=tuple(boundary))
    return one_adversary(problem.about(names), adversary)


def one_adversary(problem: NoiseProblem, adversary: Adversary) -> OneAdversary:
    """What one adversary learns at any scale."""

    @cache
    def bound(scale: float) -> Bound:
        return replace(problem.bound(adversary, scale), why=_who(adversary))

    if not problem.fast:
        leaks, quick = partial(problem.leak, adversary), partial(problem.most, adversary)
        return OneAdversary(bound, leaks, quick)
    belief, matter = problem.worked_out_once.knowing(adversary.known)
    queries = [
        {name: w for name, w in query.items() if name in belief.domain.names}
        for query in problem.queries
    ]
    law = Separation.of(belief.sums([*matter, *adversary.targets], queries))

    def leak(scale: float) -> float:
        return float(law.at(scale).max(initial=0.0))

    return OneAdversary(bound, leak)


def _who(adversary: Adversary) -> str:
    named = ", ".join(adversary.known[:NAMED]) + (", ..." if adversary.known[NAMED:] else "")
    return f"{adversary.target}, to somebody who knows {named or 'nothing else'}"


def _unlike(problem: NoiseProblem, names: Sequence[str]) -> Sequence[str]:
    """Of those that neither the belief nor their weights tell apart, one."""
    kinds = {name: kind for kind, alike in enumerate(problem.belief.alike()) for name in alike}
    firsts: dict[Hashable, str] = {}
    for name in names:
        weights = (query.get(name, 0.0) for query in problem.queries)
        firsts.setdefault((kinds[name], *weights), name)
    return list(firsts.values())
