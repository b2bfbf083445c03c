"""The worst of all who may look: after any variable, knowing any of the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from unspoken.core.adversary import Adversary
from unspoken.core.errors import TooLarge
from unspoken.core.numerics.rounding import ROUNDED, down, up
from unspoken.core.searching.joints import AllBut, connected, counted
from unspoken.core.searching.search import ROUNDING, Worst, looks_at_everybody, worst
from unspoken.core.types.bound import Bound
from unspoken.noise.calibration.exact.adversaries import (
    Adversaries,
    OneAdversary,
    Searched,
    all_but,
)
from unspoken.noise.calibration.exact.branched import Branched
from unspoken.noise.calibration.exact.single_variable import single_variables
from unspoken.noise.calibration.exact.threats import Threat
from unspoken.noise.calibration.problem import LEAST, RATIO, NoiseProblem

__all__ = ["worst_adversary"]

# Ends that are further apart, relatively and beyond rounding, are those of a bound.
APART = 1e-9

WAYS_OUT = 'say knows="nothing", or name what they know; method="group" holds for everybody'


def worst_adversary(problem: NoiseProblem) -> Threat:
    """Who is worst is searched at every scale that is looked at (searching/search.py).

    Where variables are independent it takes no search, knowing all others is worst: it takes noise
    away and nothing else. Of a Gaussian the scale is a factor, so one search is enough. On a tree
    of many variables nobody exceeds what its branches tell (core/searching/branches.py).
    """
    names = problem.belief.domain.names
    if all(len(block) == 1 for block in problem.belief.blocks()):
        return single_variables(problem, names)
    if problem.belief.covariance is not None and problem.fast:
        return _proportional(problem)
    if _too_many(problem):
        return Branched(problem)
    if not problem.fast:
        return _one_by_one(problem)
    return Searched(problem, lambda scale: _searched(problem, scale))


def _too_many(problem: NoiseProblem) -> bool:
    """Whether only their bound can be had."""
    if problem.measure != RATIO or problem.belief.forest is None:
        return False
    scale = max(problem.reach / problem.limit, LEAST[problem.noise])
    return not looks_at_everybody(problem.belief, problem.mechanism(scale), problem.measure)


def _one_by_one(problem: NoiseProblem) -> Adversaries:
    """All but those who learn no more than another; each is done with once it keeps the limit."""
    belief, names = problem.belief, problem.belief.domain.names
    parts = problem.mechanism(1.0).parts(belief.domain, Adversary(names[0]))
    try:
        of_a_kind = counted(belief, parts, names)
        everyone = of_a_kind or connected(belief, names)
    except TooLarge as error:
        raise TooLarge(f"calibrate: {error}; or {WAYS_OUT}") from None

    def one(who: AllBut) -> OneAdversary:
        return all_but(problem, who.target, who.unknown, who.boundary)

    groups = [_anew(partial(one, who)) if of_a_kind else one(who) for who in everyone]
    return Adversaries(problem.limit, groups)


def _anew(one: Callable[[], OneAdversary]) -> OneAdversary:
    """Nothing is kept between scales: of many variables of a kind all laws take gigabytes."""
    return OneAdversary(
        lambda scale: one().bound_at(scale),
        lambda scale: one().leak_at(scale),
        lambda scale, pieces: float(one().upper(scale, pieces)[0]),
    )


def _searched(problem: NoiseProblem, scale: float) -> tuple[float, Adversary]:
    worst_now = _worst(problem, scale)
    assert worst_now.adversary is not None  # a search that is not stopped finds somebody
    low, high = worst_now.bound.low, worst_now.bound.high
    apart = not worst_now.bound.exact and high - low > APART * high + 2 * ROUNDING
    if problem.belief.forest and apart:
        raise TooLarge(f"calibrate: too little noise to look at everybody; {WAYS_OUT}")
    return high * (1 + ROUNDED), worst_now.adversary


def _worst(problem: NoiseProblem, scale: float) -> Worst:
    options: dict[str, Any] = dict(problem.options)
    try:
        return worst(problem.belief, problem.mechanism(scale), problem.measure, **options)
    except TooLarge as error:
        raise TooLarge(f"calibrate: {error}; or {WAYS_OUT}") from None


def _proportional(problem: NoiseProblem) -> Adversaries:
    """R_i |c_iK| / scale, largest over i and K."""
    worst_now = _worst(problem, 1.0)
    low, high = worst_now.bound.low, worst_now.bound.high

    def bound(scale: float) -> Bound:
        premise, why = worst_now.bound.premise, worst_now.bound.why
        return Bound(down(low / scale, 1), up(high / scale, 1), "nat", premise, why)

    def leak(scale: float) -> float:
        return high / scale

    return Adversaries(problem.limit, [OneAdversary(bound, leak)])
