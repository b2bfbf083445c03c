"""The least scale by search, and what is left to learn at any scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from unspoken.core.errors import NotKnown
from unspoken.core.numerics.rounding import ROUNDED
from unspoken.core.types.bound import Bound
from unspoken.noise.calibration.exact.adversaries import knowing
from unspoken.noise.calibration.exact.threats import Threat, WorstAt, least
from unspoken.noise.calibration.exact.unlisted import least_noise, of_views
from unspoken.noise.calibration.exact.windows import Windows
from unspoken.noise.calibration.exact.worst_adversary import worst_adversary
from unspoken.noise.calibration.knowledge import Knows
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["check_within_reach", "exact", "left_at"]

# Chains whose sums have more cells than this, for all variables, are looked at through windows ...
LONG = {"nothing": 2**22, "anything": 2**16}
# so wide that their edges say less than this share of the limit; settled, if both ends of the
# bound are so near to each other.
FADED, SETTLED = (1e-4, 1e-9), 1e-7
# Ends further apart than this are no matter of how wide the windows are.
LOOSE = 1e-2
# One-sided noise of this scale hides all that such noise can hide, of counts.
WIDEST = 1e12

Found = TypeVar("Found")


def exact(problem: NoiseProblem, knows: Knows, start: float) -> tuple[float, Bound]:
    """The least scale from ``start`` on that keeps the limit, and what it leaves, recomputed.

    Of a set of beliefs it keeps the limit whichever of them is true.
    """
    scale, bounds = start, list[tuple[float, Bound]]()
    for member in _members(problem):
        scale, bound = _exact(member, knows, scale)
        bounds.append((scale, bound))
    last = [
        bound if at == scale else left_at(member, knows, scale)
        for member, (at, bound) in zip(_members(problem), bounds, strict=True)
    ]
    return scale, _worst_of(problem, last)


def left_at(problem: NoiseProblem, knows: Knows, scale: float) -> Bound:
    """What the worst of those who may know this much learns at this scale."""
    bounds = list[Bound]()
    for member in _members(problem):

        def look(threat: Threat) -> tuple[Bound, Bound]:
            bound = threat.worst(scale).bound(scale)
            return bound, bound

        bounds.append(_first_settled(member, knows, look))
    return _worst_of(problem, bounds)


def check_within_reach(problem: NoiseProblem, knows: Knows) -> None:
    """Refuse a limit that one-sided noise does not keep, however wide: an answer above what the
    sensitive add is seldom then, and still shows that somebody is not.
    """
    left = left_at(problem, knows, WIDEST)
    if left.low > problem.limit:
        raise NotKnown(
            f'calibrate: noise="one-sided" leaves {left.low:.6g} of "{problem.measure}" at any '
            f"scale, about {left.why}; an answer may show that somebody is not sensitive: take "
            'measure="exclusion" or "odds" of variables that are sensitive, or noise="geometric"'
        )


def _members(problem: NoiseProblem) -> list[NoiseProblem]:
    return [problem] if problem.members is None else problem.members


def _worst_of(problem: NoiseProblem, bounds: Sequence[Bound]) -> Bound:
    """Of the beliefs that may be true: high holds for all of them, low for one."""
    if len(bounds) == 1:
        return bounds[0]
    at = max(range(len(bounds)), key=lambda k: bounds[k].high)
    why = f"worst of {len(bounds)} beliefs, number {at}: {bounds[at].why}"
    low = max(bound.low for bound in bounds)
    return replace(bounds[at], low=low, premise=problem.belief.premise, why=why)


def _exact(problem: NoiseProblem, knows: Knows, start: float) -> tuple[float, Bound]:
    """Of one belief; where rounding carries the leakage beyond the limit, a little more noise."""
    if problem.members is None:
        start = max(start, least_noise(problem))
    scale, worst = _searched(problem, knows, start)
    raised = ROUNDED
    while (bound := worst.bound(scale)).value > problem.limit:
        scale, raised = scale * (1 + raised), 2 * raised
    return scale, bound


def _searched(problem: NoiseProblem, knows: Knows, start: float) -> tuple[float, WorstAt]:
    """Who knows nothing else is looked at first, being had quickly."""
    guess = problem.reach / problem.limit

    def look(threat: Threat) -> tuple[tuple[float, WorstAt], Bound]:
        nonlocal start
        if threat.slow:
            start, _ = least(knowing(problem), problem.limit, start, guess)
        scale, worst = least(threat, problem.limit, start, guess)
        bound = worst.bound(scale)
        return (scale, worst), replace(bound, low=bound.high) if scale == start else bound

    return _first_settled(problem, knows, look)


def _first_settled(
    problem: NoiseProblem, knows: Knows, look: Callable[[Threat], tuple[Found, Bound]]
) -> Found:
    """Long chains through windows, narrow ones first; where none is settled, whole if affordable.

    Every one of them is sound. Ends far apart are so for other reasons than edges that are told.
    """
    if problem.members is None:
        return look(of_views(problem, knows))[0]
    long, found = _cells(problem), None
    affordable = long <= LONG["nothing"]
    if knows in LONG and problem.fast and long > LONG[str(knows)]:
        for share in FADED:
            windows = problem.once(Windows.of, knows == "anything", share)
            if windows is not None:
                found, bound = look(windows)
                if bound.low >= (1 - SETTLED) * bound.high:
                    return found
                if affordable and bound.low < (1 - LOOSE) * bound.high:
                    break
    return look(_whole(problem, knows))[0] if found is None or affordable else found


def _cells(problem: NoiseProblem) -> float:
    """About how many numbers the laws of the sum have, for all variables."""
    sizes = problem.belief.domain.sizes
    return float(len(sizes)) * max(sizes) * (1 + sum(sizes) - len(sizes))


def _whole(problem: NoiseProblem, knows: Knows) -> Threat:
    if knows == "anything":
        return worst_adversary(problem)
    return knowing(problem, () if knows == "nothing" else tuple(knows))
