"""The worst adversary: who, of all that know something beside, learns most from a release.

Every search says at any time whom it has found and what nobody exceeds (certificate.py), so it can
be stopped, by the clock or from the keyboard, and still answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Any

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, NotKnown, TooLarge, quoted
from unspoken.core.measures import MEASURES, Measure, MeasureName, measure_named
from unspoken.core.mechanisms import Mechanism
from unspoken.core.mechanisms.parts import Parts, Query
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.ring import OutOfRange
from unspoken.core.questions import check_kinds
from unspoken.core.searching.certificate import Certificate, Ends
from unspoken.core.searching.chains import worst_of_chain
from unspoken.core.searching.exchangeable import worst_of_exchangeable
from unspoken.core.searching.gaussian.worst import worst_of_gaussian
from unspoken.core.searching.joints import (
    AllBut,
    Listing,
    boundary,
    connected,
    counted,
    worst_of_table,
)
from unspoken.core.searching.surroundings import worst_of_branches
from unspoken.core.types.bound import Bound
from unspoken.core.types.kinds import items
from unspoken.core.views import View

__all__ = ["Worst", "looks_at_everybody", "worst"]

# How many names are written out.
NAMED = 8
# Quick searches may be off by this, in nats or of what they find, which is much of a leakage as
# small as that.
ROUNDING, LITTLE = 1e-13, 1e-3
Progress = Callable[[Certificate], object]
Search = Callable[[Belief, Query, Sequence[str]], Iterator[Certificate] | None]


@dataclass(frozen=True, repr=False)
class Worst(Shown):
    """``bound.low``: what ``adversary`` learns; ``bound.high``: no adversary learns more.

    None was found where the search was stopped too early.
    """

    bound: Bound
    adversary: Adversary | None

    def facts(self) -> list[tuple[str, str]]:
        if self.adversary is None:
            return [*self.bound.facts(), ("adversary", "none found yet")]
        known = self.adversary.known
        names = ", ".join(known[:NAMED]) + (f", ... ({len(known)})" if len(known) > NAMED else "")
        rows = [("about", str(self.adversary.target)), ("knowing", names or "nothing else")]
        return [*rows, *self.bound.facts()]

    def as_json(self) -> dict[str, Any]:
        """The bound, and who attains its low end."""
        who = self.adversary
        adversary = None if who is None else {"target": who.target, "knows": list(who.known)}
        return {**self.bound.as_json(), "adversary": adversary}


def worst(
    belief: Belief,
    mechanism: Mechanism,
    measure: MeasureName = "max-log-ratio",
    targets: Sequence[str] | None = None,
    *,
    seconds: float | None = None,
    progress: Progress | None = None,
    **options: float,
) -> Worst:
    """Who learns most about one variable (of ``targets``, or any), whatever else they know.

    Over all adversaries (i, K): after x_i, knowing x_K, the worst case over its values.
    ``seconds``: when to stop with what is known by then; Ctrl-C does too. ``progress`` is called on
    the way, with what could be said then. ``options`` are the measure's own.
    """
    check_kinds("worst", belief, mechanism)
    of = measure_named(measure)
    if options and not of.options:  # quick searches would not see them
        raise InputError(f'{measure}: takes no options; leave out "{next(iter(options))}"')
    if not (progress is None or callable(progress)):
        raise InputError(f"worst.progress: {quoted(progress)} cannot be called; give a function")
    asked = SearchProblem(belief, mechanism, of, _names(belief, targets), options, _limit(seconds))
    best = asked.nothing
    ends = None if asked.seconds is None else monotonic() + asked.seconds
    try:
        for best in asked.certificates():
            if progress is not None:
                progress(best)
            if ends is not None and monotonic() > ends:
                break
        stopped = "" if best.done == best.total else f"stopped after {asked.seconds:g} s: "
    except KeyboardInterrupt:
        stopped = "stopped from the keyboard: "
    return asked.answer(best, stopped)


def looks_at_everybody(belief: Belief, mechanism: Mechanism, measure: str) -> bool:
    """Whether a search that is not stopped ends with the worst adversary of all."""
    asked = SearchProblem(belief, mechanism, MEASURES[measure], belief.domain.names, {}, None)
    try:
        next(asked.everybody())  # what is too much is refused before anything is looked at
    except TooLarge:
        return False
    return True


def _limit(seconds: object) -> float | None:
    if seconds is None or number(seconds) > 0:
        return None if seconds is None else number(seconds)
    raise InputError(
        f"worst.seconds: {quoted(seconds)} is no time to search; give a positive number"
    )


def _names(belief: Belief, targets: Sequence[str] | None) -> tuple[str, ...]:
    if targets is None:
        return belief.domain.names
    names = items(targets, "worst.targets")
    for name in names:
        belief.domain.axis(name, "worst.targets")
    if not names:
        raise InputError("worst.targets: is empty; name at least one variable, or leave it out")
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class SearchProblem:
    """One question, checked."""

    belief: Belief
    mechanism: Mechanism
    measure: Measure
    targets: tuple[str, ...]
    options: dict[str, float]
    seconds: float | None

    @property
    def parts(self) -> Parts:
        """What everybody is shown.

        Searches leave out what is shown of known variables, and look at surroundings; what a coin
        shows of a record tells of what is known and of all its names at once.
        """
        parts = self.mechanism.parts(self.belief.domain, Adversary(self.targets[0]))
        if parts.of_records:
            raise NotKnown(
                "worst: does not search what is shown of whole records; ask leakage(belief, "
                'mechanism, adversary, "odds"), with the names that somebody knows'
            )
        return parts

    @property
    def nothing(self) -> Certificate:
        """What is known before anything was looked at."""
        return Certificate(0.0, self.most(math.inf), "", frozenset(), 0, 1, "nothing looked at")

    def certificates(self) -> Iterator[Certificate]:
        """Of everybody who matters; where those are too many, of what none of them exceeds."""
        try:
            yield from self.everybody()
        except TooLarge:
            bound_by_branches = self.branches()
            if bound_by_branches is None:
                raise
            yield from bound_by_branches

    def branches(self) -> Iterator[Certificate] | None:
        """Of a tree, whatever its size."""
        if self.measure is not MEASURES["max-log-ratio"]:
            return None
        parts = self.parts

        def look(who: AllBut) -> float:
            return self.ends(self.listing([who]).view(who))[0][0]

        return worst_of_branches(self.belief, parts, self.targets, look)

    def everybody(self) -> Iterator[Certificate]:
        """Of the quickest search that answers; numbers beyond floats are left to views."""
        parts = self.parts
        if self.measure is MEASURES["max-log-ratio"] and _is_one_sum(parts):
            for search in self.quick:
                try:
                    certificates = search(self.belief, parts.queries[0], self.targets)
                    if certificates is not None:
                        for best in certificates:
                            yield best
                        if best.low > 0 and self.belief.covariance is None:
                            yield self.from_view(best)
                        return
                except OutOfRange:
                    continue
        everyone = counted(self.belief, parts, self.targets)
        yield from self.listing(everyone or connected(self.belief, self.targets)).steps()

    @property
    def quick(self) -> list[Search]:
        """Searches for one noisy sum; each answers for beliefs that have what it goes by."""
        gaussian = partial(worst_of_gaussian, seconds=self.seconds)
        return [gaussian, worst_of_exchangeable, worst_of_chain, worst_of_table]

    def from_view(self, best: Certificate) -> Certificate:
        """A small leakage is a difference of logarithms to quick searches; views subtract nothing.

        Whom the search took for the worst may be so by its rounding only, which is added to high.
        """
        hidden = tuple(best.unknown)
        shield = boundary(self.belief, {best.target, *hidden})
        who = AllBut(best.target, hidden, shield)
        try:
            (low, high), (below, above) = self.ends(self.listing([who]).view(who))
        except TooLarge:
            return best
        outer = below, max(above, best.high + _rounding(best.high))
        if best.low >= LITTLE:
            return replace(best, outer=outer)
        exact = low if low == high else best.low
        return replace(best, low=exact, high=max(high, best.high + ROUNDING), outer=outer)

    def listing(self, everyone: Sequence[AllBut]) -> Listing:
        return Listing(self.belief, self.mechanism, everyone, self.ends, self.most)

    def ends(self, view: View) -> tuple[Ends, Ends]:
        """The measure of one view, and with the rounding behind it; odds as logarithms."""
        bound = self.measure.rounded(view, **self.options)
        if bound.status != "ok":
            return (0.0, 0.0), (0.0, 0.0)
        odds = self.measure.unit == "odds"
        ends = bound.logs if odds and bound.logs else (bound.low, bound.high)
        return ends, bound.outer or ends

    def most(self, separation: float) -> float:
        """What the measure is at most where likelihoods are at most e^separation apart."""
        if self.measure is MEASURES["mutual-information"]:  # not more than there is to be known
            return min(
                separation, math.log(max(self.belief.cells([name]) for name in self.targets))
            )
        if self.measure.unit in ("nat", "odds") or not separation:
            return separation
        return 1.0 if self.measure.unit == "probability" else math.inf

    def answer(self, best: Certificate, stopped: str) -> Worst:
        """In the measure's unit; where nobody learns anything, anybody attains that."""
        premise, why = self.belief.premise, stopped + best.how
        who: Adversary | None = None
        if best.target or best.done == best.total:
            target = best.target or self.targets[0]
            names = (name for name in self.belief.domain.names if name != target)
            who = Adversary(target, knows=tuple(name for name in names if name not in best.unknown))
        low, high = best.outer or (best.low, best.high + _rounding(best.high))
        low = low if best.outer else low - _rounding(low)
        outer = min(max(low, self.measure.least), best.low), max(high, best.high)
        if self.measure.unit == "odds":
            bound = Bound.of_odds(best.low, best.high, premise, why, outer)
        else:
            bound = Bound(best.low, best.high, self.measure.unit, premise, why, outer=outer)
        return Worst(bound.outward(), who)


def _rounding(end: float) -> float:
    return ROUNDING * max(1.0, end) if 0 < end < math.inf else 0.0


def _is_one_sum(parts: Parts) -> bool:
    """With noise to both sides, which is what the quick searches go by."""
    single = len(parts.queries) == 1 and not parts.beside_queries
    return single and not parts.queries[0].noise.one_sided
